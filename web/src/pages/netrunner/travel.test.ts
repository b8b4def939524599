import { describe, expect, it } from 'vitest';
import type { Card } from './state';
import { formerOf } from './travel';

const card = (side: string, code?: string): Card => ({ side, code });
const table = (...cards: [string, Card][]): Map<string, Card> => new Map(cards);

describe('a card that changes its zone', () => {
  it('is the one with the same code', () => {
    const before = table(['c1', card('Corp', '30075')], ['c2', card('Corp', '30046')]);
    expect(formerOf(before, table(['c1', card('Corp', '30075')], ['c9', card('Corp', '30046')]))).toEqual(new Map([['c9', 'c2']]));
  });
  it('is the only one that is missing if it is not known', () => {
    const before = table(['c1', card('Corp')], ['c2', card('Runner')]);
    expect(formerOf(before, table(['c2', card('Runner')], ['c9', card('Corp', '30046')]))).toEqual(new Map([['c9', 'c1']]));
  });
  it('is nothing that was seen before if several could be it, or another side’s', () => {
    const before = table(['c1', card('Corp')], ['c2', card('Corp')], ['c3', card('Runner', '30001')]);
    expect(formerOf(before, table(['c9', card('Corp')])).size).toBe(0);
    expect(formerOf(table(['c3', card('Runner', '30001')]), table(['c9', card('Corp', '30046')])).size).toBe(0);
  });
  it('is each of two copies once', () => {
    const before = table(['c1', card('Runner', '30001')], ['c2', card('Runner', '30001')]);
    const after = table(['c8', card('Runner', '30001')], ['c9', card('Runner', '30001')]);
    expect([...formerOf(before, after).values()].sort()).toEqual(['c1', 'c2']);
  });
});
