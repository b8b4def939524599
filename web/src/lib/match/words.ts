// What happened at a match, in words. Pure.
import type { JsonObject } from '../api/types';
import { boardOf } from '../boards/registry';

export interface Happened {
  state: JsonObject;
  news?: string[] | undefined; // what the game says
  takenBack?: number | undefined; // the seat whose choice was taken back
}

// A step's name in a list: in the board's own words if it has any, else as the game says it. undefined if it says nothing.
export function stepText(game: string, { state, news = [], takenBack }: Happened, before: JsonObject | undefined, players: string[]): string | undefined {
  if (takenBack !== undefined) return `${players[takenBack] || 'A player'} took back a move`;
  return boardOf(game)?.describe?.(state, before, players) ?? (news.length > 0 ? news.join(' ') : undefined);
}
