import type { JsonObject } from '../api/types';
import type { BoardKind } from './registry';

export interface TicTacToeState {
  X: string;
  O: string;
  turn: 'X' | 'O';
  board: string[][];
}
const read = (state: JsonObject): TicTacToeState => state as unknown as TicTacToeState;

const kLines = [
  [0, 1, 2], [3, 4, 5], [6, 7, 8],
  [0, 3, 6], [1, 4, 7], [2, 5, 8],
  [0, 4, 8], [2, 4, 6],
];

// The cells of the winning line, as 3 * row + column.
export function winningLine(board: string[][]): number[] | undefined {
  const at = (cell: number) => board[Math.floor(cell / 3)]?.[cell % 3];
  return kLines.find(([a, b, c]) => at(a!) !== ' ' && at(a!) === at(b!) && at(b!) === at(c!));
}

export const tictactoe: BoardKind = {
  game: 'tictactoe',
  title: 'Tic-Tac-Toe',
  tagline: 'Three in a row',
  roles: ['X', 'O'],
  load: () => import('./TicTacToe.svelte'),
  names: (state) => [read(state).X, read(state).O],
  awaited: (state) => [read(state).turn === 'X' ? 0 : 1],
  keys: 'Arrow keys move between the cells, Enter places your mark.',
  describe: (state, previous) => {
    if (!previous) return 'Empty board';
    for (const [row, cells] of read(state).board.entries()) {
      for (const [column, mark] of cells.entries()) {
        if (mark !== read(previous).board[row]?.[column]) return `${mark} at row ${row + 1}, column ${column + 1}`;
      }
    }
    return 'The board';
  },
};
