// node playouts.mjs [SECONDS]: plays random games of tic-tac-toe with boardgame.io, through the reducer that its server
// uses to play matches and its bots use to look ahead. Prints one JSON object.
import { createRequire } from 'node:module';

// The package exports its internals only to CommonJS.
const { CreateGameReducer, InitializeGame, ProcessGameConfig } = createRequire(import.meta.url)('boardgame.io/internal');

const lines = [
  [0, 1, 2], [3, 4, 5], [6, 7, 8],
  [0, 3, 6], [1, 4, 7], [2, 5, 8],
  [0, 4, 8], [2, 4, 6],
];
const game = ProcessGameConfig({
  name: 'tic-tac-toe',
  setup: () => ({ cells: Array(9).fill(null) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    mark({ G, playerID }, cell) {
      if (G.cells[cell] !== null) return 'INVALID_MOVE';
      G.cells[cell] = playerID;
    },
  },
  endIf({ G }) {
    for (const [a, b, c] of lines) {
      if (G.cells[a] !== null && G.cells[a] === G.cells[b] && G.cells[a] === G.cells[c]) return { winner: G.cells[a] };
    }
    if (G.cells.every((cell) => cell !== null)) return { draw: true };
  },
});
const start = InitializeGame({ game, numPlayers: 2 });
const reduce = CreateGameReducer({ game });

let choices = 0;
const results = { 0: 0, 1: 0, draw: 0 };
function play() {
  let state = start;
  while (state.ctx.gameover === undefined) {
    const free = [];
    for (let cell = 0; cell < 9; ++cell) if (state.G.cells[cell] === null) free.push(cell);
    const args = [free[Math.floor(Math.random() * free.length)]];
    state = reduce(state, { type: 'MAKE_MOVE', payload: { type: 'mark', args, playerID: state.ctx.currentPlayer } });
    ++choices;
  }
  ++results[state.ctx.gameover.winner ?? 'draw'];
}

const seconds = Number(process.argv[2] ?? 2);
for (let i = 0; i < 2000; ++i) play(); // warm up
choices = 0;
for (const key of Object.keys(results)) results[key] = 0;
let games = 0;
const begin = process.cpuUsage();
let used = 0;
do {
  for (let i = 0; i < 200; ++i) play();
  games += 200;
  const { user, system } = process.cpuUsage(begin);
  used = (user + system) / 1e6;
} while (used < seconds);
console.log(JSON.stringify({ games_per_second: games / used, choices_per_game: choices / games, results }));
