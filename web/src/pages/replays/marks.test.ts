// @vitest-environment node
import { describe, expect, it } from 'vitest';
import type { BoardKind } from '../../lib/boards/registry';
import type { ReplayStep } from '../../lib/replay_pages.svelte';
import { nextOf, refusalMarks, turnMarks } from './marks';

const step = (turn: number, more: Partial<ReplayStep> = {}): ReplayStep => ({ number: 0, seq: 0, time: '', kind: 'update', payload: {}, state: { turn }, models: [], refusals: [], ...more });
const kind = { game: 'g', title: 'G', tagline: '', roles: [], load: () => Promise.reject(new Error()), turn: (state) => `Turn ${String(state.turn)}` } as BoardKind;

describe('the marks of a replay', () => {
  const steps = [step(1), step(1), step(2), undefined, step(3), step(3), step(4)];
  it('are where turns begin, as far as that is known', () => {
    expect(turnMarks(steps, kind)).toEqual([
      { at: 0, label: 'Turn 1' },
      { at: 2, label: 'Turn 2' },
      { at: 6, label: 'Turn 4' },
    ]);
    expect(turnMarks(steps, { ...kind, turn: undefined })).toEqual([]);
  });
  it('are where something was refused', () => {
    const refused = step(1, { refusals: [{ seq: 3, seat: 0, action: 'move', message: 'taken' }] });
    expect(refusalMarks([step(1), refused, undefined]).map((mark) => mark.at)).toEqual([1]);
  });
  it('are jumped to in both directions', () => {
    const marks = turnMarks(steps, kind);
    expect([nextOf(marks, 0, 1), nextOf(marks, 2, 1), nextOf(marks, 6, 1)]).toEqual([2, 6, undefined]);
    expect([nextOf(marks, 0, -1), nextOf(marks, 1, -1), nextOf(marks, 6, -1)]).toEqual([undefined, 0, 2]);
  });
});
