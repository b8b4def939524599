import type { JsonObject } from '../api/types';
import type { BoardKind } from './registry';

export interface ChickenState {
  p1_points: number;
  p2_points: number;
  rounds: { p1_swerve: boolean; p2_swerve: boolean; p1_points: number; p2_points: number }[];
}
export const read = (state: JsonObject): ChickenState => state as unknown as ChickenState;

const word = (swerve: boolean) => (swerve ? 'swerves' : 'goes straight');

export const chicken: BoardKind = {
  game: 'chicken',
  title: 'Chicken',
  tagline: 'Swerve, or go straight?',
  roles: ['Player 1', 'Player 2'],
  load: () => import('./Chicken.svelte'),
  keys: 'S swerves, G goes straight.',
  describe: (state, previous, players) => {
    const { rounds } = read(state);
    const last = rounds.at(-1);
    if (previous && last && rounds.length > read(previous).rounds.length) {
      const who = (seat: number) => players[seat] || `Player ${seat + 1}`;
      return `Round ${rounds.length}: ${who(0)} ${word(last.p1_swerve)}, ${who(1)} ${word(last.p2_swerve)}`;
    }
    return `Round ${rounds.length + 1} begins`;
  },
};
