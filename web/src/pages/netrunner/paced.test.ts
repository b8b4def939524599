import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Snapshot } from '../../lib/chimera/match.svelte';
import { Paced, paces, stay } from './paced.svelte';

const snap = (n: number, mine = false): Snapshot => ({ seq: n, state: { n }, status: 'in-progress', actions: mine ? [{ name: 'credit', description: '' }] : [] });

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('Paced', () => {
  it('shows what others do step by step, and what follows an own choice at once', () => {
    const paced = new Paced();
    const states = [snap(0, true), snap(1), snap(2), snap(3, true), snap(4)];
    paced.follow(states.slice(0, 1));
    expect(paced.shown).toBe(states[0]);
    paced.follow(states);
    expect(paced.shown).toBe(states[1]);
    expect(paced.latest).toBe(false);
    vi.advanceTimersByTime(paces.step.state);
    expect(paced.shown).toBe(states[2]);
    vi.advanceTimersByTime(paces.step.state);
    expect(paced.shown).toBe(states[4]);
    expect(paced.latest).toBe(true);
  });
  it('goes on from where it stands when earlier states are learned', () => {
    const paced = new Paced();
    const now = snap(5);
    paced.follow([now]);
    paced.follow([snap(3), snap(4), now]);
    expect(paced.shown).toBe(now);
  });
  it('starts over with another history', () => {
    const paced = new Paced();
    paced.follow([snap(1)]);
    const other = snap(9);
    paced.follow([other]);
    expect(paced.shown).toBe(other);
  });
  it('hurries if many states are waiting, and does not wait without a pace', () => {
    expect(stay(snap(1), 3, 'step')).toBe(paces.step.state);
    expect(stay(snap(1), 40, 'step')).toBeLessThan(paces.step.state);
    expect(stay(snap(1), 3, 'none')).toBe(0);
  });
  it('skips ahead if far too many states are waiting', () => {
    const paced = new Paced();
    const states = Array.from({ length: 200 }, (_, n) => snap(n));
    paced.follow(states.slice(0, 1));
    paced.follow(states.slice(0, 40));
    expect(paced.shown).toBe(states[0]);
    vi.advanceTimersByTime(60);
    expect(paced.shown).toBe(states[1]);
    paced.follow(states);
    vi.advanceTimersByTime(60);
    expect(paced.shown).toBe(states[185]);
    vi.advanceTimersByTime(paces.step.state * 20);
    expect(paced.latest).toBe(true);
  });
  it('gives a run time to be read, and its result more', () => {
    const at = (log: string[], run: object | null): Snapshot => ({ seq: 0, state: { run, log, 'log-count': log.length } as never, status: 'in-progress', actions: [] });
    const before = at([], null);
    const lines = ['Runner makes a run on HQ.', 'Runner approaches ice.', 'Corp ends the run with Palisade.'];
    expect(stay(at(lines, { server: 'HQ' }), 40, 'step', before)).toBe(3 * paces.step.line);
    const over = at([...lines, 'Runner ends an unsuccessful run on HQ: Palisade ended it. It cost nothing; it brought nothing.'], null);
    expect(stay(over, 1, 'step', before)).toBe(4 * paces.step.line + paces.step.end);
  });
});
