// Shows the states of a match one after another at a readable pace: others' actions step by step, the result of
// the player's own choice at once.
import type { Snapshot } from '../../lib/chimera/match.svelte';

const kPaceMs = 420;
const kHurryMs = 60; // if many are waiting
const kMany = 14;

export const paces = { step: kPaceMs, quick: 120, none: 0 } as const;
export type Pace = keyof typeof paces;

// How long `shown` stays before the next one, given the number waiting.
export function stay(shown: Snapshot, waiting: number, pace: Pace): number {
  if (pace === 'none' || (shown.actions?.length ?? 0) > 0) return 0;
  return waiting > kMany ? Math.min(kHurryMs, paces[pace]) : paces[pace];
}

export class Paced {
  shown = $state.raw<Snapshot | undefined>(undefined);
  pace = $state<Pace>('step');
  #timer: ReturnType<typeof setTimeout> | undefined;
  #history: Snapshot[] = [];

  // Whether the newest state is shown.
  get latest(): boolean {
    return this.shown === this.#history.at(-1);
  }

  // The history has grown at its end or (from before the page opened) at its beginning.
  follow(history: Snapshot[]): void {
    this.#history = history;
    const at = this.shown ? history.lastIndexOf(this.shown) : -1;
    if (at < 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.shown = history.at(-1);
      return;
    }
    if (this.#timer === undefined) this.#next();
  }

  #next(): void {
    this.#timer = undefined;
    for (;;) {
      const at = this.shown ? this.#history.lastIndexOf(this.shown) : -1;
      const next = this.#history[at + 1];
      if (!this.shown || at < 0 || !next) return;
      const wait = stay(this.shown, this.#history.length - at - 1, this.pace);
      if (wait > 0) {
        this.#timer = setTimeout(() => {
          this.shown = this.#history[this.#history.lastIndexOf(this.shown!) + 1] ?? this.shown;
          this.#next();
        }, wait);
        return;
      }
      this.shown = next;
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
