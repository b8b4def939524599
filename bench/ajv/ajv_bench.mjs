// node ajv_bench.mjs: prints how many nanoseconds ajv takes for one validation of each case of ../schema_cases.json, as
// JSON: {"Parsed/<case>/valid": 12.3, "Text/<case>/valid": 45.6, …}. The counterpart of schema_bench.
import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';

const cases = JSON.parse(readFileSync(new URL('../schema_cases.json', import.meta.url), 'utf8'));
const WINDOW_MILLISECONDS = 10; // the same as compare.mjs passes to schema_bench, like the number of windows
const WINDOWS = 12;

function time(run, calls) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < calls; ++i) run();
  return Number(process.hrtime.bigint() - start);
}

// Nanoseconds of one call of `run`: the best of several short windows, at least one of which is likely undisturbed.
function measure(run) {
  let calls = 1;
  for (let elapsed = 0; (elapsed = time(run, calls)) < WINDOW_MILLISECONDS * 1e6; ) {
    calls = Math.max(calls * 2, Math.ceil((calls * WINDOW_MILLISECONDS * 1.2e6) / Math.max(elapsed, 1)));
  }
  let best = Infinity;
  for (let i = 0; i < WINDOWS; ++i) best = Math.min(best, time(run, calls) / calls);
  return best;
}

const benches = [];
let wrong = 0;
for (const { name, schema, valid, invalid } of cases) {
  const validate = new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(schema);
  for (const [kind, instances, expected] of [['valid', valid, true], ['invalid', invalid, false]]) {
    const texts = instances.map((instance) => JSON.stringify(instance));
    const parsed = () => {
      for (let i = 0; i < instances.length; ++i) if (validate(instances[i]) !== expected) ++wrong;
    };
    const fromText = () => {
      for (let i = 0; i < texts.length; ++i) if (validate(JSON.parse(texts[i])) !== expected) ++wrong;
    };
    benches.push({ label: `Parsed/${name}/${kind}`, run: parsed, count: instances.length });
    benches.push({ label: `Text/${name}/${kind}`, run: fromText, count: texts.length });
  }
}

// A first pass, not counted, lets V8 see and optimize all schemas, as in a server that has many.
for (const { run } of benches) measure(run);
const figures = {};
for (const { label, run, count } of benches) figures[label] = measure(run) / count;
if (wrong > 0) throw new Error('ajv does not give the verdicts that the cases expect');
console.log(JSON.stringify(figures));
