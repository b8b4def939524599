// node compare.mjs GAMES SCRIPTS [SECONDS]: plays random games of tic-tac-toe with GAMES (games_bench), with SCRIPTS
// (script_bench, in the project's folder) and with boardgame.io (playouts.mjs), one after the other, and prints games per
// second of CPU time, and the ratio. Both must play uniformly
// at random, which is checked: in 10,000 games the first player wins 58.5 % of them.
import { execFileSync } from 'node:child_process';

const [, , program, scripts, seconds = '2'] = process.argv;
if (!program || !scripts || !(Number(seconds) > 0)) {
  console.error('usage: node compare.mjs GAMES SCRIPTS [SECONDS]');
  process.exit(2);
}
const run = (command, options) =>
  JSON.parse(execFileSync(command, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
const here = new URL('.', import.meta.url).pathname;

const theirs = run(process.execPath, [`${here}/playouts.mjs`, seconds]);
const total = theirs.results[0] + theirs.results[1] + theirs.results.draw;
if (total > 10_000 && Math.abs(theirs.results[0] / total - 0.585) > 0.03) {
  console.error(`boardgame.io's games have other results: ${JSON.stringify(theirs.results)}`);
  process.exit(1);
}
const benchmarks = [[program, 'tictactoe'], [scripts, 'tic-tac-toe']].flatMap(([each, game]) => run(each, [
  `--benchmark_filter=/${game}$`, '--benchmark_format=json', `--benchmark_min_time=${seconds}`,
]).benchmarks);

const number = (value) => Math.round(value).toLocaleString('en').padStart(12);
console.log('tic-tac-toe, complete random games, games per second on one core');
console.log(`boardgame.io        ${number(theirs.games_per_second)}   ${theirs.choices_per_game.toFixed(1)} choices per game`);
for (const { name, items_per_second: rate, choices_per_game: choices } of benchmarks) {
  const ratio = rate / theirs.games_per_second;
  console.log(`openseat, ${name.split('/')[0].padEnd(8)}  ${number(rate)}   ${choices.toFixed(1)} choices per game, ${ratio < 10 ? ratio.toFixed(1) : ratio.toFixed(0)} times`);
}
