// Polls while a page is visible. Call during a component's initialization; polling ends with
// the component. The last good answer stays while requests fail.
import { onDestroy } from 'svelte';

export class Polling<T> {
  value = $state.raw<T | undefined>(undefined);
  error = $state.raw<unknown>(undefined);
  #ask: (signal: AbortSignal) => Promise<T>;
  #everyMs: number;
  #goesOn: (value: T) => boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort = new AbortController();
  #running = false;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined; // waits for the request in flight

  // `goesOn`: whether there is something to wait for after this answer; if not, only now() asks again.
  constructor(ask: (signal: AbortSignal) => Promise<T>, everyMs: number, goesOn: (value: T) => boolean = () => true) {
    this.#ask = ask;
    this.#goesOn = goesOn;
    this.#everyMs = everyMs;
    const wake = () => {
      if (document.visibilityState === 'visible') void this.now();
    };
    document.addEventListener('visibilitychange', wake);
    onDestroy(() => {
      document.removeEventListener('visibilitychange', wake);
      clearTimeout(this.#timer);
      this.#abort.abort();
    });
    void this.now();
  }

  // Requests now, or again after a request in flight: the answer is never older than this call.
  now(): Promise<void> {
    if (!this.#running) return this.#askOnce();
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      return this.#askOnce();
    });
    return this.#next;
  }

  #askOnce(): Promise<void> {
    this.#last = this.#run();
    return this.#last;
  }

  async #run(): Promise<void> {
    if (this.#abort.signal.aborted) return;
    this.#running = true;
    clearTimeout(this.#timer);
    try {
      this.value = await this.#ask(this.#abort.signal);
      this.error = undefined;
    } catch (error) {
      if (!this.#abort.signal.aborted) this.error = error;
    } finally {
      this.#running = false;
      if (!this.#abort.signal.aborted && (this.value === undefined || this.#goesOn(this.value))) {
        this.#timer = setTimeout(() => {
          if (document.visibilityState === 'visible') void this.now();
        }, this.#everyMs);
      }
    }
  }
}
