// A person who lasts: closed tabs, second tabs, other devices, killed servers; and what players agree on at the table.
import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { tests } from './fixtures';
import { createMatch } from './play';
import { matchId } from '../src/lib/match_name';

const it = tests();

const free = (page: Page) => page.getByRole('button', { name: /: free$/ });
const put = async (page: Page, row: number, column: number) => {
  await page.getByText('Your turn').waitFor();
  await page.getByRole('button', { name: `Row ${row}, column ${column}: free` }).click();
};
const shows = (page: Page, row: number, column: number, mark: string) => page.getByRole('button', { name: `Row ${row}, column ${column}: ${mark}` }).waitFor();

it('a closed tab loses nothing, though the server is killed meanwhile', async ({ visitor: ada, server }) => {
  ada.expected = /ERR_CONNECTION|WebSocket|Failed to load/;
  await ada.page.getByRole('button', { name: 'Play Tic-Tac-Toe against a bot' }).click();
  await put(ada.page, 2, 2);
  await expect.poll(() => ada.page.title()).toBe('● Your turn · Tic-Tac-Toe · Openseat');
  await ada.page.close();
  await server.stop('SIGKILL');
  await server.again();
  const later = await ada.context.newPage();
  await later.goto(server.url);
  await later.getByRole('heading', { name: 'Your games' }).waitFor();
  await later.getByRole('button', { name: /^Resume Tic-Tac-Toe/ }).click();
  await shows(later, 2, 2, 'X');
  await later.getByText('Your turn').waitFor();
  await free(later).first().click();
  await expect.poll(() => later.getByRole('button', { name: /: X$/ }).count()).toBe(2);
});

