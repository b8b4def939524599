// Shows the states of a match one after another at a readable pace: others' actions step by step, the result of
// the player's own choice at once. A run takes its time: as long as the lines of the log that it adds.
import type { Snapshot } from '../../lib/chimera/match.svelte';
import { newLines, read } from './state';

const kHurryMs = 60; // if many are waiting
const kMany = 14;
const kFar = 60; // with more than this waiting, only the last kMany are shown
const kMostLines = 6; // of one state that are waited for

interface Tempo {
  state: number; // how long a state stays, in ms
  line: number; // of a run, or that changes what a player has: how long it may be read
  end: number; // of a run: how long its result stays
}
export const paces = {
  slow: { state: 800, line: 1100, end: 4500 },
  step: { state: 420, line: 650, end: 2600 },
  quick: { state: 120, line: 160, end: 900 },
  none: { state: 0, line: 0, end: 0 },
} as const satisfies Record<string, Tempo>;
export type Pace = keyof typeof paces;

const ends = (line: string): boolean => / (un)?successful run on /.test(line);

// How long `shown` stays before the next one, given the state before it and the number waiting.
export function stay(shown: Snapshot, waiting: number, pace: Pace, before?: Snapshot): number {
  if (pace === 'none' || (shown.actions?.length ?? 0) > 0) return 0;
  const { state, line, end } = paces[pace];
  const now = read(shown.state);
  const lines = before && now['log-count'] !== undefined ? newLines(read(before.state), now) : [];
  const inRun = now.run != null || lines.some(ends);
  if (!inRun) return waiting > kMany ? Math.min(kHurryMs, state) : state;
  return Math.max(state, Math.min(lines.length, kMostLines) * line) + (lines.some(ends) ? end : 0);
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

  // Shows the newest state at once.
  skip(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.shown = this.#history.at(-1) ?? this.shown;
  }

  #next(): void {
    this.#timer = undefined;
    for (;;) {
      const at = this.shown ? this.#history.lastIndexOf(this.shown) : -1;
      const next = this.#history[at + 1];
      if (!this.shown || at < 0 || !next) return;
      if (this.#history.length - at - 1 > kFar) {
        this.shown = this.#history[this.#history.length - 1 - kMany];
        continue;
      }
      const wait = stay(this.shown, this.#history.length - at - 1, this.pace, this.#history[at - 1]);
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
