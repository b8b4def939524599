import { describe, expect, it } from 'vitest';
import encounter from './testdata/encounter.json';
import type { JsonObject } from '../../lib/api/types';
import { cardsById, cardTitle, credits, newLines, pieces, plain, read, serverKey, serverKeys, serverName, typeLine } from './state';

const state = read(encounter.state as unknown as JsonObject);

describe('reading the state', () => {
  it('lists the centrals, then the remotes by number', () => {
    const empty = { content: [], ices: [] };
    expect(serverKeys({ remote10: empty, remote2: empty, hq: empty, archives: empty, rd: empty })).toEqual(['archives', 'rd', 'hq', 'remote2', 'remote10']);
    expect(['hq', 'rd', 'archives', 'remote4'].map(serverName)).toEqual(['HQ', 'R&D', 'Archives', 'Server 4']);
    expect(['HQ', 'R&D', 'Archives', 'Server 4'].map(serverKey)).toEqual(['hq', 'rd', 'archives', 'remote4']);
  });
  it('finds every card by its number', () => {
    const cards = cardsById(state);
    expect(cards.get('c25')?.title).toBe('Cleaver');
    expect(cards.get('c15')?.title).toBe('Whitespace');
    expect(cardTitle(cards.get('c14')!)).toBe('Unrezzed ice');
    expect(cardTitle(cards.get('c68')!)).toBe('Unrezzed card');
    expect(typeLine(cards.get('c15')!)).toBe('Ice · Code Gate');
  });
  it('says symbols in words', () => {
    expect(plain('1 [Click], 2 [Credits]: gain [Credits]')).toBe('1 click, 2 credits: gain credits');
    expect(plain('Gain 1 [Credits]')).toBe('Gain 1 credit');
    expect(credits(1)).toBe('1 credit');
    expect(pieces('Pay 2 [Credits] or [Click].').map((piece) => piece.kind)).toEqual(['text', 'credit', 'text', 'click', 'text']);
  });
  it('knows which lines of the log are new', () => {
    const at = (log: string[], count?: number) => ({ ...state, log, 'log-count': count });
    expect(newLines(undefined, at(['a']))).toEqual([]);
    expect(newLines(at(['a', 'b'], 2), at(['a', 'b', 'c'], 3))).toEqual(['c']);
    expect(newLines(at(['a', 'b']), at(['a', 'b', 'b']))).toEqual(['b']);
    expect(newLines(at(['a', 'b', 'c']), at(['b', 'c', 'd', 'e']))).toEqual(['d', 'e']);
    expect(newLines(at(['a']), at(['a']))).toEqual([]);
  });
});
