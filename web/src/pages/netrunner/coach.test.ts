import { describe, expect, it } from 'vitest';
import { tipFor } from './coach';
import type { NetrunnerState } from './state';
import { read } from './state';
import encounter from './testdata/encounter.json';
import runnerTurn from './testdata/runner_turn.json';
import type { JsonObject } from '../../lib/api/types';

const at = (fixture: { state: unknown }, change: Partial<NetrunnerState> = {}): NetrunnerState => ({ ...read(fixture.state as JsonObject), ...change });

describe('the coach', () => {
  it('says what helps at this moment, each thought once', () => {
    const turn = at(runnerTurn, { prompt: null });
    expect(tipFor(turn, new Set())?.id).toBe('r-turn');
    expect(tipFor(turn, new Set(['r-turn']))?.id).not.toBe('r-turn');
    expect(tipFor(at(encounter), new Set(['r-ice']))?.id).toBe('r-encounter');
    const hand = at(runnerTurn, { prompt: { message: 'Keep hand?', 'prompt-type': 'mulligan', purpose: 'mulligan' } });
    expect(tipFor(hand, new Set())?.title).toBe('The Runner’s game');
  });
  it('has nothing to say to those who watch, or when it is over', () => {
    expect(tipFor(at(runnerTurn, { side: null }), new Set())).toBeUndefined();
    expect(tipFor(at(runnerTurn, { winner: 'corp' }), new Set())).toBeUndefined();
  });
});
