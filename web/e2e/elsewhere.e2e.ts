// A browser on another machine: it uses this machine's own address, which is not loopback. The console needs the
// admin token, also for its live connection; people with the link of a private match play without it.
import { execFileSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { tests } from './fixtures';
import { ownAddress, program, startOpenseat, Traffic, type Visitor } from './harness';
import { createMatch, playDemo } from './play';

// The browser's console messages about a server without TLS, and about requests that players may not make.
const kPlainHttp = /401|Opener-Policy/;

const it = tests({ start: () => startOpenseat(['--insecure', '--agent', 'random'], '0.0.0.0:0') }).extend<{
  // Opens a path of the server as seen from another machine.
  come: (path: string, expected: RegExp) => Promise<Visitor>;
}>({
  come: async ({ server, visit }, use) => use((path, expected) => visit(`http://${ownAddress}:${new URL(server.ws).port}${path}`, {}, expected)),
});

describe.skipIf(!ownAddress)('from another machine', () => {
  it('the console is live, with the token', async ({ server, come, onTestFinished }) => {
    const { page } = await come('/#/console', /401|WebSocket|Opener-Policy/);
    const dialog = page.getByRole('dialog', { name: 'Admin token required' });
    await dialog.getByLabel('Admin token').fill(await server.child.says(/admin token for other machines, shown only now: (\S+)/));
    const traffic = new Traffic(page);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => traffic.told.some((text) => text.includes('"type":"tables"'))).toBe(true);
    await page.getByText('No game connected').first().waitFor();
    // From now on, updates arrive by themselves.
    await traffic.quiet();
    const game = playDemo(server, 1);
    onTestFinished(() => game.end('SIGKILL'));
    await page.getByRole('group', { name: 'Context log' }).getByText(/The game is over/).first().waitFor();
    expect(traffic.asked.filter((path) => path === '/api/v1/tables')).toEqual([]);
  });

  it('a match is played by its link, without a token: names, moves, giving up', async ({ server, come }) => {
    const id = await createMatch(server, { game: 'chicken', private: true });
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

  it('without an invitation a private match is not found, and a public one requires a token', async ({ server, come }) => {
    const hidden = await createMatch(server, { game: 'chicken', private: true });
    const open = await createMatch(server, { game: 'chicken', private: false });
    const key = execFileSync(program, ['key', 'create', '--data-dir', server.dataDir], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    const { page } = await come(`/#/match/chicken/${open}`, /401|WebSocket|Opener-Policy|403/);
    const dialog = page.getByRole('dialog', { name: 'Token required' });
    await dialog.getByLabel('Token').fill(key);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Take the seat' }).waitFor();
    await page.goto(page.url().replace(open, hidden.split('.')[0] ?? ''));
    await page.reload();
    await page.getByText('This match is no longer open').waitFor();
  });

  it('matches made here are private, and their links say so', async ({ server, come }) => {
    const token = await server.child.says(/admin token for other machines, shown only now: (\S+)/);
    const { page } = await come('/#/play?game=chicken', /401|WebSocket|Opener-Policy/);
    const dialog = page.getByRole('dialog', { name: 'Admin token required' });
    await dialog.getByLabel('Admin token').fill(token);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Private: only people with the link').waitFor();
    expect(await page.getByLabel('Private: only people with the link').isChecked()).toBe(true);
    await page.getByRole('group', { name: 'Seats' }).getByRole('combobox').nth(1).selectOption('open');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByText('private: only people with the link can find it').waitFor();
    const link = await page.locator('.well.mono').textContent();
    expect(link).toMatch(/#\/match\/chicken\/[a-z-]+\.[a-z2-7]{26}$/);
    const friend = await come(link!.slice(link!.indexOf('/#')), kPlainHttp);
    await friend.page.getByRole('button', { name: 'Take the seat' }).click();
    await page.getByText('Your turn').waitFor();
  });
});
