// Netrunner tables and decks for the tests of all pages and the screenshots.
import type { Locator, Page } from 'playwright-core';
import type { Openseat } from './harness';

export interface CardFacts {
  code: string;
  title: string;
  side: string;
  faction: string;
  type: string;
  limit: number;
  points?: number;
  influence_limit?: number;
}

export async function listCards(server: Openseat): Promise<CardFacts[]> {
  return ((await (await fetch(`${server.url}/api/v1/hosted-games/netrunner/cards`)).json()) as { cards: CardFacts[] }).cards;
}

export const question = (page: Page): Promise<string> => page.locator('[data-question]').innerText();
export const isOver = async (page: Page): Promise<boolean> => (await page.locator('[data-result]').count()) > 0;
export const turn = async (page: Page): Promise<number> => Number(await page.locator('.nr-table').getAttribute('data-turn'));
export const choices = (page: Page): Locator => page.locator('[data-panel] [aria-label=Choices] button:enabled');

// Waits until more than `states` states were shown and nothing is in progress: this player is asked, or the game is over.
// Changes that only the page makes (a sheet, a preview, a dragged card) are not states. Until the player chooses, nothing
// changes then: the table can be read.
async function settled(page: Page, states: number): Promise<void> {
  await page.waitForFunction((seen) => {
    const table = document.querySelector<HTMLElement>('.nr-table');
    if (Number(table?.dataset.states ?? 0) <= seen) return false;
    if (document.querySelector('[data-result]')) return true;
    const asked = document.querySelector<HTMLElement>('[data-panel].mine:not([data-busy]) [data-question]')?.innerText ?? '…';
    return !asked.endsWith('…');
  }, states);
}

// Does something, and waits until its result is on the table.
export async function after(page: Page, act: () => Promise<void>): Promise<void> {
  const states = Number(await page.locator('.nr-table').getAttribute('data-states'));
  await act();
  await settled(page, states);
}

export async function start(page: Page, side: 'Corp' | 'Runner'): Promise<void> {
  await page.locator(`input[name=side][value=${side.toLowerCase()}]`).check();
  await page.getByRole('button', { name: 'Start the game' }).click();
  await begun(page, side);
}

// Waits until this side's player is asked for the first time.
export async function begun(page: Page, side: 'Corp' | 'Runner'): Promise<void> {
  await page.getByText(`you are the ${side}`).waitFor();
  await settled(page, 0);
}

// A pressed card that has several choices, or one that is not to select it, opens its sheet; any other is the answer.
export const sheetIsOpen = async (page: Page): Promise<boolean> => (await page.locator('[data-sheet]').count()) > 0;

// Opens a card and takes its first choice.
export async function playCard(page: Page, card: Locator): Promise<void> {
  await card.click();
  await page.locator('[data-sheet] ul button').first().click();
}

// Starts a game against the bot on the open page, and plays until there is something to look at: any
// card and any choice, as long as no two of them undo each other. If the game ends early, starts a new one.
export async function netrunnerTable(page: Page, side: 'Corp' | 'Runner'): Promise<void> {
  const setup = page.url();
  const any = async (what: Locator): Promise<Locator> => what.nth(Math.floor(Math.random() * (await what.count())));
  const hand = page.locator('.hand [data-legal]');
  const cards = page.locator('[data-panel] [aria-label="Cards to choose from"] button:enabled');
  for (let game = 0; game < 5; game += 1) {
    if (game > 0) {
      await page.goto('about:blank');
      await page.goto(setup);
    }
    await start(page, side);
    for (let i = 0; i < 100 && !(await isOver(page)); i += 1) {
      const acting = (await question(page)).includes('take an action');
      if (acting && (await turn(page)) >= 3) return;
      if (acting && (await hand.count()) > 0) await after(page, async () => playCard(page, await any(hand)));
      else await after(page, async () => (await any(choices(page).or(cards))).click());
    }
  }
  throw new Error('no game comes to its third turn');
}

// A legal Corp deck as people paste it: 40 cards of Haas-Bioroid and the neutral ones, with 18 points.
export async function corpDeckText(server: Openseat): Promise<string> {
  const corp = (await listCards(server)).filter((card) => card.side === 'corp' && (card.faction === 'Haas-Bioroid' || card.faction.startsWith('Neutral')));
  const lines = [corp.find((card) => card.type === 'Identity' && card.influence_limit !== undefined)?.title ?? ''];
  let points = 0;
  let size = 0;
  const put = (card: CardFacts, copies: number) => {
    if (copies > 0) lines.push(`${copies}x ${card.title}`);
    size += copies;
    points += copies * (card.points ?? 0);
  };
  for (const card of corp.filter((each) => each.type === 'Agenda')) put(card, Math.min(card.limit, Math.floor((18 - points) / (card.points ?? 1))));
  for (const card of corp.filter((each) => each.type !== 'Agenda' && each.type !== 'Identity')) put(card, Math.min(card.limit, 40 - size));
  if (points !== 18 || size !== 40) throw new Error(`the deck came to ${size} cards and ${points} points`);
  return lines.join('\n');
}

// Two decks in the collection: a legal one, and an incomplete one.
export async function netrunnerDecks(server: Openseat): Promise<void> {
  const runner = (await listCards(server)).filter((card) => card.side === 'runner' && (card.faction === 'Criminal' || card.faction.startsWith('Neutral')));
  const cards = Object.fromEntries(runner.filter((card) => card.type !== 'Identity').slice(0, 9).map((card) => [card.code, 2]));
  const identity = runner.find((card) => card.type === 'Identity' && card.influence_limit !== undefined)?.code;
  for (const deck of [
    { game: 'netrunner', name: 'Bioroid Works', text: await corpDeckText(server) },
    { game: 'netrunner', name: 'Chrome & Wire', side: 'runner', identity, cards },
  ]) {
    const answer = await fetch(`${server.url}/api/v1/decks`, { method: 'POST', body: JSON.stringify(deck) });
    if (!answer.ok) throw new Error(await answer.text());
  }
}