it('a game that nobody wants to go on with can be forgotten', async ({ page, server }) => {
  await page.getByRole('button', { name: 'Play Tic-Tac-Toe against a bot' }).click();
  await page.getByText('Your turn').waitFor();
  await page.goto(server.url);
  await page.getByRole('button', { name: /^Resume Tic-Tac-Toe, against/ }).waitFor();
  await page.getByRole('button', { name: /^Forget Tic-Tac-Toe/ }).click();
  await page.getByRole('button', { name: 'Forget', exact: true }).click();
  await page.getByRole('heading', { name: 'Your games' }).waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { name: 'Take a seat.' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Your games' }).count()).toBe(0);
});

it('another tab asks before it takes the seat', async ({ page, visitor }) => {
  await page.getByRole('button', { name: 'Play Tic-Tac-Toe against a bot' }).click();
  await put(page, 1, 1);
  await page.getByText('Your turn').waitFor();
  const second = await visitor.context.newPage();
  await second.goto(page.url());
  await second.getByText('You are playing in another tab').waitFor();
  await second.getByRole('button', { name: 'Play here' }).click();
  await second.getByText('Your turn').waitFor();
  await page.getByText('You are playing in another tab').waitFor();
  await page.getByRole('button', { name: 'Play here' }).click();
  await page.getByText('Your turn').waitFor();
  await second.getByText('You are playing in another tab').waitFor();
  await free(page).first().click();
  await expect.poll(() => page.getByRole('button', { name: /: X$/ }).count()).toBe(2);
});

it('a friend is invited, and loses the tab twice', async ({ page, visit, server }) => {
  await page.getByRole('button', { name: 'Invite a friend to Tic-Tac-Toe' }).click();
  await page.getByText('Waiting for the other player').waitFor();
  const bo = await visit(page.url());
  await bo.page.getByLabel('Your name').fill('Bo');
  await bo.page.getByRole('button', { name: 'Take the seat' }).click();
  await put(page, 1, 1);
  await shows(bo.page, 1, 1, 'X');
  let tab = bo.page;
  for (const [row, column] of [[2, 1], [2, 2]] as const) {
    await tab.close();
    await page.getByText('away', { exact: true }).waitFor();
    tab = await bo.context.newPage();
    await tab.goto(`${server.url}/#/`);
    await tab.getByRole('button', { name: /^Resume Tic-Tac-Toe/ }).click();
    await put(tab, row, column);
    await shows(page, row, column, 'O');
    if (row === 2 && column === 1) await put(page, 1, 2);
  }
  await page.getByText('away', { exact: true }).waitFor({ state: 'detached' });
});

it('players talk, take back, agree on a draw, and are watched', async ({ page: ada, visit }) => {
  await ada.getByRole('button', { name: 'Invite a friend to Tic-Tac-Toe' }).click();
  await ada.getByText('Waiting for the other player').waitFor();
  const { page: bo } = await visit(ada.url());
  await bo.getByRole('button', { name: 'Take the seat' }).click();
  await put(ada, 1, 1);
  const { page: cleo } = await visit(ada.url());
  await ada.getByText('1 spectator').waitFor();
  await bo.getByLabel('Say something to the table').fill('That was quick');
  await bo.getByRole('button', { name: 'Send' }).click();
  for (const each of [ada, bo, cleo]) await each.getByRole('list', { name: 'Chat' }).getByText('That was quick').waitFor();
  expect(await cleo.getByLabel('Say something to the table').count()).toBe(0);

  await ada.getByRole('button', { name: 'Take back' }).click();
  await bo.getByText('wants to take back a move').waitFor();
  await bo.getByRole('button', { name: 'Agree' }).click();
  await ada.getByRole('button', { name: 'Row 1, column 1: free' }).waitFor();
  await ada.getByRole('button', { name: /took back a move/ }).waitFor();
  await put(ada, 2, 2);
  await shows(cleo, 2, 2, 'X');

  await bo.getByRole('button', { name: 'Offer a draw' }).click();
  await ada.getByText('offers a draw').waitFor();
  await ada.getByRole('button', { name: 'Decline' }).click();
  await bo.getByText('You offered a draw').waitFor({ state: 'detached' });
  await ada.getByRole('button', { name: 'Offer a draw' }).click();
  await bo.getByRole('button', { name: 'Agree' }).click();
  for (const each of [ada, bo, cleo]) await expect.poll(() => each.locator('.standing').textContent()).toBe('A draw (the players agreed)');
});

it('a clock runs, and who runs out of time loses', async ({ server, page }) => {
  await page.goto(`${server.url}/#/play?game=tictactoe`);
  await page.getByText('Clock, absence, chat').click();
  await page.getByLabel('Clock').selectOption('rapid');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByText('10 minutes each, plus 5 seconds a move').waitFor();
  await expect.poll(() => page.getByRole('timer').count()).toBe(2);
  await put(page, 1, 1);
  await page.getByText('Your turn').waitFor();

  const short = await createMatch(server, { game: 'tictactoe', terms: { move_time: 1 }, seats: [{}, { agent: { kind: 'random' } }] });
  await page.goto(`${server.url}/#/match/tictactoe/${short}`);
  await page.getByRole('button', { name: 'Take the seat' }).click();
  await page.getByText(/ won \(.* ran out of time\)/).waitFor();
});

it('goes on on another device', async ({ page, visit, server }) => {
  await page.getByRole('button', { name: 'Play Tic-Tac-Toe against a bot' }).click();
  await put(page, 1, 1);
  await page.getByText('Your turn').waitFor();
  await page.getByRole('button', { name: 'Another device' }).click();
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
  const link = (await page.locator('[data-link]').textContent()) ?? '';
  const phone = await visit(link, { viewport: { width: 390, height: 844 } });
  await phone.page.getByText('Your turn').waitFor();
  await shows(phone.page, 1, 1, 'X');
  await page.getByText('You are playing in another tab').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await free(phone.page).first().click();
  await expect.poll(() => phone.page.getByRole('button', { name: /: X$/ }).count()).toBe(2);
  const thief = await visit(link);
  await thief.page.getByText('Could not take the seat').waitFor();
  // It stays in the list of the device that has it.
  await phone.page.goto(`${server.url}/#/`);
  await phone.page.getByRole('button', { name: /^Resume Tic-Tac-Toe/ }).waitFor();
});

it('open games whose players have gone are not offered', async ({ page, visit, server }) => {
  await page.getByRole('button', { name: 'Invite a friend to Connect-M' }).click();
  await page.getByText('Waiting for the other player').waitFor();
  const name = matchId(page.url().split('/').pop() ?? '');
  const bo = await visit(`${server.url}/#/play`);
  await bo.page.getByText(name).waitFor();
  await page.close();
  await bo.page.getByText(name).waitFor({ state: 'detached' });
});

it('a player who looks elsewhere is called, if they asked for it', async ({ visitor, page, visit }) => {
  // What the browser would play and show is written down instead.
  await visitor.context.addInitScript(() => {
    const calls: string[] = [];
    const sounding = { setValueAtTime: () => {}, exponentialRampToValueAtTime: () => {} };
    const node = { connect: () => {}, start: () => calls.push('tone'), stop: () => {}, gain: sounding, frequency: sounding };
    const audio = { currentTime: 0, destination: node, createGain: () => node, createOscillator: () => node, close: () => Promise.resolve() };
    class Notice {
      static permission = 'default';
      static requestPermission(): Promise<string> {
        calls.push('may I?');
        Notice.permission = 'granted';
        return Promise.resolve('granted');
      }
      constructor(title: string, { body }: { body: string }) {
        calls.push(`${title}: ${body}`);
      }
    }
    class Audio {
      constructor() {
        return audio;
      }
    }
    const stubs = { calls, away: false, AudioContext: Audio, Notification: Notice };
    Object.assign(globalThis, stubs);
    Object.defineProperty(document, 'hidden', { get: () => (globalThis as unknown as typeof stubs).away });
  });
  await page.reload();
  const calls = () => page.evaluate(() => (globalThis as unknown as { calls: string[] }).calls);
  const away = (is: boolean) => page.evaluate((hidden) => Object.assign(globalThis, { away: hidden }), is);

  await page.getByRole('button', { name: 'Invite a friend to Tic-Tac-Toe' }).click();
  await page.getByText('Waiting for the other player').waitFor();
  const { page: bo } = await visit(page.url());
  await bo.getByRole('button', { name: 'Take the seat' }).click();
  await put(page, 1, 1);
  // Nobody asked for anything yet.
  await away(true);
  await put(bo, 2, 1);
  await page.getByText('Your turn').waitFor();
  expect(await calls()).toEqual([]);
  await page.getByLabel('Sound').check();
  await expect.poll(calls).toEqual(['tone']);
  await page.getByLabel('Notification').check();
  await expect.poll(calls).toEqual(['tone', 'may I?']);
  await put(page, 1, 2);
  await put(bo, 2, 2);
  await expect.poll(calls).toEqual(['tone', 'may I?', 'tone', 'Your turn: Tic-Tac-Toe']);
  // Who looks at the page is not called.
  await away(false);
  await put(page, 3, 3);
  await put(bo, 3, 1);
  await page.getByText('Your turn').waitFor();
  expect(await calls()).toHaveLength(4);
});
