// node apart.mjs RUN…: how many games it takes to tell the two agents of a judged run (openseat analyze) apart, by their results
// and by their losses. It draws from the games that were played: whole pairs of games, so that both agents had each seat.
//
// "Told apart": the 95 % interval of the mean difference (Student's t over the pairs) leaves out 0, on the side of the
// agent that is better in all games together. The number is the least at which 80 % of 2,000 draws tell them apart.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const kDraws = 2000;
const kPower = 0.8;
const linesOf = (run, file) =>
  readFileSync(join(run, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

// The same numbers on every machine (mulberry32).
let state = 1;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

const mean = (values) => values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length);

// By pair: how much more the first agent got, and how much less its choices lost on average.
function pairsOf(run) {
  const games = linesOf(run, 'games.jsonl').filter(({ result }) => result !== 'void');
  const [first, second] = JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')).agents;
  const losses = new Map(); // by game: of each agent, the losses of its choices
  for (const { game, agent, loss, forced } of linesOf(run, 'analysis.jsonl')) {
    if (!losses.has(game)) losses.set(game, { [first]: [], [second]: [] });
    if (loss !== null && !forced) losses.get(game)[agent].push(loss);
  }
  const pairs = new Map();
  for (const { game, pair, seats, result, winners } of games) {
    if (!losses.has(game)) continue;
    const got = (agent) => (result === 'draw' ? 0.5 : winners.some((seat) => seats[seat] === agent) ? 1 : 0);
    const lost = losses.get(game);
    const kept = pairs.get(pair) ?? { games: 0, result: 0, loss: 0 };
    kept.games += 1;
    kept.result += got(first) - got(second);
    kept.loss += mean(lost[second]) - mean(lost[first]);
    pairs.set(pair, kept);
  }
  return { first, second, pairs: [...pairs.values()].filter((each) => each.games === 2) };
}

// Student's t at 97.5 % with so many degrees of freedom (Cornish-Fisher).
function t975(degrees) {
  const z = 1.959964;
  return z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2) + (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * degrees ** 3);
}

// How often so many pairs, drawn from all, tell the two apart.
function power(values, count, sign) {
  let told = 0;
  const t = t975(count - 1);
  for (let draw = 0; draw < kDraws; draw += 1) {
    let sum = 0;
    let squares = 0;
    for (let i = 0; i < count; i += 1) {
      const value = values[Math.floor(random() * values.length)] * sign;
      sum += value;
      squares += value * value;
    }
    const variance = Math.max(0, (squares - (sum * sum) / count) / (count - 1));
    if (sum / count > t * Math.sqrt(variance / count)) told += 1;
  }
  return told / kDraws;
}

// In games; undefined: more than a hundred times as many as were played.
function needed(values) {
  state = 1;
  const sign = Math.sign(mean(values));
  let low = 4; // pairs: fewer have no spread to speak of
  let high = low;
  if (power(values, low, sign) >= kPower) return 2 * low;
  while (power(values, high, sign) < kPower) {
    low = high;
    high *= 2;
    if (high > 100 * values.length) return undefined;
  }
  while (high - low > Math.max(1, low / 50)) {
    const middle = Math.floor((low + high) / 2);
    if (power(values, middle, sign) < kPower) low = middle;
    else high = middle;
  }
  return 2 * high;
}

const runs = process.argv.slice(2);
if (runs.length === 0) {
  console.error('usage: apart.mjs RUN…');
  process.exit(2);
}
for (const run of runs) {
  const { first, second, pairs } = pairsOf(run);
  const figures = ['result', 'loss'].map((kind) => {
    const values = pairs.map((pair) => pair[kind]);
    return { games: needed(values), mean: mean(values) / 2, better: mean(values) >= 0 ? first : second };
  });
  const said = ({ games, mean: by, better }) => `${games ?? 'too many'} games (better: ${better}, by ${Math.abs(by).toFixed(3)} a game)`;
  console.log(`${run}: ${2 * pairs.length} games of ${first} against ${second}`);
  console.log(`  by results: ${said(figures[0])}`);
  console.log(`  by losses:  ${said(figures[1])}`);
}
