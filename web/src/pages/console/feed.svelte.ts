// What a console page knows about one table, kept up to date: the table, its latest events, its diagnostics. They
// arrive over the live WebSocket; the HTTP API provides past events, gaps, and everything while there is
// no live connection. History is bounded: events before the last kKeep are dropped, and can be fetched again
// (`earlier`).
import { ApiError } from '../../lib/api/client';
import { getTable, readTables } from '../../lib/api/console';
import type { LiveConsole } from '../../lib/api/live';
import { getDiagnostics, transcriptAfter } from '../../lib/api/remote';
import type { Diagnostic, TableInfo, TranscriptEvent } from '../../lib/api/types';

export type FeedState = 'loading' | 'live' | 'lost' | 'recorded' | 'gone';

const kFirst = 1_000; // past events that a page starts with
const kPage = 1_000;
const kKeep = 5_000;
const kKeepMost = 20_000; // including events fetched again
const kCatchUp = 4_000; // further behind, a page does not catch up but restarts near the end
const kPauseMs = 400; // between two polls, without a live connection
const kLivePauseMs = 60_000; // with one: requests only when needed
const kFlushMs = 80; // events within this time are shown together
const kFetchMs = 500; // between fetches of a table that is too long to be pushed
const kSlowPauseMs = 2_500; // while the server does not answer, or the page is hidden

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(end, ms);
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      done();
    }
    signal.addEventListener('abort', end);
  });

// A game that starts again has fresh findings.
const findingsChanged = (before: TableInfo | undefined, now: TableInfo): boolean => now.diagnostics !== before?.diagnostics || now.run?.number !== before?.run?.number;

export class TableFeed {
  table = $state.raw<TableInfo>();
  events = $state.raw<TranscriptEvent[]>([]);
  diagnostics = $state.raw<Diagnostic[]>([]);
  state = $state<FeedState>('loading');
  error = $state.raw<unknown>(undefined);
  skipped = $state(0); // events skipped because the page fell behind
  #keep = kKeep;
  #stop = new AbortController();
  #wake: (() => void) | undefined;
  #pushed: TranscriptEvent[] = [];
  #flushing: ReturnType<typeof setTimeout> | undefined;
  #fetching: ReturnType<typeof setTimeout> | undefined;
  #hole = false; // a gap between known and pushed events
  #woken = false; // a poll was requested during another

  constructor(
    readonly id: string,
    readonly live?: LiveConsole,
  ) {}

  get first(): number {
    return this.events[0]?.seq ?? 0;
  }
  get last(): number {
    return this.events.at(-1)?.seq ?? 0;
  }
  get hasEarlier(): boolean {
    return this.first > 1;
  }

