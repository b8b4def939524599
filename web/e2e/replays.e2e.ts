// Replays: scrubbing, playing, viewers, and a model's answers next to the moves.
import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { tests } from './fixtures';
import { startWithModels } from './harness';
import { createMatch, finishedTicTacToe, longNetrunner, matchOfModel, stumblingModel } from './play';

const it = tests({ start: () => startWithModels(stumblingModel, undefined, ['--allow-fixtures']), path: '/#/replays' });

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
  const last = await free.count();
  await page.getByLabel('As seen by').selectOption('Sam');
  await expect.poll(() => page.url()).toContain('viewer=1');
  await page.getByRole('button', { name: 'Last' }).waitFor();
  await expect.poll(() => free.count(), { message: 'the same moment' }).toBe(last);
  await page.getByRole('button', { name: 'Events' }).click();
  await page.getByRole('button', { name: /joined.*Alex/ }).click();
  await page.getByRole('heading', { name: /^Event \d+$/ }).waitFor();
});

it("a model's answers are shown with its moves, bad ones are jumped to, and every moment has an address", async ({ page, server, visit }) => {
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

  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('Home');
  await page.getByText(/^1\/\d+$/).waitFor();
  await page.keyboard.press('}');
  await said.getByText('does not match the schema').waitFor();
  const step = (await page.locator('.where').textContent())?.split('/')[0];
  await expect.poll(() => page.url()).toMatch(new RegExp(`step=${step}$`));
  const free = (from: Page) => from.getByRole('button', { name: /: free$/ }).count();
  const here = await free(page);
  const other = await visit(page.url());
  await other.page.getByRole('region', { name: "The model's answers" }).getByText('does not match the schema').waitFor();
  await expect.poll(() => free(other.page)).toBe(here);
  // The list marks it, too, and leads there.
  await other.page.keyboard.press('Home');
  await expect.poll(() => free(other.page)).toBe(9);
  await other.page.getByRole('button', { name: /after a bad answer/ }).click();
  await expect.poll(() => free(other.page)).toBe(here);
});

it('the first picture of a long match takes little of a slow line, and any step can be opened', async ({ page, server, visit }) => {
  const id = await longNetrunner(server);
  const line = await page.context().newCDPSession(page);
  await line.send('Network.enable');
  await line.send('Network.emulateNetworkConditions', { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 100_000 });
  await page.goto(`${server.url}/#/replays/${id}`);
  await page.locator('[data-steps]').waitFor();
  const sizes = () =>
    page.evaluate(() => performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/replay?')).map((entry) => (entry as PerformanceResourceTiming).transferSize));
  expect((await sizes())[0], 'bytes before the first picture').toBeLessThan(60_000);
  await page.locator('[data-steps=all]').waitFor();
  const all = await sizes();
  expect(all.length, 'pages').toBeGreaterThan(1);
  // Turns are marked and jumped to.
  const turns = page.getByRole('group', { name: 'turns', exact: true });
  await turns.getByText('Opening hands').waitFor();
  await turns.getByRole('button', { name: 'Next turn' }).click();
  await turns.getByText('Turn 1, Corp').waitFor();
  await turns.getByRole('button', { name: 'Next turn' }).click();
  await turns.getByText('Turn 1, Runner').waitFor();
  // A step near the end comes first.
  const steps = Number(/\/(\d+)$/.exec((await page.getByText(/^\d+\/\d+$/).textContent()) ?? '')?.[1]);
  const other = await visit(`${server.url}/#/replays/${id}?step=${steps - 2}`);
  await other.page.getByText(`${steps - 2}/${steps}`).waitFor();
  await other.page.locator('[data-steps=all]').waitFor();
  await other.page.keyboard.press('ArrowRight');
  await other.page.getByText(`${steps - 1}/${steps}`).waitFor();
});

it('a live match is followed on a slow line', async ({ page, server }) => {
  const random = (seed: number) => ({ agent: { kind: 'random', delay_ms: 200, seed } });
  const id = await createMatch(server, { game: 'netrunner', seed: 1, options: { format: 'system-gateway-beginner' }, seats: [random(5), random(6)] });
  const line = await page.context().newCDPSession(page);
  await line.send('Network.enable');
  await line.send('Network.emulateNetworkConditions', { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 100_000 });
  await page.goto(`${server.url}/#/match/netrunner/${id}`);
  await page.locator('.servers').waitFor();
  const turn = async () => Number(/Turn (\d+)/.exec((await page.getByRole('heading', { level: 1 }).textContent()) ?? '')?.[1] ?? 0);
  const first = await turn();
  await expect.poll(turn).toBeGreaterThan(first + 1);
  await page.getByText('watching').waitFor();
  expect(await page.getByText('reconnecting').count()).toBe(0);
});

it("a finished match's address is its replay", async ({ server, visit }) => {
  const id = await finishedTicTacToe(server);
  const { page } = await visit(`${server.url}/#/match/tictactoe/${id}`);
  await page.locator('[data-steps=all]').waitFor();
  expect(page.url()).toContain(`/replays/${id}`);
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

it('plays on from a moment of a replay', async ({ page, server }) => {
  const id = await finishedTicTacToe(server);
  await page.goto(`${server.url}/#/replays/${id}?step=3`);
  const free = page.getByRole('button', { name: /: free$/ });
  await expect.poll(() => free.count()).toBe(7);
  await page.getByRole('button', { name: 'Play on from here' }).click();
  const dialog = page.getByRole('dialog', { name: 'Play on from here' });
  await dialog.getByLabel('Your name').fill('Robin');
  await dialog.getByRole('combobox').nth(1).selectOption('search');
  await dialog.getByLabel('Level').selectOption('2');
  await dialog.getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(() => page.url()).toContain('/match/tictactoe/');
  // It is Robin's turn, where two cells are taken already.
  await expect.poll(() => free.count()).toBe(7);
  await page.getByText('Robin').first().waitFor();
  await page.getByText('Beginner (level 2)').first().waitFor();
  await free.first().click();
  await expect.poll(() => free.count()).toBeLessThanOrEqual(6);
});

it('has the choices of a finished match judged', async ({ page, server }) => {
  const id = await finishedTicTacToe(server);
  await page.goto(`${server.url}/#/replays/${id}`);
  const judged = page.getByRole('region', { name: 'Judged choices' });
  await judged.getByRole('button', { name: 'Judge the choices' }).click();
  await judged.getByRole('img', { name: /^How likely .* was to win/ }).waitFor();
  await judged.getByText(/^Given away on average/).waitFor();
  await page.getByRole('button', { name: 'On', exact: true }).click();
  await judged.getByText(/%\)/).first().waitFor();
});
