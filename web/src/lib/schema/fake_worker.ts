// The worker of checking.ts in this thread, for component tests, whose jsdom has no workers.
import { vi } from 'vitest';
import type { Json } from '../api/types';
import { Checker } from './check';

export class FakeWorker {
  static made: FakeWorker[] = [];
  static stuck = false; // from the next value on, it never answers, as with a pattern that never ends
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onerror: (() => void) | null = null;
  ended = false;
  asked = 0;
  #checker: Checker | undefined;

  constructor() {
    FakeWorker.made.push(this);
    queueMicrotask(() => this.onmessage?.({ data: { ready: true } }));
  }
  postMessage(message: { schema: Json } | { id: number; value?: Json }): void {
    if ('schema' in message) {
      this.#checker = new Checker(message.schema);
      return;
    }
    this.asked += 1;
    if (FakeWorker.stuck) return;
    const data = { id: message.id, ...this.#checker?.check(message.value) };
    queueMicrotask(() => {
      if (!this.ended) this.onmessage?.({ data });
    });
  }
  terminate(): void {
    this.ended = true;
  }
}

// For a test's beforeEach; vi.unstubAllGlobals removes it.
export function useFakeWorkers(): void {
  FakeWorker.made = [];
  FakeWorker.stuck = false;
  vi.stubGlobal('Worker', FakeWorker);
}
