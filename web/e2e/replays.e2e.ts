// Replays: scrubbing, playing, viewers, and a model's answers next to the moves.
import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { tests } from './fixtures';
import { startWithModels } from './harness';
import { finishedTicTacToe, matchOfModel, stumblingModel } from './play';

const it = tests({ start: () => startWithModels(stumblingModel), path: '/#/replays' });

it('a finished match is listed, stepped through, played, and viewed as other players', async ({ page, server }) => {
  const id = await finishedTicTacToe(server);
  await page.reload();
  await page.getByLabel('Search').fill(id);
  await page.getByRole('link', { name: 'Replay', exact: true }).click();
  const free = page.getByRole('button', { name: /: free$/ });
  await expect.poll(() => free.count()).toBe(9);
  await page.getByRole('button', { name: 'On', exact: true }).click();
  await expect.poll(() => free.count()).toBe(8);
  await page.getByLabel('Step').fill('3');
  await expect.poll(() => free.count()).toBe(6);
  await page.getByLabel('Speed').selectOption('8');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByRole('status').filter({ hasText: /won|draw/ }).waitFor();
  await page.getByLabel('As seen by').selectOption('Sam');
  await expect.poll(() => free.count()).toBe(9);
  await expect.poll(() => page.url()).toContain('viewer=1');
  await page.getByRole('button', { name: 'Events' }).click();
  await page.getByRole('button', { name: /joined.*Alex/ }).click();
  await page.getByRole('heading', { name: /^Event \d+$/ }).waitFor();
});

it("a model's answers are shown with its moves", async ({ page, server }) => {
  const id = await matchOfModel(server);
  await page.goto(`${server.url}/#/replays/${id}`);
  const said = page.getByRole('region', { name: "The model's answers" });
  await page.getByRole('button', { name: 'On', exact: true }).click();
  await said.getByText('The corner is mine.').waitFor();
  await said.getByText('repaired', { exact: true }).waitFor();
  await said.getByText('120 tokens in').waitFor();
  await page.getByRole('button', { name: 'On', exact: true }).click();
  await page.getByRole('button', { name: 'On', exact: true }).click();
  await said.getByText('does not match the schema').waitFor();
  const sums = page.getByRole('region', { name: 'Model totals' });
  await sums.getByText('tiny', { exact: true }).waitFor();
});

it('a remote table is shown by its events', async ({ page, server }) => {
  const game = await connectGame(page, server.ws);
  await game.send({ command: 'startup', game: 'A Far Game' });
  await game.send({ command: 'context', game: 'A Far Game', data: { message: 'The door opens.', silent: true } });
  await page.goto(`${server.url}/#/`);
  const id = await page.locator('li', { hasText: 'A Far Game' }).locator('.mono').textContent();
  await page.goto(`${server.url}/#/replays/${id ?? ''}`);
  await page.getByRole('button', { name: /from the game.*context/ }).click();
  await page.getByText('The door opens.').waitFor();
  await game.close();
});

// A game that speaks the Neuro API over the page's WebSocket, because Node 18 has none.
async function connectGame(page: Page, url: string): Promise<{ send: (message: unknown) => Promise<void>; close: () => Promise<void> }> {
  const socket = await page.evaluateHandle(
    (to) =>
      new Promise<WebSocket>((done, fail) => {
        const made = new WebSocket(to);
        made.onopen = () => done(made);
        made.onerror = () => fail(new Error(`there is no connection to ${to}`));
      }),
    url,
  );
  return {
    send: (message) => socket.evaluate((to, text) => to.send(text), JSON.stringify(message)),
    close: () => socket.evaluate((to) => to.close()),
  };
}
