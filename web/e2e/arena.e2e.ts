// The arena: recorded runs side by side, and a file dropped in.
import { expect } from 'vitest';
import { tests } from './fixtures';
import { Child, program } from './harness';
import { twoRuns } from './runs';

const it = tests({ path: '/#/arena' });

it('without runs, with two runs, and with a dropped file', async ({ page, server }) => {
  await page.getByRole('heading', { name: 'No runs recorded yet' }).waitFor();
  const [tiny, dice] = await twoRuns(server);
  await page.getByRole('button', { name: 'Check again' }).click();

  // The newest is shown; the other is added next to it, with the keyboard.
  await page.getByRole('heading', { name: 'dice' }).waitFor();
  await page.getByRole('checkbox', { name: /first cell first/ }).focus();
  await page.keyboard.press('Space');
  const wins = page.getByRole('table', { name: 'Win rate' });
  await expect.poll(() => wins.getByRole('row').count()).toBe(5);
  await wins.getByRole('row', { name: /llm:tiny/ }).getByText(/^\d+% to \d+%$/).waitFor();
  for (const name of ['How games ended', 'Does the seat matter?', 'Illegal answers', 'Repaired answers', 'Latency', 'Tokens per game']) {
    await page.getByRole('table', { name }).waitFor();
  }
  await page.getByText('unknown cost').waitFor();

  // The same URL shows the same again.
  await expect.poll(() => decodeURIComponent(page.url())).toContain(`runs=${dice},${tiny}`);
  await page.reload();
  await expect.poll(() => wins.getByRole('row').count()).toBe(5);

  // Printed runs are shown like recorded ones.
  const child = new Child(program, ['play', 'rps', '-n', '30', '--json']);
  expect(await child.done()).toBe(0);
  await page.locator('input[type=file]').setInputFiles({ name: 'night.json', mimeType: 'application/json', buffer: Buffer.from(child.output) });
  await page.getByText('30 games').first().waitFor();
  await expect.poll(() => page.getByRole('combobox', { name: 'Game' }).inputValue()).toBe('rps');
  await page.locator('input[type=file]').setInputFiles({ name: 'odd.json', mimeType: 'application/json', buffer: Buffer.from('{}') });
  await page.getByText('Could not show odd.json: game must be a string').waitFor();
});

it('reports a run that is gone', async ({ server, visit }) => {
  const { page } = await visit(`${server.url}/#/arena?runs=20200101-000000-rps-aaaaaa`, {}, /404/);
  await page.getByText('there is no run "20200101-000000-rps-aaaaaa"').waitFor();
});
