// Games that are drawn as boards, one entry each. A board is a component with the properties BoardProps, used
// for playing, watching and replays. Of those without an entry, parts/Parts.svelte draws what the game itself draws, and
// Plain.svelte the state of the others.
import type { Component } from 'svelte';
import type { JsonObject } from '../api/types';
import type { MatchAction } from '../chimera/client';

export interface BoardProps {
  view: JsonObject; // the game's state, as the viewer may see it
  previous: JsonObject | undefined; // the state before it, to show what changed
  over: boolean; // this is the final state
  seat: number | undefined; // the viewer's own, if they play
  interactive: boolean; // whether the viewer may choose now
  players: string[]; // names by seat, "" if unknown
  act: (action: string, data: JsonObject) => void;
  actions?: MatchAction[] | undefined; // what the viewer may do now, if the page knows
  drawn?: JsonObject | undefined; // the table as the game draws it, if it does (parts/view.ts)
  drawnBefore?: JsonObject | undefined; // and what it was
}

export interface BoardKind {
  game: string;
  title: string;
  tagline: string;
  roles: string[]; // by seat
  load: () => Promise<{ default: Component<BoardProps> }>;
  // The players by seat, if the state has them.
  names?: (state: JsonObject) => string[];
  // The seats that owe a choice; undefined if the state does not say.
  awaited?: (state: JsonObject) => number[] | undefined;
  // A puzzle lists its choices: there are more kinds of them than places to press.
  listed?: boolean;
  // Keyboard help, in words.
  keys?: string;
  // Whose turn it is in words ("Turn 3, Runner"), if a turn has several steps.
  turn?: (state: JsonObject) => string;
  // A choice's name from the server, or a line of them, as this board counts.
  label?: (text: string) => string;
  // A step's name in the list of moves, from the previous state and this one.
  describe?: (state: JsonObject, previous: JsonObject | undefined, players: string[]) => string;
}

import { chicken } from './chicken';
import { connectm } from './connectm';
import { rps } from './rps';
import { tictactoe } from './tictactoe';

// Games that are played on the match page.
export const boards: BoardKind[] = [tictactoe, connectm, rps, chicken];

// Boards of games with their own pages (src/boards.ts).
const elsewhere: BoardKind[] = [];
export const addBoard = (board: BoardKind): void => void elsewhere.push(board);

export function boardOf(game: string): BoardKind | undefined {
  return [...boards, ...elsewhere].find((board) => board.game === game);
}

export const choiceLabel = (game: string, text: string): string => boardOf(game)?.label?.(text) ?? text;
