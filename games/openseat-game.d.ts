// What a game script for Openseat exports. docs/writing_games.md explains it.
//
//   import type { Game } from './openseat-game.d.ts';
//   type State = { stones: number; turn: number };
//   export const setup: Game<State>['setup'] = ({ stones }) => ({ stones, turn: 0 });

/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json | undefined };

/** A seat's number, from 0. */
export type Seat = number;

/** The values of an action's data: each one listed, or a JSON Schema. */
export type Values = readonly Json[] | { readonly [keyword: string]: Json | undefined };

/** What a seat chooses. */
export interface Action {
  readonly name: string;
  readonly data: any;
}

/** What a seat may do now: all combinations of the values are legal, except those that `validate` refuses. */
export interface Offer {
  name: string;
  /** Instead of the one in info.actions. */
  description?: string;
  /** The values of each member, or a list of all legal data. */
  data?: { readonly [member: string]: Values | undefined } | readonly { readonly [member: string]: Json }[];
}

export interface ActionInfo {
  /** For people and models; members of the data are named in backquotes: "Take `count` stones." */
  description: string;
  /** Every value that each member can ever have. */
  data?: { readonly [member: string]: Values | undefined };
  /** A few words for people; each choice needs a different label. */
  label?(data: any, names: readonly string[]): string;
}

export interface Info {
  /** Of a to z, 0 to 9 and -. */
  id: string;
  title: string;
  /** One sentence. */
  description: string;
  /** Everything that a player must know, as Markdown. */
  rules: string;
  /** How to play it well, as Markdown: models and agents get it with the rules. */
  guide?: string;
  seats: { min: number; max: number; roles?: readonly string[] };
  /** A JSON Schema with a default for each option. */
  options?: { readonly [option: string]: { readonly default: Json; readonly [keyword: string]: Json | undefined } };
  actions: { readonly [name: string]: string | ActionInfo };
}

/** The only source of chance. */
export interface Random {
  /** A whole number from 0 to n - 1. */
  int(n: number): number;
  /** From 1 to n; n is 6 if it is left out. */
  die(n?: number): number;
  pick<T>(list: readonly T[]): T;
  /** A new list in random order. */
  shuffle<T>(list: readonly T[]): T[];
}

/** A line of the log: for everybody, or for some seats. */
export type Line = string | { text: string; to?: Seat | readonly Seat[] };

export interface Applied<State> {
  state: State;
  log?: readonly Line[];
  /** What only the seat that chose gets. */
  result?: Json;
}

export interface Outcome {
  /** Nobody wins a draw: []. */
  winners: readonly Seat[];
  /** How the game ended, as the end of a sentence: "took the last stone". */
  reason: string;
  /** A number for each seat; winners have the highest, and without winners no seat alone has it. */
  scores?: readonly number[];
}

/** The table as people see it: parts, drawn in this order; at most 100. */
export interface View {
  parts: readonly Part[];
}

/** A number: the seat's color. */
export type Color = Seat | 'red' | 'orange' | 'yellow' | 'green' | 'blue' | 'purple' | 'brown' | 'black' | 'gray' | 'white';
export type Mark = 'last' | 'win' | 'danger';

/** An action, with its data or a part of it: a click plays it, or begins it. */
export interface Bound {
  name: string;
  data?: { readonly [member: string]: Json | undefined };
}
export type Choice = Bound | readonly Bound[];

/** What lies on a place, in a hand or on the table. */
export type Piece = string | number | {
  text?: string | number;
  color?: Color;
  shape?: 'disc' | 'block' | 'card' | 'die' | 'none';
  /** Drawn face down; then it has no text. */
  hidden?: boolean;
  count?: number;
  /** A piece with an id is seen to move. */
  id?: string | number;
  mark?: Mark;
  /** For people who cannot see the board. */
  label?: string;
  choice?: Choice;
  /** One character: the key that presses it. */
  key?: string;
};

/** A cell of a grid, or a space of a track. */
export type Place = string | {
  text?: string;
  pieces?: readonly Piece[];
  color?: Color;
  mark?: Mark;
  label?: string;
  choice?: Choice;
  /** There is no place here. */
  off?: boolean;
};

export interface Button {
  text: string;
  choice: Choice;
  key?: string;
}

/** `label` is the part's name, `seat` whose it is. */
export type Part = { label?: string; seat?: Seat } & (
  | { type: 'grid'; cells: readonly (readonly Place[])[]; shape?: 'square' | 'hex' | 'rhombus'; style?: 'checkered' | 'points';
      columns?: readonly (string | number)[]; rows?: readonly (string | number)[]; edges?: { top?: Color; right?: Color; bottom?: Color; left?: Color } }
  | { type: 'track'; spaces: readonly Place[] }
  | { type: 'hand' | 'cards'; cards: readonly Piece[] }
  | { type: 'pile'; count: number; top?: Piece; choice?: Choice }
  | { type: 'dice'; dice: readonly Piece[] }
  | { type: 'tokens'; tokens: readonly Piece[] }
  | { type: 'counter'; value: number | string; of?: number }
  | { type: 'score'; points: readonly (number | string)[] }
  | { type: 'text'; text: string }
  | { type: 'log'; lines: readonly string[] }
  | { type: 'buttons'; buttons: readonly Button[] }
  | { type: 'group'; parts: readonly Part[] });

/** The exports of a script. `State` is JSON of at most 64 KB. */
export interface Game<State = any> {
  info: Info;
  setup(options: any, seats: number, random: Random): State;
  /** The seats that choose now; not asked once there is an outcome. */
  awaited(state: State): readonly Seat[];
  actions(state: State, seat: Seat, names: readonly string[]): readonly Offer[];
  apply(state: State, seat: Seat, action: Action, random: Random, names: readonly string[]): Applied<State>;
  /** What the viewer may see: a seat, or null for spectators. Nothing else is ever shown. */
  observe(state: State, viewer: Seat | null, names: readonly string[]): object;
  outcome(state: State): Outcome | null;
  /** Nothing if the action is legal, or why it is not: takes out combinations of several members, and refuses typed texts. */
  validate?(state: State, seat: Seat, action: Action): void | null | string | { reason: string; path?: string };
  /** The state as Markdown for a language model. */
  describe?(state: State, seat: Seat, names: readonly string[]): string;
  /** The table, to be drawn. */
  view?(state: State, viewer: Seat | null, names: readonly string[]): View;
  /** A state that the seat cannot tell from this one: required if the game has secrets or chance. */
  redeal?(state: State, seat: Seat, random: Random): State;
  /** For search: from 0 (lost) to 1 (won). */
  evaluate?(state: State, seat: Seat): number;
}
