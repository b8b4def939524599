// Netrunner as people play it: five turns against the bot from the home page, once by clicking and once with the keyboard
// only; two browsers and a spectator; a game against one's own agent; decks built, fixed, saved, imported and
// played with.
import { describe, expect } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { tests } from './fixtures';
import { focusedControl } from './harness';
import { after, begun, choices, corpDeckText, isOver, playCard, question, sheetIsOpen, start, turn } from './netrunner';

const it = tests({ path: '/#/netrunner' });

describe('five turns against the bot', () => {
  it('as the Runner, by clicking', async ({ page }) => {
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
        await after(page, async () => {
          await page.locator('.tile[data-legal]').first().click();
          if (await sheetIsOpen(page)) await page.locator('[data-sheet] ul button').first().click();
        });
      }
    }
    expect(seen.card).toBeGreaterThan(0);
    expect(seen.run).toBeGreaterThan(0);
    expect(seen.tracker, 'runs are shown as they go').toBeGreaterThan(0);
    await page.locator('.log').getByText(/make a run on/).first().waitFor();
    if (!(await isOver(page))) {
      await page.getByRole('button', { name: 'Concede' }).click();
      await page.getByRole('dialog', { name: 'Concede this game?' }).getByRole('button', { name: 'Concede' }).click();
    }
    await page.locator('[data-result]').getByRole('link', { name: 'Replay' }).waitFor();
  });

  it('as the Corp, with the keyboard only', async ({ page }) => {
    const focused = () => focusedControl(page);
    const tabTo = async (wanted: RegExp) => {
      for (let i = 0; i < 120; i += 1) {
        await page.keyboard.press('Tab');
        if (wanted.test(await focused())) return;
      }
      throw new Error(`Tab never comes to ${wanted}`);
    };
    await page.getByRole('heading', { name: 'Set up a game' }).waitFor();
    await page.locator('input[name=side]:checked').focus();
    if ((await page.locator('input[name=side]:checked').inputValue()) !== 'corp') await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.locator('input[name=side][value=corp]').isChecked()).toBe(true);
    await tabTo(/^\s*Start the game/);
    await page.keyboard.press('Enter');
    await begun(page, 'Corp');

    let installed = 0;
    while ((await turn(page)) <= 5 && !(await isOver(page))) {
      const asked = await question(page);
      const hand = page.locator('.hand [data-legal]');
      if (/take an action/.test(asked) && installed < 4 && (await hand.count()) > 0) {
        // To the hand with Tab, along it with the arrow keys, and to the card's choices with Enter.
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
          if (!(await sheetIsOpen(page))) return;
          await page.locator('[data-sheet] [data-first]:focus').waitFor();
          await page.keyboard.press('Enter');
        });
      }
    }
    expect(installed).toBe(4);
    await page.getByText(/Corp pays \d+ .* to (install|play)|Corp spends/).first().waitFor();
  });
});

// Whether both players' bars and the own hand are in the window.
async function fits(page: Page): Promise<void> {
  for (const part of ['[data-side=corp]', '[data-side=runner]', '.hand', '[data-question]']) {
    const box = await page.locator(part).boundingBox();
    const { width, height } = page.viewportSize()!;
    expect(box && box.x >= -1 && box.y >= -1 && box.x + box.width <= width + 1 && box.y + box.height <= height + 1, `${part} in ${width}×${height}: ${JSON.stringify(box)}`).toBe(true);
  }
}

