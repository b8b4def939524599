// node answer_bench.mjs CASES SECONDS: parses, repairs if that fails, and validates; prints answers per second, by kind
// of case, as JSON.
import { readFileSync } from 'node:fs';
import { jsonrepair } from 'jsonrepair';
import { z } from 'zod';

const delta = z.number().min(-100).max(100);
const Schema = z.strictObject({
  narrative: z.string().min(1).max(10000),
  emotion: z.enum(['neutral', 'happy', 'sad', 'angry', 'fearful', 'surprised', 'excited']),
  choices: z.array(z.strictObject({
    id: z.string().min(1).max(100),
    label: z.string().min(1).max(100),
    description: z.string().max(500).optional(),
  })).min(1).max(10),
  npcResponses: z.array(z.strictObject({
    npcId: z.string(),
    response: z.string().max(1000),
    emotion: z.string(),
  })).max(20).optional(),
  worldStateChanges: z.record(z.string(), z.unknown()).optional(),
  relationshipDeltas: z.record(z.string(), delta).optional(),
  factionDeltas: z.record(z.string(), delta).optional(),
});

function judge(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    value = JSON.parse(jsonrepair(text));
  }
  return Schema.safeParse(value).success;
}

const cases = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const seconds = Number(process.argv[3]);
const kinds = new Map();
for (const each of cases) kinds.set(each.name, [...(kinds.get(each.name) ?? []), each]);
const rates = {};
for (const [name, list] of kinds) {
  for (const { text } of list) {
    if (!judge(text)) throw new Error(`${name} is not valid after repair`);
  }
  const run = (until) => {
    let count = 0;
    const begun = process.hrtime.bigint();
    let now = begun;
    while (now - begun < until) {
      for (const { text } of list) judge(text);
      count += list.length;
      now = process.hrtime.bigint();
    }
    return count / (Number(now - begun) / 1e9);
  };
  run(BigInt(Math.round(seconds * 5e8)));  // warm up
  rates[name] = run(BigInt(Math.round(seconds * 1e9)));
}
console.log(JSON.stringify(rates));
