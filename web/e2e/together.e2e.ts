// Two browsers against each other, with a third that watches; reloads, lost servers, and missing matches.
import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { tests } from './fixtures';

const it = tests();

const put = async (page: Page, row: number, column: number) => {
  await page.getByText('Your turn').waitFor();
  await page.getByRole('button', { name: `Row ${row}, column ${column}: free` }).click();
};
const shows = (page: Page, row: number, column: number, mark: string) => page.getByRole('button', { name: `Row ${row}, column ${column}: ${mark}` }).waitFor();

it('two people play, a third watches, and a reload keeps the seat', async ({ visitor: ada, visit }) => {
  await ada.page.getByRole('button', { name: 'Invite a friend to Tic-Tac-Toe' }).click();
  await ada.page.getByText('Waiting for the other player').waitFor();
  const link = ada.page.url();
  await expect.poll(() => ada.page.locator('.well.mono').textContent()).toBe(link);

  const bo = await visit(link);
  const cleo = await visit(link);
  await cleo.page.getByText('A seat is free.').waitFor();
  // A name that is taken gets a number.
  const adasName = await ada.page.evaluate(() => localStorage.getItem('openseat.name') ?? '');
  await bo.page.getByLabel('Your name').fill(adasName);
  await bo.page.getByRole('button', { name: 'Take the seat' }).click();
  await ada.page.getByText(`${adasName} 2`, { exact: true }).waitFor();

  await put(ada.page, 1, 1);
  await put(bo.page, 2, 1);
  await shows(cleo.page, 2, 1, 'O');
  await ada.page.reload();
  await put(ada.page, 1, 2);
  await shows(cleo.page, 1, 2, 'X');
  // Late joiners see the beginning, too.
  const dara = await visit(link);
  await shows(dara.page, 1, 2, 'X');
  await expect.poll(() => dara.page.locator('ol button').count()).toBe(4);
  await put(bo.page, 2, 2);
  await put(ada.page, 1, 3);

  await expect.poll(() => ada.page.locator('.standing').textContent()).toBe('You won (three in a row)');
  await expect.poll(() => bo.page.locator('.standing').textContent()).toMatch(/ won \(three in a row\)/);
  await expect.poll(() => cleo.page.locator('.standing').textContent()).toMatch(/ won \(three in a row\)/);

  // A rematch: one player asks, the other agrees, and both are there.
  await ada.page.getByRole('button', { name: 'Play again' }).click();
  await ada.page.getByText('Waiting for the others to agree').waitFor();
  await bo.page.getByText(/wants to play again/).waitFor();
  expect(await cleo.page.getByText(/wants to play again/).count()).toBe(0);
  await bo.page.getByRole('button', { name: 'Play again' }).click();
  await put(bo.page, 3, 3);
  await shows(ada.page, 3, 3, 'X');
  expect(bo.page.url()).toBe(ada.page.url());
  expect(bo.page.url()).not.toBe(link);
});

it('continues after the server was killed and restarted', async ({ visitor: ada, server }) => {
  ada.expected = /ERR_CONNECTION|WebSocket|Failed to load/;
  await ada.page.getByRole('button', { name: 'Play Tic-Tac-Toe against a bot' }).click();
  await put(ada.page, 1, 1);
  await ada.page.getByRole('button', { name: /: O$/ }).waitFor();
  await server.stop('SIGKILL');
  await ada.page.getByText('reconnecting').waitFor();
  await server.again();
  await ada.page.getByText('reconnecting').waitFor({ state: 'detached' });
  await shows(ada.page, 1, 1, 'X');
  await ada.page.getByRole('button', { name: /: free$/ }).first().click();
  await expect.poll(() => ada.page.getByRole('button', { name: /: X$/ }).count()).toBe(2);
});

it('reports missing matches and refusals by the server', async ({ server, visit }) => {
  const { page } = await visit(`${server.url}/#/match/tictactoe/no-such-match`, {}, /404|400/);
  await page.getByText('This match is no longer open').waitFor();
  await page.goto(`${server.url}/#/replays/no-such-match`);
  await page.getByRole('alert').getByText('Could not show this replay').waitFor();
  await page.goto(`${server.url}/#/play`);
  await page.getByRole('combobox').nth(1).selectOption('neuro');
  await page.getByLabel('Its address').fill('gopher://nobody');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'gopher' }).waitFor();
});

it('gives a seat to an external agent, whose secrets are shown once', async ({ server, page }) => {
  await page.goto(`${server.url}/#/play?game=rps`);
  await page.getByRole('combobox').nth(1).selectOption('external');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Your agent’s key' });
  await expect.poll(async () => (await dialog.locator('code').allTextContents()).filter((text) => /^\S+\.1\.\S{16,}$/.test(text)).length).toBe(2);
  await dialog.getByRole('button', { name: 'Go to the match' }).click();
  await page.getByText('Your turn').waitFor();
});
