// Each board game from the home page to its end against a bot, by clicking; once with the keyboard only.
import { describe, expect } from 'vitest';
import type { Page } from 'playwright-core';
import { tests } from './fixtures';
import { focusedControl } from './harness';
import { myTurn } from './play';

const it = tests();

// Plays until the game is over, and checks that the page shows the result and has the whole history.
async function playToTheEnd(page: Page, move: () => Promise<void>): Promise<void> {
  while (await myTurn(page)) {
    // The last choice may still be in progress, during which keys do nothing.
    await page.locator('[data-board] [aria-disabled=false], .choice[aria-disabled=false]').first().waitFor();
    const positions = await page.locator('ol button').count();
    await move();
    await expect.poll(() => page.locator('ol button').count()).toBeGreaterThan(positions);
  }
  await expect.poll(() => page.locator('.standing').textContent()).toMatch(/won|draw/);
  await page.getByRole('link', { name: 'Replay', exact: true }).waitFor();
}

describe('against a bot', () => {
  it('tic-tac-toe: two clicks to the first move, then to the end, and back through it', async ({ page }) => {
    await page.getByRole('button', { name: 'Play Tic-Tac-Toe against a bot' }).click();
    await page.getByRole('button', { name: 'Row 1, column 1: free' }).click();
    await page.getByRole('button', { name: 'Row 1, column 1: X' }).waitFor();
    await playToTheEnd(page, () => page.getByRole('button', { name: /: free$/ }).first().click());
    await page.getByRole('button', { name: 'First' }).click();
    await expect.poll(() => page.getByRole('button', { name: /: free$/ }).count()).toBe(9);
    await page.getByRole('button', { name: 'On', exact: true }).click();
    await expect.poll(() => page.getByRole('button', { name: /: free$/ }).count()).toBe(8);
    const before = page.url();
    await page.getByRole('button', { name: 'Play again' }).click();
    await page.waitForURL((url) => url.href !== before && url.hash.includes('/match/tictactoe/'));
    await page.getByText('Your turn').waitFor();
  });

  it('Connect-M, with a custom board size', async ({ page, server }) => {
    await page.goto(`${server.url}/#/play?game=unheard-of`);
    await page.getByText('This server has no game "unheard-of" to start here').waitFor();
    await page.goto(`${server.url}/#/play?game=connectm`);
    await page.getByLabel('Rows').fill('99');
    await page.getByText('must be at most 20').waitFor();
    await page.getByLabel('Rows').fill('4');
    await page.getByLabel('Columns').fill('5');
    await page.getByLabel('In a line (M)').fill('3');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByRole('group', { name: 'Connect-M board, 4 rows and 5 columns' }).waitFor();
    await playToTheEnd(page, () => page.locator('[data-board=connectm] button[aria-disabled=false]').first().click());
  });

  it('rock-paper-scissors', async ({ page }) => {
    await page.getByRole('button', { name: 'Play Rock-Paper-Scissors against a bot' }).click();
    await playToTheEnd(page, () => page.locator('.choice', { hasText: 'rock' }).click());
  });

  it('Chicken', async ({ page }) => {
    await page.getByRole('button', { name: 'Play Chicken against a bot' }).click();
    await playToTheEnd(page, () => page.getByRole('button', { name: 'Go straight' }).click());
  });

  it('a beaten bot makes room for the next level', async ({ page, server }) => {
    await page.getByRole('button', { name: 'Play Connect-M against a bot' }).click();
    await page.getByText('Newcomer (level 1)').first().waitFor();
    await page.getByText('Your turn').waitFor();
    // It gives up, which is a win.
    const id = /\/match\/connectm\/([^./?]+)/.exec(page.url())![1]!;
    const gaveUp = await fetch(`${server.url}/api/v1/tables/${id}/control`, { method: 'POST', body: JSON.stringify({ command: 'forfeit', seat: 1 }) });
    expect(gaveUp.status).toBe(200);
    await page.getByText(/You won/).first().waitFor();
    await page.getByRole('button', { name: 'Next: Beginner (level 2)' }).click();
    await page.getByText('Beginner (level 2)').first().waitFor();
    await page.getByText('Your turn').waitFor();
    // It is also what the home page offers from now on.
    await page.goto(new URL('/', page.url()).href);
    await page.getByRole('button', { name: 'Play Connect-M against a bot' }).click();
    await page.getByText('Beginner (level 2)').first().waitFor();
  });

  it('can be resigned, after a confirmation', async ({ page }) => {
    await page.getByRole('button', { name: 'Play Connect-M against a bot' }).click();
    await page.getByText('Your turn').waitFor();
    await page.getByRole('button', { name: 'Resign' }).click();
    await page.getByRole('dialog', { name: 'Resign this match?' }).getByRole('button', { name: 'Resign' }).click();
    await page.getByText(/Newcomer \(level 1\) won/).first().waitFor();
  });
});

it('can be played with the keyboard only', async ({ page }) => {
  const focused = () => focusedControl(page);
  const tabTo = async (name: string) => {
    for (let i = 0; i < 60; ++i) {
      await page.keyboard.press('Tab');
      if ((await focused()).startsWith(name)) return;
    }
    throw new Error(`Tab never comes to "${name}"`);
  };
  await page.getByText('Take a seat.').waitFor();
  await tabTo('Play Tic-Tac-Toe');
  await page.keyboard.press('Enter');
  await page.getByText('Your turn').waitFor();
  await tabTo('Row 2, column 2');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Row 2, column 2: X' }).waitFor();
  // Around the board, until a free cell has the focus.
  await playToTheEnd(page, async () => {
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowUp', 'ArrowLeft', 'ArrowLeft']) {
      await page.keyboard.press(key);
      if ((await focused()).endsWith('free')) break;
    }
    expect(await focused()).toMatch(/free$/);
    await page.keyboard.press('Enter');
  });
});
