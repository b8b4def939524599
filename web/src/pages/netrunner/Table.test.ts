import { cleanup, fireEvent, render } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../lib/api/types';
import type { MatchAction } from '../../lib/chimera/client';
import Table from './Table.svelte';
import type { Choice } from './legal';
import { read } from './state';
import corpTurn from './testdata/corp_turn.json';
import encounter from './testdata/encounter.json';
import runnerTurn from './testdata/runner_turn.json';

afterEach(cleanup);
beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no server')));
});

function show(fixture: { state: unknown; actions: unknown }, change: JsonObject = {}, actions = fixture.actions) {
  const choose = vi.fn<(choice: Choice) => void>();
  const state = read({ ...(fixture.state as JsonObject), ...change });
  render(Table, { state, actions: actions as MatchAction[], choose });
  return { choose, state, chosen: () => choose.mock.calls.map(([choice]) => [choice.action, choice.data]) };
}

// By label or text alone: to ask jsdom for roles takes seconds on a table.
const fits = (text: string, wanted: string | RegExp) => (typeof wanted === 'string' ? text === wanted : wanted.test(text));
const textOf = (element: Element) => (element.textContent ?? '').replace(/\s+/g, ' ').trim();
const nameOf = (element: Element) => element.getAttribute('aria-label') ?? textOf(element);
function find(selector: string, wanted: string | RegExp, from: ParentNode = document): HTMLElement | undefined {
  return [...from.querySelectorAll<HTMLElement>(selector)].find((element) => fits(nameOf(element), wanted));
}
function get(selector: string, wanted: string | RegExp, from: ParentNode = document): HTMLElement {
  const found = find(selector, wanted, from);
  if (!found) throw new Error(`there is no ${selector} named ${String(wanted)}`);
  return found;
}
const part = (name: string | RegExp) => get('[aria-label]', name);
const button = (name: string | RegExp, from?: ParentNode) => get('button', name, from);
const tile = (name: RegExp) => button(name, part('Your hand'));
const question = () => textOf(document.querySelector('[data-question]')!);

