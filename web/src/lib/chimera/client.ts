// A Chimera client (docs/protocols/chimera.md): requests with answers, and notifications, over one WebSocket that
// reconnects. Requests in flight when the connection dropped fail with code kConnectionLost; whether the
// server carried them out is unknown until the next notification.
import { gameProtocols, tokenWanted } from '../api/client';
import { LiveSocket, socketUrl, type LiveSocketOptions, type LiveState } from '../live/socket';
import type { Json, JsonObject } from '../api/types';

export const kConnectionLost = 0;
export const kUnknownMatch = -40102;
export const kDuplicateName = -40103;
export const kNotYourTurn = -50100;

export class ChimeraError extends Error {
  constructor(
    readonly code: number,
    readonly title: string, // "Incorrect move"
    readonly details: string, // what was expected and what came
  ) {
    super(details && details !== title ? `${title}: ${details}` : title);
    this.name = 'ChimeraError';
  }
}

export type MatchStatus = 'awaiting-players' | 'ready' | 'in-progress' | 'done';
export type MatchEventName = 'start' | 'update' | 'end';

// What a player may do now; the schema of the data lists the legal values.
export interface MatchAction {
  name: string;
  description: string;
  schema?: Json;
}

// A notification's data.
export interface MatchNotice {
  event: MatchEventName;
  matchId: string;
  game: string;
  status: MatchStatus;
  state: JsonObject | undefined; // once begun
  winner: string | null | undefined; // when done; null: a draw
  reason: string | undefined; // when done
  players?: string[]; // who plays, by seat
  actions?: MatchAction[]; // what this player may do now; not for spectators
  view?: JsonObject; // the table as the game draws it, if it does
  seq: number; // the last event of the record: later steps have higher numbers
  news?: string[]; // what happened since the last notification, as this viewer may know it
  takenBack?: number; // the seat whose choice was taken back
}

export type OfferName = 'take-back' | 'draw' | 'rematch';

// What is around the board (docs/protocols/chimera.md).
export interface TableSeatNews {
  name: string;
  present: boolean;
  person: boolean;
  agent: string;
  time?: number; // seconds left, when it was told
  running?: boolean;
}
export interface TableNews {
  seats: TableSeatNews[];
  spectators: number;
  terms?: MatchTerms;
  offers: { offer: OfferName; seat: number; agreed: number[] }[];
  'may-offer'?: OfferName[];
  next?: string; // the rematch
  at: number; // when this page was told
}
export interface ChatLine {
  seat: number;
  name: string;
  text: string;
  time: string;
}
export interface MatchTerms {
  move_time?: number;
  game_time?: number;
  increment?: number;
  grace?: number;
  agents_chat?: boolean;
}
// What became of a seat.
export interface SeatStanding {
  'match-id'?: string; // in a list of the account's
  gone?: true;
  elsewhere?: true; // at another server of the cluster
  game?: string;
  'match-status'?: MatchStatus;
  names?: string[];
  seat?: number;
  present?: boolean;
  'your-turn'?: boolean;
  time?: number;
}

export interface Answer {
  result: JsonObject;
  token: string | undefined;
}

export interface ChimeraHandlers {
  onOpen?: (reopened: boolean) => void;
  onState?: (state: LiveState) => void;
  onNotice?: (notice: MatchNotice) => void;
  onTable?: (table: TableNews, matchId: string) => void;
  onChat?: (lines: ChatLine[], matchId: string) => void;
  // Another connection has the seat.
  onSeatTaken?: (matchId: string) => void;
  // Reports a server message that this client cannot read.
  onTrouble?: (message: string) => void;
}

