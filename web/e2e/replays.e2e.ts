// Replays: scrubbing, playing, viewers, and a model's answers beside the moves.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, startModel, startOpenseat, visit, type Openseat, type Visitor } from './harness';
import { finishedTicTacToe, matchOfModel, stumblingModel } from './play';

let browser: Browser;
let server: Openseat;
let model: Awaited<ReturnType<typeof startModel>>;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  model = await startModel(stumblingModel);
  [browser, server] = await Promise.all([launchBrowser(), startOpenseat(['--model', `tiny=openai:stand-in@${model.url}`])]);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  await model?.close();
});
beforeEach(async () => {
  visitor = await visit(browser, `${server.url}/#/replays`);
  page = visitor.page;
});
afterEach(async () => {
  await visitor.context.close();
  expect(visitor.troubles).toEqual([]);
});

it('a finished match is listed, stepped through, played, and seen with other eyes', async () => {
  const id = await finishedTicTacToe(server);
  await page.reload();
  await page.getByLabel('Search').fill(id);
  await page.getByRole('link', { name: 'Replay', exact: true }).click();
  const free = page.getByRole('button', { name: /: free$/ });
  await expect.poll(() => free.count()).toBe(9);
  await page.getByRole('button', { name: 'On', exact: true }).click();
  expect(await free.count()).toBe(8);
  await page.getByLabel('Step').fill('3');
  expect(await free.count()).toBe(6);
  await page.getByLabel('Speed').selectOption('8');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByRole('status').filter({ hasText: /won|draw/ }).waitFor();
  await page.getByLabel('As seen by').selectOption('Sam');
  await expect.poll(() => free.count()).toBe(9);
  expect(page.url()).toContain('viewer=1');
  await page.getByRole('button', { name: 'Events' }).click();
  await page.getByRole('button', { name: /joined.*Alex/ }).click();
  await page.getByRole('heading', { name: /^Event \d+$/ }).waitFor();
});

it("a model's answers stand beside its moves", async () => {
  const id = await matchOfModel(server);
  await page.goto(`${server.url}/#/replays/${id}`);
  const said = page.getByRole('region', { name: "The model's answers" });
  await page.getByRole('button', { name: 'On', exact: true }).click();
  await said.getByText('The corner is mine.').waitFor();
  await said.getByText('mended', { exact: true }).waitFor();
  await said.getByText('120 tokens in').waitFor();
  await page.getByRole('button', { name: 'On', exact: true }).click();
  await page.getByRole('button', { name: 'On', exact: true }).click();
  await said.getByText('against the schema').waitFor();
  const sums = page.getByRole('region', { name: 'Models in sum' });
  await sums.getByText('tiny', { exact: true }).waitFor();
});

it('a remote table is shown by its events', async () => {
  const socket = new WebSocket_(server.ws);
  await socket.opened;
  socket.send({ command: 'startup', game: 'A Far Game' });
  socket.send({ command: 'context', game: 'A Far Game', data: { message: 'The door opens.', silent: true } });
  await expect.poll(async () => {
    await page.goto(`${server.url}/#/`);
    return page.getByText('A Far Game').count();
  }).toBeGreaterThan(0);
  const id = await page.locator('li', { hasText: 'A Far Game' }).locator('.mono').textContent();
  await page.goto(`${server.url}/#/replays/${id ?? ''}`);
  await page.getByRole('button', { name: /from the game.*context/ }).click();
  await page.getByText('The door opens.').waitFor();
  await socket.close();
});

// Node 18 has no WebSocket of its own: the browser's is used.
class WebSocket_ {
  opened: Promise<unknown>;
  constructor(url: string) {
    this.opened = page.evaluate(
      (to) =>
        new Promise((done) => {
          const made = new WebSocket(to);
          (globalThis as unknown as { game: WebSocket }).game = made;
          made.onopen = () => done(true);
        }),
      url,
    );
  }
  send(message: unknown): void {
    void page.evaluate((text) => (globalThis as unknown as { game: WebSocket }).game.send(text), JSON.stringify(message));
  }
  async close(): Promise<void> {
    await page.evaluate(() => (globalThis as unknown as { game: WebSocket }).game.close());
  }
}
