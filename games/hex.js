// Hex: a board of hexagons, and a connection between two sides.
const letters = 'ABCDEFGHIJK';
const every = Array.from({ length: 121 }, (_, i) => `${letters[i % 11]}${Math.floor(i / 11) + 1}`);

export const info = {
  id: 'hex',
  title: 'Hex',
  description: 'Connect your two sides of a board of hexagons',
  rules: 'The board is a rhombus of hexagonal cells: each row is shifted half a cell to the right of the row above. A cell is named by ' +
    'its column (a letter) and its row (a number, from the top): B3. Its neighbors are the cells to its left and right, the two above ' +
    '(same column and the next column) and the two below (same column and the column before). The players take turns to put a stone ' +
    'on a free cell. Red wins with a connected chain of stones from the top row to the bottom row, Blue from the left column to the ' +
    'right column. There is no draw. The center is the strongest first move.',
  seats: { min: 2, max: 2, roles: ['Red', 'Blue'] },
  options: { size: { type: 'integer', minimum: 3, maximum: 11, default: 7 } },
  actions: { place: { description: 'Put a stone on a free cell, such as "B3".', data: { cell: every }, label: ({ cell }) => cell } },
};

const marks = 'RB';
const around = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, -1], [-1, 1]];
const nameOf = (place, size) => `${letters[place % size]}${Math.floor(place / size) + 1}`;
const placeOf = (cell, size) => (Number(cell.slice(1)) - 1) * size + letters.indexOf(cell[0]);

export const setup = ({ size }) => ({ size, board: '.'.repeat(size * size), turn: 0 });
export const awaited = (state) => [state.turn];
export const actions = ({ size, board }) => [
  { name: 'place', data: { cell: [...board].flatMap((mark, place) => (mark === '.' ? [nameOf(place, size)] : [])) } },
];

export function apply({ size, board }, seat, { data: { cell } }, random, names) {
  const place = placeOf(cell, size);
  const after = board.slice(0, place) + marks[seat] + board.slice(place + 1);
  return { state: { size, board: after, turn: 1 - seat }, log: [`${names[seat]} put a stone on ${cell}.`] };
}

// Whether the seat's stones connect its two sides.
function connects(board, size, seat) {
  const seen = new Set();
  const open = [];
  for (let i = 0; i < size; ++i) open.push(seat === 0 ? [i, 0] : [0, i]);
  while (open.length > 0) {
    const [column, row] = open.pop();
    const place = row * size + column;
    if (column < 0 || row < 0 || column >= size || row >= size || board[place] !== marks[seat] || seen.has(place)) continue;
    if ((seat === 0 ? row : column) === size - 1) return true;
    seen.add(place);
    for (const [right, down] of around) open.push([column + right, row + down]);
  }
  return false;
}

// Only the player who has just moved can have won.
export function outcome({ size, board, turn }) {
  return connects(board, size, 1 - turn) ? { winners: [1 - turn], reason: 'connected both sides' } : null;
}

const rowsOf = (board, size) => Array.from({ length: size }, (_, row) => board.slice(row * size, row * size + size));
export const observe = ({ size, board, turn }, viewer, names) => ({ turn: names[turn], board: rowsOf(board, size) });

export function describe(state, seat, names) {
  const { size, board, turn } = state;
  const rows = rowsOf(board, size).map((row, i) => `${' '.repeat(i)}${String(i + 1).padStart(2)} ${[...row].join(' ')}\n`);
  const goal = seat === 0 ? '**Red (R)** and connect the top with the bottom' : '**Blue (B)** and connect the left with the right';
  const end = outcome(state);
  const next = end ? (end.winners[0] === seat ? 'You won.' : 'You lost.') : turn === seat ? 'It is your turn.' : `It is ${names[turn]}'s turn.`;
  return `You are ${goal}. ${next}\n\n\`\`\`\n   ${letters.slice(0, size).split('').join(' ')}\n${rows.join('')}\`\`\`\n`;
}

const colors = ['red', 'blue'];
export const view = ({ size, board }) => ({
  parts: [{
    type: 'grid',
    label: 'Board',
    shape: 'rhombus',
    columns: [...letters.slice(0, size)],
    rows: Array.from({ length: size }, (_, row) => row + 1),
    edges: { top: colors[0], bottom: colors[0], left: colors[1], right: colors[1] },
    cells: rowsOf(board, size).map((marksOfRow, row) => [...marksOfRow].map((mark, column) => ({
      pieces: mark === '.' ? [] : [{ color: colors[marks.indexOf(mark)] }],
      choice: { name: 'place', data: { cell: nameOf(row * size + column, size) } },
    }))),
  }],
});
