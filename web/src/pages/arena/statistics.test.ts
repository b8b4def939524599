import { describe, expect, it } from 'vitest';
import type { Run } from './run';
import { percent, ticks, verdict, wilson } from './statistics';

const run = (a: number, b: number, games = a + b): Run => ({
  id: 'r',
  game: 'rps',
  title: 'RPS',
  games,
  wanted: games,
  fixedRoles: false,
  seats: [a, b].map((wins, i) => ({ agent: i === 0 ? 'llm:it' : 'random', wins, draws: 0, losses: games - wins, forfeits: 0, bySeat: [] })),
  models: [],
});

describe('wilson', () => {
  // Reference values: statsmodels' proportion_confint(method="wilson"), to four digits.
  it.each([
    [0, 10, 0, 0.2775],
    [10, 10, 0.7225, 1],
    [5, 10, 0.2366, 0.7634],
    [82, 100, 0.7333, 0.883],
    [1, 1000, 0.0002, 0.0056],
  ])('of %i in %i', (hits, total, low, high) => {
    const range = wilson(hits, total);
    expect(range.low).toBeCloseTo(low, 3);
    expect(range.high).toBeCloseTo(high, 3);
    expect(range.mid).toBe(hits / total);
  });
  it('says nothing of no games', () => {
    expect(wilson(0, 0)).toEqual({ low: 0, mid: 0, high: 1 });
  });
});

describe('percent', () => {
  it('never rounds to all or nothing', () => {
    expect(percent(0.996)).toBe('>99%');
    expect(percent(0.001)).toBe('<1%');
    expect(percent(0)).toBe('0%');
    expect(percent(1)).toBe('100%');
    expect(percent(0.0123, 1)).toBe('1.2%');
  });
});

describe('verdict', () => {
  it('names the better player where luck is unlikely', () => {
    expect(verdict(run(82, 9))).toEqual({ kind: 'clear', text: 'llm:it is the better player here: it won 82 of 91 decided games.' });
    expect(verdict(run(9, 82))?.text).toContain('random is the better player');
  });
  it('does not where it is not', () => {
    expect(verdict(run(34, 20))?.kind).toBe('open');
    expect(verdict(run(3, 0))?.kind).toBe('open');
    expect(verdict(run(0, 0, 5))?.text).toBe('Nobody won any of the 5 games.');
  });
  it('is for two players', () => {
    const three = run(5, 5);
    expect(verdict({ ...three, seats: [...three.seats, ...three.seats.slice(0, 1)] })).toBeUndefined();
  });
});

describe('ticks', () => {
  it('are round and reach to the greatest value', () => {
    expect(ticks(4900)).toEqual([0, 2000, 4000, 6000]);
    expect(ticks(0.0141)).toEqual([0, 0.005, 0.01, 0.015]);
    expect(ticks(1)).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(ticks(0)).toEqual([0, 1]);
    for (const most of [0.3, 7, 12, 99, 101, 123_456]) expect(ticks(most).at(-1)).toBeGreaterThanOrEqual(most);
  });
});