  async run(): Promise<void> {
    const { signal } = this.#stop;
    let leave: (() => void) | undefined;
    const unlisten = this.live?.listen(() => this.refresh());
    signal.addEventListener('abort', () => {
      leave?.();
      unlisten?.();
    });
    while (!signal.aborted) {
      try {
        this.#woken = false;
        this.#hole = false;
        await this.#step();
        if (!leave && !signal.aborted && this.state === 'live') leave = this.#follow();
        if (this.state === 'recorded' || this.state === 'gone') return;
      } catch (error) {
        if (signal.aborted) return;
        this.error = error;
        this.state = 'lost';
      }
      if (this.#woken || this.#hole) continue;
      const pushed = this.state === 'live' && this.live?.state === 'open';
      const slow = this.state === 'lost' || globalThis.document?.visibilityState === 'hidden';
      const nap = new AbortController();
      this.#wake = () => nap.abort();
      signal.addEventListener('abort', this.#wake);
      await pause(pushed ? kLivePauseMs : slow ? kSlowPauseMs : kPauseMs, nap.signal);
      signal.removeEventListener('abort', this.#wake);
    }
  }
  stop(): void {
    this.#stop.abort();
  }
  // Polls at once: after a command, or when the live connection opened or closed.
  refresh(): void {
    this.#woken = true;
    this.#wake?.();
  }

  // Returns a function that unsubscribes; undefined without a live connection.
  #follow(): (() => void) | undefined {
    const end = this.live?.subscribe(this.id, {
      after: () => this.last,
      onEvents: (events) => {
        this.#pushed.push(...events);
        this.#flushing ??= setTimeout(() => this.#flush(), kFlushMs);
      },
      onGap: () => this.#catchUp(),
      onTable: (table) => {
        // Pushed events may be older than those fetched in the meantime.
        if (this.state !== 'live' || table.events < (this.table?.events ?? 0)) return;
        if (table.partial) {
          this.#fetching ??= setTimeout(() => {
            this.#fetching = undefined;
            this.refresh();
          }, kFetchMs);
          return;
        }
        const before = this.table;
        this.table = table;
        if (findingsChanged(before, table)) void this.#readDiagnostics();
      },
      onGone: () => this.refresh(),
      onError: (message) => {
        this.error = new Error(message);
        this.refresh();
      },
    });
    if (!end) return undefined;
    return () => {
      clearTimeout(this.#flushing);
      clearTimeout(this.#fetching);
      end();
    };
  }
  #catchUp(): void {
    this.#hole = true;
    this.#wake?.();
  }
  // Only events that continue the known ones are used; the rest is fetched.
  #flush(): void {
    this.#flushing = undefined;
    const pushed = this.#pushed;
    this.#pushed = [];
    let last = this.last;
    const fresh: TranscriptEvent[] = [];
    for (const event of pushed) {
      if (event.seq <= last) continue;
      // A payload too long to push is missing, too.
      if (event.seq !== last + 1 || event.payload === undefined) {
        this.#catchUp();
        break;
      }
      fresh.push(event);
      last = event.seq;
    }
    if (fresh.length === 0) return;
    this.events = this.events.concat(fresh).slice(-this.#keep);
    if (fresh.some((event) => event.kind === 'diagnostic')) void this.#readDiagnostics();
  }
  async #readDiagnostics(): Promise<void> {
    try {
      this.diagnostics = await getDiagnostics(this.id, { signal: this.#stop.signal });
    } catch (error) {
      if (!this.#stop.signal.aborted) this.error = error;
    }
  }

  // Fetches earlier events, before those shown.
  async earlier(): Promise<void> {
    const before = this.first;
    if (before <= 1) return;
    const older: TranscriptEvent[] = [];
    for (let after = Math.max(0, before - 1 - kPage); after < before - 1; ) {
      const page = await transcriptAfter(this.id, after, before - 1 - after, this.#stop.signal);
      const end = page.events.at(-1);
      if (!end) break;
      // What spectators of a hosted match are shown has gaps in its numbers.
      older.push(...page.events.filter((event) => event.seq < before));
      after = end.seq;
    }
    this.#keep = Math.min(kKeepMost, this.#keep + older.length);
    this.skipped = 0;
    this.events = [...older, ...this.events].slice(0, kKeepMost);
  }

  async #step(): Promise<void> {
    const { signal } = this.#stop;
    let table: TableInfo;
    try {
      table = await getTable(this.id, { signal });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      this.state = 'gone';
      return;
    }
    if (table.status === 'recorded') return this.#recorded(table);
    let last = this.last;
    let fresh: TranscriptEvent[] = [];
    if (last === 0) last = Math.max(0, table.events - kFirst);
    else if (table.events - last > kCatchUp) {
      this.skipped = table.events - kFirst - last;
      last = table.events - kFirst;
      this.events = [];
    }
    while (last < table.events) {
      const page = await transcriptAfter(this.id, last, kPage, signal);
      const end = page.events.at(-1);
      if (!end) break;
      fresh = fresh.concat(page.events);
      last = end.seq;
    }
    if (findingsChanged(this.table, table) || fresh.some((event) => event.kind === 'diagnostic')) {
      this.diagnostics = await getDiagnostics(this.id, { signal });
    }
    // Some of them may have been pushed in the meantime.
    fresh = fresh.filter((event) => event.seq > this.last);
    if (fresh.length > 0) this.events = this.events.concat(fresh).slice(-this.#keep);
    this.table = table;
    this.error = undefined;
    this.state = 'live';
  }

  // The table is over; only its record remains.
  async #recorded(table: TableInfo): Promise<void> {
    const { signal } = this.#stop;
    let last = this.last || Math.max(0, table.events - kFirst);
    while (last < table.events) {
      const page = await transcriptAfter(this.id, last, kPage, signal);
      const end = page.events.at(-1);
      if (!end) break;
      this.events = this.events.concat(page.events).slice(-this.#keep);
      last = end.seq;
    }
    this.diagnostics = await getDiagnostics(this.id, { signal });
    this.table = { ...this.table, ...table, seats: undefined };
    this.error = undefined;
    this.state = 'recorded';
  }
}

// With the new or changed one at its place: live tables come first, the newest first.
export function withTable(tables: TableInfo[], table: TableInfo): TableInfo[] {
  if (tables.some((each) => each.id === table.id)) return tables.map((each) => (each.id === table.id ? table : each));
  const older = tables.findIndex((each) => each.status === 'recorded' || each.opened <= table.opened);
  return older < 0 ? [...tables, table] : [...tables.slice(0, older), table, ...tables.slice(older)];
}

// The list of tables.
export class TablesFeed {
  tables = $state.raw<TableInfo[]>([]);
  loaded = $state(false);
  error = $state.raw<unknown>(undefined);
  recorded = $state(false); // whether finished tables are listed, too
  more = $state(false); // there are older ones
  #stop = new AbortController();
  #nap: AbortController | undefined;
  #woken = false;

  constructor(readonly live?: LiveConsole) {
    live?.watch({
      onTables: (tables) => this.#show([...tables, ...this.#past(tables)]),
      onTable: (table) => this.#show(withTable(this.tables, table)),
      onGone: (id) => {
        this.#show(this.tables.filter((each) => each.id !== id));
        if (this.recorded) this.refresh();
      },
    });
  }

  #past(live: TableInfo[]): TableInfo[] {
    return this.tables.filter((each) => each.status === 'recorded' && !live.some((other) => other.id === each.id));
  }
  #show(tables: TableInfo[]): void {
    this.tables = tables;
    this.loaded = true;
    this.error = undefined;
  }

  async run(): Promise<void> {
    const { signal } = this.#stop;
    const unlisten = this.live?.listen(() => this.refresh());
    signal.addEventListener('abort', () => unlisten?.());
    while (!signal.aborted) {
      this.#woken = false;
      try {
        const { tables, more } = await readTables(this.recorded, 1, signal);
        this.more = more;
        this.#show(tables);
      } catch (error) {
        if (signal.aborted) return;
        this.error = error;
      }
      if (this.#woken) continue;
      const nap = new AbortController();
      this.#nap = nap;
      const end = (): void => nap.abort();
      signal.addEventListener('abort', end);
      const pushed = this.error === undefined && this.live?.state === 'open';
      await pause(pushed ? kLivePauseMs : globalThis.document?.visibilityState === 'hidden' ? 10_000 : 1_500, nap.signal);
      signal.removeEventListener('abort', end);
    }
  }
  stop(): void {
    this.#stop.abort();
  }
  refresh(): void {
    this.#woken = true;
    this.#nap?.abort();
  }
}
