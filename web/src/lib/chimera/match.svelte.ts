// MatchSession: one live match as this tab sees it, as a player or spectator. It keeps every state seen,
// so you can step through the game while it goes on. Components read its members; its owner closes it.
import { messageOf } from '../api/client';
import { getTable, readPast } from '../api/console';
import type { JsonObject, SeatInfo } from '../api/types';
import { isObject } from '../schema/shape';
import { dropSeat, keepSeat, keptSeat, leaveSeat, nextName, sitHere, sittingAs, type KeptSeat } from '../player.svelte';
import { matchId } from '../match_name';
import { ChimeraClient, ChimeraError, kConnectionLost, kDuplicateName, kUnknownMatch, type ChatLine, type MatchAction, type MatchNotice, type MatchStatus, type OfferName, type TableNews } from './client';
import type { LiveSocketOptions, LiveState } from '../live/socket';

export interface Snapshot {
  seq: number; // the record's last event then
  state: JsonObject;
  status: MatchStatus;
  actions?: MatchAction[]; // what this player could do then, if known
  view?: JsonObject; // the table as the game drew it, if it did
  news?: string[]; // what led here, as this viewer may know it
  takenBack?: number; // the seat whose choice was taken back
}

const kChatLines = 200;
const kMomentMs = 1000;

const same = (a: JsonObject, b: JsonObject): boolean => JSON.stringify(a) === JSON.stringify(b);

// The recorded past, then what this page saw itself. The record may overlap with what was seen.
export function mergeHistory(recorded: Snapshot[], seen: Snapshot[]): Snapshot[] {
  const [first, ...later] = seen;
  if (!first) return recorded;
  const past = recorded.filter((each) => each.seq <= first.seq);
  const led = past.at(-1);
  if (!led || !same(led.state, first.state)) return [...past, ...seen];
  // The record knows what led to what this page saw first.
  return [...past.slice(0, -1), { ...led, ...first }, ...later];
}

export class MatchSession {
  readonly game: string;
  readonly id: string;

