import { fireEvent, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type * as Scripts from '../../../../../games/openseat-game';
import type { JsonObject } from '../../api/types';
import type { MatchAction } from '../../chimera/client';
import type { BoardProps } from '../registry';
import { Choices } from './choices';
import Parts from './Parts.svelte';
import { boundIn, cellName, partsIn, pieceName, placeName, type Part } from './view';

// The parts are those that game scripts may return (games/openseat-game.d.ts): svelte-check compares them. Not compared:
// what is readonly, and which data an action may have.
type Shape<T> = T extends readonly (infer Element)[] ? { list: Shape<Element> } : T extends object ? Members<T> : T;
type Members<T> = {
  [Name in keyof T]-?: Name extends 'data' ? 'data' : { is: Shape<Exclude<T[Name], undefined>>; optional: undefined extends T[Name] ? 'yes' : 'no' };
};
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
true satisfies Same<Shape<Part>, Shape<Scripts.Part>>;

const action = (name: string, properties?: JsonObject, rows?: JsonObject[]): MatchAction => ({
  name,
  description: `Do ${name}.`,
  ...(properties ? { schema: { type: 'object', properties, required: Object.keys(properties), ...(rows ? { enum: rows } : {}) } } : {}),
});
const move = action('move', { from: { enum: ['a1', 'b1'] }, to: { enum: ['a2', 'b2'] } }, [
  { from: 'a1', to: 'a2' },
  { from: 'a1', to: 'b2' },
  { from: 'b1', to: 'b2' },
]);

describe('choices', () => {
  it('are made in steps, the first member first', () => {
    const choices = new Choices([move, action('pass')]);
    expect(choices.fit({ name: 'move', data: { from: 'b1', to: 'b2' } })).toBe('whole');
    expect(choices.fit({ name: 'move', data: { from: 'b1', to: 'a2' } })).toBeUndefined();
    expect(choices.fit({ name: 'move', data: { from: 'b1' } })).toBe('step');
    expect(choices.fit({ name: 'move', data: { to: 'b2' } })).toBeUndefined();
    expect(choices.fit({ name: 'pass' })).toBe('whole');
    expect(choices.fit({ name: 'fold' })).toBeUndefined();
    const picked = { name: 'move', data: { from: 'b1' } };
    expect(choices.after(picked, { name: 'move', data: { to: 'b2' } })).toEqual({ choice: { name: 'move', data: { from: 'b1', to: 'b2' } }, fit: 'whole' });
    expect(choices.after(picked, { name: 'move', data: { to: 'a2' } })).toBeUndefined();
  });

  it('that nothing is bound to are left', () => {
    const choices = new Choices([move, action('pass'), action('say', { text: { type: 'string' } })]);
    const bind = (...data: JsonObject[]) => [{ actions: data.map((each) => ({ name: 'move', data: each })) }];
    expect(choices.unbound([], undefined)).toEqual([move, action('pass'), action('say', { text: { type: 'string' } })]);
    const all = [...bind({ from: 'a1' }, { from: 'b1' }, { to: 'a2' }, { to: 'b2' }), { actions: [{ name: 'pass' }] }];
    expect(choices.unbound(all, undefined).map(({ name }) => name)).toEqual(['say']);
    const some = choices.unbound(bind({ from: 'a1' }, { to: 'a2' }), undefined)[0]!;
    expect((some.schema as JsonObject).enum).toEqual([
      { from: 'a1', to: 'b2' },
      { from: 'b1', to: 'b2' },
    ]);
    expect(choices.unbound(bind({ from: 'b1' }), { name: 'move', data: { from: 'b1' } })).toHaveLength(1);
  });
});

describe('in words', () => {
  it('names places and pieces', () => {
    const players = ['Ann', 'Bo'];
    expect(pieceName({ color: 1, count: 3 }, players)).toBe('3 × Bo');
    expect(pieceName({ hidden: true }, players)).toBe('face down');
    expect(placeName({ pieces: [{ text: 'Q', label: 'black queen' }], mark: 'last' }, 'd8', players)).toBe('d8: black queen, the last move');
    expect(placeName({}, 'Row 1, column 2', players)).toBe('Row 1, column 2: empty');
    // A place with a label needs no other name; marks are read all the same.
    expect(placeName({ label: 'Red disc, column 4', mark: 'last' }, '46', players)).toBe('Red disc, column 4, the last move');
    expect(placeName({ label: 'black knight on b8', mark: 'win', pieces: [{ mark: 'win' }, { mark: 'last' }] }, 'b8', players)).toBe('black knight on b8, winning, the last move');
    expect(placeName({ pieces: [{ color: 0, mark: 'last' }] }, 'b8', players)).toBe('b8: Ann, the last move');
    expect(cellName({ type: 'grid', cells: [], columns: ['A', 'B'], rows: [2, 1] }, 1, 0)).toBe('A1');
    expect(cellName({ type: 'grid', cells: [] }, 1, 0)).toBe('Row 2, column 1');
  });
  it('finds what is bound, in groups too', () => {
    const parts = partsIn({ parts: [{ type: 'group', parts: [{ type: 'grid', cells: [[{ choice: { name: 'a' }, pieces: [{ choice: { name: 'b' }, key: 'x' }] }]] }] }, { type: 'text', text: '' }] });
    expect(boundIn(parts!)).toEqual([{ actions: [{ name: 'a' }, { name: 'b' }] }, { actions: [{ name: 'b' }], key: 'x' }]);
    expect(partsIn({ board: [] })).toBeUndefined();
  });
});

const place = (x: number) => ({ name: 'place', data: { x } });
function props(parts: unknown[], more: Partial<BoardProps> = {}): BoardProps {
  return {
    view: {},
    previous: undefined,
    over: false,
    seat: 0,
    interactive: true,
    players: ['Ann', 'Bo'],
    act: () => {},
    drawn: { parts } as unknown as JsonObject,
    actions: [action('place', { x: { enum: [1, 2] } }), action('pass')],
    ...more,
  };
}

describe('a table of parts', () => {
  it('has a labeled group for each part, and a button for each choice', async () => {
    const act = vi.fn();
    const parts = [
      { type: 'grid', label: 'Board', cells: [[{ choice: place(0) }, { choice: place(1), pieces: [{ color: 1 }] }, { choice: place(2) }]] },
      { type: 'score', points: [3, 4] },
      { type: 'hand', seat: 0, cards: [{ hidden: true }, 'Q'] },
      { type: 'buttons', label: 'Or', buttons: [{ text: 'Pass', key: 'p', choice: { name: 'pass' } }] },
    ];
    const { rerender } = render(Parts, props(parts, { act }));
    for (const name of ['Board', 'Score', 'Ann (you)', 'Or']) expect(screen.getAllByRole('group', { name }).length).toBeGreaterThan(0);
    expect(screen.getByRole('button', { name: 'Row 1, column 1: empty' }).getAttribute('aria-disabled')).toBe('true');
    await userEvent.click(screen.getByRole('button', { name: 'Row 1, column 1: empty' }));
    expect(act).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: 'Row 1, column 2: Bo' }));
    await userEvent.keyboard('p');
    expect(act.mock.calls).toEqual([
      ['place', { x: 1 }],
      ['pass', {}],
    ]);
    screen.getByRole('img', { name: 'face down' });
    expect(screen.queryByText('Do place.')).toBeNull();
    await rerender(props(parts, { act, interactive: false }));
    await userEvent.click(screen.getByRole('button', { name: 'Row 1, column 2: Bo' }));
    await userEvent.keyboard('p');
    expect(act).toHaveBeenCalledTimes(2);
  });

  it('is used with arrow keys', async () => {
    const act = vi.fn();
    render(Parts, props([{ type: 'grid', cells: [[{ choice: place(0) }, { off: true }, { choice: place(2) }]] }], { act }));
    await userEvent.tab();
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Row 1, column 1: empty');
    await userEvent.keyboard('{ArrowRight}');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Row 1, column 3: empty');
    await userEvent.keyboard('{Enter}');
    expect(act.mock.calls).toEqual([['place', { x: 2 }]]);
  });

  it('takes a choice in two steps, which can be undone', async () => {
    const act = vi.fn();
    const spot = (name: string) => ({ text: name, choice: [{ name: 'move', data: { from: name } }, { name: 'move', data: { to: name } }] });
    const parts = [{ type: 'track', spaces: ['a1', 'b1', 'a2', 'b2'].map(spot) }];
    render(Parts, props(parts, { act, actions: [move] }));
    const button = (name: string) => screen.getByRole('button', { name: new RegExp(`: ${name}$`) });
    expect(button('a2').getAttribute('aria-disabled')).toBe('true');
    await userEvent.click(button('b1'));
    expect(button('b1').getAttribute('aria-pressed')).toBe('true');
    expect(button('a2').getAttribute('aria-disabled')).toBe('true');
    expect(button('b2').getAttribute('aria-disabled')).toBe('false');
    await userEvent.keyboard('{Escape}');
    expect(button('b1').getAttribute('aria-pressed')).toBeNull();
    await userEvent.click(button('b1'));
    await userEvent.click(button('a1'));
    await userEvent.click(button('b2'));
    expect(act.mock.calls).toEqual([['move', { from: 'a1', to: 'b2' }]]);
  });

  it('lights all that a click would choose', async () => {
    const drop = (x: number) => ({ choice: place(x) });
    render(
      Parts,
      props([
        { type: 'grid', cells: [[drop(0), { ...drop(1), label: 'top' }], [drop(0), { ...drop(1), label: 'low', pieces: [{ color: 1 }] }]] },
        { type: 'buttons', buttons: [{ text: 'One', choice: place(1) }, { text: 'Two', choice: place(2) }] },
      ]),
    );
    const lit = () => screen.getAllByRole('button').filter((each) => each.classList.contains('lit')).map((each) => each.getAttribute('aria-label') ?? each.textContent?.trim());
    const point = (name: string, what: string, pointerType: string) => fireEvent(screen.getByRole('button', { name }), Object.assign(new MouseEvent(what), { pointerType }));
    await point('low', 'pointerenter', 'touch');
    expect(lit()).toEqual([]);
    await point('low', 'pointerenter', 'mouse');
    expect(lit()).toEqual(['top', 'low', 'One']);
    await point('low', 'pointerleave', 'mouse');
    expect(lit()).toEqual([]);
    await point('Row 1, column 1: empty', 'pointerenter', 'mouse');
    expect(lit(), 'it is not legal').toEqual([]);
  });

  it('shows the key of a button once, and does not read it', () => {
    render(Parts, props([{ type: 'buttons', buttons: [{ text: '1', key: '1', choice: place(1) }, { text: '↓', key: '2', choice: place(2) }, { text: 'Pass', key: 'p', choice: { name: 'pass' } }] }]));
    expect(screen.getByRole('button', { name: '1' }).textContent?.trim()).toBe('1');
    const pass = screen.getByRole('button', { name: 'Pass' });
    expect(pass.querySelector('kbd')?.textContent).toBe('p');
    expect(pass.getAttribute('aria-keyshortcuts')).toBe('p');
    // An arrow says nothing.
    screen.getByRole('button', { name: '↓ 2' });
  });

  it('reads the Markdown of an action', () => {
    render(Parts, props([], { actions: [{ name: 'pass', description: 'Say `pass`.' }] }));
    expect(screen.getByText('pass', { selector: 'code' })).toBeTruthy();
  });

  it('takes a choice by dragging', async () => {
    const act = vi.fn();
    const spot = (name: string) => ({ text: name, choice: [{ name: 'move', data: { from: name } }, { name: 'move', data: { to: name } }] });
    render(Parts, props([{ type: 'track', spaces: ['b1', 'b2'].map(spot) }], { act, actions: [move] }));
    const [from, to] = screen.getAllByRole('button');
    document.elementFromPoint = () => to!;
    // There are no pointer events here; those of a mouse have the same members.
    const send = (target: Element | Window, name: string, clientX: number) => fireEvent(target, new MouseEvent(name, { bubbles: true, clientX }));
    await send(from!, 'pointerdown', 0);
    await send(window, 'pointermove', 50);
    await send(window, 'pointerup', 60);
    expect(act.mock.calls).toEqual([['move', { from: 'b1', to: 'b2' }]]);
  });

  it('offers what nothing is bound to below', async () => {
    const act = vi.fn();
    render(Parts, props([{ type: 'text', text: 'Nothing here' }, { type: 'grid', cells: [[{ choice: place(1) }]] }], { act }));
    screen.getByText('Nothing here');
    await userEvent.click(screen.getByRole('button', { name: 'pass' }));
    await userEvent.click(screen.getByRole('button', { name: '2' }));
    expect(screen.queryByRole('button', { name: '1' })).toBeNull();
    expect(act.mock.calls).toEqual([
      ['pass', {}],
      ['place', { x: 2 }],
    ]);
  });

  it('completes with a form what a button begins', async () => {
    const act = vi.fn();
    const offer = action('offer', { keep: { enum: [4, 5] }, message: { type: 'string', minLength: 1 } });
    const buttons = [4, 5].map((keep) => ({ text: `Keep ${keep}`, choice: { name: 'offer', data: { keep } } }));
    render(Parts, props([{ type: 'buttons', buttons: [...buttons, { text: 'Say', choice: { name: 'say' } }] }], { act, actions: [offer, action('say', { text: { type: 'string' } })] }));
    await userEvent.click(screen.getByRole('button', { name: 'Keep 5' }));
    expect(screen.getByText(/Picked: keep 5. Complete it below/)).toBeTruthy();
    await userEvent.keyboard('Fair'); // what is missing has the focus
    await userEvent.click(screen.getByRole('button', { name: 'offer' }));
    await vi.waitFor(() => expect(act.mock.calls).toEqual([['offer', { keep: 5, message: 'Fair' }]]));
    await userEvent.click(screen.getByRole('button', { name: 'Say' }));
    expect(screen.getByText(/Picked: say. Complete it below/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'offer' })).toBeNull();
  });
});
