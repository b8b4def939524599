// node compare.mjs PROGRAM [ROUNDS]: validates the cases of ../schema_cases.json with ajv (ajv_bench.mjs) and with PROGRAM
// (schema_bench), alternating, and prints the ratio of the program's validations per second to ajv's. It prints two
// tables: values that are already parsed, and JSON texts, parsed and validated. Each figure is the best of many short
// windows of wall time, for both sides, since other work on the machine only ever adds time. Exits with 1 if ajv is
// faster in a case of the first table.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const program = process.argv[2];
const rounds = Number(process.argv[3] ?? 5);
if (!program || !(rounds > 0)) {
  console.error('usage: node compare.mjs PROGRAM [ROUNDS]');
  process.exit(2);
}
const here = new URL('.', import.meta.url).pathname;
const cases = JSON.parse(readFileSync(`${here}/../schema_cases.json`, 'utf8'));

function run(command, options) {
  const output = execFileSync(command, options, {
    cwd: `${here}/../..`,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1 << 26,
  });
  return JSON.parse(output);
}

const ours = new Map();
const theirs = new Map();
const keepBest = (figures, label, time) => figures.set(label, Math.min(figures.get(label) ?? Infinity, time));
const progress = (text) => process.stderr.write(`\r${text.padEnd(40)}`);
for (let round = 1; round <= rounds; ++round) {
  progress(`round ${round} of ${rounds}: ajv`);
  const figures = run(process.execPath, [`${here}/ajv_bench.mjs`]);
  for (const [label, time] of Object.entries(figures)) keepBest(theirs, label, time);
  progress(`round ${round} of ${rounds}: openseat`);
  const { benchmarks } = run(program, [
    '--benchmark_format=json',
    '--benchmark_min_time=0.01',
    '--benchmark_repetitions=12',
    '--benchmark_display_aggregates_only=false',
  ]);
  const windows = benchmarks.filter(({ run_type: type }) => type === 'iteration');
  for (const { name, items_per_second: rate } of windows) keepBest(ours, name.replace(/\/real_time$/, ''), 1e9 / rate);
}
progress('');
process.stderr.write('\r');

const number = (value) => value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 });
const geometricMean = (list) => Math.exp(list.reduce((sum, value) => sum + Math.log(value), 0) / list.length);
let slower = false;
for (const [how, title] of [
  ['Parsed', 'Parsed values'],
  ['Text', 'JSON texts, parsed and validated'],
]) {
  console.log(`\n${title}: nanoseconds per validation, and the ratio\n`);
  console.log('size    case                      openseat         ajv    ratio');
  const ratios = {};
  for (const { size, name } of cases) {
    for (const kind of ['valid', 'invalid']) {
      const label = `${how}/${name}/${kind}`;
      const ratio = theirs.get(label) / ours.get(label);
      (ratios[size] ??= []).push(ratio);
      const columns = [number(ours.get(label)), number(theirs.get(label))].map((text) => text.padStart(11));
      console.log(`${size.padEnd(7)} ${`${name}/${kind}`.padEnd(22)} ${columns.join(' ')} ${ratio.toFixed(2).padStart(8)}`);
      slower ||= how === 'Parsed' && ratio < 1;
    }
  }
  console.log('');
  for (const [size, list] of Object.entries(ratios)) {
    console.log(`${size}: ${geometricMean(list).toFixed(2)} times ajv (geometric mean), at least ${Math.min(...list).toFixed(2)}`);
  }
}
process.exit(slower ? 1 : 0);
