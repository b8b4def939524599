// LiveSocket: a WebSocket that reconnects, with growing pauses (at once when the browser is online again
// or the page is visible again), and reports its state. Sending while it is not open is refused;
// the owner decides what to send again. `onOpen` is the place to resume a session.
export type LiveState = 'connecting' | 'open' | 'waiting' | 'closed';

export interface LiveSocketOptions {
  onOpen?: (reopened: boolean) => void;
  onMessage: (text: string) => void;
  onState?: (state: LiveState, detail: { code?: number; reason?: string; retryInMs?: number }) => void;
  // It closed before it was ever open; called the first time this happens.
  onRefused?: () => void;
  // Whether to reconnect after this close; default: always.
  retry?: (code: number, reason: string) => boolean;
  firstPauseMs?: number;
  longestPauseMs?: number;
  // The subprotocols to offer; called for each connection.
  protocols?: () => string[];
  make?: (url: string, protocols: string[]) => WebSocket;
}

export class LiveSocket {
  #url: string;
  #options: LiveSocketOptions;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  #wasOpen = false;
  #ended = false;
  #state: LiveState = 'connecting';

  constructor(url: string, options: LiveSocketOptions) {
    this.#url = url;
    this.#options = options;
    globalThis.addEventListener?.('online', this.hurry);
    globalThis.document?.addEventListener('visibilitychange', this.hurry);
    this.#open();
  }

  get state(): LiveState {
    return this.#state;
  }

  // Returns false if it is not open and nothing was sent.
  send(text: string): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(text);
    return true;
  }

  // Permanently.
  close(code = 1000, reason = ''): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    globalThis.removeEventListener?.('online', this.hurry);
    globalThis.document?.removeEventListener('visibilitychange', this.hurry);
    this.#socket?.close(code, reason);
    this.#change('closed', { code, reason });
  }

  // The pause before the next attempt is over.
  hurry = (): void => {
    if (this.#state !== 'waiting' || globalThis.document?.visibilityState === 'hidden') return;
    clearTimeout(this.#timer);
    this.#open();
  };

  #change(state: LiveState, detail: { code?: number; reason?: string; retryInMs?: number } = {}): void {
    this.#state = state;
    this.#options.onState?.(state, detail);
  }

  #open(): void {
    this.#change('connecting');
    const socket = (this.#options.make ?? ((url, protocols) => new WebSocket(url, protocols)))(this.#url, this.#options.protocols?.() ?? []);
    this.#socket = socket;
    socket.onopen = () => {
      if (this.#ended) return;
      const reopened = this.#wasOpen;
      this.#tries = 0;
      this.#wasOpen = true;
      this.#change('open');
      this.#options.onOpen?.(reopened);
    };
    socket.onmessage = (event: MessageEvent) => {
      if (!this.#ended && typeof event.data === 'string') this.#options.onMessage(event.data);
    };
    socket.onclose = (event: CloseEvent) => {
      if (this.#ended || this.#socket !== socket) return;
      if (!this.#wasOpen && this.#tries === 0) this.#options.onRefused?.();
      if (this.#options.retry && !this.#options.retry(event.code, event.reason)) {
        this.close(event.code, event.reason);
        return;
      }
      const pause = Math.min((this.#options.firstPauseMs ?? 300) * 2 ** this.#tries, this.#options.longestPauseMs ?? 10_000);
      // Spreads reconnects after a server restart.
      const retryInMs = Math.round(pause * (0.75 + Math.random() / 2));
      this.#tries = Math.min(this.#tries + 1, 16);
      this.#change('waiting', { code: event.code, reason: event.reason, retryInMs });
      this.#timer = setTimeout(() => this.#open(), retryInMs);
    };
  }
}

// The WebSocket URL of a path on this server.
export function socketUrl(path: string): string {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${path}`;
}
