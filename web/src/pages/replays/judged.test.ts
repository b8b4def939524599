import { expect, it } from 'vitest';
import type { JudgedDecision } from '../../lib/api/types';
import type { ReplayStep } from '../../lib/replay_pages.svelte';
import { chanceNow, graphOf, lossesOf, onSteps } from './judged';

const decision = (more: Partial<JudgedDecision>): JudgedDecision => ({
  decision: 0,
  seat: 0,
  event: 0,
  phase: 'opening',
  forced: false,
  choices: [],
  taken: 0,
  best: 0,
  mixed: false,
  value: 0.5,
  loss: 0,
  error: 0,
  mark: null,
  line: [],
  ...more,
});
const step = (seq: number): ReplayStep => ({ number: 1, seq, time: '', kind: 'update', payload: {}, state: {}, models: [], refusals: [] });

it('finds the step that shows a choice', () => {
  const steps = [step(4), step(7), undefined, step(12)];
  const judged = onSteps([decision({ event: 7 }), decision({ event: 10 }), decision({ event: 11 }), decision({ event: 13 })], steps);
  expect(judged.map(({ at }) => at)).toEqual([1, 3, 3]);
});

it('draws the chances of the first player', () => {
  const judged = [
    { at: 1, decision: decision({ value: 0.6 }) },
    { at: 2, decision: decision({ seat: 1, value: 0.3, mark: 'blunder' }) },
    { at: 3, decision: decision({ value: null, forced: true }) },
  ];
  expect(graphOf(judged, { at: 4, chance: 1 })).toEqual([
    { at: 0, chance: 0.6, mark: undefined },
    { at: 1, chance: 0.7, mark: 'blunder' },
    { at: 4, chance: 1, mark: undefined },
  ]);
  expect(graphOf([], { at: 4, chance: 1 })).toEqual([]);
});

it('averages what each seat gave away', () => {
  const losses = lossesOf([decision({ loss: 0.25 }), decision({ seat: 1, loss: 0 }), decision({ loss: 0.75 }), decision({ loss: null })]);
  expect(losses).toEqual([
    { seat: 0, choices: 2, loss: 0.5 },
    { seat: 1, choices: 1, loss: 0 },
  ]);
});

it('tells the first player’s chance from the latest choice that was judged', () => {
  expect(chanceNow([])).toBeUndefined();
  expect(chanceNow([decision({ seat: 1, value: 0.7 }), decision({ forced: true, value: null })])).toBeCloseTo(0.3);
  expect(chanceNow([decision({ seat: 1, value: 0.7 }), decision({ value: 0.6 })])).toBe(0.6);
});
