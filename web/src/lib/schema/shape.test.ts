import { describe, expect, it } from 'vitest';
import type { Json } from '../api/types';
import { boundsText, branches, branchOf, enumValues, initial, itemBounds, kindOf, members, offersExtra, openItems, resolve, sameJson, settled, type Draft } from './shape';

const kind = (schema: Json, root: Json = schema) => kindOf(resolve(schema, root), root);

describe('kindOf', () => {
  it.each<[Json, string]>([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'integer'],
    [{ type: ['number'] }, 'number'],
    [{ type: ['string', 'null'] }, 'choice'],
    [{ enum: [1, 2] }, 'enum'],
    [{ const: 3 }, 'const'],
    [{ const: null }, 'const'],
    [{ oneOf: [{ const: 1 }, { const: 2, title: 'two' }] }, 'enum'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'choice'],
    [{ properties: {} }, 'object'],
    [{ items: { type: 'string' } }, 'array'],
    [{ minLength: 3 }, 'string'],
    [{ maximum: 3 }, 'number'],
    [{}, 'any'],
    [true, 'any'],
    [false, 'any'],
    [{ type: 'unheard of' }, 'any'],
  ])('of %j is %s', (schema, expected) => expect(kind(schema)).toBe(expected));
});

describe('resolve', () => {
  it('follows references within the schema, and keeps their sibling keywords', () => {
    const root: Json = { $defs: { 'a/b': { type: 'integer', minimum: 1 } }, properties: { n: { $ref: '#/$defs/a~1b', description: 'said here' } } };
    expect(resolve((root as { properties: { n: Json } }).properties.n, root)).toEqual({ type: 'integer', minimum: 1, description: 'said here' });
  });
  it('gives up on references that lead in circles or elsewhere', () => {
    const root: Json = { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } };
    expect(resolve({ $ref: '#/$defs/a' }, root)).toEqual({});
    expect(resolve({ $ref: 'https://example.org/x' }, true)).toEqual({});
  });
  it('merges allOf', () => {
    const schema: Json = { allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: true }, required: ['b'] }], description: 'both' };
    expect(resolve(schema, schema)).toEqual({ properties: { a: { type: 'string' }, b: true }, required: ['a', 'b'], description: 'both' });
  });
});

describe('what a small schema makes large is cut', () => {
  it('references that multiply', () => {
    let read = 0;
    const levels = 7;
    const of = (level: number): object => ({
      get allOf() {
        read += 1;
        return Array(8).fill({ $ref: `#/$defs/${level + 1}` });
      },
    });
    const $defs = Object.fromEntries(Array.from({ length: levels }, (_, i) => [String(i), of(i)]));
    const root = { $defs: { ...$defs, [levels]: { type: 'object' } } } as unknown as Json;
    resolve({ $ref: '#/$defs/0' }, root);
    expect(read).toBeLessThan(100_000);
  });
  it('lists of lists', () => {
    let schema: Json = { type: 'boolean' };
    for (let i = 0; i < 3; i += 1) schema = { type: 'array', minItems: 50, items: schema };
    const draft = initial(schema, schema);
    expect(Array.isArray(draft)).toBe(true);
    expect(JSON.stringify(draft).split(',').length).toBeLessThan(10_000);
  });
  it('a default that is used often', () => {
    const names = Array.from({ length: 100 }, (_, i) => `p${i}`);
    const schema: Json = {
      $defs: { long: { default: 'x'.repeat(10_000) } },
      type: 'object',
      required: names,
      properties: Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/long' }])),
    };
    expect(JSON.stringify(initial(schema, schema)).length).toBeLessThan(200_000);
  });
  it('a schema that is its own alternative', () => {
    const schema: Json = { oneOf: [{ $ref: '#' }, { type: 'string' }] };
    expect(branchOf('x', branches(schema, schema), schema)).toBe(0);
  });
});

it('a reference that is not an address is none', () => expect(resolve({ $ref: '#/%' }, true)).toEqual({}));

