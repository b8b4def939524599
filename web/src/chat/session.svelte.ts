// The board in the chat: whose eyes it has, what it draws, and what a person does on it. It begins with the model's token,
// from the call that the host draws; a person may take a seat that is still open, and then plays by a token of their own.
import type { JsonObject } from '../lib/api/types';
import { isObject } from '../lib/schema/shape';
import { Host, parentPort, type ToolAnswer } from './host';
import { readDrawn, sameDrawn, type Drawn } from './table';

const kEvery = 2000; // ms between two looks at the table
// Looks that fail one after another: then the table is gone, and asking on would count as guessing tokens.
const kMostFailures = 3;

export class Session {
  drawn = $state.raw<Drawn | undefined>(undefined);
  previous = $state.raw<Drawn | undefined>(undefined);
  said = $state(''); // the answer's text, for hosts that let the view call nothing
  error = $state('');
  busy = $state(false);
  asking = $state(false); // a seat is open: does the person want it?
  context = $state.raw<JsonObject>({});
  looks = $state(0); // answers that were drawn, for tests

  #host: Host;
  #token = ''; // the model's
  #guest = ''; // the person's own
  #shoulder = false; // they look over the model's shoulder
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #visible = true;
  #failures = 0;
  #turn = 0; // grows with all that a person does