describe('a first game', () => {
  for (const viewport of [
    { width: 1280, height: 720 },
    { width: 390, height: 844 },
  ]) {
    it(`teaches, fits into ${viewport.width}×${viewport.height}, and is played again`, async ({ page }) => {
      await page.setViewportSize(viewport);
      await page.getByText('Look at your deck').click();
      const shown = await page.locator('details .groups li').allInnerTexts();
      await page.getByRole('button', { name: 'Learn as the Runner' }).click();
      await begun(page, 'Runner');
      await page.locator('[data-tip=r-hand]').waitFor();
      await page.locator('[data-tip]').getByRole('button', { name: 'Got it' }).click();
      await page.getByRole('button', { name: 'Deck', exact: true }).click();
      const deck = page.getByRole('dialog', { name: 'Your deck' });
      await expect.poll(() => deck.locator('.groups li').allInnerTexts()).toEqual(shown);
      await deck.getByRole('button', { name: 'Close' }).click();
      while (!(await question(page)).includes('take an action')) await after(page, () => choices(page).first().click());
      await page.locator('[data-tip=r-turn]').waitFor();
      await fits(page);
      // A click, and back.
      await after(page, () => page.locator('[data-panel] [data-action=credit]').click());
      const undo = page.getByRole('button', { name: 'Take back the last click' });
      if ((await undo.count()) > 0) {
        await after(page, () => undo.click());
        expect(await question(page)).toContain('(4 clicks left)');
      }
      await after(page, () => page.locator('.run-button, .runs button').locator('visible=true').last().click());
      await fits(page);
      await page.getByRole('button', { name: 'Concede' }).click();
      await page.getByRole('dialog', { name: 'Concede this game?' }).getByRole('button', { name: 'Concede' }).click();
      await page.locator('[data-result] [data-score-sheet]').waitFor();
      const before = page.url();
      await page.locator('[data-result]').getByRole('button', { name: 'Play again' }).click();
      await expect.poll(() => page.url()).not.toBe(before);
      await begun(page, 'Corp'); // the sides change
    });
  }
});

// Drags a card to a drop target, which appears only during the drag, and releases it there.
async function dragTo(page: Page, card: Locator, target: Locator): Promise<void> {
  await card.scrollIntoViewIfNeeded();
  await card.hover();
  const from = await card.boundingBox();
  if (!from) throw new Error('the card is not there');
  await page.mouse.down();
  // The pointer never rests: each check is at another position.
  let step = 0;
  await expect
    .poll(async () => {
      step += 1;
      await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2 - 10 * (1 + (step % 2)));
      return target.count();
    })
    .toBe(1);
  await target.scrollIntoViewIfNeeded();
  await expect
    .poll(async () => {
      step += 1;
      const to = await target.boundingBox();
      if (to) await page.mouse.move(to.x + to.width / 2 + (step % 2), to.y + 16);
      return target.evaluate((element) => element.classList.contains('over'));
    })
    .toBe(true);
  await page.mouse.up();
}

it('the Corp drops cards from the hand on servers', async ({ page }) => {
  await start(page, 'Corp');
  await after(page, () => page.locator('[data-panel] button', { hasText: 'Keep' }).click());
  for (let i = 0; !(await question(page)).includes('take an action'); i += 1) {
    if (i > 20) throw new Error('the turn does not begin');
    await after(page, () => choices(page).first().click());
  }
  // Everything except operations is installed.
  const card = page.locator('.hand [draggable=true]').filter({ hasNot: page.locator('.line', { hasText: /Operation$/ }) }).first();
  while ((await card.count()) === 0) await after(page, () => page.locator('[data-panel] [data-action=draw]').click());
  // Ice goes on HQ, anything else in a new server.
  if (/, ice\b/.test((await card.textContent()) ?? '')) {
    const hq = page.locator('[data-server=hq]');
    await after(page, () => dragTo(page, card, hq.and(page.locator('.droppable'))));
    await expect.poll(() => hq.locator('[data-cid]').count()).toBe(1);
  } else {
    await after(page, () => dragTo(page, card, page.getByRole('group', { name: 'New remote server' })));
    await page.locator('[data-server=remote1] [data-cid]').waitFor();
  }
});