describe('alternatives', () => {
  const schema: Json = {
    description: 'A move',
    oneOf: [
      { type: 'object', properties: { kind: { const: 'walk' }, steps: { type: 'integer' } }, required: ['kind', 'steps'] },
      { type: 'object', properties: { kind: { const: 'wait' } }, required: ['kind'] },
      { type: 'string' },
      { title: 'Nothing', type: 'null' },
    ],
  };
  const among = branches(resolve(schema, schema), schema);
  it('are named by title, by the constant that tells them apart, or by type', () => expect(among.map((each) => each.label)).toEqual(['walk', 'wait', 'text', 'Nothing']));
  it.each<[Draft, number]>([
    [{ kind: 'wait' }, 1],
    [{ kind: 'walk', steps: 2 }, 0],
    ['x', 2],
    [null, 3],
    [undefined, 0],
    [7, 0],
  ])('%j is number %d', (value, index) => expect(branchOf(value, among, schema)).toBe(index));
  it('of several types are one each', () => {
    const types: Json = { type: ['string', 'null'], maxLength: 3, title: 'Paint' };
    expect(branches(resolve(types, types), types).map((each) => each.label)).toEqual(['text', 'nothing (null)']);
  });
  it('that are constants have titles and descriptions', () => {
    const list: Json = { oneOf: [{ const: 'n', title: 'North', description: 'up' }, { const: 's' }] };
    expect(enumValues(resolve(list, list), list)).toEqual([
      { value: 'n', label: 'North', hint: 'up' },
      { value: 's', label: 's', hint: undefined },
    ]);
  });
});

describe('initial', () => {
  it.each<[Json, Draft]>([
    [{ type: 'object', properties: { a: { type: 'string' }, b: { type: 'boolean' }, c: { const: 1 } }, required: ['b', 'c'] }, { b: false, c: 1 }],
    [{ type: 'integer', default: 4 }, 4],
    [{ enum: ['only'] }, 'only'],
    [{ enum: ['a', 'b'] }, undefined],
    [{ type: 'array', items: { type: 'boolean' }, minItems: 2 }, [false, false]],
    [{ type: 'array', prefixItems: [{ const: 'x' }, { type: 'null' }] }, ['x', null]],
    [{ type: ['null', 'string'] }, null],
    [true, undefined],
  ])('of %j is %j', (schema, expected) => expect(initial(schema, schema)).toEqual(expected));
  it('ends in schemas that contain themselves', () => {
    const tree: Json = { type: 'object', properties: { child: { $ref: '#' } }, required: ['child'] };
    expect(() => JSON.stringify(initial(tree, tree))).not.toThrow();
  });
});

describe('members', () => {
  it('lists what is required though nothing describes it', () => {
    expect(members({ properties: { a: true }, required: ['b', 'a'], additionalProperties: { type: 'integer' } })).toEqual([
      { name: 'a', schema: true, required: true },
      { name: 'b', schema: { type: 'integer' }, required: true },
    ]);
  });
  it('offers names of one’s own where the schema wants them', () => {
    expect(offersExtra({ type: 'object' })).toBe(true);
    expect(offersExtra({ properties: { a: true } })).toBe(false);
    expect(offersExtra({ properties: { a: true }, additionalProperties: { type: 'string' } })).toBe(true);
    expect(offersExtra({ additionalProperties: false })).toBe(false);
  });
});

it('itemBounds closes a list that ends with its first items', () => {
  expect(itemBounds({ prefixItems: [true, true], items: false })).toEqual({ least: 0, most: 2 });
  expect(itemBounds({ minItems: 1, maxItems: 3 })).toEqual({ least: 1, most: 3 });
});

it('settled leaves out what is not there, and keeps places in lists', () => {
  expect(settled({ a: undefined, b: [undefined, { c: undefined }] } as unknown as Draft)).toEqual({ b: [null, {}] });
  expect(settled(undefined)).toBeUndefined();
  expect(openItems({ b: [undefined, { 'c/d': [undefined] }] } as unknown as Draft)).toEqual(['/b/0', '/b/1/c~1d/0']);
});

it('sameJson does not mind the order of members', () => {
  expect(sameJson({ a: 1, b: [2, null] }, { b: [2, null], a: 1 })).toBe(true);
  expect(sameJson({ a: undefined } as unknown as Draft, {})).toBe(false);
  expect(sameJson([1], { 0: 1 })).toBe(false);
});

it.each<[Json, string]>([
  [{ type: 'integer', minimum: 1, maximum: 6 }, '1 to 6'],
  [{ type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 }, 'more than 0, in steps of 0.5'],
  [{ type: 'string', minLength: 2, maxLength: 2 }, 'exactly 2 characters'],
  [{ type: 'string', format: 'date', pattern: '^2' }, 'date, matching ^2'],
  [{ type: 'array', maxItems: 3, minItems: 0, uniqueItems: true }, 'at most 3 items, no two alike'],
  [{ type: 'boolean' }, ''],
])('boundsText of %j is "%s"', (schema, text) => expect(boundsText(resolve(schema, schema), kind(schema))).toBe(text));
