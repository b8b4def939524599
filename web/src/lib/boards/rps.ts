import type { JsonObject } from '../api/types';
import type { BoardKind } from './registry';

export type Hand = 'rock' | 'paper' | 'scissors';
export interface RpsState {
  players: string[];
  best_of: number;
  p1_wins: number;
  p2_wins: number;
  rounds: { p1_hand: Hand; p2_hand: Hand; winner: string | null }[];
}
export const read = (state: JsonObject): RpsState => state as unknown as RpsState;

export const rps: BoardKind = {
  game: 'rps',
  title: 'Rock-Paper-Scissors',
  tagline: 'Best of three, simultaneous',
  roles: ['Player 1', 'Player 2'],
  load: () => import('./Rps.svelte'),
  names: (state) => read(state).players,
  keys: 'R, P and S throw rock, paper and scissors.',
  describe: (state, previous) => {
    const { rounds } = read(state);
    const last = rounds.at(-1);
    if (previous && last && rounds.length > read(previous).rounds.length) {
      return `Round ${rounds.length}: ${last.p1_hand} against ${last.p2_hand}, ${last.winner ? `${last.winner} wins` : 'nobody wins'}`;
    }
    return `Round ${rounds.length + 1} begins`;
  },
};