describe('the table', () => {
  it('shows both sides', () => {
    show(runnerTurn, { prompt: null });
    expect(part(/^Corp: /).querySelector('[data-stat=points]')?.textContent?.trim()).toBe('0 / 7');
    expect(part(/^Runner: /).querySelector('[data-stat=credits]')?.textContent).toBe('5');
    expect(find('button', /^Cleaver Program/, part("The Runner's rig"))).toBeTruthy();
    expect(find('button', /^Unrezzed ice/, part('HQ'))).toBeTruthy();
    expect(part('Your hand').querySelectorAll('button')).toHaveLength(4);
  });
  it('highlights what is legal, and only that', () => {
    show(runnerTurn, { prompt: null });
    expect(tile(/^Tread Lightly/).dataset.legal).toBe('true');
    expect(tile(/^Sure Gamble/).dataset.legal).toBeUndefined();
  });
  it('opens a card, and plays it from there', async () => {
    const { chosen } = show(runnerTurn, { prompt: null });
    await fireEvent.click(tile(/^Tread Lightly/));
    const sheet = get('[role=dialog]', 'Tread Lightly');
    expect(textOf(sheet)).toContain('costs the Corp 3 credits more');
    await fireEvent.click(button(/^Play/, sheet));
    expect(chosen()).toEqual([['play', { card: 'c30' }]]);
    expect(document.querySelector('[role=dialog]')).toBeNull();
  });
  it('shows a card while a finger holds it, which does nothing else', async () => {
    vi.useFakeTimers();
    try {
      show(runnerTurn, { prompt: null });
      const card = tile(/^Tread Lightly/);
      await fireEvent.pointerDown(card, { pointerType: 'touch' });
      expect(document.querySelector('.preview')).toBeNull();
      await vi.advanceTimersByTimeAsync(400);
      expect(textOf(document.querySelector('.preview')!)).toContain('Tread Lightly');
      await fireEvent.pointerUp(card, { pointerType: 'touch' });
      await fireEvent.click(card);
      expect(document.querySelector('.preview')).toBeNull();
      expect(document.querySelector('[role=dialog]')).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });
  it('closes a card with Escape, and the keyboard is back on it', async () => {
    show(runnerTurn, { prompt: null });
    const card = tile(/^Sure Gamble/);
    card.focus();
    await fireEvent.click(card);
    await fireEvent.keyDown(document.querySelector('[role=dialog]')!, { key: 'Escape' });
    expect(document.querySelector('[role=dialog]')).toBeNull();
    expect(document.activeElement).toBe(card);
  });
  it('runs a server by its button', async () => {
    const { chosen } = show(runnerTurn, { prompt: null });
    await fireEvent.click(button('Run R&D, 1 click'));
    expect(chosen()).toEqual([['run', { server: 'R&D' }]]);
  });
  it('takes digits for the choices of the panel', async () => {
    const { chosen } = show(runnerTurn, { prompt: null });
    await fireEvent.keyDown(window, { key: '2' });
    await fireEvent.keyDown(window, { key: '9' });
    expect(chosen()).toEqual([['draw', {}]]);
  });
  it('goes from card to card with the arrow keys', async () => {
    show(runnerTurn, { prompt: null });
    const [first, second] = part('Your hand').querySelectorAll('button');
    first?.focus();
    await fireEvent.keyDown(first!, { key: 'ArrowRight' });
    expect(document.activeElement).toBe(second);
    await fireEvent.keyDown(second!, { key: 'Home' });
    expect(document.activeElement).toBe(first);
  });
  it('shows the run: where the Runner is, what is broken, what breaks', async () => {
    const { chosen } = show(encounter);
    const run = part('Run on R&D');
    expect(run.querySelector('[aria-current=step]')?.textContent).toContain('Whitespace');
    expect(run.querySelectorAll('li.broken')).toHaveLength(1);
    await fireEvent.click(button(/Mayfly: Break 1 subroutine/, part('What to do')));
    expect(chosen()).toEqual([['ability', { card: 'c39', ability: 0 }]]);
  });
  it('says what follows, and puts what can hurt last and never first', () => {
    show(encounter, { pass: { label: 'Let 1 subroutine of Whitespace resolve: make the Runner lose 3 [Credits]', danger: true } });
    const buttons = [...part('Choices').querySelectorAll('button')];
    const risky = buttons.at(-1)!;
    expect(textOf(risky)).toContain('Let 1 subroutine of Whitespace resolve: make the Runner lose 3 credits');
    expect(risky.classList).toContain('risky');
    expect(buttons.filter((each) => each.classList.contains('primary') && each.classList.contains('risky'))).toEqual([]);
  });
  it('breaks everything with one press, which comes first', async () => {
    const ice = (encounter.state as unknown as { encounters: { ice: object } }).encounters.ice;
    const mayfly = { 'auto-break': { label: 'Break all 2 subroutines of Whitespace with Mayfly', 'cost-label': '2 [Credits]' } };
    const state = structuredClone(encounter.state) as unknown as { runner: { rig: { program: { cid: string }[] } } };
    Object.assign(state.runner.rig.program.find((card) => card.cid === 'c39') ?? {}, mayfly);
    const schema = { properties: { card: { enum: ['c39'] } }, required: ['card'] };
    const { chosen } = show({ state, actions: [] }, { encounters: { ice } as never }, [
      { name: 'continue', description: '' },
      { name: 'auto-break', description: '', schema },
    ] as never);
    const first = part('Choices').querySelector('button')!;
    expect(first.classList).toContain('primary');
    expect(textOf(first)).toContain('Break all 2 subroutines of Whitespace with Mayfly (2 credits)');
    await fireEvent.click(first);
    expect(chosen()).toEqual([['auto-break', { card: 'c39' }]]);
  });
  it('answers with a subroutine or a server that is pressed on the table', async () => {
    const break_ = { message: 'Break a subroutine', 'prompt-type': 'choice', purpose: 'break', choices: [{ idx: 0, value: 'Make the Runner lose 3 [Credits]' }, { idx: 1, value: 'Done' }] };
    const offered = (values: string[]) => [{ name: 'choice', description: '', schema: { properties: { choice: { enum: values } }, required: ['choice'] } }];
    const { chosen } = show(encounter, { prompt: break_ }, offered(['Make the Runner lose 3 [Credits]', 'Done']) as never);
    await fireEvent.click(button(/: break it$/, part('Subroutines of Whitespace')));
    expect(chosen()).toEqual([['choice', { choice: 'Make the Runner lose 3 [Credits]' }]]);
    cleanup();
    const where = { message: 'Choose a server', 'prompt-type': 'choice', purpose: 'server', choices: [{ idx: 0, value: 'HQ' }] };
    const run = show(runnerTurn, { prompt: where }, offered(['HQ']) as never);
    await fireEvent.click(button(/^HQ: choose it$/, part('HQ')));
    expect(run.chosen()).toEqual([['choice', { choice: 'HQ' }]]);
  });
  it('asks a prompt as it is written, and takes its options', async () => {
    const prompt = { message: 'You accessed Offworld Office.', 'prompt-type': 'choice', card: { cid: 'c50', title: 'Offworld Office' }, choices: [{ idx: 0, value: 'Steal' }] };
    const { chosen } = show(runnerTurn, { prompt }, [
      { name: 'choice', description: '', schema: { properties: { choice: { enum: ['Steal'] } }, required: ['choice'] } },
      { name: 'concede', description: '' },
    ]);
    expect(question()).toBe('You accessed Offworld Office.');
    await fireEvent.click(button(/^Steal/));
    expect(chosen()).toEqual([['choice', { choice: 'Steal' }]]);
  });
  it('selects cards on the table with one press', async () => {
    const prompt = { message: 'Discard down to 2 cards', 'prompt-type': 'select', choices: [], selectable: ['c30', 'c31'], selected: ['c8'], min: 2, max: 2 };
    const { chosen } = show(runnerTurn, { prompt }, [{ name: 'select', description: '', schema: { properties: { card: { enum: ['c30', 'c31'] } }, required: ['card'] } }]);
    expect(textOf(part('What to do'))).toContain('Choose 2 of the highlighted cards; 1 chosen');
    await fireEvent.click(tile(/^Tread Lightly/));
    expect(chosen()).toEqual([['select', { card: 'c30' }]]);
  });
  it('lets the Corp choose where a card goes', async () => {
    const { chosen } = show(corpTurn, { prompt: null });
    await fireEvent.click(tile(/^Urtica Cipher/));
    await fireEvent.click(button('Install in a new remote server'));
    expect(chosen()[0]?.[1]).toMatchObject({ server: 'New remote' });
  });
  it('takes a card that is dropped on a server, which shows that it would', async () => {
    const { chosen } = show(corpTurn, { prompt: null });
    expect(find('[role=group]', 'New remote server')).toBeUndefined();
    await fireEvent.dragOver(part('HQ'));
    expect(part('HQ').classList).not.toContain('over');

    // jsdom knows no DragEvent, whose parent is MouseEvent.
    const leave = (from: Element, to: Element) => fireEvent(from, new MouseEvent('dragleave', { bubbles: true, relatedTarget: to }));
    const card = tile(/^Urtica Cipher/);
    await fireEvent.dragStart(card);
    for (const place of ['HQ', 'New remote server']) {
      const target = part(place);
      await fireEvent.dragOver(target);
      expect(target.classList).toContain('over');
      // Over what lies in it it is still there.
      await leave(target.firstElementChild ?? target, target);
      expect(target.classList).toContain('over');
      await leave(target, document.body);
      expect(target.classList).not.toContain('over');
    }
    const remote = part('New remote server');
    await fireEvent.dragOver(remote);
    await fireEvent.drop(remote);
    await fireEvent.dragEnd(card);
    expect(chosen().map(([, data]) => (data as JsonObject).server)).toEqual(['New remote']);
    expect(find('[role=group]', 'New remote server')).toBeUndefined();
  });
  it('counts the states that it was given, and nothing else', async () => {
    const state = read(corpTurn.state as unknown as JsonObject);
    const { rerender } = render(Table, { state, actions: corpTurn.actions as unknown as MatchAction[] });
    const states = () => Number(document.querySelector<HTMLElement>('.nr-table')?.dataset.states);
    const first = states();
    await fireEvent.dragStart(tile(/^Urtica Cipher/));
    await rerender({ actions: [], busy: true });
    expect(states()).toBe(first);
    await rerender({ state: { ...state } });
    expect(states()).toBe(first + 1);
  });
  it('shows piles', async () => {
    const { state } = show(runnerTurn, { prompt: null });
    await fireEvent.click(button(String(state.runner.discard.length), part(/^Runner: /)));
    expect(textOf(document.querySelector('dialog h2')!)).toBe('Heap');
    expect(document.querySelectorAll('dialog .tile')).toHaveLength(state.runner.discard.length);
  });
  it('offers nothing to who watches', () => {
    show(runnerTurn, { side: null, prompt: null }, []);
    expect(find('[aria-label]', 'Your hand')).toBeUndefined();
    expect(question()).toBe("It is the Runner's turn");
  });
});
