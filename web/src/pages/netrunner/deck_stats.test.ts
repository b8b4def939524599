import { describe, expect, it } from 'vitest';
import { byType, deckText, emptyDeck, identitiesOf, influenceOf, linesOf, pointsFor, pool, statsOf } from './deck_stats';
import type { CardFacts } from './facts.svelte';

const card = (code: string, title: string, more: Partial<CardFacts>): CardFacts => ({ code, title, side: 'corp', unique: false, faction: 'Neutral', type: 'Asset', subtypes: [], text: '', limit: 3, ...more });
const all = [
  card('1', 'Haas', { type: 'Identity', faction: 'Haas-Bioroid', limit: 1, min_deck: 40, influence_limit: 15 }),
  card('2', 'Teacher', { type: 'Identity', limit: 1, min_deck: 30 }),
  card('3', 'Offworld Office', { type: 'Agenda', points: 2, advancement: 4 }),
  card('4', 'Urtica Cipher', { faction: 'Jinteki', influence: 2, cost: 0, text: 'Do 2 net damage' }),
  card('5', 'Palisade', { type: 'ICE', cost: 3, strength: 2, subtypes: ['Barrier'] }),
  card('6', 'Longevity Serum', { type: 'Agenda', faction: 'Jinteki', points: 2 }),
  card('7', 'Cleaver', { side: 'runner', type: 'Program' }),
];
const of = (code: string) => all.find((each) => each.code === code);
const deck = { ...emptyDeck('corp'), identity: '1', cards: { '3': 3, '4': 2, '5': 1 } };

describe('decks', () => {
  it('adds up', () => {
    expect(statsOf(deck, of)).toEqual({ cards: 6, least: 40, influence: 4, influenceLimit: 15, points: 6, pointsRange: [18, 19], averageCost: 1 });
    expect(pointsFor(44)).toEqual([18, 19]);
    expect(pointsFor(45)).toEqual([20, 21]);
  });
  it('has lines by type', () => {
    expect(byType(linesOf(deck, of)).map((group) => [group.type, group.copies])).toEqual([['Agenda', 3], ['Asset', 2], ['ICE', 1]]);
  });
  it('knows what can be put into it', () => {
    const any = { text: '', type: '', faction: '' };
    const titles = (filter: Partial<typeof any>) => pool(all, 'corp', of('1'), { ...any, ...filter }).map((each) => each.title);
    expect(titles({})).toEqual(['Offworld Office', 'Palisade', 'Urtica Cipher']); // not the other faction's agenda, nor the Runner's
    expect(titles({ text: 'net DAMAGE' })).toEqual(['Urtica Cipher']);
    expect(titles({ type: 'ICE' })).toEqual(['Palisade']);
    expect(titles({ faction: 'Jinteki' })).toEqual(['Urtica Cipher']);
    expect(identitiesOf(all, 'corp').map((each) => each.title)).toEqual(['Haas']);
    expect(influenceOf(of('4')!, of('1'))).toBe(2);
    expect(influenceOf(of('5')!, of('1'))).toBe(0);
  });
  it('is written as people paste it', () => {
    expect(deckText(deck, of)).toBe('My Corp deck\nHaas\n\n3x Offworld Office\n2x Urtica Cipher\n1x Palisade');
  });
});
