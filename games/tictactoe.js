// Tic-tac-toe as a script. All but its id equals the game written in C++ (src/games/tictactoe): a test compares them.
const MARKS = ['X', 'O'];
const NAMES = ['top left', 'top center', 'top right', 'middle left', 'center', 'middle right', 'bottom left', 'bottom center', 'bottom right'];
const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const CELLS = NAMES.map((_, cell) => [Math.floor(cell / 3), cell % 3]);
const cellAt = (position) => 3 * position[0] + position[1];

export const info = {
  id: 'tic-tac-toe',
  title: 'Tic-Tac-Toe',
  description: 'Three in a row on a board of three by three',
  rules: 'Two players, X and O, take turns to put their mark on a free cell of a board of 3 rows and 3 columns. X begins. ' +
    'The first player with three marks in a row, in a column or on a diagonal wins. If the board fills up without that, it is a draw.',
  seats: { min: 2, max: 2, roles: MARKS },
  actions: {
    move: {
      description: 'Put your mark on a free cell. `position` is [row, column], each 0 to 2, from the top left.',
      data: { position: CELLS },
      label: ({ position }) => NAMES[cellAt(position)],
    },
  },
};

export const setup = () => ({ cells: Array(9).fill(' '), turn: 0 });
export const awaited = (state) => [state.turn];
export const actions = ({ cells }) => [{ name: 'move', data: { position: CELLS.filter((_, cell) => cells[cell] === ' ') } }];

export function validate(state, seat, { data: { position } }) {
  const mark = state.cells[cellAt(position)];
  if (mark !== ' ') return { reason: `position ${JSON.stringify(position)} is taken by ${mark}`, path: 'position' };
}

export function apply(state, seat, { data: { position } }, random, names) {
  state.cells[cellAt(position)] = MARKS[seat];
  state.turn = 1 - seat;
  return {
    state,
    result: { updated: { position, value: MARKS[seat] } },
    log: [`${names[seat]} put ${MARKS[seat]} in the ${NAMES[cellAt(position)]}.`],
  };
}

const rows = (cells) => [0, 3, 6].map((first) => cells.slice(first, first + 3));
export const observe = ({ cells, turn }, viewer, names) => ({ X: names[0], O: names[1], turn: MARKS[turn], board: rows(cells) });

export function outcome({ cells }) {
  for (let i = 0; i < 8; ++i) {
    const at = LINES[i], mark = cells[at[0]];
    if (mark !== ' ' && mark === cells[at[1]] && mark === cells[at[2]]) return { winners: [MARKS.indexOf(mark)], reason: 'three in a row' };
  }
  return cells.includes(' ') ? null : { winners: [], reason: 'the board is full' };
}

export function describe({ cells, turn }, seat, names) {
  const lines = rows(cells).map((row, at) => `${at}   ${row.join(' | ')}\n`).join('   ---+---+---\n');
  const end = outcome({ cells });
  const last = end ? `\n${end.winners.length === 0 ? 'It is a draw' : end.winners[0] === seat ? 'You won' : 'You lost'}: ${end.reason}.\n`
    : turn === seat ? '' : `\nIt is ${names[1 - seat]}'s turn.\n`;
  return `You are **${MARKS[seat]}**; ${names[1 - seat]} is ${MARKS[1 - seat]}.\n\n\`\`\`\n    0   1   2\n${lines}\`\`\`\n${last}`;
}
