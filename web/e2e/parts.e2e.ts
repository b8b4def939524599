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

// A column game whose position may come again; each choice is told to all, and something to the seat alone. With "crash"
// the script fails.
const tell = `
export const info = {
  id: 'tell', title: 'Tell a tale', description: 'Drop, or turn back.', rules: 'Drop discs\\ninto columns.', seats: { min: 2, max: 2, roles: ['Red', 'Blue'] },
  actions: { drop: { description: 'Drop a disc into \`column\`.', data: { column: [1, 2] } }, empty: 'Empty the board.', crash: 'Fail.', win: 'Win.' },
};
export const setup = () => ({ discs: [], turn: 0, won: null });
export const awaited = ({ turn }) => [turn];
export const actions = ({ discs }) => [{ name: 'drop', data: { column: [1, 2] } }, { name: 'crash' }, { name: 'win' }, ...(discs.length > 0 ? [{ name: 'empty' }] : [])];
export const apply = (state, seat, { name, data: { column } }, random, names) => {
  if (name === 'crash') throw new Error('on purpose');
  if (name === 'win') return { state: { ...state, won: seat } };
  const log = name === 'empty' ? [names[seat] + ' emptied the board.'] : [names[seat] + ' dropped a disc into column ' + column + '.', { text: 'Nobody else reads this.', to: [seat] }];
  return { state: { discs: name === 'empty' ? [] : [...state.discs, column], turn: state.turn, won: null }, log };
};
export const observe = ({ discs }) => ({ discs });
export const outcome = ({ won }) => (won === null ? null : { winners: [won], reason: 'told' });
export const view = ({ discs }) => ({ parts: [
  { type: 'grid', label: 'Board', cells: [0, 1].map((row) => [1, 2].map((column) => ({
    label: (discs.filter((each) => each === column).length > 1 - row ? 'Disc' : 'Free') + ' in row ' + (row + 1) + ', column ' + column,
    pieces: discs.filter((each) => each === column).length > 1 - row ? [{ color: 0 }] : [],
    mark: discs.at(-1) === column && discs.filter((each) => each === column).length === 2 - row ? 'last' : undefined,
    choice: { name: 'drop', data: { column } },
  }))) },
  { type: 'buttons', buttons: [{ text: '1', key: '1', choice: { name: 'drop', data: { column: 1 } } }, { text: 'Empty', key: 'e', choice: { name: 'empty' } }] },
] });
`;

async function startWithGames(): Promise<Openseat> {
  const games = mkdtempSync(join(tmpdir(), 'openseat-web-parts-'));
  cpSync(resolve('../games'), games, { recursive: true });
  writeFileSync(join(games, 'slide.js'), slide);
  writeFileSync(join(games, 'tell.js'), tell);
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

it('says what happened: to each as the game says it, live and in the replay', async ({ page, visit, server }) => {
  await page.goto(new URL('/#/play?game=tell', page.url()).href);
  await page.getByText('Drop, or turn back.').waitFor();
  await page.locator('label', { hasText: /^\s*Red/ }).waitFor();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByText('Your turn').waitFor();
  const history = (on: Page) => on.getByRole('region', { name: 'History' });
  const { page: watching } = await visit(page.url());
  await watching.getByText('watching').waitFor();
  await history(watching).getByText('The start').waitFor();

  await page.getByRole('button', { name: '1', exact: true }).click();
  await history(page).getByText(/ dropped a disc into column 1\. Nobody else reads this\.$/).waitFor();
  await history(watching).getByText(/ dropped a disc into column 1\.$/).waitFor();
  // A place with a label is called that.
  const disc = page.getByRole('button', { name: 'Disc in row 2, column 1, the last move', exact: true });
  await disc.waitFor();
  // All places of the column light up, and its button; the mark stays.
  await disc.hover();
  await expect.poll(() => page.locator('.lit').count()).toBe(3);
  await disc.and(page.locator('.mark-last')).waitFor();
  expect(await disc.evaluate((each) => getComputedStyle(each).boxShadow)).toContain(await page.evaluate(() => {
    const probe = Object.assign(document.createElement('i'), { className: 'probe' });
    document.body.append(probe);
    probe.style.color = 'var(--accent)';
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }));

  // The position comes again, but nothing was taken back.
  await page.getByRole('button', { name: 'Empty', exact: true }).click();
  await history(watching).getByText(/ emptied the board\.$/).waitFor();
  expect(await history(watching).getByText(/took back/).count()).toBe(0);
  // Who comes later reads it, too, each as they may.
  await page.reload();
  await history(page).getByText(/Nobody else reads this\./).waitFor();
  await watching.reload();
  await history(watching).getByText(/ emptied the board\.$/).waitFor();
  expect(await history(watching).getByText(/Nobody else/).count()).toBe(0);

  const id = /match\/tell\/([^?.]+)/.exec(page.url())![1]!;
  await watching.goto(`${server.url}/#/replays/${id}`);
  await watching.getByRole('heading', { name: 'Tell a tale' }).waitFor();
  const moves = watching.getByRole('region', { name: 'Moves' });
  await moves.getByText(/ dropped a disc into column 1\.$/).waitFor();
  await moves.getByText(/ emptied the board\.$/).waitFor();
  await watching.getByRole('button', { name: 'Events', exact: true }).click();
  await watching.getByRole('region', { name: 'Events' }).getByText(/ emptied the board\.$/).waitFor();
  expect(await watching.getByText(/Nobody else/).count()).toBe(0);
});

it('a match whose script fails broke off, and nobody drew', async ({ page, server }) => {
  await page.goto(new URL('/#/play?game=tell', page.url()).href);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByText('Your turn').waitFor();
  await page.getByRole('button', { name: 'crash', exact: true }).click();
  const standing = page.locator('.standing');
  await expect.poll(() => standing.textContent()).toBe("The match broke off (the game's script failed)");
  expect(await standing.getAttribute('class')).not.toMatch(/good|bad/);
  await page.getByText('log says why').waitFor();
  await page.goto(server.url);
  const over = page.getByRole('region', { name: 'Just finished' });
  await over.getByText('Tell a tale').first().waitFor();
  await over.getByText('broke off', { exact: true }).first().waitFor();
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
