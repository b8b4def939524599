// The games that are drawn as boards, one entry each. A board is a component with the properties BoardProps; it is used
// for playing, watching and replays alike. Games without an entry are shown as their state's data.
import type { Component } from 'svelte';
import type { JsonObject } from '../api/types';

export interface BoardProps {
  view: JsonObject; // the game's state, as the viewer may see it
  previous: JsonObject | undefined; // the state before it, to show what changed
  over: boolean; // nothing follows this state
  seat: number | undefined; // the viewer's own, where they play
  interactive: boolean; // whether the viewer may choose now
  players: string[]; // names by seat, "" where not known
  act: (action: string, data: JsonObject) => void;
}

export interface BoardKind {
  game: string;
  title: string;
  tagline: string;
  roles: string[]; // by seat
  load: () => Promise<{ default: Component<BoardProps> }>;
  // Who plays, by seat, where the state says so.
  names?: (state: JsonObject) => string[];
  // The seats that owe a choice; undefined where the state does not say.
  awaited?: (state: JsonObject) => number[] | undefined;
  // What can be done with keys, in words.
  keys?: string;
  // What a position is called in the list of moves, from the state before and the state.
  describe?: (state: JsonObject, previous: JsonObject | undefined, players: string[]) => string;
}

import { chicken } from './chicken';
import { connectm } from './connectm';
import { rps } from './rps';
import { tictactoe } from './tictactoe';

// Those that are played on the page of matches.
export const boards: BoardKind[] = [tictactoe, connectm, rps, chicken];

// Those that have pages of their own, which bring their boards (src/boards.ts).
const elsewhere: BoardKind[] = [];
export const addBoard = (board: BoardKind): void => void elsewhere.push(board);

export function boardOf(game: string): BoardKind | undefined {
  return [...boards, ...elsewhere].find((board) => board.game === game);
}
