// The live WebSocket of the console API (docs/protocols/console.md, "Live updates"): one connection per
// page, which reconnects and resumes every subscription.
import { onToken, tokenProtocols } from './client';
import { LiveSocket, socketUrl, type LiveSocketOptions, type LiveState } from '../live/socket';
import { isObject } from '../schema/shape';
import type { Json, TableInfo, TranscriptEvent } from './types';

export interface TableHandlers {
  // The last known event: after a reconnect, events continue from there.
  after: () => number;
  onSubscribed?: () => void;
  onEvents: (events: TranscriptEvent[]) => void;
  // The events between these two numbers were skipped; the transcript has them.
  onGap: (after: number, next: number) => void;
  onTable?: (table: TableInfo) => void;
  onGone?: () => void;
  onError?: (message: string, code: string) => void;
}

export interface ListHandlers {
  onTables: (tables: TableInfo[]) => void;
  onTable: (table: TableInfo) => void;
  onGone: (id: string) => void;
}

export class LiveConsole {
  #socket: LiveSocket;
  #tables = new Map<string, TableHandlers>();
  #list: ListHandlers | undefined;
  #listeners = new Set<() => void>();
  #onTrouble: ((message: string) => void) | undefined;
  #forgetToken: () => void;

  constructor(options: { onTrouble?: (message: string) => void; make?: LiveSocketOptions['make']; url?: string } = {}) {
    this.#onTrouble = options.onTrouble;
    this.#socket = new LiveSocket(options.url ?? socketUrl('/api/v1/live'), {
      make: options.make,
      protocols: () => tokenProtocols('openseat.live'),
      onOpen: () => this.#resume(),
      onMessage: (text) => this.#onMessage(text),
      onState: () => {
        for (const listener of this.#listeners) listener();
      },
    });
    this.#forgetToken = onToken(() => this.#socket.hurry());
  }

  get state(): LiveState {
    return this.#socket.state;
  }

  // Calls `listener` when the connection opens or closes. Returns a function that unsubscribes.
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  // The list of live tables, and every change to one; subscriptions also get changes to their tables.
  watch(handlers: ListHandlers): void {
    this.#list = handlers;
    this.#say({ op: 'tables' });
  }
  // Returns a function that unsubscribes.
  subscribe(table: string, handlers: TableHandlers): () => void {
    this.#tables.set(table, handlers);
    this.#say({ op: 'subscribe', table, after: handlers.after() });
    return () => {
      if (this.#tables.get(table) !== handlers) return;
      this.#tables.delete(table);
      this.#say({ op: 'unsubscribe', table });
    };
  }
  close(): void {
    this.#listeners.clear();
    this.#forgetToken();
    this.#socket.close();
  }

  // What cannot be sent now is sent again by #resume.
  #say(message: Json): void {
    this.#socket.send(JSON.stringify(message));
  }
  #resume(): void {
    if (this.#list) this.#say({ op: 'tables' });
    for (const [table, handlers] of this.#tables) this.#say({ op: 'subscribe', table, after: handlers.after() });
  }

  #onTable(table: TableInfo): void {
    this.#list?.onTable(table);
    this.#tables.get(table.id)?.onTable?.(table);
  }
  #onMessage(text: string): void {
    let message: Json;
    try {
      message = JSON.parse(text) as Json;
    } catch {
      this.#onTrouble?.(`The server sent invalid JSON: ${text.slice(0, 200)}`);
      return;
    }
    if (!isObject(message)) return;
    const of = typeof message.table === 'string' ? this.#tables.get(message.table) : undefined;
    switch (message.type) {
      case 'tables':
        this.#list?.onTables(message.tables as unknown as TableInfo[]);
        for (const table of message.tables as unknown as TableInfo[]) this.#tables.get(table.id)?.onTable?.(table);
        break;
      case 'more-tables':
        for (const table of message.tables as unknown as TableInfo[]) this.#onTable(table);
        break;
      case 'table':
        this.#onTable(message.table as unknown as TableInfo);
        break;
      case 'table-gone':
        this.#list?.onGone(String(message.id));
        this.#tables.get(String(message.id))?.onGone?.();
        break;
      case 'subscribed':
        of?.onSubscribed?.();
        break;
      case 'events':
        of?.onEvents(message.events as unknown as TranscriptEvent[]);
        break;
      case 'gap':
        if (isObject(message.gap)) of?.onGap(Number(message.gap.after), Number(message.gap.next));
        break;
      case 'error': {
        const error = isObject(message.error) ? message.error : {};
        const said = String(error.message ?? 'the server refused what this page asked for');
        if (of?.onError) of.onError(said, String(error.code ?? ''));
        else this.#onTrouble?.(said);
        break;
      }
    }
  }
}
