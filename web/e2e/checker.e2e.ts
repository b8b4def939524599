// The checker's report: a run's files dropped in, read, searched, and sent as a link.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { tests } from './fixtures';
import { Child, program } from './harness';

const it = tests({ path: '/#/checker' });

it('a checker run is read from its files', async ({ page, onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'openseat-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(folder, 'script.json');
  // The game does not have the second action.
  writeFileSync(script, '{"move": {"position": [1, 1]}, "fly": {}}');
  const check = new Child(program, ['check', '--actions', script, '--listen', '127.0.0.1:0', '--log-dir', join(folder, 'logs'), '--quiet', '0.1']);
  onTestFinished(() => check.end('SIGKILL'));
  const address = await check.says(/Waiting for a game at (ws:\S+)/);
  const game = new Child(program, ['demo', 'tictactoe', '--url', address, '--games', '1', '--pace', '0', '--quiet']);
  onTestFinished(() => game.end('SIGKILL'));
  expect(await check.done()).toBe(1);
  const files = readdirSync(join(folder, 'logs')).map((file) => join(folder, 'logs', file));
  expect(files.length).toBe(4);
  await page.getByLabel('Files of a check run').setInputFiles(files);
  await page.getByRole('heading', { name: 'Tic-Tac-Toe: failed' }).waitFor();
  const finding = page.getByRole('listitem').filter({ hasText: 'script/unfinished' }).first();
  await finding.getByText('What to do:').waitFor();
  const timeline = page.getByRole('group', { name: 'Timeline' });
  await page.getByPlaceholder('Search').fill('position');
  await timeline.getByRole('button', { name: /to the game.*move/ }).first().click();
  await page.getByPlaceholder('Search').fill('');
  await finding.locator('.jump').first().click();
  await timeline.locator('.focus').getByText('script/unfinished').waitFor();
  await page.getByRole('heading', { name: /^Context/ }).waitFor();
});

it('a link holds the whole report', async ({ visitor, page }) => {
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByLabel('Files of a check run').setInputFiles({ name: 'run.log', mimeType: 'text/plain', buffer: Buffer.from('[2026-11-22T01:00:00.000Z] error: the packet is not valid JSON [prot/json/repaired]\n[2026-11-22T01:00:01.000Z] info: Failed: 1 packet\n') });
  await page.getByRole('button', { name: 'Copy as link' }).click();
  await page.getByText('Link copied').waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Close' }).click();
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByText('A message is not valid JSON, but can be read after repairs.').waitFor();
});

it('says what it cannot read', async ({ page, server }) => {
  await page.getByLabel('Files of a check run').setInputFiles({ name: 'x.log', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  await page.getByRole('alert').getByText('This is not a log of openseat check').waitFor();
  await page.goto(`${server.url}/#/checker?log=https://example.org/run.log`);
  await page.getByRole('alert').getByText('only from this server').waitFor();
  await page.goto(`${server.url}/#/checker?report=abc`);
  await page.getByRole('alert').getByText('damaged').waitFor();
});
