// Battleship: hidden ships, and a search for all that still fits (redeal).
const size = 6;
const lengths = [3, 3, 2];
const letters = 'ABCDEF';
const every = Array.from({ length: size * size }, (_, i) => `${letters[i % size]}${Math.floor(i / size) + 1}`);

export const info = {
  id: 'battleship',
  title: 'Battleship',
  description: 'Find the ships of your opponent',
  rules: 'Each player has three ships, of 3, 3 and 2 cells in a row or column, on a board of their own with the columns A to F and the rows 1 to 6. ' +
    'The ships are placed at random, do not overlap, and only their owner sees them. The players take turns to fire at a cell of the ' +
    'other board, and learn whether it was a hit. The first player who has hit all eight cells of the ships wins.',
  seats: { min: 2, max: 2, roles: ['First', 'Second'] },
  hides: true,
  actions: { fire: { description: 'Fire at a cell of the other board, such as "B3".', data: { cell: every }, label: ({ cell }) => cell } },
};

// Every place of a ship, as lists of cells.
const places = (length) => {
  const all = [];
  for (let cell = 0; cell < size * size; ++cell) {
    if ((cell % size) + length <= size) all.push(Array.from({ length }, (_, i) => cell + i));
    if (Math.floor(cell / size) + length <= size) all.push(Array.from({ length }, (_, i) => cell + i * size));
  }
  return all;
};
const allPlaces = lengths.map(places);

// A random fleet with a ship on each cell of `hits`, and none on those of `misses`; null if there is none left to find.
function fleet(random, hits, misses, at = 0, taken = []) {
  const open = hits.filter((cell) => !taken.includes(cell));
  const left = lengths.slice(at).reduce((sum, length) => sum + length, 0);
  if (open.length > left) return null;
  if (at === lengths.length) return taken;
  const fitting = allPlaces[at].filter((cells) => !cells.some((cell) => taken.includes(cell) || misses.includes(cell)));
  for (const cells of random.shuffle(fitting)) {
    const found = fleet(random, hits, misses, at + 1, [...taken, ...cells]);
    if (found) return found;
  }
  return null;
}

const sorted = (cells) => [...cells].sort((a, b) => a - b);

// ships[seat] are the cells of the seat's own ships, shots[seat] those at which it has fired.
export const setup = (options, seats, random) => ({ ships: [0, 1].map(() => sorted(fleet(random, [], []))), shots: [[], []], turn: 0 });
export const awaited = (state) => [state.turn];
export const actions = (state, seat) => [{ name: 'fire', data: { cell: every.filter((_, cell) => !state.shots[seat].includes(cell)) } }];

export function apply(state, seat, { data: { cell } }, random, names) {
  const at = every.indexOf(cell);
  state.shots[seat] = sorted([...state.shots[seat], at]);
  state.turn = 1 - seat;
  const isHit = state.ships[1 - seat].includes(at);
  return { state, result: { hit: isHit }, log: [`${names[seat]} fires at ${cell}: ${isHit ? 'a hit' : 'a miss'}.`] };
}

export function outcome({ ships, shots }) {
  const winner = [0, 1].find((seat) => ships[1 - seat].every((cell) => shots[seat].includes(cell)));
  return winner === undefined ? null : { winners: [winner], reason: 'hit all ships' };
}

// A seat's board: S is a ship, X a hit, o a miss.
function board(state, owner, showsShips) {
  const marks = every.map((_, cell) => {
    const isShip = state.ships[owner].includes(cell);
    if (state.shots[1 - owner].includes(cell)) return isShip ? 'X' : 'o';
    return isShip && showsShips ? 'S' : '.';
  });
  return Array.from({ length: size }, (_, row) => marks.slice(row * size, row * size + size).join(''));
}

export function observe(state, viewer, names) {
  const boards = [0, 1].map((owner) => board(state, owner, owner === viewer));
  return { turn: names[state.turn], boards: { [names[0]]: boards[0], [names[1]]: boards[1] } };
}

export function describe(state, seat, names) {
  const show = (rows) => `\`\`\`\n  ${letters}\n${rows.map((row, i) => `${i + 1} ${row}\n`).join('')}\`\`\`\n`;
  return `You are **${names[seat]}**. X is a hit, o a miss, S one of your ships.\n\nThe board of ${names[1 - seat]}, at which you fire:\n\n` +
    `${show(board(state, 1 - seat, false))}\nYour own board:\n\n${show(board(state, seat, true))}`;
}

export function redeal(state, seat, random) {
  const other = 1 - seat;
  const hits = state.shots[seat].filter((cell) => state.ships[other].includes(cell));
  const misses = state.shots[seat].filter((cell) => !state.ships[other].includes(cell));
  const ships = [...state.ships];
  ships[other] = sorted(fleet(random, hits, misses));
  return { ...state, ships };
}

const looks = { X: { text: '✕', color: 'red', label: 'hit' }, o: { text: '·', color: 'gray', label: 'miss' }, S: { color: 'gray', shape: 'block', label: 'ship' }, '.': null };
export const view = (state, viewer) => ({
  parts: [1, 0].map((turned) => (viewer === 1 ? 1 - turned : turned)).map((owner) => ({
    type: 'grid',
    label: owner === viewer ? 'Ships' : 'Waters',
    seat: owner,
    columns: [...letters],
    rows: [1, 2, 3, 4, 5, 6],
    cells: board(state, owner, owner === viewer).map((row, i) => [...row].map((mark, column) => ({
      pieces: looks[mark] ? [looks[mark]] : [],
      color: owner === viewer ? undefined : 'blue',
      choice: owner === viewer ? undefined : { name: 'fire', data: { cell: `${letters[column]}${i + 1}` } },
    }))),
  })),
});