it('a card that is installed travels there', async ({ visit, server }) => {
  const { page } = await visit(`${server.url}/#/netrunner`, { reducedMotion: 'no-preference' });
  await start(page, 'Corp');
  await after(page, () => page.locator('[data-panel] button', { hasText: 'Keep' }).click());
  for (let i = 0; !(await question(page)).includes('take an action'); i += 1) {
    if (i > 20) throw new Error('the turn does not begin');
    await after(page, () => choices(page).first().click());
  }
  const card = page.locator('.hand [draggable=true]').filter({ hasNot: page.locator('.line', { hasText: /Operation$/ }) }).first();
  while ((await card.count()) === 0) await after(page, () => page.locator('[data-panel] [data-action=draw]').click());
  const copy = page.locator('.nr-table > [data-travels]');
  await expect.poll(() => copy.count()).toBe(0);
  // Half of the way, for as long as the test looks.
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      for (const each of document.querySelectorAll('[data-travels]')) {
        for (const animation of each.getAnimations()) {
          animation.pause();
          animation.currentTime = Number(animation.effect?.getTiming().duration) / 2;
          observer.disconnect();
        }
      }
    }).observe(document.body, { childList: true, subtree: true });
  });
  const from = (await card.boundingBox())!;
  await after(page, () => playCard(page, card));
  const half = (await copy.boundingBox())!;
  const to = (await page.locator('.servers [data-cid]').last().boundingBox())!;
  expect(half.y).toBeLessThan(from.y - 20);
  expect(half.y).toBeGreaterThan(to.y + 20);
  expect(await copy.evaluate((element: HTMLElement) => element.inert)).toBe(true);
  if (process.env.OPENSEAT_PICTURES) await page.screenshot({ path: `${process.env.OPENSEAT_PICTURES}/travel.png` });
  await copy.evaluate((element) => element.getAnimations().forEach((animation) => animation.finish()));
  await expect.poll(() => copy.count()).toBe(0);
});

it('two browsers play, a third watches, and nobody sees hidden information', async ({ page, visit }) => {
  await page.locator('input[name=opponent][value=friend]').check();
  await page.locator('input[name=side][value=runner]').check();
  await page.getByRole('button', { name: 'Start the game' }).click();
  await page.getByText('Waiting for your opponent').waitFor();
  const address = page.url();
  const friend = await visit(address);
  await friend.page.getByRole('button', { name: 'Take the seat' }).click();
  await friend.page.locator('[data-question]').waitFor();
  const watcher = await visit(address);
  await watcher.page.getByText('watching').waitFor();
  const corp = (await page.getByText(/you are the/).innerText()).includes('you are the Corp') ? page : friend.page;
  const runner = corp === page ? friend.page : page;
  await expect.poll(() => question(corp)).toBe('Keep hand?');
  await expect.poll(() => question(runner)).toMatch(/Corp is choosing/);
  await corp.locator('[data-panel] button', { hasText: 'Keep' }).click();
  await runner.locator('[data-panel] button', { hasText: 'Keep' }).click();
  await corp.getByRole('button', { name: 'Start your turn' }).click();
  for (const each of [corp, runner, watcher.page]) await each.locator('.log').getByText('Corp makes their mandatory draw.').waitFor();
  const titles = corp.locator('.hand .tile .title');
  await expect.poll(() => titles.count()).toBe(6);
  const secrets = await titles.allInnerTexts();
  for (const other of [runner, watcher.page]) {
    const text = await other.locator('.board').innerText();
    for (const title of secrets) expect(text).not.toContain(title);
  }
  expect(await watcher.page.locator('.hand').count()).toBe(0);
});

