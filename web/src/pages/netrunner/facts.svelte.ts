// The card table: each card's printed facts, from the server's rules. Fetched once; until then, or if that
// fails, cards show only what the match says about them.
import { listCards, type CardFacts } from './decks_api';
import type { Card } from './state';

export type { CardFacts };

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

class Facts {
  all = $state.raw<CardFacts[]>([]);
  error = $state.raw<unknown>(undefined);
  #byCode = $derived(new Map(this.all.map((card) => [card.code, card])));
  #byTitle = $derived(new Map(this.all.map((card) => [card.title, card])));
  // Finds the names of cards in a sentence, the longest first.
  #names = $derived(this.all.length === 0 ? undefined : new RegExp(`(${this.all.map((card) => card.title).sort((a, b) => b.length - a.length).map(escaped).join('|')})`));
  #asked: Promise<void> | undefined;

  of(code: string | undefined): CardFacts | undefined {
    return code === undefined ? undefined : this.#byCode.get(code);
  }
  titled(title: string | undefined): CardFacts | undefined {
    return title === undefined ? undefined : this.#byTitle.get(title);
  }
  // The sentence in parts; the parts that are names of cards are those that `titled` knows.
  split(sentence: string): string[] {
    return this.#names ? sentence.split(this.#names).filter((part) => part !== '') : [sentence];
  }
  load(): Promise<void> {
    const asked = (this.#asked ??= this.#fetch());
    return asked;
  }
  // The cards are known already: nothing is fetched.
  give(cards: CardFacts[]): void {
    this.all = cards;
    this.#asked = Promise.resolve();
  }
  async #fetch(): Promise<void> {
    try {
      this.all = await listCards();
      this.error = undefined;
    } catch (error) {
      this.error = error;
      this.#asked = undefined;
    }
  }
}
export const facts = new Facts();

const factions: Record<string, string> = {
  Anarch: 'anarch',
  Criminal: 'criminal',
  Shaper: 'shaper',
  'Haas-Bioroid': 'haas-bioroid',
  Jinteki: 'jinteki',
  NBN: 'nbn',
  'Weyland Consortium': 'weyland',
};
// The CSS class of a card's color: "faction-nbn".
export const factionClass = (faction: string | undefined): string => `faction-${(faction && factions[faction]) ?? 'neutral'}`;

// A printed card as if it were on the table, to be shown.
export const asCard = ({ code, title, side, type, subtypes, text, cost, trash, strength }: CardFacts): Card => ({
  code,
  title,
  side: side === 'corp' ? 'Corp' : 'Runner',
  type,
  subtypes,
  text,
  cost,
  trash,
  strength,
});