  constructor(port = parentPort()) {
    this.#host = new Host(port, {
      input: (args) => this.#begin(args.token),
      answer: (answer) => this.#answered(answer),
      canceled: () => {
        this.said = 'The call was canceled.';
      },
      context: (changed) => {
        // Colors belong to the theme that they came with.
        const { styles, ...rest } = this.context;
        this.context = { ...rest, ...(changed.theme === undefined && styles !== undefined ? { styles } : {}), ...changed };
      },
      closing: () => this.close(),
    });
  }

  async connect(): Promise<void> {
    await this.#host.connect();
  }
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }
  // Nobody sees a hidden board, so it does not look.
  set visible(visible: boolean) {
    if (visible === this.#visible) return;
    this.#visible = visible;
    if (visible) void this.look();
    else clearTimeout(this.#timer);
  }
  get guest(): boolean {
    return this.#guest !== '';
  }
  resized(width: number, height: number): void {
    if (!this.#closed) this.#host.resized(width, height);
  }
  get canFill(): boolean {
    return Array.isArray(this.context.availableDisplayModes) && this.context.availableDisplayModes.includes('fullscreen');
  }
  async fill(): Promise<void> {
    await this.#host.show(this.context.displayMode === 'fullscreen' ? 'inline' : 'fullscreen');
  }

  #begin(token: unknown): void {
    if (typeof token !== 'string' || token === '' || this.#token !== '') return;
    this.#token = token;
    void this.look();
  }
  #answered(answer: ToolAnswer): void {
    this.said = answer.failed ? answer.text : this.#words(answer.structured) || answer.text;
    if (this.#token === '') this.#begin(answer.structured.token);
    else void this.look();
  }
  // What an answer says of the table, without what only a model needs.
  #words(from: JsonObject): string {
    const events = Array.isArray(from.events) ? from.events : [];
    return [...events, from.description, from.outcome].filter((part) => typeof part === 'string').join('\n\n');
  }

  // Draws what the table looks like now, and looks again later.
  async look(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#closed || !this.#visible || this.#token === '' || !this.#host.can('serverTools')) return;
    const turn = this.#turn;
    try {
      const seen = await this.#see();
      if (turn !== this.#turn) return; // what the person did meanwhile is newer
      this.#draw(seen);
      this.error = '';
      this.#failures = 0;
    } catch (error) {
      if (turn !== this.#turn) return;
      this.error = (error as Error).message;
      this.#failures += 1;
    }
    this.#later();
  }
  #later(): void {
    clearTimeout(this.#timer);
    if (this.#closed || !this.#visible || this.busy || this.drawn?.status === 'game_over' || this.#failures >= kMostFailures) return;
    this.#timer = setTimeout(() => void this.look(), kEvery);
  }
  async #see(): Promise<Drawn> {
    if (this.#guest === '' && !this.#shoulder) {
      const watched = await this.#call('board_look', { token: this.#token, watch: true });
      if (watched.guest) {
        await this.#takeSeat({});
      } else if (watched.openSeats > 0) {
        this.asking = this.#guest === '';
        return watched;
      } else {
        this.#shoulder = true;
      }
    }
    this.asking = false;
    return this.#call('board_look', { token: this.#guest || this.#token });
  }
  #draw(now: Drawn): void {
    this.looks += 1;
    if (!sameDrawn(this.drawn, now)) {
      this.previous = this.drawn;
      this.drawn = now;
    }
  }
  async #call(name: string, args: JsonObject): Promise<Drawn> {
    const answer = await this.#host.callTool(name, args);
    const drawn = answer.failed ? undefined : readDrawn(answer.structured);
    if (!drawn) throw new Error(answer.text.split('\n')[0] || 'The server’s answer is not a table.');
    return drawn;
  }
  async #takeSeat(args: JsonObject): Promise<void> {
    const answer = await this.#host.callTool('board_sit', { token: this.#token, ...args });
    if (answer.failed || typeof answer.structured.token !== 'string') throw new Error(answer.text.split('\n')[0] || 'No seat.');
    this.#guest = answer.structured.token;
  }

  // The person takes the open seat.
  async sit(name: string): Promise<void> {
    if (this.busy) return;
    await this.#whileBusy(async () => {
      await this.#takeSeat(name.trim() === '' ? {} : { name: name.trim() });
      this.#draw(await this.#see());
      await this.#host.say(`I have taken a seat at the table ${this.drawn?.table ?? ''} on the board here. Play your turns there, and wait for mine with wait_for_turn.`);
    });
  }
  // The person does not want it.
  async lookOver(): Promise<void> {
    if (this.busy) return;
    this.#shoulder = true;
    this.asking = false;
    await this.look();
  }
  async act(action: string, data: JsonObject): Promise<void> {
    const from = this.drawn;
    if (!from?.decision || this.busy) return;
    await this.#whileBusy(async () => {
      this.#draw(await this.#call('board_act', { token: this.#guest || this.#token, decision: from.decision!.id, action, data }));
      await this.#tellModel(`${action}${Object.keys(data).length > 0 ? ` ${JSON.stringify(data)}` : ''}`);
    });
  }
  async #tellModel(choice: string): Promise<void> {
    const now = this.drawn;
    if (!now) return;
    const end = now.outcome ? ` The game is over: ${now.outcome.winner ?? 'nobody'} won (${now.outcome.reason}).` : '';
    await this.#host.informModel(
      this.guest
        ? `The person at the board of table ${now.table} chose ${choice}.${end || ' Call wait_for_turn with your token to go on.'}`
        : `The person chose ${choice} for your seat at table ${now.table}.${end || ' Call get_state with your token before you go on.'}`,
    );
    // In their own game, the model's turn has to be announced: nothing else starts one.
    if (this.guest && now.status !== 'your_turn') await this.#host.say(`I have chosen ${choice} at table ${now.table}.${end || ' Call wait_for_turn to go on.'}`);
  }
  async #whileBusy(work: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.#turn += 1;
    clearTimeout(this.#timer);
    try {
      await work();
      this.#failures = 0;
      this.error = '';
    } catch (error) {
      this.error = (error as Error).message;
    }
    this.busy = false;
    this.#later();
  }

  // A tool's answer about the game itself, which is no table; {} where the host or the server refuses.
  async ask(name: string, args: JsonObject): Promise<JsonObject> {
    try {
      const answer = await this.#host.callTool(name, args);
      return answer.failed ? {} : answer.structured;
    } catch {
      return {};
    }
  }
  get variables(): Record<string, string> {
    const styles = isObject(this.context.styles) ? this.context.styles : {};
    const given = isObject(styles.variables) ? styles.variables : {};
    return Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => /^--[a-z0-9-]+$/.test(entry[0]) && typeof entry[1] === 'string' && !/[;{}]/.test(entry[1])));
  }
}
