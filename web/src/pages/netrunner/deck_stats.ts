// A deck's totals, and the order of its cards and the pool. The server decides whether it is legal.
import type { CardFacts } from './facts.svelte';
import type { DeckDraft } from './decks_api';
import { sideNames, type Side } from './state';

export interface DeckLine {
  card: CardFacts;
  copies: number;
}
export interface DeckStats {
  cards: number;
  least: number; // set by its identity
  influence: number;
  influenceLimit: number | undefined; // undefined: an identity for the teaching decks only
  points: number;
  pointsRange: [number, number]; // required for a Corp deck of this size
  averageCost: number;
}

const typeOrder = ['Agenda', 'Asset', 'ICE', 'Operation', 'Upgrade', 'Event', 'Hardware', 'Program', 'Resource'];
export const typePlural: Record<string, string> = {
  Agenda: 'Agendas',
  Asset: 'Assets',
  ICE: 'Ice',
  Operation: 'Operations',
  Upgrade: 'Upgrades',
  Event: 'Events',
  Hardware: 'Hardware',
  Program: 'Programs',
  Resource: 'Resources',
};
const isNeutral = (card: CardFacts) => card.faction.startsWith('Neutral');

export const isOfSide = (card: CardFacts, side: Side): boolean => card.side === side;
export const identitiesOf = (cards: CardFacts[], side: Side): CardFacts[] =>
  cards.filter((card) => card.type === 'Identity' && isOfSide(card, side) && card.influence_limit !== undefined);

// The influence cost of each copy in a deck with this identity.
export function influenceOf(card: CardFacts, identity: CardFacts | undefined): number {
  if (!identity || isNeutral(card) || card.faction === identity.faction) return 0;
  return card.influence ?? 0;
}
// A card without influence is for its own faction only.
export const isForeign = (card: CardFacts, identity: CardFacts | undefined): boolean =>
  identity !== undefined && !isNeutral(card) && card.faction !== identity.faction && card.influence === undefined;

export function linesOf(deck: DeckDraft, of: (code: string) => CardFacts | undefined): DeckLine[] {
  return Object.entries(deck.cards)
    .map(([code, copies]) => ({ card: of(code), copies }))
    .filter((line): line is DeckLine => line.card !== undefined)
    .sort((a, b) => typeOrder.indexOf(a.card.type) - typeOrder.indexOf(b.card.type) || a.card.title.localeCompare(b.card.title));
}

export function byType(lines: DeckLine[]): { type: string; copies: number; lines: DeckLine[] }[] {
  return typeOrder
    .map((type) => lines.filter((line) => line.card.type === type))
    .filter((group) => group.length > 0)
    .map((group) => ({ type: group[0]!.card.type, copies: group.reduce((sum, line) => sum + line.copies, 0), lines: group }));
}

// The minimum and maximum agenda points for a Corp deck with so many cards.
export function pointsFor(cards: number): [number, number] {
  const steps = Math.floor(cards / 5);
  return [2 * steps + 2, 2 * steps + 3];
}

export function statsOf(deck: DeckDraft, of: (code: string) => CardFacts | undefined): DeckStats {
  const identity = of(deck.identity);
  const lines = linesOf(deck, of);
  const sum = (value: (line: DeckLine) => number) => lines.reduce((total, line) => total + value(line), 0);
  const cards = sum((line) => line.copies);
  const costly = lines.filter((line) => line.card.cost !== undefined);
  const copies = costly.reduce((total, line) => total + line.copies, 0);
  const least = identity?.min_deck ?? 0;
  return {
    cards,
    least,
    influence: sum((line) => line.copies * influenceOf(line.card, identity)),
    influenceLimit: identity?.influence_limit,
    points: sum((line) => line.copies * (line.card.points ?? 0)),
    pointsRange: pointsFor(Math.max(cards, least)),
    averageCost: copies === 0 ? 0 : costly.reduce((total, line) => total + line.copies * (line.card.cost ?? 0), 0) / copies,
  };
}

export interface PoolFilter {
  text: string;
  type: string; // "": any
  faction: string; // "": any
}
// The cards allowed in the side's decks, the identity's faction first.
export function pool(cards: CardFacts[], side: Side, identity: CardFacts | undefined, filter: PoolFilter): CardFacts[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (card: CardFacts) => {
    const text = `${card.title} ${card.type} ${card.subtypes.join(' ')} ${card.text}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const rank = (card: CardFacts) => (card.faction === identity?.faction ? 0 : isNeutral(card) ? 1 : 2);
  return cards
    .filter((card) => card.type !== 'Identity' && isOfSide(card, side) && !isForeign(card, identity))
    .filter((card) => (filter.type === '' || card.type === filter.type) && (filter.faction === '' || card.faction === filter.faction) && matches(card))
    .sort((a, b) => rank(a) - rank(b) || a.faction.localeCompare(b.faction) || typeOrder.indexOf(a.type) - typeOrder.indexOf(b.type) || a.title.localeCompare(b.title));
}

// The format that the server's FromText reads: the identity, then one line per card.
export function deckText(deck: DeckDraft, of: (code: string) => CardFacts | undefined): string {
  const head = [deck.name, of(deck.identity)?.title ?? ''].filter(Boolean);
  return [...head, '', ...linesOf(deck, of).map((line) => `${line.copies}x ${line.card.title}`)].join('\n');
}

export const emptyDeck = (side: Side): DeckDraft => ({ name: `My ${sideNames[side]} deck`, game: 'netrunner', side, identity: '', cards: {}, notes: '' });
