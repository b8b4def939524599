// node compare.mjs PROGRAM [ROUNDS]: validates the cases of ../schema_cases.json with ajv and with PROGRAM (schema_bench),
// in turns, and prints how many times as many validations a second the program does. Two tables: values that are parsed
// already, and JSON texts, parsed and validated. Each figure is the best of its rounds, for
// both sides: what else runs on the machine only ever adds.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';

const program = process.argv[2];
const rounds = Number(process.argv[3] ?? 5);
if (!program || !(rounds > 0)) {
  console.error('usage: node compare.mjs PROGRAM [ROUNDS]');
  process.exit(2);
}
const root = new URL('../..', import.meta.url).pathname;
const cases = JSON.parse(readFileSync(`${root}/bench/schema_cases.json`, 'utf8'));
const MIN_MILLISECONDS = 120;

// Nanoseconds of one call of `run`, which validates `count` instances.
function measure(run, count) {
  let calls = 1;
  for (;;) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < calls; ++i) run();
    const elapsed = Number(process.hrtime.bigint() - start);
    if (elapsed > MIN_MILLISECONDS * 1e6) return elapsed / calls / count;
    calls = Math.max(calls * 2, Math.ceil((calls * MIN_MILLISECONDS * 1.2e6) / Math.max(elapsed, 1)));
  }
}

const benches = [];
for (const { size, name, schema, valid, invalid } of cases) {
  const validate = new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(schema);
  for (const [kind, instances, expected] of [['valid', valid, true], ['invalid', invalid, false]]) {
    const texts = instances.map((instance) => JSON.stringify(instance));
    let wrong = 0;
    const parsed = () => {
      for (let i = 0; i < instances.length; ++i) if (validate(instances[i]) !== expected) ++wrong;
    };
    const fromText = () => {
      for (let i = 0; i < texts.length; ++i) if (validate(JSON.parse(texts[i])) !== expected) ++wrong;
    };
    benches.push({ size, label: `${name}/${kind}`, parsed, fromText, count: instances.length, wrong: () => wrong,
                   ours: { parsed: [], text: [] }, theirs: { parsed: [], text: [] } });
  }
}

const best = (list) => Math.min(...list);

for (let round = 0; round < rounds; ++round) {
  process.stderr.write(`\rround ${round + 1} of ${rounds}: ajv        `);
  for (const bench of benches) {
    bench.theirs.parsed.push(measure(bench.parsed, bench.count));
    bench.theirs.text.push(measure(bench.fromText, bench.count));
    if (bench.wrong() > 0) throw new Error(`ajv does not give what ${bench.label} expects`);
  }
  process.stderr.write(`\rround ${round + 1} of ${rounds}: openseat   `);
  const output = JSON.parse(execFileSync(program, ['--benchmark_format=json', '--benchmark_min_time=0.12'],
                                         { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 26 }));
  for (const { name, real_time: time, items_per_second: rate } of output.benchmarks) {
    const [how, ...label] = name.split('/');
    const bench = benches.find((candidate) => candidate.label === label.join('/'));
    if (!bench) continue;
    bench.ours[how === 'Parsed' ? 'parsed' : 'text'].push(rate ? 1e9 / rate : time);
  }
}
process.stderr.write('\r                              \r');

const number = (value) => value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 });
let worst = Infinity;
for (const [how, title] of [['parsed', 'Values parsed already'], ['text', 'JSON texts, parsed and validated']]) {
  console.log(`\n${title}: nanoseconds a validation, and the ratio\n`);
  console.log('size    case                      openseat         ajv    ratio');
  const bySize = new Map();
  for (const bench of benches) {
    const ours = best(bench.ours[how]);
    const theirs = best(bench.theirs[how]);
    const ratio = theirs / ours;
    worst = Math.min(worst, ratio);
    bySize.set(bench.size, [...(bySize.get(bench.size) ?? []), ratio]);
    console.log(`${bench.size.padEnd(7)} ${bench.label.padEnd(22)} ${number(ours).padStart(11)} ${number(theirs).padStart(11)} ` +
                `${ratio.toFixed(2).padStart(8)}`);
  }
  for (const [size, ratios] of bySize) {
    const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
    console.log(`${size}: ${mean.toFixed(2)} times ajv (geometric mean), at least ${Math.min(...ratios).toFixed(2)}`);
  }
}
process.exit(worst < 1 ? 1 : 0);
