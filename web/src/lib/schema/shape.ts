// What a form needs to know about a JSON Schema: the kind of field, its alternatives, and its initial data.
// References within the schema are followed and `allOf` is merged; what cannot be shown as a field is 'any', which
// is edited as JSON. check.ts decides whether a value is valid; this file never does.
// Everything that a schema can make long takes a budget (budget.ts), and does less once it is spent.
import type { Json, JsonObject } from '../api/types';
import { Budget } from './budget';

export type Kind = 'const' | 'enum' | 'choice' | 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'any';

// An incomplete value: missing members are undefined.
export type Draft = Json | undefined;

const kMostSteps = 32; // of references to references

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

export function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

export function sameJson(a: Draft, b: Draft): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, i) => sameJson(each, b[i]));
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a);
    return names.length === Object.keys(b).length && names.every((name) => name in b && sameJson(a[name], b[name]));
  }
  return false;
}

// The value at a JSON pointer ("" or "/a/0"), undefined if there is none.
export function at(value: Json, pointer: string): Draft {
  let here: Draft = value;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(here)) here = here[Number(name)];
    else if (isObject(here)) here = Object.hasOwn(here, name) ? here[name] : undefined;
    else return undefined;
  }
  return here;
}

export const pointerStep = (name: string | number): string => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

