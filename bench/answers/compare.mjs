// node compare.mjs PROGRAM [ROUNDS]: reads the answers of ../answer_cases.json with PROGRAM (answer_bench) and with zod
// and jsonrepair (answer_bench.mjs), alternating; prints answers per second, the best round of each side, and the ratio.
import { execFileSync } from 'node:child_process';

const program = process.argv[2];
const rounds = Number(process.argv[3] ?? 3);
if (!program || !(rounds > 0)) {
  console.error('usage: node compare.mjs PROGRAM [ROUNDS]');
  process.exit(2);
}
const here = new URL('.', import.meta.url).pathname;
const run = (command, options) =>
  JSON.parse(execFileSync(command, options, { cwd: `${here}/../..`, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
const best = (figures, name, rate) => figures.set(name, Math.max(figures.get(name) ?? 0, rate));
const ours = new Map();
const theirs = new Map();
for (let round = 1; round <= rounds; ++round) {
  process.stderr.write(`\rround ${round} of ${rounds}`);
  for (const [name, rate] of Object.entries(run(process.execPath, [`${here}/answer_bench.mjs`, 'bench/answer_cases.json', '0.3']))) {
    best(theirs, name, rate);
  }
  const { benchmarks } = run(program, ['--benchmark_format=json', '--benchmark_min_time=0.3']);
  for (const each of benchmarks) best(ours, each.name, each.items_per_second);
}
process.stderr.write('\r');
const number = (value) => value.toLocaleString('en', { maximumFractionDigits: 0 }).padStart(12);
console.log('answers per second         openseat   zod + jsonrepair   ratio');
const ratios = [];
for (const [name, rate] of theirs) {
  const ratio = ours.get(name) / rate;
  ratios.push(ratio);
  console.log(`${name.padEnd(22)} ${number(ours.get(name))} ${number(rate).padStart(18)} ${ratio.toFixed(1).padStart(7)}`);
}
const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
console.log(`geometric mean ${mean.toFixed(1)}, minimum ${Math.min(...ratios).toFixed(1)}`);
