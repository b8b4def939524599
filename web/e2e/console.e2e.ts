// The Neuro console with the demo game: answers by hand, by a random agent, invalid ones; messages by hand; the record; and
// a server that goes away and comes back.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { tests } from './fixtures';
import { startOpenseat, Traffic, type Child } from './harness';
import { playDemo, remoteTable, seatAgent } from './play';

// No agent answers automatically.
const it = tests({ start: () => startOpenseat(['--agent', 'external']), each: true }).extend<{
  // The demo plays this many games (0: endlessly), and the console shows its first question. `expected`: see Visitor.
  play: (games: number, expected?: RegExp) => Promise<{ page: Page; game: Child }>;
}>({
  play: async ({ server, visit, onTestFinished }, use) =>
    use(async (games, expected) => {
      const game = playDemo(server, games);
      onTestFinished(() => game.end('SIGKILL'));
      const { page } = await visit(`${server.url}/#/console`, { acceptDownloads: true }, expected);
      await page.getByRole('heading', { name: 'The game asks' }).waitFor();
      return { page, game };
    }),
});

// Takes the first offered position, sends it with `press`, and waits until the question is gone.
async function answer(page: Page, press = () => page.getByRole('button', { name: 'Answer with this' }).click()): Promise<void> {
  const asked = await page.locator('.decision .state').textContent();
  await page.getByRole('radiogroup', { name: /position/ }).locator('label').first().click();
  await press();
  await page.waitForFunction((before) => document.querySelector('.decision .state')?.textContent !== before, asked);
}

it('a game is played to the end by hand', async ({ play }) => {
  const { page, game } = await play(1);
  await page.getByText('It is your turn. Choose your move.').first().waitFor();
  await page.getByText('low priority').waitFor();
  // Without an answer, nothing is sent, and the form says what is missing.
  await page.getByRole('button', { name: 'Answer with this' }).click();
  await page.getByText('is required').waitFor();
  // Between a choice and its result, the table is waiting for the game, too.
  const log = page.getByRole('group', { name: 'Context log' });
  const over = log.getByText(/The game is over/).first();
  for (let move = 0; move < 5 && (await over.count()) === 0; move += 1) {
    await answer(page);
    await page.getByText(/^Accepted/).or(over).first().waitFor();
    await page.locator('.decision .state').or(over).first().waitFor();
  }
  await over.waitFor();
  expect(await game.says(/(\d+) games?:/)).toBe('1');
  await page.getByPlaceholder('Search the log').fill('You chose');
  await expect.poll(() => log.getByRole('listitem').filter({ hasNotText: 'You chose' }).count()).toBe(0);
  await expect.poll(() => log.getByRole('listitem').count()).toBeGreaterThanOrEqual(3);
  await page.getByRole('tab', { name: 'Results' }).click();
  await page.getByRole('img', { name: /Time to result/ }).waitFor();
});

it('Ctrl and Enter send, with the keyboard only', async ({ play }) => {
  const { page } = await play(1);
  const group = page.getByRole('radiogroup', { name: /position/ });
  await group.getByRole('radio').first().focus();
  const asked = await page.locator('.decision .state').textContent();
  await page.keyboard.press('Space');
  await page.keyboard.press('Control+Enter');
  await page.waitForFunction((before) => document.querySelector('.decision .state')?.textContent !== before, asked);
});

it('the profile is switched while the game runs', async ({ server, play }) => {
  const { page } = await play(0);
  const table = await remoteTable(server);
  await page.getByRole('button', { name: 'Profile: document' }).click();
  await page.getByRole('radio', { name: /Chaos/ }).check();
  await page.getByRole('spinbutton', { name: 'Seed' }).fill('7');
  await page.getByRole('button', { name: 'Switch' }).click();
  await page.getByRole('button', { name: 'Profile: chaos' }).waitFor();
  expect((await (await fetch(`${server.url}/api/v1/tables/${table}`)).json()).profile).toEqual({ name: 'chaos', seed: 7 });
  await answer(page);
});

