// Sample data for a schema: a quick way to fill a form. It follows the schema's types, bounds, formats and
// lists of values. What it cannot follow (patterns, `not`, more data than the budget allows) is reported by the form's check.
import type { Json, JsonObject } from '../api/types';
import { Budget } from './budget';
import { branches, enumValues, given, itemBounds, itemSchema, kindOf, members, resolve, type Draft } from './shape';

const kWords = ['amber', 'birch', 'comet', 'delta', 'ember', 'fable', 'grove', 'harbor', 'iris', 'juniper', 'lantern', 'meadow'];
const kFormats: Record<string, string> = {
  date: '2026-03-14',
  time: '12:30:00Z',
  'date-time': '2026-03-14T12:30:00Z',
  duration: 'PT5M',
  email: 'ada@example.org',
  uri: 'https://example.org/',
  'uri-reference': '/example',
  hostname: 'example.org',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d',
};
const kMostDepth = 8;
const kMostText = 10_000; // characters

export type Random = () => number; // 0 to below 1

const below = (random: Random, n: number): number => Math.floor(random() * n);

function text(schema: JsonObject, random: Random, budget: Budget): string {
  if (typeof schema.format === 'string' && kFormats[schema.format] !== undefined) return kFormats[schema.format] ?? '';
  const least = Math.min(typeof schema.minLength === 'number' ? schema.minLength : 0, kMostText, budget.left);
  budget.spend(Math.max(0, least));
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : Infinity;
  let result = kWords[below(random, kWords.length)] ?? 'amber';
  while (result.length < least) result += ` ${kWords[below(random, kWords.length)]}`;
  return result.slice(0, most);
}

function number(schema: JsonObject, whole: boolean, random: Random): number {
  const get = (name: string): number | undefined => (typeof schema[name] === 'number' ? schema[name] : undefined);
  const step = get('multipleOf') ?? (whole ? 1 : undefined);
  const edge = step ?? 0.01;
  const lowest = Math.max(get('minimum') ?? -Infinity, (get('exclusiveMinimum') ?? -Infinity) + edge);
  const highest = Math.min(get('maximum') ?? Infinity, (get('exclusiveMaximum') ?? Infinity) - edge);
  const low = Number.isFinite(lowest) ? lowest : Number.isFinite(highest) ? highest - 100 : 0;
  const high = Number.isFinite(highest) ? highest : low + 100;
  if (step === undefined) return Math.round((low + random() * (high - low)) * 100) / 100;
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  const value = (first + below(random, Math.max(1, last - first + 1))) * step;
  // 3 * 0.1 is 0.30000000000000004.
  return Number(value.toPrecision(12));
}

export function sample(schema: Json, root: Json, random: Random = Math.random, budget = new Budget(), depth = 0): Draft {
  if (depth > kMostDepth * 2) return null;
  if (!budget.spend(Budget.perField)) return undefined;
  const one = resolve(schema, root, budget);
  const examples = Array.isArray(one.examples) ? one.examples : [];
  if (examples.length > 0) return given(examples[below(random, examples.length)], budget);
  const kind = kindOf(one, root, budget);
  switch (kind) {
    case 'const':
      return given(one.const, budget);
    case 'enum': {
      const values = enumValues(one, root, budget);
      return given(values[below(random, values.length)]?.value, budget);
    }
    case 'choice': {
      const among = branches(one, root, budget);
      // When deeply nested, the simplest alternative comes first.
      const picked = depth > kMostDepth ? (among.find((each) => kindOf(each.schema, root, budget) === 'null') ?? among[0]) : among[below(random, among.length)];
      return picked ? sample(picked.schema, root, random, budget, depth + 1) : undefined;
    }
    case 'object': {
      const result: JsonObject = {};
      for (const each of members(one, budget)) {
        if (!each.required && (depth > kMostDepth || random() < 0.4)) continue;
        const value = sample(each.schema, root, random, budget, depth + 1);
        if (value !== undefined) result[each.name] = value;
      }
      return result;
    }
    case 'array': {
      const { least, most } = itemBounds(one);
      const fixed = Array.isArray(one.prefixItems) ? one.prefixItems.length : 0;
      const wanted = Math.max(least, fixed, depth > kMostDepth ? 0 : 1 + below(random, 2));
      const result: Json[] = [];
      const known = new Set<string>();
      for (let tries = 0; result.length < Math.min(wanted, most) && tries < wanted * 10; tries += 1) {
        const item = sample(itemSchema(one, result.length), root, random, budget, depth + 1) ?? null;
        if (budget.left === 0) break;
        const key = one.uniqueItems === true ? JSON.stringify(item) : String(tries);
        if (known.has(key)) continue;
        known.add(key);
        result.push(item);
      }
      return result;
    }
    case 'string':
      return text(one, random, budget);
    case 'number':
    case 'integer':
      return number(one, kind === 'integer', random);
    case 'boolean':
      return random() < 0.5;
    case 'null':
      return null;
    case 'any':
      return kWords[below(random, kWords.length)];
  }
}
