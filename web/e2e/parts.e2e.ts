// Games written as scripts, whose tables the page draws by parts: played by clicks, keys and drags, watched and replayed.
import { resolve } from 'node:path';
import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { tests } from './fixtures';
import { startOpenseat } from './harness';
import { createMatch, myTurn, waitForTheEnd } from './play';

const it = tests({ start: () => startOpenseat(['--games', resolve('../games')]) });

async function play(page: Page, game: string): Promise<void> {
  await page.goto(new URL(`/#/play?game=${game}`, page.url()).href);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByText('Your turn').waitFor();
  await page.locator('[data-board=parts]').waitFor();
}

it('Hex: clicks until somebody wins, and the replay', async ({ page }) => {
  await play(page, 'hex');
  const board = page.getByRole('group', { name: 'Board', exact: true });
  const free = () => board.locator('button[aria-disabled=false]');
  while (await myTurn(page)) {
    const positions = await page.locator('ol button').count();
    await free().first().click();
    await expect.poll(() => page.locator('ol button').count()).toBeGreaterThan(positions);
  }
  await page.getByRole('link', { name: 'Replay', exact: true }).click();
  await page.locator('[data-board=parts]').waitFor();
  await board.getByRole('button', { name: 'A1: empty' }).waitFor();
  await page.goto(`${page.url().replace(/\?.*/, '')}?step=2`);
  await board.getByRole('button', { name: 'A1: red' }).waitFor();
});

it("Battleship shows a player's ships to nobody else", async ({ page, server, visit }) => {
  await play(page, 'battleship');
  const own = page.getByRole('group', { name: /^Ships/ });
  await expect.poll(() => own.getByRole('img', { name: /: ship$/ }).count()).toBe(8);
  const { page: watching } = await visit(page.url());
  await watching.getByText('watching').waitFor();
  await watching.getByRole('group', { name: /^Waters/ }).first().waitFor();
  expect(await watching.getByRole('img', { name: /: ship$/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'C4: blue' }).click();
  await page.getByRole('button', { name: /^C4: (hit|miss)$/ }).waitFor();
  await watching.getByRole('button', { name: /^C4: (hit|miss)$/ }).waitFor();
  void server;
});

it("Liar's Dice: a bid in two steps, with the keyboard", async ({ page }) => {
  await play(page, 'liars-dice');
  await page.getByRole('button', { name: '2', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Picked: count 2').waitFor();
  await page.getByRole('button', { name: 'face 3', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByText(/at least \d+ of face|Your turn|won/).first().waitFor();
  await expect.poll(() => page.locator('ol button').count()).toBeGreaterThan(1);
});

it('a finished match of bots, on a phone', async ({ server, visit }) => {
  const id = await createMatch(server, { game: 'gomoku', options: { size: 7 }, seats: [{ agent: { kind: 'random', seed: 1 } }, { agent: { kind: 'random', seed: 2 } }] });
  await waitForTheEnd(server, id);
  const { page } = await visit(`${server.url}/#/replays/${id}?step=4`, { viewport: { width: 390, height: 844 }, hasTouch: true });
  const stones = page.getByRole('button', { name: /: (black|white)/ });
  await expect.poll(() => stones.count()).toBe(3);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
});
