// What spectators are told of a match that goes on: the chances, if the server judges it and nobody plays who could look.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { tests } from './fixtures';
import { startOpenseat } from './harness';
import { createMatch } from './play';

// Where the file with its setting is, until the server has stopped.
async function startJudging() {
  const folder = mkdtempSync(join(tmpdir(), 'openseat-live-'));
  const config = join(folder, 'openseat.toml');
  writeFileSync(config, '[server]\nlive_analysis = 2000\n');
  const server = await startOpenseat(['--config', config]);
  const { close } = server;
  server.close = async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  };
  return server;
}
const it = tests({ start: startJudging });

// Ann overlooks the threat, and then it is Bo's turn forever.
const steps = (cells: number[][]) => ({ kind: 'script', script: { steps: cells.map((position) => ({ action: 'move', data: { position } })), otherwise: 'wait' } });
const ann = { name: 'Ann', agent: steps([[0, 0], [2, 2], [1, 0]]) };
const bo = { name: 'Bo', agent: steps([[0, 1], [1, 1]]) };

it('the chances and the mistakes', async ({ page, server }) => {
  const id = await createMatch(server, { game: 'tictactoe', seats: [ann, bo] });
  await page.goto(`${server.url}/#/match/tictactoe/${id}`);
  const chances = page.getByRole('region', { name: 'Chances' });
  await page.locator('[data-judged="5"]').waitFor();
  expect(await chances.textContent()).toContain('Ann');
  await chances.getByText(/is a (mistake|blunder); better was/).first().waitFor();
});

it('nothing where a person plays', async ({ page, server }) => {
  const id = await createMatch(server, { game: 'tictactoe', seats: [{}, ann] });
  const told = (await (await fetch(`${server.url}/api/v1/tables/${id}/analysis?live=true`)).json()) as unknown;
  expect(told).toEqual({ status: 'none' });
  await page.goto(`${server.url}/#/match/tictactoe/${id}`);
  await page.getByText('A seat is free').waitFor();
  expect(await page.getByRole('region', { name: 'Chances' }).count()).toBe(0);
});
