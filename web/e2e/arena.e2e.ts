// The arena: a tournament that the real program played, from the list of runs down to a prompt and a replay.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { tests } from './fixtures';
import { cup, kAgents } from './runs';

const it = tests({ path: '/#/arena' });

const rowOf = (page: Page, table: string, agent: string) => page.getByRole('table', { name: table }).getByRole('row').filter({ has: page.getByRole('link', { name: agent, exact: true }) });

async function saved(page: Page, name: string): Promise<{ file: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).first().click()]);
  return { file: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

it('every figure opens down to its games, decisions and prompts', async ({ page, server }) => {
  await cup(server);
  await page.getByRole('button', { name: 'Check for new runs' }).click();
  await page.getByRole('link', { name: kAgents.join(', ') }).click();

  // The leaderboard says what the run's own file says.
  await page.getByRole('table', { name: 'Leaderboard' }).waitFor();
  const ratings = JSON.parse(readFileSync(join(server.dataDir, 'arena', 'cup', 'ratings.json'), 'utf8')) as { agents: Record<string, number | string>[] };
  for (const { agent, rating, low, high } of ratings.agents) {
    const row = rowOf(page, 'Leaderboard', String(agent));
    await row.getByText(`${Math.round(Number(low))} to ${Math.round(Number(high))}`).waitFor();
    await row.getByText(String(Math.round(Number(rating))), { exact: true }).waitFor();
  }

  // One game only, then a cell of the matrix, with as many games as it says.
  await page.getByRole('navigation', { name: 'Games' }).getByRole('link', { name: 'Tic-Tac-Toe' }).click();
  await expect.poll(() => page.url()).toContain('game_id=tictactoe');
  const cell = page.getByRole('link', { name: /^llm:tiny against random: / });
  const record = (await cell.textContent())?.match(/(\d+)–(\d+)–(\d+)/)?.slice(1).map(Number) ?? [];
  expect(record.reduce((sum, each) => sum + each, 0)).toBe(4);
  await cell.click();
  await page.getByRole('status').filter({ hasText: '4 games' }).waitFor();

  // Filters are in the URL, and stay after a reload.
  await page.getByLabel('Result').selectOption('loss');
  await page.getByRole('status').filter({ hasText: new RegExp(`^${record[2]} games?$`) }).waitFor();
  await expect.poll(() => page.url()).toContain('result=loss');
  await page.reload();
  await page.getByRole('status').filter({ hasText: new RegExp(`^${record[2]} games?$`) }).waitFor();

  // Why did it lose by forfeit? With the keyboard.
  await page.goto(`${server.url}/#/arena/cup`);
  const forfeits = rowOf(page, 'Leaderboard', 'llm:tiny').getByRole('link', { name: /by forfeit/ });
  await forfeits.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Games', exact: true }).waitFor();
  await page.getByRole('link', { name: /^Game \d+$/ }).first().click();
  await page.waitForURL(/\/games\/\d+$/);
  await page.getByRole('heading', { name: /^Game \d+$/ }).waitFor();
  await page.getByText(/llm:tiny: no valid answer/).waitFor();
  await page.getByText(/won by a forfeit/).waitFor();
  await page.getByLabel(/^Only those that did not go smoothly/).check();
  const decision = page.locator('details.card', { hasText: 'bad answer' }).first();
  await decision.locator('summary').first().focus();
  await page.keyboard.press('Enter');
  await decision.getByText(/Answer every request with exactly one JSON object/).waitFor();
  await decision.getByText('{"position": "somewhere"}').first().waitFor();

  // The link to the decision opens it again.
  const link = await decision.getByRole('link', { name: 'Link to this decision' }).getAttribute('href');
  await page.goto(`${server.url}/${link}`);
  await page.reload();
  await page.getByText(/Answer every request with exactly one JSON object/).waitFor();
});

it('a game is watched as a replay', async ({ page, server }) => {
  await cup(server);
  await page.goto(`${server.url}/#/arena/cup/games?agent=random&game_id=tictactoe&sort=turns`);
  await page.getByRole('link', { name: /^Game \d+$/ }).first().click();
  await page.getByRole('link', { name: 'Watch the replay' }).click();
  const free = page.getByRole('button', { name: /: free$/ });
  await expect.poll(() => free.count()).toBe(9);
  await page.getByRole('button', { name: 'On', exact: true }).click();
  await expect.poll(() => free.count()).toBe(8);
  await page.getByRole('button', { name: 'Last' }).click();
  await page.getByRole('status').filter({ hasText: /won|draw/ }).waitFor();
  await page.getByLabel('As seen by').selectOption('Player 2');
  await expect.poll(() => page.url()).toContain('viewer=1');
  await page.getByRole('link', { name: /^Game \d+ of cup$/ }).click();
  await page.getByRole('heading', { name: /^Game \d+$/ }).waitFor();
});

it('what is shown is exported', async ({ page, server }) => {
  await cup(server);
  await page.goto(`${server.url}/#/arena/cup`);
  await page.getByRole('table', { name: 'Leaderboard' }).waitFor();
  const csv = await saved(page, 'CSV');
  expect(csv.file).toBe('cup-ratings.csv');
  expect(csv.text.split('\r\n')).toHaveLength(1 + kAgents.length + 1);
  const json = await saved(page, 'JSON');
  const parsed = JSON.parse(json.text) as { format: string; agents: { agent: string }[] };
  expect(parsed.format).toBe('openseat-ratings');
  expect(parsed.agents.map((each) => each.agent).sort()).toEqual([...kAgents].sort());
  const svg = await saved(page, 'SVG');
  expect(svg.text.match(/<circle/g)).toHaveLength(kAgents.length);
});

it('shows older runs, and says what is wrong with others', async ({ page, server, visit }) => {
  const folder = join(server.dataDir, 'arena');
  mkdirSync(folder, { recursive: true });
  const id = '20251122-010300000-rps-aaaaaa';
  const seats = [
    { agent: 'llm:old', wins: 4, draws: 1, losses: 2, forfeits: 1 },
    { agent: 'random', wins: 2, draws: 1, losses: 4, forfeits: 0 },
  ];
  writeFileSync(join(folder, `${id}.json`), JSON.stringify({ format: 'openseat-run', version: 1, id, name: 'Long ago', started: '2025-11-22T01:03:00.000Z', game: 'rps', title: 'Rock-Paper-Scissors', games: 7, wanted: 7, seats, models: {} }));
  writeFileSync(join(folder, 'odd.json'), '[]');
  await page.reload();
  await page.getByText('odd.json is not a run record').waitFor();
  await page.getByRole('link', { name: 'Long ago' }).click();
  await page.getByRole('table', { name: 'Results' }).getByRole('row', { name: 'llm:old 4 1 2 1' }).waitFor();
  const { page: gone } = await visit(`${server.url}/#/arena/none`, {}, /404/);
  await gone.getByText('there is no run "none"').waitFor();
});