interface Pending {
  resolve: (answer: Answer) => void;
  reject: (error: ChimeraError) => void;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// undefined for anything that is not a notification about a match.
export function readNotice(message: JsonObject): MatchNotice | undefined {
  const { event, data } = message;
  if (message.type !== 'notification' || message.scope !== 'match' || !isObject(data)) return undefined;
  if (event !== 'start' && event !== 'update' && event !== 'end') return undefined;
  const winner = data['match-winner'];
  const state = data['game-state'];
  const reason = data['match-reason'];
  const actions = data['match-actions'];
  const players = data['match-players'];
  const view = data['match-view'];
  const news = data['match-news'];
  const takenBack = data['match-taken-back'];
  return {
    event,
    matchId: String(data['match-id']),
    game: String(data['game-id']),
    status: String(data['match-status']) as MatchStatus,
    state: isObject(state) ? state : undefined,
    winner: winner === undefined || winner === null ? (winner as null | undefined) : String(winner),
    reason: typeof reason === 'string' ? reason : undefined,
    seq: Number(data['match-seq'] ?? 0),
    ...(Array.isArray(news) ? { news: news.map(String) } : {}),
    ...(typeof takenBack === 'number' ? { takenBack } : {}),
    ...(Array.isArray(players) ? { players: players.map(String) } : {}),
    ...(isObject(view) ? { view } : {}),
    ...(Array.isArray(actions) ? { actions: actions as unknown as MatchAction[] } : {}),
  };
}

export class ChimeraClient {
  #socket: LiveSocket;
  #handlers: ChimeraHandlers;
  #pending = new Map<string, Pending>();
  #lastId = 0;

  // `match`: the match it is for; its invitation works like a token if the server requires one. `pass`: what does, too; asked
  // for at each connection. `quiet`: the person is not asked for a token.
  constructor(handlers: ChimeraHandlers, options: { match?: string; pass?: () => string | undefined; quiet?: boolean; url?: string; make?: LiveSocketOptions['make'] } = {}) {
    this.#handlers = handlers;
    const url = options.url ?? socketUrl('/chimera');
    this.#socket = new LiveSocket(url, {
      make: options.make,
      protocols: () => gameProtocols('openseat.chimera', options.match, options.pass?.()),
      onRefused: () => void (options.quiet || this.#askForToken()),
      onOpen: (reopened) => handlers.onOpen?.(reopened),
      onMessage: (text) => this.#onMessage(text),
      onState: (state) => {
        if (state !== 'open') this.#failAll();
        handlers.onState?.(state);
      },
    });
  }

  get state(): LiveState {
    return this.#socket.state;
  }

