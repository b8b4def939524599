// Gomoku: a large board, and moves named by their coordinates.
const letters = 'ABCDEFGHIJKLMNO';
const every = Array.from({ length: 225 }, (_, i) => `${letters[i % 15]}${Math.floor(i / 15) + 1}`);

export const info = {
  id: 'gomoku',
  title: 'Gomoku',
  description: 'Five stones in a row on a large board',
  rules: 'Black and White take turns to put a stone on a free point of a square board; Black begins. The first player with five or more ' +
    'stones in an unbroken row, column or diagonal wins. If the board fills up, it is a draw. A point is named by its column (a letter, ' +
    'from the left) and its row (a number, from the bottom): C4.',
  seats: { min: 2, max: 2, roles: ['Black', 'White'] },
  options: { size: { type: 'integer', minimum: 5, maximum: 15, default: 15 } },
  actions: {
    place: { description: 'Put a stone on a free point, such as "H8".', data: { point: every }, label: ({ point }) => point },
  },
};

const marks = 'XO';
const placeOf = (point, size) => (Number(point.slice(1)) - 1) * size + letters.indexOf(point[0]);
const pointOf = (place, size) => `${letters[place % size]}${Math.floor(place / size) + 1}`;

export const setup = ({ size }) => ({ size, board: '.'.repeat(size * size), last: null, turn: 0 });
export const awaited = (state) => [state.turn];

export function actions({ size, board }) {
  const free = [];
  for (let place = 0; place < board.length; ++place) if (board[place] === '.') free.push(pointOf(place, size));
  return [{ name: 'place', data: { point: free } }];
}

export function apply({ size, board }, seat, { data: { point } }, random, names) {
  const place = placeOf(point, size);
  const after = board.slice(0, place) + marks[seat] + board.slice(place + 1);
  return { state: { size, board: after, last: place, turn: 1 - seat }, log: [`${names[seat]} played ${point}.`] };
}

// How many equal stones follow `place` in a direction.
function run(board, size, place, right, up) {
  let count = 0;
  let column = place % size + right;
  let row = Math.floor(place / size) + up;
  while (column >= 0 && column < size && row >= 0 && row < size && board[row * size + column] === board[place]) {
    ++count;
    column += right;
    row += up;
  }
  return count;
}

export function outcome({ size, board, last, turn }) {
  if (last === null) return null;
  const five = [[1, 0], [0, 1], [1, 1], [1, -1]].some(
    ([right, up]) => run(board, size, last, right, up) + run(board, size, last, -right, -up) >= 4);
  if (five) return { winners: [1 - turn], reason: 'five in a row' };
  return board.includes('.') ? null : { winners: [], reason: 'the board is full' };
}

export const observe = ({ size, board, last, turn }, viewer, names) => ({
  turn: names[turn],
  last: last === null ? null : pointOf(last, size),
  board: Array.from({ length: size }, (_, i) => board.slice((size - 1 - i) * size, (size - i) * size)),
});

export function describe(state, seat, names) {
  const { size, board, last, turn } = state;
  const rows = Array.from({ length: size }, (_, i) => {
    const row = size - 1 - i;
    return `${String(row + 1).padStart(2)} ${[...board.slice(row * size, row * size + size)].join(' ')}\n`;
  });
  const who = `You are **${seat === 0 ? 'Black (X)' : 'White (O)'}**.`;
  const moved = last === null ? '' : ` The last stone is at ${pointOf(last, size)}.`;
  const end = outcome(state);
  const next = end ? `The game is over: ${end.reason}.` : turn === seat ? 'It is your turn.' : `It is ${names[turn]}'s turn.`;
  return `${who}${moved} ${next}\n\n\`\`\`\n${rows.join('')}   ${letters.slice(0, size).split('').join(' ')}\n\`\`\`\n`;
}

export const view = ({ size, board, last }) => ({
  parts: [{
    type: 'grid',
    label: 'Board',
    style: 'points',
    columns: [...letters.slice(0, size)],
    rows: Array.from({ length: size }, (_, i) => size - i),
    cells: Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, column) => {
      const place = (size - 1 - i) * size + column;
      return {
        pieces: board[place] === '.' ? [] : [{ color: ['black', 'white'][marks.indexOf(board[place])] }],
        mark: place === last ? 'last' : undefined,
        choice: { name: 'place', data: { point: pointOf(place, size) } },
      };
    })),
  }],
});
