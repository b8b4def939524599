import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import Plain from './Plain.svelte';
import { choosable, dataOf, isListed, partsOf } from './plain';

describe('a game without a board', () => {
  it('shows rows of texts and lists of lists as grids', () => {
    expect(partsOf({ turn: 'Ann', board: ['X.', '.O'], pits: [[1, 2], [3, 4]], own: ['C1', 'H22'], last: null })).toEqual([
      { kind: 'text', name: 'turn', text: 'Ann' },
      { kind: 'grid', name: 'board', rows: [['X', '.'], ['.', 'O']] },
      { kind: 'grid', name: 'pits', rows: [['1', '2'], ['3', '4']] },
      { kind: 'list', name: 'own', items: ['C1', 'H22'] },
      { kind: 'text', name: 'last', text: '–' },
    ]);
    expect(partsOf({ boards: { Ann: ['..', 'oX'] } })).toEqual([{ kind: 'grid', name: 'boards: Ann', rows: [['.', '.'], ['o', 'X']] }]);
  });

  it('offers the values that are legal', () => {
    const schema = { type: 'object', properties: { heap: { enum: [1, 3] }, count: { type: 'integer', minimum: 1, maximum: 2 } } };
    expect(choosable(schema)).toEqual([
      { name: 'heap', values: [1, 3] },
      { name: 'count', values: [1, 2] },
    ]);
    expect(dataOf(choosable(schema)!, [3, 2])).toEqual({ heap: 3, count: 2 });
    expect(choosable(undefined)).toEqual([]);
    expect(choosable({ type: 'object', properties: { text: { type: 'string' } } })).toBeUndefined();
  });

  it('knows the combinations that are not legal', () => {
    const schema = { enum: [{ heap: 1, count: 1 }, { heap: 2, count: 3 }] };
    expect(isListed(schema, { heap: 2, count: 3 })).toBe(true);
    expect(isListed(schema, { heap: 1, count: 3 })).toBe(false);
    expect(isListed({}, { heap: 1, count: 3 })).toBe(true);
  });

  it('names what every choice is, and offers the legal ones', async () => {
    const act = vi.fn();
    const schema = {
      type: 'object',
      properties: { heap: { enum: [1, 3] }, sticks: { enum: [1, 2] } },
      enum: [{ heap: 1, sticks: 1 }, { heap: 3, sticks: 1 }, { heap: 3, sticks: 2 }],
    };
    const actions = [{ name: 'take', description: 'Take some.', schema }];
    render(Plain, { view: {}, previous: undefined, over: false, seat: 0, interactive: true, players: [], act, actions });
    screen.getByText('sticks');
    expect(screen.queryByRole('button', { name: '2' })).toBeNull();
    await userEvent.selectOptions(screen.getByLabelText('heap'), '3');
    await userEvent.click(screen.getByRole('button', { name: '2' }));
    expect(act.mock.calls).toEqual([['take', { heap: 3, sticks: 2 }]]);
  });
});
