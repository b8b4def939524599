// The game editor: write, check, correct, save, play, delete; by keyboard and on a phone.
import { resolve } from 'node:path';
import { expect } from 'vitest';
import { tests } from './fixtures';
import { startOpenseat } from './harness';

const it = tests({ start: () => startOpenseat(['--games', resolve('../games')]), path: '/#/games/editor' });

it('a game is written, checked, corrected, saved, played and deleted', async ({ page }) => {
  const source = page.getByRole('textbox', { name: 'Source of twenty-one.js' });
  await source.waitFor();
  const text = await source.inputValue();
  await source.fill(text.replace('state.stones - count, turn', 'state.stones - cuont, turn'));
  await page.keyboard.press('Control+Enter');
  const report = page.getByRole('region', { name: 'Report' });
  await report.getByText(/cuont/).first().waitFor();
  await report.getByRole('button', { name: /^line \d+$/ }).first().click();
  const at = await source.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd));
  expect(at).toContain('cuont');
  await source.fill(text);
  await page.keyboard.press('Control+s');
  await report.getByText('saved').waitFor();
  await page.getByRole('button', { name: 'Save and play' }).click();
  const match = page.getByRole('region', { name: 'Your match' });
  await match.getByText('Your turn').waitFor();
  await match.getByRole('button', { name: 'Take 3', exact: true }).click();
  await expect.poll(() => match.getByRole('img', { name: /^Take/ }).count()).toBeLessThanOrEqual(17);
  await page.getByRole('link', { name: 'Open it on a page of its own' }).waitFor();
  await page.getByRole('button', { name: 'Resign' }).waitFor({ state: 'detached' });
});

it('what came of a check is in view, and a save that failed leaves no old verdict', async ({ server, visit }) => {
  const { page } = await visit(`${server.url}/#/games/editor`, { viewport: { width: 1280, height: 800 } }, /Failed to load resource/);
  await page.getByRole('button', { name: 'Check' }).scrollIntoViewIfNeeded();
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.getByRole('button', { name: 'Check' }).click();
  const report = page.getByRole('region', { name: 'Report' });
  await report.getByText('conforms').waitFor();
  const header = await page.locator('header').first().boundingBox();
  await expect.poll(async () => (await report.boundingBox())!.y).toBeGreaterThanOrEqual(header!.height);
  await page.route('**/api/v1/games', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Could not save it').first().waitFor();
  expect(await report.count()).toBe(0);
});

it('an example is opened, and what was written survives a reload, on a phone', async ({ server, visit }) => {
  const { page } = await visit(`${server.url}/#/games/editor`, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await page.locator('.open select').selectOption('example:hex.js');
  const source = page.getByRole('textbox', { name: 'Source of hex.js' });
  await source.waitFor();
  await source.fill(`${await source.inputValue()}// mine\n`);
  await page.reload();
  await expect.poll(() => source.inputValue()).toMatch(/\/\/ mine\n$/);
  // A link to another game asks before it replaces what is not saved, and a reload does not open it again.
  await page.goto('about:blank');
  await page.goto(`${server.url}/#/games/editor?game=nim`);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect(await source.inputValue()).toMatch(/\/\/ mine\n$/);
  await page.goto('about:blank');
  await page.goto(`${server.url}/#/games/editor?game=nim`);
  await page.getByRole('dialog').getByRole('button', { name: 'Open it' }).click();
  const nim = page.getByRole('textbox', { name: 'Source of nim.js' });
  await nim.waitFor();
  await nim.fill(`${await nim.inputValue()}// also mine\n`);
  await page.reload();
  await nim.waitFor();
  expect(await nim.inputValue()).toMatch(/\/\/ also mine\n$/);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
});
