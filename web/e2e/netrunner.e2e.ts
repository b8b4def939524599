// Netrunner as people play it: five turns against the bot from the first page, once by clicking and once by the keyboard
// alone; two browsers and a spectator; a game against an agent of one's own; decks built, mended, saved, brought in and
// played with.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchBrowser, startOpenseat, visit, type Openseat, type Visitor } from './harness';
import { after, choices, corpDeckText, isOver, playCard, question, start, turn } from './netrunner';

let browser: Browser;
let server: Openseat;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startOpenseat()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});
beforeEach(async () => {
  visitor = await visit(browser, `${server.url}/#/netrunner`);
  page = visitor.page;
});
afterEach(async () => {
  await visitor.context.close();
  expect(visitor.troubles).toEqual([]);
});

describe('five turns against the bot', () => {
  it('as the Runner, by clicking', async () => {
    await start(page, 'Runner');
    expect(await question(page)).toBe('Keep hand?');
    const seen = { card: 0, run: 0, tracker: 0 };
    while ((await turn(page)) <= 5 && !(await isOver(page))) {
      const asked = await question(page);
      const clicks = Number(/\((\d) click/.exec(asked)?.[1] ?? 0);
      const cards = page.locator('.hand [data-legal]');
      const runs = page.locator('.run-button');
      seen.tracker += await page.locator('[data-run]').count();
      if (clicks > 2 && (await cards.count()) > 0) {
        await after(page, () => playCard(page, cards.first()));
        seen.card += 1;
      } else if (clicks > 0 && clicks < 3 && (await runs.count()) > 0) {
        await after(page, () => runs.nth(seen.run % 3).click());
        seen.run += 1;
      } else if ((await choices(page).count()) > 0) {
        await after(page, () => choices(page).first().click());
      } else {
        await after(page, () => page.locator('.tile[data-legal]').first().click());
      }
    }
    expect(seen.card).toBeGreaterThan(0);
    expect(seen.run).toBeGreaterThan(0);
    expect(seen.tracker, 'runs are shown as they go').toBeGreaterThan(0);
    await page.locator('.log').getByText(/makes a run on/).first().waitFor();
    if (!(await isOver(page))) {
      await page.getByRole('button', { name: 'Concede' }).click();
      await page.getByRole('dialog', { name: 'Concede this game?' }).getByRole('button', { name: 'Concede' }).click();
    }
    await page.locator('[data-result]').getByRole('link', { name: 'Replay' }).waitFor();
  }, 120_000);

  it('as the Corp, with the keyboard alone', async () => {
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');
    const tabTo = async (wanted: RegExp) => {
      for (let i = 0; i < 120; i += 1) {
        await page.keyboard.press('Tab');
        if (wanted.test(await focused())) return;
      }
      throw new Error(`Tab never comes to ${wanted}`);
    };
    await page.getByRole('heading', { name: 'Play against AI Agent' }).waitFor();
    await page.locator('input[name=side]:checked').focus();
    if ((await page.locator('input[name=side]:checked').inputValue()) !== 'corp') await page.keyboard.press('ArrowLeft');
    expect(await page.locator('input[name=side][value=corp]').isChecked()).toBe(true);
    await tabTo(/^\s*Start the game/);
    await page.keyboard.press('Enter');
    await page.getByText('you are the Corp').waitFor();

    let installed = 0;
    while ((await turn(page)) <= 5 && !(await isOver(page))) {
      const asked = await question(page);
      const hand = page.locator('.hand [data-legal]');
      if (/take an action/.test(asked) && installed < 4 && (await hand.count()) > 0) {
        // To the hand by Tab, along it by the arrow keys, and to the card's choices by Enter.
        const title = (await hand.first().textContent()) ?? '';
        await after(page, async () => {
          const cards = page.locator('.hand .tile');
          const labels = await cards.evaluateAll((all) => all.map((each) => each.textContent ?? ''));
          for (let i = 0; i < 120 && !labels.includes(await focused()); i += 1) await page.keyboard.press('Tab');
          await page.keyboard.press('Home');
          for (let i = 0; i < labels.length && (await focused()) !== title; i += 1) await page.keyboard.press('ArrowRight');
          expect(await focused()).toBe(title);
          await page.keyboard.press('Enter');
          await page.locator('[data-sheet] [data-first]:focus').waitFor();
          await page.keyboard.press('Enter');
        });
        installed += 1;
      } else if ((await choices(page).count()) > 0) {
        await after(page, () => page.keyboard.press('1'));
      } else {
        await after(page, async () => {
          await tabTo(/can be used now/);
          await page.keyboard.press('Enter');
        });
      }
    }
    expect(installed).toBe(4);
    await page.getByText(/Corp pays \d+ .* to (install|play)|Corp spends/).first().waitFor();
  }, 120_000);
});

it('the Corp drops cards of the hand on servers', async () => {
  await start(page, 'Corp');
  await after(page, () => page.locator('[data-panel] button', { hasText: 'Keep' }).click());
  for (let i = 0; !(await question(page)).includes('take an action'); i += 1) {
    if (i > 20) throw new Error('the turn does not begin');
    await after(page, () => choices(page).first().click());
  }
  // Ice goes before HQ, anything else into a server of its own. What cannot be dropped there is not taken.
  const hand = page.locator('.hand [draggable=true]');
  const hq = page.locator('[data-server=hq]');
  const drag = async (card: Locator) => {
    const from = await card.boundingBox();
    if (!from) throw new Error('the card is not there');
    await page.mouse.move(from.x + 20, from.y + 20);
    await page.mouse.down();
    await page.mouse.move(from.x + 30, from.y - 20, { steps: 4 });
  };
  const over = async (target: Locator) => {
    await target.scrollIntoViewIfNeeded();
    const to = await target.boundingBox();
    if (!to) throw new Error('there is nothing to drop it on');
    await page.mouse.move(to.x + to.width / 2, to.y + 15, { steps: 4 });
    // A hand is never still, and a drag that has only just begun may miss the first moves.
    for (let i = 0; i < 20 && (await page.locator('.over').count()) === 0; i += 1) {
      await page.mouse.move(to.x + to.width / 2 + (i % 2), to.y + 16);
      await page.waitForTimeout(100);
    }
  };
  const dropped = { ice: 0, other: 0 };
  for (let i = 0; i < (await hand.count()); i += 1) {
    await drag(hand.nth(i));
    if ((await page.locator('[data-server=hq].droppable').count()) > 0) {
      await over(hq);
      await page.locator('[data-server=hq].over').waitFor();
      await after(page, () => page.mouse.up());
      expect(await hq.locator('[data-cid]').count()).toBe(1);
      dropped.ice += 1;
    } else if ((await page.getByRole('group', { name: 'New remote server' }).count()) > 0) {
      await over(page.getByRole('group', { name: 'New remote server' }));
      await after(page, () => page.mouse.up());
      await page.locator('[data-server=remote1] [data-cid]').waitFor();
      dropped.other += 1;
    } else {
      await page.mouse.up();
      continue;
    }
    break;
  }
  expect(dropped.ice + dropped.other).toBe(1);
});

it('two browsers play, a third watches, and nobody sees what is not theirs', async () => {
  await page.locator('input[name=opponent][value=friend]').check();
  await page.locator('input[name=side][value=runner]').check();
  await page.getByRole('button', { name: 'Start the game' }).click();
  await page.getByText('Waiting for your opponent').waitFor();
  const address = page.url();
  const friend = await visit(browser, address);
  await friend.page.getByRole('button', { name: 'Take the seat' }).click();
  await friend.page.locator('[data-question]').waitFor();
  const watcher = await visit(browser, address);
  await watcher.page.getByText('watching').waitFor();
  await page.getByText(/you are the/).waitFor();
  const corp = (await page.getByText('you are the Corp').count()) > 0 ? page : friend.page;
  const runner = corp === page ? friend.page : page;
  expect(await question(corp)).toBe('Keep hand?');
  expect(await question(runner)).toMatch(/Corp is choosing/);
  await corp.locator('[data-panel] button', { hasText: 'Keep' }).click();
  await runner.locator('[data-panel] button', { hasText: 'Keep' }).click();
  await corp.getByRole('button', { name: 'Start your turn' }).click();
  await watcher.page.locator('.log').getByText('Corp makes their mandatory draw.').waitFor();
  const secrets = await corp.locator('.hand .tile .title').allInnerTexts();
  expect(secrets.length).toBe(6);
  for (const other of [runner, watcher.page]) {
    const text = await other.locator('.board').innerText();
    for (const title of secrets) expect(text).not.toContain(title);
  }
  expect(await watcher.page.locator('.hand').count()).toBe(0);
  expect(friend.troubles).toEqual([]);
  expect(watcher.troubles).toEqual([]);
  await friend.context.close();
  await watcher.context.close();
});

it('an agent of one’s own plays with the key that is shown', async () => {
  await page.locator('input[name=side][value=runner]').check();
  await page.locator('input[name=opponent][value=external]').check();
  await page.getByRole('button', { name: 'Start the game' }).click();
  const key = await page.locator('[data-api-key]').innerText();
  await page.getByRole('button', { name: 'Go to the table' }).click();
  await page.getByText('The Corp is choosing').waitFor();
  const asked = await fetch(`${server.url}/game/prompt`, { headers: { 'X-JNet-API': key } });
  expect(((await asked.json()) as { prompt: { message: string } }).prompt.message).toBe('Keep hand?');
  const acted = await fetch(`${server.url}/game/choice`, {
    method: 'POST',
    headers: { 'X-JNet-API': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ choice: 'Keep' }),
  });
  expect(acted.status).toBe(200);
  await page.getByText('Keep hand?').waitFor();
});

