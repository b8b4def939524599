// A browser on another machine: it comes to this machine's own address, which is not loopback. The console needs the
// admin token, also for its live connection; whoever was given a match's link plays without.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { Child, launchBrowser, ownAddress, program, startOpenseat, visit, type Openseat, type Visitor } from './harness';
import { createMatch } from './play';

// What the browser says of a server without TLS, and of what a player may not ask for.
const kPlainHttp = /403|Opener-Policy/;

let browser: Browser;
let server: Openseat;
let there: string; // the server's address as seen from elsewhere
let visitors: Visitor[] = [];

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startOpenseat(['--insecure', '--agent', 'random'], '0.0.0.0:0')]);
  there = `http://${ownAddress}:${new URL(server.ws).port}`;
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});
afterEach(async () => {
  for (const visitor of visitors.splice(0)) {
    await visitor.context.close();
    expect(visitor.troubles).toEqual([]);
  }
});
async function come(path: string, expected: RegExp): Promise<Visitor> {
  const visitor = await visit(browser, there + path, {}, expected);
  visitors.push(visitor);
  return visitor;
}

describe.skipIf(!ownAddress)('from another machine', () => {
  it('the console is live, with the token', async () => {
    const { page } = await come('/#/console', /403|WebSocket|Opener-Policy/);
    const dialog = page.getByRole('dialog', { name: 'The admin token is needed' });
    await dialog.getByLabel('Admin token').fill(await server.child.says(/admin token for other machines, shown only now: (\S+)/));
    const told: string[] = [];
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => told.push(String(payload))));
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => told.some((text) => text.includes('"type":"tables"'))).toBe(true);
    await page.getByText('No game is connected').first().waitFor();
    // What happens from now on comes by itself.
    await page.waitForLoadState('networkidle');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const game = new Child(program, ['demo', 'tictactoe', '--url', server.ws, '--games', '1', '--pace', '0', '--seed', '3']);
    await page.getByRole('group', { name: 'Context log' }).getByText(/The game is over/).first().waitFor();
    expect(asked.filter((path) => path === '/api/v1/tables')).toEqual([]);
    await game.done();
  });

  it('a match is played by its link, without: names, moves, giving up', async () => {
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
