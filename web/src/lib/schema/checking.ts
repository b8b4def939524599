// Checks a form's data in a worker while a person types: a game's schema may have a pattern that never ends, and must
// not block the page. Data that takes longer than the limit is no longer checked here; the server, whose patterns have
// their own limit, still checks it.
import type { Json } from '../api/types';
import type { Violation } from './check';
import type { Draft } from './shape';

export interface Checked {
  violations: Violation[];
  problem?: string; // why it could not be checked here
}

type Answer = { ready: true } | ({ id: number } & Checked);

const kTooSlow = 'the schema takes too long';
const kNotLoaded = 'the check could not be loaded';

// Undefined where the page may have no workers: the board in a chat.
function makeWorker(): Worker | undefined {
  try {
    return new Worker(new URL('./check_worker.ts', import.meta.url), { type: 'module' });
  } catch {
    return undefined;
  }
}

// Workers that another form no longer needs: a game may have a new schema with each move.
const kSpares = 2;
const spares: Worker[] = [];

export class Checking {
  #worker: Worker | undefined;
  #told: (value: Draft, checked: Checked) => void;
  #limitMs: number;
  #ready = false;
  #ended: Checked | undefined; // the answer for everything from now on
  #value: Draft; // the newest value
  #newest = 0; // its number
  #judged = 0; // number of the last value reported
  #asked = 0; // number of the value in the worker; 0: none
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: (() => void)[] = [];

  // Calls `told` for the newest value only, and never from within `check`.
  constructor(schema: Json, told: (value: Draft, checked: Checked) => void, limitMs = 500) {
    this.#told = told;
    this.#limitMs = limitMs;
    const spare = spares.pop();
    this.#ready = spare !== undefined;
    this.#worker = spare ?? makeWorker();
    if (!this.#worker) {
      this.#ended = { violations: [], problem: kNotLoaded };
      return;
    }
    this.#worker.onmessage = (event: MessageEvent<Answer>) => this.#onAnswer(event.data);
    this.#worker.onerror = () => this.#giveUp(kNotLoaded);
    this.#worker.postMessage({ schema });
  }

  check(value: Draft): void {
    this.#value = value;
    this.#newest += 1;
    if (this.#ended) queueMicrotask(() => this.#tell(this.#ended));
    else this.#ask();
  }

  // Resolves when the newest value has been checked, or will not be.
  settled(): Promise<void> {
    if (this.#judged === this.#newest) return Promise.resolve();
    return new Promise((done) => this.#waiting.push(done));
  }

  end(): void {
    this.#told = () => undefined;
    this.#giveUp('');
  }

  // One value at a time; values that are replaced in the meantime are not checked.
  #ask(): void {
    if (!this.#ready || this.#asked !== 0 || this.#judged === this.#newest) return;
    this.#asked = this.#newest;
    this.#worker?.postMessage({ id: this.#asked, value: this.#value });
    this.#timer = setTimeout(() => this.#giveUp(kTooSlow), this.#limitMs);
  }

  #onAnswer(answer: Answer): void {
    if (this.#ended) return;
    if ('ready' in answer) {
      this.#ready = true;
    } else {
      clearTimeout(this.#timer);
      this.#asked = 0;
      const { id, ...checked } = answer;
      if (id === this.#newest) this.#tell(checked);
    }
    this.#ask();
  }

  // '': no longer needed.
  #giveUp(problem: string): void {
    clearTimeout(this.#timer);
    if (!this.#ended) {
      const idle = this.#ready && this.#asked === 0;
      if (problem === '' && idle && this.#worker && spares.length < kSpares) spares.push(this.#worker);
      else this.#worker?.terminate();
    }
    this.#ended ??= { violations: [], problem };
    this.#tell(this.#ended);
  }

  #tell(checked: Checked | undefined): void {
    if (!checked || this.#judged === this.#newest) return;
    this.#judged = this.#newest;
    this.#told(this.#value, checked);
    for (const done of this.#waiting.splice(0)) done();
  }
}
