import type { JsonObject } from '../api/types';
import type { BoardKind } from './registry';

export interface ConnectMState {
  turn: string; // a name
  players: Record<string, 'R' | 'Y'>;
  board: string[][]; // rows from the top
}
export const read = (state: JsonObject): ConnectMState => state as unknown as ConnectMState;

function names(state: JsonObject): string[] {
  const entries = Object.entries(read(state).players);
  const of = (color: string) => entries.find(([, each]) => each === color)?.[0] ?? '';
  return [of('R'), of('Y')];
}

// The disc that is in `state` but not in `previous`.
export function droppedDisc(state: JsonObject, previous: JsonObject | undefined): { row: number; column: number } | undefined {
  if (!previous) return undefined;
  for (const [row, cells] of read(state).board.entries()) {
    for (const [column, disc] of cells.entries()) {
      if (disc !== read(previous).board[row]?.[column]) return { row, column };
    }
  }
  return undefined;
}

// The cells ("row,column") of the longest lines through the disc at (row, column): the winning line, if it won.
export function longestLines(board: string[][], row: number, column: number): Set<string> {
  const disc = board[row]?.[column];
  const lines = ([[0, 1], [1, 0], [1, 1], [1, -1]] as const).map(([dr, dc]) => {
    const line = [`${row},${column}`];
    for (const way of [1, -1]) {
      for (let r = row + way * dr, c = column + way * dc; board[r]?.[c] === disc; r += way * dr, c += way * dc) line.push(`${r},${c}`);
    }
    return line;
  });
  const longest = Math.max(...lines.map((line) => line.length));
  return new Set(lines.filter((line) => line.length === longest).flat());
}

export const connectm: BoardKind = {
  game: 'connectm',
  title: 'Connect-M',
  tagline: 'Four in a line, or as many as you like',
  roles: ['Red', 'Yellow'],
  load: () => import('./ConnectM.svelte'),
  names,
  awaited: (state) => [names(state).indexOf(read(state).turn)],
  label: (text) => text.replace(/\bcolumn (\d+)/g, (_, column: string) => `column ${Number(column) + 1}`),
  keys: 'Left and right choose a column, Enter drops your disc.',
  describe: (state, previous) => {
    const disc = droppedDisc(state, previous);
    if (!disc) return 'Empty board';
    const color = read(state).board[disc.row]?.[disc.column] === 'R' ? 'Red' : 'Yellow';
    return `${color} in column ${disc.column + 1}`;
  },
};