it('invalid data is refused here, but can be sent to the game anyway', async ({ play }) => {
  const { page } = await play(1);
  await page.getByRole('button', { name: 'JSON', exact: true }).click();
  const text = page.getByRole('textbox', { name: 'move as JSON' });
  await text.fill('{"position": [7');
  await page.getByRole('button', { name: 'Answer with this' }).click();
  await page.getByText('The text is not JSON.').waitFor();
  await text.fill('{"position": [7, 7]}');
  await page.getByText('must be one of').waitFor();
  await page.getByRole('button', { name: 'Answer with this' }).click();
  await page.getByRole('button', { name: 'Send it anyway' }).click();
  await page.getByText(/The game refused it: /).waitFor();
  await page.locator('.decision').getByText('attempt 2', { exact: true }).waitFor();
});

it('the seat is handed to an agent, taken back, and given to an external agent', async ({ play }) => {
  const { page } = await play(0, /400/);
  await page.getByRole('button', { name: 'Hand to an agent' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: /^Script/ }).check();
  await dialog.getByRole('button', { name: 'JSON', exact: true }).click();
  await dialog.getByLabel('Options as JSON').fill('{"script": [{"action": 1}]}');
  await dialog.getByRole('button', { name: 'Seat' }).click();
  await dialog.getByRole('alert').getByText('Could not seat the agent').waitFor();
  await dialog.getByRole('radio', { name: /^Random/ }).check();
  await dialog.getByRole('button', { name: 'JSON', exact: true }).click();
  await dialog.getByLabel('Options as JSON').fill('{"delay_ms": 200}');
  await dialog.getByRole('button', { name: 'Seat' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('group', { name: 'Context log' }).getByText(/random chose move/).first().waitFor();
  await page.getByRole('button', { name: /Seat: random/ }).click();
  await dialog.getByRole('radio', { name: /^Agent from outside/ }).check();
  await dialog.getByRole('button', { name: 'Seat' }).click();
  await dialog.getByText('Seat token').waitFor();
  const token = (await dialog.locator('dd code').first().textContent()) ?? '';
  expect(token.length).toBeGreaterThan(20);
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /by hand or by an external agent/ }).waitFor();
  expect(await page.getByText(token).count()).toBe(0);
});

it('messages are searched, sent again and sent by hand; diagnostics say what to do', async ({ play }) => {
  const { page } = await play(1);
  await page.getByRole('tab', { name: 'Messages' }).click();
  const messages = page.getByRole('group', { name: 'Messages' });
  await page.getByPlaceholder('Search the messages').fill('action_names');
  await messages.getByRole('button', { name: /actions\/force/ }).click();
  await messages.getByText('"query": "It is your turn. Choose your move."').waitFor();
  await page.getByPlaceholder('Search the messages').fill('');
  await page.getByRole('button', { name: 'Send by hand' }).click();
  const composer = page.getByRole('region', { name: 'Send by hand' });
  await composer.getByRole('combobox').selectOption({ label: 'An unregistered action' });
  await composer.getByRole('button', { name: 'Send', exact: true }).click();
  await messages.getByRole('button', { name: /to the game.*no_such_action/ }).waitFor();
  // The game sends a result that nobody is waiting for.
  await page.getByRole('tab', { name: /Diagnostics/ }).click();
  const finding = page.getByRole('listitem').filter({ hasText: 'prot/result/unexpected' });
  await finding.getByText('What to do:').waitFor();
  await finding.getByRole('button', { name: 'Show the message' }).click();
  await messages.getByText('"success": false').waitFor();
});

it('a refusal by the server is shown', async ({ play }) => {
  const { page } = await play(1, /403/);
  await page.getByRole('button', { name: 'Shut down…' }).click();
  await page.getByRole('button', { name: /^Gracefully/ }).click();
  await page.getByRole('alert').getByText('shutdown requests are switched off').waitFor();
});

it('a decision is skipped', async ({ play }) => {
  const { page } = await play(1);
  await page.getByRole('button', { name: 'Skip' }).click();
  await page.getByText('The game asks nothing right now.').waitFor();
  await page.getByRole('group', { name: 'Context log' }).getByText(/gave up|skipped/).first().waitFor();
});

