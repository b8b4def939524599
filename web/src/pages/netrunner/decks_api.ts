// The API of decks and cards, one function each.
import { api, messageOf, type Body } from '../../lib/api/client';
import type { components } from '../../lib/api/openapi';
import type { Json } from '../../lib/api/types';

type Told = components['schemas']['Deck'];
type Sent = Body<'/api/v1/decks', 'post'>;
// A card's printed facts.
export type CardFacts = components['schemas']['Card'];
export type DeckProblem = Told['problems'][number];

// The editable part, as sent to the server.
export interface DeckDraft {
  name: string;
  game: string;
  side: string; // "corp", "runner"
  identity: string; // a card's code; "" if not set
  cards: Record<string, number>; // copies, by code
  notes: string;
}

export interface Deck extends DeckDraft {
  id: string;
  problems: DeckProblem[]; // empty: the deck is legal
  changed: string;
}

const kGame = 'netrunner';

// The server may omit empty members.
const read = (told: Told): Deck => ({
  id: told.id ?? '',
  name: told.name,
  game: told.game,
  side: told.side,
  identity: told.identity ?? '',
  cards: told.cards,
  notes: told.notes ?? '',
  problems: told.problems,
  changed: told.changed ?? '',
});
const sent = ({ name, game, side, identity, cards, notes }: DeckDraft): Sent => ({
  name: name.trim(),
  game,
  side,
  cards,
  ...(identity ? { identity } : {}),
  ...(notes ? { notes } : {}),
});

export async function listCards(): Promise<CardFacts[]> {
  return (await api.get('/api/v1/hosted-games/{id}/cards', { path: { id: kGame } })).cards;
}
export async function listDecks(signal?: AbortSignal): Promise<Deck[]> {
  const decks: Deck[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.get('/api/v1/decks', { query: { game: kGame, limit: 1000, cursor }, signal });
    decks.push(...page.decks.map(read));
    cursor = page.next;
  } while (cursor !== undefined);
  return decks;
}
export const getDeck = async (id: string): Promise<Deck> => read(await api.get('/api/v1/decks/{id}', { path: { id } }));
export const createDeck = async (deck: DeckDraft): Promise<Deck> => read(await api.post('/api/v1/decks', { body: sent(deck) }));
export const updateDeck = async (id: string, deck: DeckDraft): Promise<Deck> =>
  read(await api.put('/api/v1/decks/{id}', { path: { id }, body: sent(deck) }));
export const deleteDeck = (id: string): Promise<unknown> => api.delete('/api/v1/decks/{id}', { path: { id } });
export async function checkDeck(deck: DeckDraft, signal?: AbortSignal): Promise<DeckProblem[]> {
  return (await api.post('/api/v1/decks/validate', { body: sent(deck), signal })).problems;
}

// A list as text, one card per line, or NetrunnerDB's JSON, as people paste it.
export function readImport(text: string): Sent {
  try {
    const document = JSON.parse(text) as Json;
    if (typeof document === 'object' && document !== null) return { game: kGame, netrunnerdb: document };
  } catch {
    // Then it is text.
  }
  return { game: kGame, text };
}
// Lines or codes of a list that the server did not know, from its message.
const strangers = (message: string): { lines: number[]; codes: string[] } => ({
  lines: [...message.matchAll(/(?:; |, )line (\d+)(?:: unknown card| names a second)/g)].map((found) => Number(found[1])),
  codes: /not in System Gateway: /.test(message) ? [...message.matchAll(/"([^"]+)"/g)].map((found) => found[1] ?? '') : [],
});

const kMostRounds = 20; // the server names at most 20 lines at once

// Takes the cards that the server knows, and says which lines it left out.
export async function importKnown(text: string): Promise<{ deck: Deck; left: string[] }> {
  const left: string[] = [];
  let rest = text;
  let first: unknown;
  for (let round = 0; ; round += 1) {
    try {
      return { deck: await importDeck(rest), left };
    } catch (error) {
      first ??= error;
      const { lines, codes } = strangers(messageOf(error));
      // Nothing of it is known, or something else is wrong.
      if (round === kMostRounds || (lines.length === 0 && codes.length === 0)) throw first;
      rest = lines.length > 0 ? withoutLines(rest, lines, left) : withoutCodes(rest, codes, left);
    }
  }
}

// Emptied, so that the others keep their numbers.
function withoutLines(text: string, numbers: number[], left: string[]): string {
  const lines = text.split('\n');
  for (const number of numbers) {
    const line = lines[number - 1]?.trim();
    if (line) left.push(line);
    lines[number - 1] = '';
  }
  return lines.join('\n');
}

// Of NetrunnerDB's JSON: the members that name these cards.
function withoutCodes(text: string, codes: string[], left: string[]): string {
  left.push(...codes);
  return JSON.stringify(JSON.parse(text), (name, value: unknown) => (codes.includes(name) ? undefined : value));
}

export const importDeck = async (text: string): Promise<Deck> => read(await api.post('/api/v1/decks', { body: readImport(text) }));