  request(operation: string, params?: JsonObject): Promise<Answer> {
    this.#lastId += 1;
    const id = `web-${this.#lastId}`;
    return new Promise<Answer>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      const sent = this.#socket.send(JSON.stringify({ type: 'request', operation, id, ...(params ? { params } : {}) }));
      if (!sent) {
        this.#pending.delete(id);
        reject(new ChimeraError(kConnectionLost, 'Not connected', 'cannot reach the server right now; this page keeps trying'));
      }
    });
  }

  async createMatch(game: string, playerName: string, options?: JsonObject): Promise<{ matchId: string; token: string | undefined }> {
    const answer = await this.request('create-match', {
      game,
      'player-name': playerName,
      actions: true,
      names: true,
      table: true,
      view: true,
      news: true,
      ...(options ? { options } : {}),
    });
    return { matchId: String(answer.result['match-id']), token: answer.token };
  }

  // The token that resumes the seat; "" if it was passed in.
  async joinMatch(game: string, matchId: string, playerName: string, token?: string): Promise<string | undefined> {
    const params = { game, 'match-id': matchId, 'player-name': playerName, actions: true, names: true, table: true, view: true, news: true, ...(token ? { token } : {}) };
    return (await this.request('join-match', params)).token;
  }

  async spectate(game: string, matchId: string, name: string | null = null): Promise<void> {
    await this.request('spectate-match', { game, 'match-id': matchId, 'spectator-name': name, names: true, table: true, view: true, news: true });
  }

  async say(matchId: string, text: string): Promise<void> {
    await this.request('say', { 'match-id': matchId, text });
  }
  // Makes the offer or agrees to it. Whether all have agreed.
  async offer(matchId: string, offer: OfferName, accept = true): Promise<boolean> {
    return (await this.request('offer', { 'match-id': matchId, offer, ...(accept ? {} : { accept }) })).result.agreed === true;
  }
  // What became of these seats, in order; `mine`: the matches in which the account of who signed in has a seat.
  // `at`: a match whose server is to answer; else that of this connection.
  async listSeats(seats: { match: string; name: string; token: string }[], at?: string): Promise<{ seats: SeatStanding[]; mine: SeatStanding[] | undefined }> {
    const named = seats.map((seat) => ({ 'match-id': seat.match, 'player-name': seat.name, token: seat.token }));
    const { result } = await this.request('list-seats', { ...(at === undefined ? {} : { 'match-id': at }), seats: named, mine: true });
    return { seats: (result.seats ?? []) as unknown as SeatStanding[], mine: result.mine as unknown as SeatStanding[] | undefined };
  }
  // A code that gives the seat to another device, once.
  async handOn(matchId: string, token: string): Promise<{ code: string; seconds: number }> {
    const { result } = await this.request('hand-on', { 'match-id': matchId, token });
    return { code: String(result.code), seconds: Number(result.seconds) };
  }
  async takeOn(code: string): Promise<{ game: string; match: string; name: string; token: string }> {
    const { result, token } = await this.request('take-on', { code });
    return { game: String(result.game), match: String(result['match-id']), name: String(result['player-name']), token: token ?? '' };
  }

  async act(matchId: string, action: string, data: JsonObject): Promise<JsonObject> {
    return (await this.request('game-action', { 'match-id': matchId, action, data })).result;
  }

  // Gives up the match: the others win immediately.
  async forfeit(matchId: string): Promise<void> {
    await this.request('forfeit-match', { 'match-id': matchId });
  }

  // A browser does not say why it could not connect. If a token is missing, ask the person for one.
  async #askForToken(): Promise<void> {
    if (await tokenWanted('/chimera')) this.#socket.hurry();
  }

  close(): void {
    this.#socket.close();
    this.#failAll();
  }

  #failAll(): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const each of pending) {
      each.reject(new ChimeraError(kConnectionLost, 'Connection lost', 'the connection dropped before the server answered'));
    }
  }

  #onMessage(text: string): void {
    let message: Json;
    try {
      message = JSON.parse(text) as Json;
    } catch {
      this.#handlers.onTrouble?.(`The server sent invalid JSON: ${text.slice(0, 200)}`);
      return;
    }
    if (!isObject(message)) {
      this.#handlers.onTrouble?.(`The server sent an unreadable message: ${text.slice(0, 200)}`);
      return;
    }
    if (message.type === 'response') {
      this.#onResponse(message);
      return;
    }
    const notice = readNotice(message);
    if (notice) this.#handlers.onNotice?.(notice);
    else if (message.scope === 'table' && isObject(message.data)) this.#onAround(String(message.event), message.data);
  }

  #onAround(event: string, data: JsonObject): void {
    const match = String(data['match-id']);
    if (event === 'table') this.#handlers.onTable?.({ ...(data as unknown as TableNews), at: Date.now() }, match);
    else if (event === 'chat') this.#handlers.onChat?.(data.lines as unknown as ChatLine[], match);
    else if (event === 'seat-taken') this.#handlers.onSeatTaken?.(match);
  }

  #onResponse(message: JsonObject): void {
    const id = String(message.id);
    const pending = this.#pending.get(id);
    const error = message.error;
    if (isObject(error)) {
      const details = isObject(error.data) ? error.data.details : undefined;
      const failure = new ChimeraError(Number(error.code), String(error.message), typeof details === 'string' ? details : '');
      if (pending) {
        this.#pending.delete(id);
        pending.reject(failure);
      } else {
        this.#handlers.onTrouble?.(failure.message);
      }
      return;
    }
    if (!pending) return;
    this.#pending.delete(id);
    pending.resolve({
      result: isObject(message.result) ? message.result : {},
      token: typeof message.token === 'string' ? message.token : undefined,
    });
  }
}
