// The card table: each card's printed facts, from the server's rules. Fetched once; until then, or if that
// fails, cards show only what the match says about them.
import { listCards, type CardFacts } from './decks_api';

export type { CardFacts };

class Facts {
  all = $state.raw<CardFacts[]>([]);
  error = $state.raw<unknown>(undefined);
  #byCode = $derived(new Map(this.all.map((card) => [card.code, card])));
  #asked: Promise<void> | undefined;

  of(code: string | undefined): CardFacts | undefined {
    return code === undefined ? undefined : this.#byCode.get(code);
  }
  load(): Promise<void> {
    const asked = (this.#asked ??= this.#fetch());
    return asked;
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