it('one’s own agent plays with the key shown', async ({ page, server }) => {
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

it('reports missing fields and refusals by the server', async ({ visitor, page }) => {
  visitor.expected = /400/;
  await page.locator('input[name=opponent][value=webhook]').check();
  await page.getByRole('button', { name: 'Start the game' }).click();
  await page.getByRole('alert').filter({ hasText: 'Enter the webhook URL' }).waitFor();
  await page.getByLabel('Webhook URL').fill('http://169.254.169.254/latest');
  await page.getByRole('button', { name: 'Start the game' }).click();
  await page.getByRole('alert').filter({ hasText: 'Could not create the game' }).waitFor();
});

describe('decks', () => {
  it('are built, fixed, saved, imported, and played with', async ({ visitor, page, server }) => {
    visitor.expected = /400/; // a list that cannot be read
    // Built: the Runner's, card by card.
    await page.getByRole('link', { name: 'Deck builder' }).click();
    await page.getByRole('link', { name: 'New Runner deck' }).click();
    await page.getByLabel('Name').fill('Chrome & Wire');
    await page.getByLabel('Identity').selectOption({ index: 1 });
    await page.locator('[data-problems] li').filter({ hasText: /cards/ }).waitFor();
    const lines = page.locator('.pool .line');
    const size = async () => (await page.locator('[data-stat=cards]').innerText()).split(' / ').map(Number);
    // As many copies as allowed of one card after another, until the deck is large enough.
    const fill = async () => {
      for (let i = 0; ; i += 1) {
        const [cards = 0, least = 0] = await size();
        if (cards >= least) return;
        const count = lines.nth(i).locator('.count > span');
        const [copies = 0, limit = 0] = ((await count.getAttribute('aria-label')) ?? '').split(' of ').map(Number);
        for (let copy = copies; copy < limit; copy += 1) await lines.nth(i).getByRole('button', { name: /^Add one / }).click();
        await expect.poll(() => count.getAttribute('aria-label')).toBe(`${limit} of ${limit}`);
        await expect.poll(async () => (await size())[0]).toBe(cards + limit - copies);
      }
    };
    await fill();
    await page.getByText('Legal: ready to play').waitFor();
    // One too few is reported, and fixed.
    const less = page.locator('.deck .list li').first().getByRole('button', { name: /^Remove one / });
    await less.click();
    await less.click();
    await less.click();
    await page.locator('[data-problems] li').first().waitFor();
    await page.locator('.pool').getByLabel('Search').fill('sure gamble');
    await expect.poll(() => lines.count()).toBe(1);
    await page.locator('.pool').getByLabel('Search').fill('');
    await expect.poll(() => lines.count()).toBeGreaterThan(1);
    await fill();
    await page.getByText('Legal: ready to play').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Saved' }).waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Chrome & Wire');

    // Imported: the Corp's, after an unreadable list.
    await page.getByRole('link', { name: 'All decks' }).click();
    await page.getByRole('button', { name: 'Import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import a deck' });
    await dialog.locator('textarea').fill('3x No Such Card');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'No Such Card' }).waitFor();
    // What is known is taken, and the rest is listed.
    await dialog.locator('textarea').fill(`${await corpDeckText(server)}\n2x No Such Card\n1x Nor This One`);
    await dialog.getByRole('button', { name: 'Import' }).click();
    await expect.poll(() => page.locator('[data-left-out] li').allInnerTexts()).toEqual(['2x No Such Card', '1x Nor This One']);
    await page.getByRole('button', { name: 'Open the deck' }).click();
    await page.getByText('Legal: ready to play').waitFor();
    await page.getByLabel('Name').fill('Bioroid Works');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Saved' }).waitFor();

    // Played with.
    await page.goto(`${server.url}/#/netrunner`);
    await page.locator('input[name=side][value=runner]').check();
    await page.locator('input[name=decks][value=system-gateway]').check();
    await page.getByRole('button', { name: 'Start the game' }).click();
    await page.getByRole('alert').filter({ hasText: 'Choose your deck' }).waitFor();
    await page.getByLabel('Your deck', { exact: false }).and(page.locator('select')).selectOption({ label: 'Chrome & Wire' });
    await page.getByLabel('The agent’s deck').selectOption({ label: 'Bioroid Works' });
    await page.getByRole('button', { name: 'Start the game' }).click();
    await page.getByText('you are the Runner').waitFor();
    await page.getByRole('region', { name: /^Corp: / }).getByText(/^Haas-Bioroid/).waitFor();

    // Deleted, after a confirmation.
    await page.goto(`${server.url}/#/netrunner/decks`);
    await page.getByRole('button', { name: 'Delete Bioroid Works' }).click();
    await page.getByRole('dialog', { name: 'Delete “Bioroid Works”?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted “Bioroid Works”').waitFor();
    await page.getByRole('link', { name: 'Bioroid Works' }).waitFor({ state: 'detached' });
  });
});
