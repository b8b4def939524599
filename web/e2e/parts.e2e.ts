// Games written as scripts, whose tables the page draws by parts: played by clicks, keys and drags, watched and replayed.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { tests } from './fixtures';
import { startOpenseat, type Openseat } from './harness';
import { createMatch, myTurn, waitForTheEnd } from './play';

// Each player slides a piece along a row of their own.
const slide = `
const cell = (row, column) => 'ab'[row] + (column + 1);
const cells = [0, 1].flatMap((row) => [0, 1, 2, 3, 4].map((column) => cell(row, column)));
export const info = {
  id: 'slide', title: 'Slide', description: 'Slide your piece', rules: 'Slide your piece along its row, ten times.', seats: { min: 2, max: 2 },
  actions: { move: { description: 'Slide from \`from\` to \`to\`.', data: { from: cells, to: cells }, label: ({ from, to }) => from + ' to ' + to } },
};
export const setup = () => ({ at: [0, 0], played: 0 });
export const awaited = ({ played }) => [played % 2];
export const actions = ({ at }, seat) => [{ name: 'move', data: { from: [cell(seat, at[seat])], to: [0, 1, 2, 3, 4].filter((to) => to !== at[seat]).map((to) => cell(seat, to)) } }];
export const apply = ({ at, played }, seat, { data: { to } }) => ({ state: { at: at.map((each, row) => (row === seat ? Number(to[1]) - 1 : each)), played: played + 1 } });
export const observe = (state) => state;
export const outcome = ({ played }) => (played === 20 ? { winners: [], reason: 'all slid' } : null);
export const view = ({ at }) => ({ parts: [{ type: 'grid', cells: [0, 1].map((row) => [0, 1, 2, 3, 4].map((column) => ({
  pieces: at[row] === column ? [{ id: 'piece' + row, color: row, label: 'piece ' + row }] : [],
  choice: [{ name: 'move', data: { from: cell(row, column) } }, { name: 'move', data: { to: cell(row, column) } }],
}))) }] });
`;

async function startWithGames(): Promise<Openseat> {
  const games = mkdtempSync(join(tmpdir(), 'openseat-web-parts-'));
  cpSync(resolve('../games'), games, { recursive: true });
  writeFileSync(join(games, 'slide.js'), slide);
  const server = await startOpenseat(['--games', games]);
  const { close } = server;
  server.close = async () => {
    await close();
    rmSync(games, { recursive: true, force: true });
  };
  return server;
}

const it = tests({ start: startWithGames });

async function play(page: Page, game: string): Promise<void> {
  await page.goto(new URL(`/#/play?game=${game}`, page.url()).href);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByText('Your turn').waitFor();
  await page.locator('[data-board=parts]').waitFor();
}

it('the home page begins a game of the folder with one click', async ({ page }) => {
  await page.getByRole('button', { name: 'Play Hex against a bot' }).click();
  await page.getByText('Your turn').waitFor();
  await page.locator('[data-board=parts]').waitFor();
});

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

it('a piece is dragged to another place, and moves there before the eyes of a spectator', async ({ page, visit }) => {
  await play(page, 'slide');
  const { page: watching } = await visit(page.url(), { reducedMotion: 'no-preference' });
  await watching.getByText('watching').waitFor();
  // A piece that moves is held midway.
  await watching.evaluate(() => {
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (this: HTMLElement, ...given: Parameters<typeof animate>) {
      const animation = animate.apply(this, given);
      if (this.dataset.piece !== 'piece0') return animation;
      animation.pause();
      animation.currentTime = 100;
      return animation;
    };
  });
  const middle = async (place: ReturnType<Page['locator']>) => {
    const box = (await place.boundingBox())!;
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const column = (on: Page, number: number) => on.locator(`[data-cell="0,${number - 1}"]`);
  const [from, to] = [await middle(column(page, 1)), await middle(column(page, 4))];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, to.y, { steps: 3 });
  const ghost = page.locator('.grid [aria-hidden=true][style*="fixed"]');
  await ghost.waitFor();
  expect((await middle(ghost)).x).toBeCloseTo((from.x + to.x) / 2, 0);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
  await page.getByRole('button', { name: 'Row 1, column 4: piece 0' }).waitFor();
  expect(await ghost.count()).toBe(0);
  await watching.getByRole('button', { name: 'Row 1, column 4: piece 0' }).waitFor();
  const seen = await middle(watching.locator('[data-piece=piece0]'));
  expect(seen.x).toBeGreaterThan((await middle(column(watching, 1))).x + 5);
  expect(seen.x).toBeLessThan((await middle(column(watching, 4))).x - 5);
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