it('says what is missing, and what the server refuses', async () => {
  await page.locator('input[name=opponent][value=webhook]').check();
  await page.getByRole('button', { name: 'Start the game' }).click();
  await page.getByRole('alert').filter({ hasText: 'Give the URL' }).waitFor();
  await page.getByLabel('Webhook URL').fill('http://169.254.169.254/latest');
  await page.getByRole('button', { name: 'Start the game' }).click();
  await page.getByRole('alert').filter({ hasText: 'The game could not be made' }).waitFor();
  visitor.troubles.length = 0; // the browser logs the refusal, too
});

describe('decks', () => {
  it('are built, mended, saved, brought in, and played with', async () => {
    // Built: the Runner's, card by card.
    await page.getByRole('link', { name: 'Deck builder' }).click();
    await page.getByRole('link', { name: 'New Runner deck' }).click();
    await page.getByLabel('Name').fill('Chrome & Wire');
    await page.getByLabel('Identity').selectOption({ index: 1 });
    await page.locator('[data-problems] li').filter({ hasText: /cards/ }).waitFor();
    const more = page.locator('.pool .line .count button:last-child');
    const size = async () => (await page.locator('[data-stat=cards]').innerText()).split(' / ').map(Number);
    const fill = async () => {
      for (let i = 0; ; i += 1) {
        const [cards = 0, least = 0] = await size();
        if (cards >= least) return;
        for (let copies = 0; copies < 3 && (await more.nth(i).isEnabled()); copies += 1) await more.nth(i).click();
      }
    };
    await fill();
    await page.getByText('Legal: it can be played with').waitFor();
    // One too few is said, and mended.
    const less = page.locator('.deck .list li').first().getByRole('button', { name: /less$/ });
    await less.click();
    await less.click();
    await less.click();
    await page.locator('[data-problems] li').first().waitFor();
    await page.locator('.pool').getByLabel('Search').fill('sure gamble');
    expect(await page.locator('.pool .line').count()).toBe(1);
    await page.locator('.pool').getByLabel('Search').fill('');
    await fill();
    await page.getByText('Legal: it can be played with').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Saved' }).waitFor();
    await page.reload();
    expect(await page.getByLabel('Name').inputValue()).toBe('Chrome & Wire');

    // Brought in: the Corp's, after a list that cannot be read.
    await page.getByRole('link', { name: 'All decks' }).click();
    await page.getByRole('button', { name: 'Import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import a deck' });
    await dialog.locator('textarea').fill('3x No Such Card');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'No Such Card' }).waitFor();
    await dialog.locator('textarea').fill(await corpDeckText(server));
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page.getByText('Legal: it can be played with').waitFor();
    await page.getByLabel('Name').fill('Bioroid Works');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Saved' }).waitFor();

    // Played with.
    await page.goto(`${server.url}/#/netrunner`);
    await page.locator('input[name=side][value=runner]').check();
    await page.locator('input[name=decks][value=system-gateway]').check();
    await page.getByRole('button', { name: 'Start the game' }).click();
    await page.getByRole('alert').filter({ hasText: 'Choose your deck' }).waitFor();
    await page.getByLabel('Your deck').selectOption({ label: 'Chrome & Wire' });
    await page.getByLabel('The agent’s deck').selectOption({ label: 'Bioroid Works' });
    await page.getByRole('button', { name: 'Start the game' }).click();
    await page.getByText('you are the Runner').waitFor();
    await page.getByRole('region', { name: /^Corp: / }).getByText(/^Haas-Bioroid/).waitFor();

    // Deleted, after a question.
    await page.goto(`${server.url}/#/netrunner/decks`);
    await page.getByRole('button', { name: 'Delete Bioroid Works' }).click();
    await page.getByRole('dialog', { name: 'Delete “Bioroid Works”?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('“Bioroid Works” is deleted').waitFor();
    expect(await page.getByRole('link', { name: 'Bioroid Works' }).count()).toBe(0);
    visitor.troubles.length = 0; // the browser logs the list that was refused
  });
});
