// One story on a page: its turns so far, the turn being told, and errors. It gets turns from
// the server's events and from the answers to its own requests, so several browsers can follow it.
import type { ApiError } from '../../lib/api/client';
import { EventStream, type ServerEvent } from '../../lib/live/event_stream';
import { branchStory, eventsPath, newKey, playTurn, readGame, readLibrary, readTurns, troubleOf, troubleOfAnything, type Game, type Input, type Scenario, type Trouble, type Turn } from './api';

export type Wish = { choiceId: string; label: string } | { text: string };

// What to do at once in stories that were just branched off, by story: telling a turn differently is playing it again.
const toPlay = new Map<string, Wish>();

export class StoryView {
  game = $state.raw<Game>();
  scenario = $state.raw<Scenario>();
  turns = $state.raw<Turn[]>([]);
  telling = $state.raw<Input>(); // the turn in progress; its text may be ""
  trouble = $state.raw<Trouble>();
  failure = $state.raw<unknown>(); // the story cannot be shown
  live = $state(false);
  branching = $state(false);
  closed = $state(false); // no longer live: read-only
  reason = $state('');

  last = $derived(this.turns.at(-1));
  over = $derived(this.closed || this.last?.state.over === true || this.game?.status === 'over');
  // The choices available now.
  choices = $derived(this.trouble?.choices ?? this.last?.turn.choices ?? []);

  #stream: EventStream | undefined;
  #sent: { wish: Wish; key: string } | undefined; // the last request, for retries
  #own = false; // whether its answer is pending
  #branchKey: { what: string; key: string } | undefined; // of a request that may have succeeded
  #abort = new AbortController();

  constructor(readonly id: string) {
    void this.load();
  }

  async load(): Promise<void> {
    this.failure = undefined;
    try {
      const [game, turns] = await Promise.all([readGame(this.id, this.#abort.signal), readTurns(this.id, this.#abort.signal)]);
      this.game = game;
      this.#take(turns);
      if (game.status === 'over') this.reason = game.reason ?? '';
      if (game.status === 'narrating') this.telling ??= { by: game.player, text: '' };
      this.#listen();
    } catch (error) {
      if (!this.#abort.signal.aborted) this.failure = error;
      return;
    }
    const wish = toPlay.get(this.id);
    if (toPlay.delete(this.id) && wish) void this.play(wish);
    try {
      // Only for the characters' names.
      const library = await readLibrary(this.#abort.signal);
      this.scenario = library.scenarios.find((each) => each.id === this.game?.scenario);
    } catch {
      this.scenario = undefined;
    }
  }

  close(): void {
    this.#abort.abort();
    this.#stream?.close();
  }

  // Returns whether the turn was told.
  async play(wish: Wish): Promise<boolean> {
    return this.#send({ wish, key: newKey() });
  }
  // Starts a story that has the turns of this one up to `turn`; with `wish`, goes on with that. Returns its id.
  async branch(turn: number, wish?: Wish): Promise<string | undefined> {
    const what = `${turn} ${wish !== undefined}`;
    if (this.#branchKey?.what !== what) this.#branchKey = { what, key: newKey() };
    this.branching = true;
    this.trouble = undefined;
    try {
      const { id } = await branchStory(this.id, turn, wish !== undefined, this.#branchKey.key);
      this.#branchKey = undefined;
      if (wish) toPlay.set(id, wish);
      return id;
    } catch (error) {
      this.trouble = { ...troubleOfAnything(error), again: false };
      return undefined;
    } finally {
      this.branching = false;
    }
  }
  // What the player did in a turn.
  wishOf({ input }: Turn): Wish | undefined {
    if (!input) return undefined;
    return input.choiceId ? { choiceId: input.choiceId, label: input.text } : { text: input.text };
  }

  // Retries with the same key, so it happens only once.
  async again(): Promise<boolean> {
    return this.#sent !== undefined && this.#send(this.#sent);
  }
  get canTryAgain(): boolean {
    return this.#sent !== undefined && this.trouble?.again === true;
  }

  async #send(sent: { wish: Wish; key: string }): Promise<boolean> {
    if (this.telling || !this.game) return false;
    this.#sent = sent;
    this.#own = true;
    this.trouble = undefined;
    this.telling = { by: this.game.player, text: 'label' in sent.wish ? sent.wish.label : sent.wish.text };
    try {
      const turn = await playTurn(this.id, 'choiceId' in sent.wish ? { choiceId: sent.wish.choiceId } : { text: sent.wish.text }, sent.key);
      this.#take([turn]);
      this.#sent = undefined;
      this.telling = undefined;
      return true;
    } catch (error) {
      this.trouble = troubleOfAnything(error);
      this.telling = this.trouble.code === 'TURN_IN_PROGRESS' ? { by: this.game.player, text: '' } : undefined;
      return false;
    } finally {
      this.#own = false;
    }
  }

  #take(turns: Turn[]): void {
    const known = new Map(this.turns.map((turn) => [turn.turnNumber, turn]));
    for (const turn of turns) known.set(turn.turnNumber, turn);
    this.turns = [...known.values()].sort((a, b) => a.turnNumber - b.turnNumber);
    if (this.game) this.game = { ...this.game, turnNumber: this.turns.length };
  }

  #listen(): void {
    if (this.#stream || this.over) return;
    this.#stream = new EventStream(
      eventsPath(this.id),
      String(this.last?.turnNumber ?? 0),
      (event) => this.#hear(event),
      (live) => (this.live = live),
      (error) => this.#refused(error),
    );
  }

  #refused(error: ApiError): void {
    if (error.status === 410 || error.status === 404) this.closed = true;
  }

  #hear({ event, data }: ServerEvent): void {
    let said: Record<string, unknown>;
    try {
      said = JSON.parse(data) as Record<string, unknown>;
    } catch {
      return; // a proxy's, not the server's
    }
    if (event === 'turn') {
      const turn = said as unknown as Turn;
      const isNew = !this.turns.some((each) => each.turnNumber === turn.turnNumber);
      this.#take([turn]);
      if (isNew) {
        this.telling = undefined;
        this.trouble = undefined;
      }
    } else if (event === 'turn-started') {
      const input = said.input as Partial<Input> | undefined;
      if (!this.#own) this.trouble = undefined;
      this.telling ??= { by: input?.by ?? this.game?.player ?? '', text: input?.text ?? '' };
    } else if (event === 'turn-failed' && !this.#own) {
      // This page's own turn comes with its answer.
      this.telling = undefined;
      this.trouble ??= troubleOf(said.error);
    } else if (event === 'status') {
      if (said.status === 'waiting' && !this.#own) this.telling = undefined;
    } else if (event === 'over') {
      this.reason = String(said.reason ?? '');
      this.telling = undefined;
      if (this.game) this.game = { ...this.game, status: 'over', reason: this.reason };
      this.#stream?.close();
    }
  }
}