// "/position/0" as people write it: "position[0]"; "" for the whole.
export function pathText(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`), '');
}

const lengthOf = (value: Draft): number => (Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0);
const sizeOf = (schema: JsonObject): number => lengthOf(schema) + lengthOf(schema.properties) + lengthOf(schema.required);

function merge(a: JsonObject, b: JsonObject, budget: Budget): JsonObject {
  if (!budget.spend(sizeOf(a) + sizeOf(b))) return {};
  const both: JsonObject = { ...a, ...b };
  if (isObject(a.properties) && isObject(b.properties)) both.properties = { ...a.properties, ...b.properties };
  if (Array.isArray(a.required) && Array.isArray(b.required)) both.required = [...new Set([...a.required, ...b.required])];
  return both;
}

// What a reference within the schema names; undefined for an external one, which is edited as JSON, checked by the server.
function referred(reference: string, root: Json): Draft {
  if (!reference.startsWith('#')) return undefined;
  try {
    return at(root, decodeURIComponent(reference.slice(1)));
  } catch {
    return undefined; // "#/%"
  }
}

// The schema as one object: references followed, allOf merged in. {}, which allows anything, once the budget is spent.
export function resolve(schema: Json, root: Json, budget = new Budget(), steps = 0): JsonObject {
  if (!isObject(schema)) return schema === false ? { not: {} } : {};
  if (steps > kMostSteps || !budget.spend()) return {};
  let result = schema;
  if (typeof schema.$ref === 'string') {
    const { $ref, ...beside } = schema;
    const target = budget.spend($ref.length) ? referred($ref, root) : undefined;
    result = merge(target === undefined ? {} : resolve(target, root, budget, steps + 1), beside, budget);
  }
  if (Array.isArray(result.allOf)) {
    const { allOf, ...beside } = result;
    result = allOf.reduce<JsonObject>((all, each) => merge(all, resolve(each, root, budget, steps + 1), budget), {});
    result = merge(result, beside, budget);
  }
  return result;
}

export interface Branch {
  label: string;
  schema: JsonObject;
}

export interface EnumValue {
  value: Json;
  label: string;
  hint?: string;
}

const shown = (value: Json): string => (typeof value === 'string' ? (value === '' ? '(empty)' : value) : JSON.stringify(value));

const alternatives = (schema: JsonObject): Json[] | undefined =>
  Array.isArray(schema.oneOf) ? schema.oneOf : Array.isArray(schema.anyOf) ? schema.anyOf : undefined;

// The values of an `enum`, or of alternatives that are one constant each.
export function enumValues(schema: JsonObject, root: Json, budget = new Budget()): EnumValue[] {
  if (Array.isArray(schema.enum)) {
    // A list that stands there as it is costs little.
    return budget.spend(schema.enum.length >> 4) ? schema.enum.map((value) => ({ value, label: shown(value) })) : [];
  }
  return (alternatives(schema) ?? []).map((each) => {
    const one = resolve(each, root, budget);
    const value = one.const ?? null;
    return {
      value,
      label: typeof one.title === 'string' ? one.title : shown(value),
      hint: typeof one.description === 'string' ? one.description : undefined,
    };
  });
}

const kKinds: readonly string[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const kSigns: [Kind, string[]][] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems']],
  ['string', ['pattern', 'minLength', 'maxLength', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

// REQUIRES a resolved schema.
export function kindOf(schema: JsonObject, root: Json, budget = new Budget()): Kind {
  if ('const' in schema) return 'const';
  if (Array.isArray(schema.enum)) return 'enum';
  const others = alternatives(schema);
  if (others && others.length > 0) return others.every((each) => 'const' in resolve(each, root, budget)) ? 'enum' : 'choice';
  if (Array.isArray(schema.type)) return schema.type.length === 1 ? kindOf({ ...schema, type: schema.type[0] ?? null }, root, budget) : 'choice';
  if (typeof schema.type === 'string') return kKinds.includes(schema.type) ? (schema.type as Kind) : 'any';
  return kSigns.find(([, words]) => words.some((word) => word in schema))?.[0] ?? 'any';
}

function labelOf(schema: JsonObject, root: Json, number: number, budget: Budget): string {
  if (typeof schema.title === 'string') return schema.title;
  if ('const' in schema) return shown(schema.const ?? null);
  // {"type": "move", …}: the member that tells the alternatives apart.
  if (isObject(schema.properties)) {
    for (const member of Object.values(schema.properties)) {
      const one = resolve(member, root, budget);
      if (typeof one.const === 'string') return one.const;
    }
    const names = Object.keys(schema.properties);
    if (names.length > 0) return `with ${names.slice(0, 3).join(', ')}`;
  }
  const kind = kindOf(schema, root, budget);
  const words: Partial<Record<Kind, string>> = { string: 'text', object: 'object', array: 'list', boolean: 'yes or no', null: 'nothing (null)', integer: 'whole number', enum: 'one of a list' };
  return words[kind] ?? (kind === 'any' ? `alternative ${number}` : kind);
}

// The alternatives of a 'choice'.
export function branches(schema: JsonObject, root: Json, budget = new Budget()): Branch[] {
  const others = alternatives(schema);
  const { oneOf: _one, anyOf: _any, ...base } = schema;
  void _one, _any;
  const result: Branch[] = [];
  for (const each of others ?? (schema.type as Json[])) {
    if (!budget.spend(Budget.perBranch)) break;
    const own = others ? resolve(each, root, budget) : { type: each };
    const whole = merge(base, own, budget);
    // The title of the whole is not the title of an alternative.
    result.push({ label: labelOf(others ? own : { ...whole, title: null }, root, result.length + 1, budget), schema: whole });
  }
  return result;
}

// A rough score of how well a value matches a schema; below 0: not at all.
function likeness(value: Json, schema: JsonObject, root: Json, budget: Budget, depth: number): number {
  const kind = kindOf(schema, root, budget);
  if (kind === 'const') return sameJson(value, schema.const) ? 3 : -1;
  if (kind === 'enum') return enumValues(schema, root, budget).some((each) => sameJson(each.value, value)) ? 3 : -1;
  if (kind === 'any' || depth > kMostDepth) return 0;
  if (kind === 'choice') return Math.max(-1, ...branches(schema, root, budget).map((each) => likeness(value, each.schema, root, budget, depth + 1)));
  const type = typeOf(value);
  if (kind === 'integer') return typeof value === 'number' && Number.isInteger(value) ? 2 : -1;
  if (kind !== type) return -1;
  if (kind !== 'object' || !isObject(value) || !isObject(schema.properties)) return 1;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  let score = 1;
  for (const [name, member] of Object.entries(schema.properties)) {
    const inside = value[name];
    if (inside === undefined) {
      if (required.has(name)) score -= 1;
      continue;
    }
    const each = likeness(inside, resolve(member, root, budget), root, budget, depth + 1);
    if (each < 0) return -1;
    score += each;
  }
  return score;
}

// The alternative that a value matches; the first if none.
export function branchOf(value: Draft, among: Branch[], root: Json, budget = new Budget()): number {
  if (value === undefined) return 0;
  let best = 0;
  let bestScore = -1;
  for (const [i, branch] of among.entries()) {
    const score = likeness(value, branch.schema, root, budget, 0);
    if (score > bestScore) [best, bestScore] = [i, score];
  }
  return best;
}

export interface Member {
  name: string;
  schema: Json;
  required: boolean;
}

export function members(schema: JsonObject, budget = new Budget()): Member[] {
  if (!budget.spend(Budget.perField * Math.max(lengthOf(schema.properties), lengthOf(schema.required)))) return [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const known = Object.entries(isObject(schema.properties) ? schema.properties : {}).map(([name, each]) => ({ name, schema: each, required: required.has(name) }));
  const names = new Set<Json>(known.map((each) => each.name));
  const rest = [...required].filter((name): name is string => typeof name === 'string' && !names.has(name));
  return [...known, ...rest.map((name) => ({ name, schema: extraSchema(schema) ?? true, required: true }))];
}

// The schema of additional members, if it is the same for all names: undefined if none are
// allowed. Only the checker, which can be stopped, runs a game's patterns.
export function extraSchema(schema: JsonObject): Json | undefined {
  const extra = schema.additionalProperties;
  if (!isObject(schema.patternProperties)) return extra === false ? undefined : (extra ?? true);
  const byPattern = Object.values(schema.patternProperties);
  return byPattern.length === 1 && !isObject(extra) ? byPattern[0] : true;
}

// Whether a form offers to add members with any name: not if the schema merely allows them.
export function offersExtra(schema: JsonObject): boolean {
  if (isObject(schema.additionalProperties) || schema.additionalProperties === true || isObject(schema.patternProperties)) return true;
  return schema.additionalProperties === undefined && !isObject(schema.properties);
}

export function itemSchema(schema: JsonObject, index: number): Json {
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : Array.isArray(schema.items) ? schema.items : [];
  return first[index] ?? (Array.isArray(schema.items) || schema.items === undefined ? true : schema.items);
}

// How many items a list may have: the ends are included.
export function itemBounds(schema: JsonObject): { least: number; most: number } {
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0;
  const most = typeof schema.maxItems === 'number' ? schema.maxItems : Infinity;
  const closed = schema.items === false && Array.isArray(schema.prefixItems) ? schema.prefixItems.length : Infinity;
  return { least, most: Math.min(most, closed) };
}

export const kMostDepth = 12; // of schemas that contain themselves
const kMostItems = 50;

// A value that stands in the schema, undefined if it costs too much.
export const given = (value: Draft, budget: Budget): Draft => (value === undefined || budget.spend(JSON.stringify(value).length) ? value : undefined);

// A form's initial data: required members, without inventing answers. A choice among several is left open.
export function initial(schema: Json, root: Json, budget = new Budget(), depth = 0): Draft {
  if (!budget.spend(Budget.perField)) return undefined;
  const one = resolve(schema, root, budget);
  if (one.default !== undefined) return given(one.default, budget);
  if (depth > kMostDepth) return undefined;
  switch (kindOf(one, root, budget)) {
    case 'const':
      return given(one.const, budget);
    case 'enum': {
      const values = enumValues(one, root, budget);
      return values.length === 1 ? given(values[0]?.value, budget) : undefined;
    }
    case 'choice': {
      const first = branches(one, root, budget)[0];
      return first ? initial(first.schema, root, budget, depth + 1) : undefined;
    }
    case 'object': {
      const object: { [name: string]: Draft } = {};
      for (const each of members(one, budget)) if (each.required) object[each.name] = initial(each.schema, root, budget, depth + 1);
      return object as JsonObject;
    }
    case 'array': {
      const { least } = itemBounds(one);
      const fixed = Array.isArray(one.prefixItems) ? one.prefixItems.length : 0;
      return Array.from({ length: Math.min(Math.max(least, fixed), kMostItems) }, (_, i) => initial(itemSchema(one, i), root, budget, depth + 1)) as Json[];
    }
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return undefined;
  }
}

// Removes undefined members; an undefined item becomes null, because its position counts.
export function settled(draft: Draft): Draft {
  if (Array.isArray(draft)) return draft.map((each) => settled(each) ?? null);
  if (!isObject(draft)) return draft;
  const result: JsonObject = {};
  for (const [name, each] of Object.entries(draft)) {
    const value = settled(each);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

// JSON pointers of the items that are not filled in yet.
export function openItems(draft: Draft, path = ''): string[] {
  if (Array.isArray(draft)) {
    return draft.flatMap((each: Draft, i) => (each === undefined ? [path + pointerStep(i)] : openItems(each, path + pointerStep(i))));
  }
  return isObject(draft) ? Object.entries(draft).flatMap(([name, each]) => openItems(each, path + pointerStep(name))) : [];
}

// The bounds in words: "1 to 10", "at least 3 characters"; "" for none.
export function boundsText(schema: JsonObject, kind: Kind): string {
  const number = (name: string): number | undefined => (typeof schema[name] === 'number' ? schema[name] : undefined);
  const range = (least: number | undefined, most: number | undefined, what = ''): string => {
    if (least !== undefined && most !== undefined) return least === most ? `exactly ${least}${what}` : `${least} to ${most}${what}`;
    if (least !== undefined) return `at least ${least}${what}`;
    return most !== undefined ? `at most ${most}${what}` : '';
  };
  const parts: string[] = [];
  if (kind === 'number' || kind === 'integer') {
    if (number('exclusiveMinimum') !== undefined) parts.push(`more than ${number('exclusiveMinimum')}`);
    parts.push(range(number('minimum'), number('maximum')));
    if (number('exclusiveMaximum') !== undefined) parts.push(`less than ${number('exclusiveMaximum')}`);
    if (number('multipleOf') !== undefined && !(kind === 'integer' && number('multipleOf') === 1)) parts.push(`in steps of ${number('multipleOf')}`);
  } else if (kind === 'string') {
    const least = number('minLength');
    parts.push(range(least === 0 ? undefined : least, number('maxLength'), ' characters'));
    if (typeof schema.format === 'string') parts.push(schema.format);
    if (typeof schema.pattern === 'string') parts.push(`matching ${schema.pattern}`);
  } else if (kind === 'array') {
    const least = number('minItems');
    parts.push(range(least === 0 ? undefined : least, number('maxItems'), ' items'));
    if (schema.uniqueItems === true) parts.push('no two alike');
  }
  return parts.filter((each) => each !== '').join(', ');
}