it('a decision with a time limit is counted down, and ends', async ({ visit, onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'openseat-web-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = join(folder, 'openseat.toml');
  writeFileSync(config, '[neuro]\nforce_limit = 12\n');
  const server = await startOpenseat(['--agent', 'external', '--config', config]);
  onTestFinished(() => server.close());
  // The page opens first, so that it sees the whole countdown.
  const { page } = await visit(`${server.url}/#/console`);
  await page.getByText('No game connected').first().waitFor();
  const game = playDemo(server, 1);
  onTestFinished(() => game.end('SIGKILL'));
  await page.getByRole('timer').filter({ hasText: /^\s*\d+ s left\s*$/ }).waitFor();
  await page.getByText('The game asks nothing right now.').waitFor();
});

it('an endless pattern blocks nothing', async ({ server, visit }) => {
  const { page, context } = await visit(`${server.url}/#/console`, {}, /422|400/);
  // A hostile game.
  const evil = await context.newPage();
  await evil.goto(`${server.url}/openapi.json`);
  await evil.evaluate((url) => {
    const socket = new WebSocket(url);
    const say = (command: string, data?: unknown) => socket.send(JSON.stringify({ command, game: 'Evil', data }));
    const schema = { type: 'object', properties: { name: { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', default: 'a'.repeat(60) } }, required: ['name'] };
    socket.onopen = () => {
      say('startup');
      say('actions/register', { actions: [{ name: 'call', description: 'Calls', schema }] });
      say('actions/force', { query: 'Who?', state: '', action_names: ['call'] });
    };
  }, server.ws);
  await page.bringToFront(); // a hidden page asks for nothing
  await page.getByRole('heading', { name: 'The game asks' }).waitFor();
  await page.getByText(/Not checked while you type \(the schema takes too long\)/).waitFor();
  const field = page.getByRole('textbox', { name: /name/ });
  await field.fill('b'.repeat(70));
  await expect.poll(() => field.inputValue()).toBe('b'.repeat(70));
  await page.getByRole('button', { name: 'Answer with this' }).click();
  await page.getByRole('alert').filter({ hasText: 'The server did not send the action' }).waitFor();
  await field.fill('x Xa');
  await page.getByRole('button', { name: 'Answer with this' }).click();
  await page.getByText("Sent. Waiting for the game's result").waitFor();
});

it('a game is followed live, without polling', async ({ server, page, onTestFinished }) => {
  const traffic = new Traffic(page);
  const game = playDemo(server, 0);
  onTestFinished(() => game.end('SIGKILL'));
  await page.goto(`${server.url}/#/console`);
  await page.getByRole('heading', { name: 'The game asks' }).waitFor();
  await expect.poll(() => traffic.told.some((text) => text.includes('"type":"subscribed"'))).toBe(true);
  await traffic.quiet();
  // No faster than a slow page can follow: one that falls behind fetches what it missed.
  await seatAgent(server, await remoteTable(server), { kind: 'random', delay_ms: 200 });
  await page.getByRole('group', { name: 'Context log' }).getByText(/The game is over/).first().waitFor();
  expect(traffic.asked).toEqual([]);
});

it('a session is exported', async ({ play }) => {
  const { page } = await play(1);
  await answer(page);
  await page.getByRole('button', { name: 'Export' }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Everything, as JSON' }).click()]);
  const saved = JSON.parse(readFileSync(await download.path(), 'utf8')) as { table: { game: string }; events: { kind: string; payload: { agent?: string } }[] };
  expect(saved.table.game).toBe('Tic-Tac-Toe');
  expect(saved.events[0]?.kind).toBe('opened');
  expect(saved.events.some((event) => event.kind === 'choice' && event.payload.agent === 'console')).toBe(true);
});

it('the page reports a lost server, and resumes when it is back', async ({ server, play }) => {
  // The previous table is no longer live: a 404.
  const { page } = await play(0, /404|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_INCOMPLETE|WebSocket/);
  await server.stop('SIGKILL');
  await page.getByText('Cannot reach the server').first().waitFor();
  await server.again();
  // The previous table is now a record; if the game comes back, it gets a new one.
  await page.getByText('Cannot reach the server').first().waitFor({ state: 'detached' });
});
