// A browser on another machine: it comes to this machine's own address, which is not loopback. The console needs the
// admin token, also for its live connection; whoever was given a match's link plays without.
import { describe, expect } from 'vitest';
import { tests } from './fixtures';
import { ownAddress, startOpenseat, Traffic, type Visitor } from './harness';
import { createMatch, playDemo } from './play';

// What the browser says of a server without TLS, and of what a player may not ask for.
const kPlainHttp = /403|Opener-Policy/;

const it = tests({ start: () => startOpenseat(['--insecure', '--agent', 'random'], '0.0.0.0:0') }).extend<{
  // Opens a path of the server as it is seen from elsewhere.
  come: (path: string, expected: RegExp) => Promise<Visitor>;
}>({
  come: async ({ server, visit }, use) => use((path, expected) => visit(`http://${ownAddress}:${new URL(server.ws).port}${path}`, {}, expected)),
});

describe.skipIf(!ownAddress)('from another machine', () => {
  it('the console is live, with the token', async ({ server, come, onTestFinished }) => {
    const { page } = await come('/#/console', /403|WebSocket|Opener-Policy/);
    const dialog = page.getByRole('dialog', { name: 'The admin token is needed' });
    await dialog.getByLabel('Admin token').fill(await server.child.says(/admin token for other machines, shown only now: (\S+)/));
    const traffic = new Traffic(page);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => traffic.told.some((text) => text.includes('"type":"tables"'))).toBe(true);
    await page.getByText('No game is connected').first().waitFor();
    // What happens from now on comes by itself.
    await traffic.quiet();
    const game = playDemo(server, 1);
    onTestFinished(() => game.end('SIGKILL'));
    await page.getByRole('group', { name: 'Context log' }).getByText(/The game is over/).first().waitFor();
    expect(traffic.asked.filter((path) => path === '/api/v1/tables')).toEqual([]);
  });

  it('a match is played by its link, without: names, moves, giving up', async ({ server, come }) => {
    const id = await createMatch(server, { game: 'chicken' });
    const path = `/#/match/chicken/${id}`;
    const [ada, bo, cleo] = [await come(path, kPlainHttp), await come(path, kPlainHttp), await come(path, kPlainHttp)];
    for (const [{ page }, name] of [[ada, 'Ada'], [bo, 'Bo']] as const) {
      await page.getByLabel('Your name').fill(name);
      await page.getByRole('button', { name: 'Take the seat' }).click();
      await page.getByText(/Waiting for the other player|Your turn/).first().waitFor();
    }
    for (const { page } of [ada, bo, cleo]) {
      const players = page.getByRole('region', { name: 'Players' });
      await players.getByText('Ada').waitFor();
      await players.getByText('Bo').waitFor();
    }
    await ada.page.getByRole('button', { name: 'Swerve' }).click();
    await ada.page.getByText('Bo is choosing').waitFor();
    await bo.page.getByRole('button', { name: 'Go straight' }).click();
    await cleo.page.getByText('Round 1: Ada swerves, Bo goes straight').waitFor();
    await ada.page.getByRole('button', { name: 'Resign' }).click();
    await ada.page.getByRole('dialog', { name: 'Resign this match?' }).getByRole('button', { name: 'Resign' }).click();
    await ada.page.getByText('Bo won (Ada gave up)').waitFor();
    await bo.page.getByText('You won (Ada gave up)').waitFor();
    await cleo.page.getByText('Bo won (Ada gave up)').waitFor();
    for (const { page } of [ada, bo, cleo]) expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
