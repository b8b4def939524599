// Server-Sent Events that reconnect, with the admin token if there is one (which the browser's own
// EventSource cannot send). After a break, the stream resumes after the last event that had an id.
import { ApiError, request } from '../api/client';

export interface ServerEvent {
  event: string;
  data: string;
  id: string; // "" if it has none
}

const kFirstWaitMs = 500;
const kLongestWaitMs = 15_000;

// Turns the bytes of a stream into events.
export class EventParser {
  #rest = '';
  #event: ServerEvent = { event: '', data: '', id: '' };
  #lines = 0; // of data

  push(text: string): ServerEvent[] {
    const found: ServerEvent[] = [];
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (this.#lines > 0) found.push({ ...this.#event, event: this.#event.event || 'message' });
        this.#event = { event: '', data: '', id: '' };
        this.#lines = 0;
        continue;
      }
      const colon = line.indexOf(':');
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (name === 'event') this.#event.event = value;
      else if (name === 'id') this.#event.id = value;
      else if (name === 'data') {
        this.#event.data += this.#lines > 0 ? `\n${value}` : value;
        this.#lines += 1;
      }
    }
    return found;
  }
}

export class EventStream {
  #abort = new AbortController();
  #lastId: string;
  #wait = kFirstWaitMs;
  #timer: ReturnType<typeof setTimeout> | undefined;

  // `onlive` reports whether the stream is connected; a status of 400 or more ends it for good, with `onrefused`.
  constructor(
    readonly path: string,
    lastId: string,
    readonly onevent: (event: ServerEvent) => void,
    readonly onlive: (live: boolean) => void = () => {},
    readonly onrefused: (error: ApiError) => void = () => {},
  ) {
    this.#lastId = lastId;
    void this.#run();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    try {
      const headers: Record<string, string> = { Accept: 'text/event-stream' };
      if (this.#lastId) headers['Last-Event-ID'] = this.#lastId;
      const response = await request('GET', this.path, { headers, signal: this.#abort.signal });
      const reader = response.body?.getReader();
      if (!reader) throw new ApiError('the stream has no body', 0);
      this.onlive(true);
      const decoder = new TextDecoder();
      const parser = new EventParser();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        this.#wait = kFirstWaitMs;
        for (const event of parser.push(decoder.decode(value, { stream: true }))) {
          if (event.id) this.#lastId = event.id;
          this.onevent(event);
        }
      }
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) {
        this.onlive(false);
        this.onrefused(error);
        return;
      }
    }
    if (this.#abort.signal.aborted) return;
    this.onlive(false);
    this.#timer = setTimeout(() => void this.#run(), this.#wait);
    this.#wait = Math.min(this.#wait * 2, kLongestWaitMs);
  }
}
