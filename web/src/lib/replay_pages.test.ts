// @vitest-environment node
import { describe, expect, it } from 'vitest';
import type { Replay } from './api/types';
import { readSteps, stumbled } from './replay_pages.svelte';

const time = '2026-01-01T00:00:00Z';

describe('the steps of a page', () => {
  const page = {
    first: 65,
    steps: [
      { seq: 70, time, kind: 'update', payload: {}, state: { n: 1, list: [1] } },
      {
        seq: 74,
        time,
        kind: 'update',
        payload: {},
        patch: [{ op: 'add', path: '/list/1', value: 2 }],
        said: [
          { seq: 71, time, kind: 'model', payload: { step: 'answer', outcome: 'strict', model: 'tiny' } },
          { seq: 72, time, kind: 'refusal', payload: { seat: 1, action: 'move', message: 'that place is taken' } },
        ],
      },
      { seq: 76, time, kind: 'ended', payload: {}, patch: [], said: [{ seq: 75, time, kind: 'model', payload: { step: 'answer', outcome: 'invalid' } }] },
      { seq: 78, time, kind: 'ended', payload: {}, patch: [], said: [{ seq: 77, time, kind: 'model', payload: { step: 'answer', outcome: 'mended' } }] },
    ],
  } as unknown as Replay;

  it('have their numbers and whole states', () => {
    const steps = readSteps(page);
    expect(steps.map((step) => [step.number, step.state])).toEqual([
      [65, { n: 1, list: [1] }],
      [66, { n: 1, list: [1, 2] }],
      [67, { n: 1, list: [1, 2] }],
      [68, { n: 1, list: [1, 2] }],
    ]);
  });
  it('tell where something went wrong', () => {
    const steps = readSteps(page);
    expect(steps.map(stumbled)).toEqual([false, true, true, false]);
    expect(steps[1]?.refusals).toEqual([{ seq: 72, seat: 1, action: 'move', message: 'that place is taken' }]);
    expect(steps[1]?.models.map((each) => each.model)).toEqual(['tiny']);
  });
});
