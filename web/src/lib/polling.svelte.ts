// What is asked for again and again while a page is looked at. Used during a component's initialization; it ends with
// the component. The last good answer stays while asking fails.
import { onDestroy } from 'svelte';

export class Polling<T> {
  value = $state.raw<T | undefined>(undefined);
  error = $state.raw<unknown>(undefined);
  #ask: (signal: AbortSignal) => Promise<T>;
  #everyMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort = new AbortController();
  #running = false;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined; // the one that waits for the one under way

  constructor(ask: (signal: AbortSignal) => Promise<T>, everyMs: number) {
    this.#ask = ask;
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

  // Asks at once, or, where it is being asked already, again after that: the answer is not older than the call.
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
      if (!this.#abort.signal.aborted) {
        this.#timer = setTimeout(() => {
          if (document.visibilityState === 'visible') void this.now();
        }, this.#everyMs);
      }
    }
  }
}