  link = $state<LiveState>('connecting');
  role = $state<'none' | 'spectator' | 'player'>('none');
  me = $state<string | undefined>(undefined); // the player's name, if this tab plays
  status = $state<MatchStatus>('awaiting-players');
  winner = $state<string | null | undefined>(undefined);
  reason = $state<string | undefined>(undefined);
  history = $state.raw<Snapshot[]>([]);
  players = $state.raw<string[]>([]); // who plays, by seat
  seats = $state.raw<SeatInfo[]>([]); // who sits where, if the server tells this browser
  options = $state.raw<JsonObject | undefined>(undefined); // the game's options, likewise
  opened = $state<string | undefined>(undefined); // likewise
  table = $state.raw<TableNews | undefined>(undefined); // what is around the board
  chat = $state.raw<ChatLine[]>([]);
  elsewhere = $state(false); // this browser's seat is played in another tab, or on another device
  missing = $state(false); // the match does not exist, or no longer
  error = $state<string | undefined>(undefined);
  // Number of states when this player last chose: in games with simultaneous choices, that choice
  // is waiting for the opponent's.
  chosenAt = $state<number | undefined>(undefined);
  #sending = $state(false);
  #settled = $state(false); // the choice was accepted a moment ago
  #moment: ReturnType<typeof setTimeout> | undefined;
  // A choice is being made: until its answer, and then until the state that it led to, which comes after the answer.
  // (Not every choice changes what its player sees: then until a moment has passed.)
  acting = $derived(this.#sending || (this.#settled && this.chosenAt === this.history.length));

  latest = $derived(this.history.at(-1)?.state);
  over = $derived(this.status === 'done');
  seat = $derived.by((): number | undefined => {
    if (this.me === undefined) return undefined;
    const found = this.seats.find((each) => each.name === this.me);
    if (found) return found.index;
    const at = this.players.indexOf(this.me);
    return at >= 0 ? at : undefined;
  });
  // Offers that wait for this player's answer.
  asked = $derived((this.table?.offers ?? []).filter((each) => this.role === 'player' && this.seat !== undefined && !each.agreed.includes(this.seat)));

  #client: ChimeraClient;
  #kept: KeptSeat | undefined;
  #joinAs: string | undefined;
  #asked = false; // for the history before this page
  #closed = false;
  #make: LiveSocketOptions['make'];
  #url: string | undefined;

  // With `joinAs`, takes a seat at once.
  constructor(game: string, id: string, options: { joinAs?: string; url?: string; make?: LiveSocketOptions['make'] } = {}) {
    this.game = game;
    this.id = id;
    this.#joinAs = options.joinAs;
    this.#kept = keptSeat(id, sittingAs(id));
    this.#make = options.make;
    this.#url = options.url;
    this.#client = this.#connect();
  }

  #connect(): ChimeraClient {
    return new ChimeraClient(
      {
        onOpen: () => void this.#enter(),
        onState: (state) => (this.link = state),
        onNotice: (notice) => this.#onNotice(notice),
        onTable: (table, match) => match === this.id && this.#onTable(table),
        onChat: (lines, match) => match === this.id && this.#onChat(lines),
        onSeatTaken: (match) => match === this.id && this.#onSeatTaken(),
        onTrouble: (message) => (this.error = message),
      },
      { match: this.id, pass: () => (this.#kept?.token ? `${matchId(this.id)}.${this.#kept.token}` : undefined), url: this.#url, make: this.#make },
    );
  }

  #again(): void {
    this.error = undefined;
    this.history = [];
    this.chat = [];
    this.#asked = false;
    this.#client.close();
    this.#client = this.#connect();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#moment);
    this.#client.close();
  }

  // Takes a seat. Player and spectator views do not mix, so this reconnects.
  join(name: string): void {
    this.#joinAs = name;
    this.elsewhere = false;
    this.#again();
  }

  // Takes this browser's seat from wherever it is played.
  playHere(): void {
    if (!this.#kept) return;
    sitHere(this.id, this.#kept.name);
    this.elsewhere = false;
    this.#again();
  }

  async act(action: string, data: JsonObject): Promise<JsonObject | undefined> {
    this.error = undefined;
    this.#sending = true;
    this.#settled = false;
    clearTimeout(this.#moment);
    const before = this.chosenAt;
    this.chosenAt = this.history.length;
    try {
      const result = await this.#client.act(this.id, action, data);
      this.#settled = true;
      this.#moment = setTimeout(() => (this.#settled = false), kMomentMs);
      return result;
    } catch (error) {
      this.chosenAt = before;
      this.error = messageOf(error);
      return undefined;
    } finally {
      this.#sending = false;
    }
  }

  // Throws, like those that follow.
  forfeit(): Promise<void> {
    return this.#client.forfeit(this.id);
  }
  say(text: string): Promise<void> {
    return this.#client.say(this.id, text);
  }
  offer(offer: OfferName, accept = true): Promise<boolean> {
    return this.#client.offer(this.id, offer, accept);
  }
  // Whether this browser has what handOn needs; a seat of an account does without a token.
  get hasToken(): boolean {
    return (this.#kept?.token ?? '') !== '';
  }
  handOn(): Promise<{ code: string; seconds: number }> {
    return this.#client.handOn(this.id, this.#kept?.token ?? '');
  }
  // The seat in the rematch has this one's token. Returns its name.
  followRematch(): string | undefined {
    const next = this.table?.next;
    if (next === undefined || !this.#kept) return undefined;
    keepSeat({ ...this.#kept, match: next, over: false });
    sitHere(next, this.#kept.name);
    return next;
  }

  // Sends a query that changes nothing, like Connect-M's drop_info. Throws.
  ask(action: string, data: JsonObject = {}): Promise<JsonObject> {
    return this.#client.act(this.id, action, data);
  }

  async #enter(): Promise<void> {
    const client = this.#client;
    this.chat = [];
    try {
      if (this.#joinAs !== undefined) await this.#takeSeat(client, this.#joinAs);
      else if (this.#kept && (sittingAs(this.id) === this.#kept.name || (await this.#isFree(client, this.#kept)))) await this.#resume(client, this.#kept);
      else await this.#watch(client);
      this.missing = false;
      void this.#learnSeats();
    } catch (error) {
      if (this.#closed || client !== this.#client) return;
      if (error instanceof ChimeraError && error.code === kConnectionLost) return; // it reconnects
      this.error = messageOf(error);
    }
  }

  // A name that is taken gets a number.
  async #takeSeat(client: ChimeraClient, name: string, tries = 9): Promise<void> {
    try {
      const token = await client.joinMatch(this.game, this.id, name);
      this.#joinAs = undefined;
      keepSeat({ match: this.id, game: this.game, name, token: token ?? '' });
      sitHere(this.id, name);
      this.#kept = keptSeat(this.id, name);
      this.me = name;
      this.role = 'player';
    } catch (error) {
      if (!(error instanceof ChimeraError) || error.code === kConnectionLost) throw error;
      if (error.code === kDuplicateName && tries > 1) {
        this.#joinAs = nextName(name);
        return this.#takeSeat(client, this.#joinAs, tries - 1);
      }
      this.#joinAs = undefined;
      await this.#watch(client);
      throw error;
    }
  }

  // Whether nobody plays this browser's seat now: then this tab does, without watching first.
  async #isFree(client: ChimeraClient, kept: KeptSeat): Promise<boolean> {
    const [seat] = (await client.listSeats([kept], this.id)).seats;
    if (!seat || seat.gone || seat.elsewhere || seat.present || seat['match-status'] === 'done') return false;
    sitHere(this.id, kept.name);
    return true;
  }

  async #resume(client: ChimeraClient, kept: KeptSeat): Promise<void> {
    try {
      await client.joinMatch(this.game, this.id, kept.name, kept.token);
      keepSeat(kept);
      this.me = kept.name;
      this.role = 'player';
    } catch (error) {
      if (!(error instanceof ChimeraError) || error.code !== kUnknownMatch) throw error;
      // The grace period has passed, or the match is gone; or too many wrong tokens came from this address.
      if (!(await client.listSeats([kept], this.id)).seats[0]?.gone) throw error;
      dropSeat(kept);
      leaveSeat(this.id);
      this.#kept = undefined;
      this.me = undefined;
      await this.#watch(client);
    }
  }

  async #watch(client: ChimeraClient): Promise<void> {
    try {
      await client.spectate(this.game, this.id);
      this.role = 'spectator';
    } catch (error) {
      if (error instanceof ChimeraError && error.code === kUnknownMatch) {
        this.missing = true;
        client.close();
      }
      throw error;
    }
  }

  #onNotice(notice: MatchNotice): void {
    if (notice.matchId !== this.id) return;
    this.status = notice.status;
    if (notice.players) this.players = notice.players;
    if (notice.status === 'done') {
      if (this.#kept && this.role === 'player') keepSeat({ ...this.#kept, over: true });
      this.winner = notice.winner ?? null;
      this.reason = notice.reason;
    }
    if (notice.state) {
      const last = this.history.at(-1);
      const { seq, state, status, actions, view, news, takenBack } = notice;
      if (!last || news || takenBack !== undefined || !same(last.state, state)) {
        this.history = [...this.history, { seq, state, status, actions, ...(view ? { view } : {}), ...(news ? { news } : {}), ...(takenBack === undefined ? {} : { takenBack }) }];
      }
      // The first message was not a start: the match began before this page opened.
      if (!this.#asked && notice.event !== 'start') void this.#learnPast();
      this.#asked = true;
    }
    // A disconnected player may be back.
    const away = this.seats.some((seat) => seat.present === false);
    if (notice.event === 'start' || notice.event === 'end' || away) void this.#learnSeats();
  }

  #onTable(table: TableNews): void {
    this.table = table;
    const kept = this.#kept;
    if (this.role !== 'spectator' || !kept || this.elsewhere) return;
    // This browser has a seat. If nobody plays it now, this tab does.
    const seat = table.seats.find((each) => each.name === kept.name && each.person);
    if (!seat) return;
    if (seat.present) this.elsewhere = true;
    else this.playHere();
  }
  #onChat(lines: ChatLine[]): void {
    this.chat = [...this.chat, ...lines].slice(-kChatLines);
  }
  #onSeatTaken(): void {
    leaveSeat(this.id);
    this.elsewhere = true;
    this.role = 'spectator';
    this.me = undefined;
    this.#client.close();
  }

  // If this browser may use the console API, it adds the earlier history and who sits where. The game works
  // without it.
  async #learnPast(): Promise<void> {
    try {
      const recorded = (await readPast(this.id, this.me ?? '', { askToken: false })).map((step): Snapshot => ({ ...step, status: 'in-progress' }));
      if (!this.#closed) this.history = mergeHistory(recorded, this.history);
    } catch {
      // Not allowed from here: the history starts with what this page saw.
    }
  }

  async #learnSeats(): Promise<void> {
    try {
      const table = await getTable(this.id, { askToken: false });
      if (this.#closed) return;
      this.seats = table.seats ?? [];
      this.opened = table.opened;
      this.options = isObject(table.options) ? table.options : undefined;
    } catch {
      // As above: in most games, the state names the players.
    }
  }
}
