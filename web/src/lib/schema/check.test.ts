import { describe, expect, it } from 'vitest';
import type { Json } from '../api/types';
import { Checker } from './check';
import { parseJson } from './json_text';
import { sample } from './sample';
import { pathText, settled, type Draft } from './shape';

const ship: Json = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 3, maxLength: 5, pattern: '^[A-Z]' },
    crew: { type: 'integer', minimum: 2, maximum: 40 },
    class: { enum: ['sloop', 'brig'] },
    cargo: { type: 'array', items: { type: 'object', properties: { tons: { type: 'number', exclusiveMinimum: 0 } }, required: ['tons'] }, maxItems: 1 },
    to: { oneOf: [{ type: 'object', properties: { port: { type: 'string' } }, required: ['port'] }, { type: 'string' }] },
    'a/b': { type: 'boolean' },
  },
  required: ['name', 'crew'],
  additionalProperties: false,
};

describe('Checker', () => {
  const said = (value: Draft, schema: Json = ship): string[] => new Checker(schema).check(value).violations.map((each) => `${each.path}: ${each.message}`);
  it.each<[Draft, string[]]>([
    [{ name: 'Dora', crew: 5 }, []],
    [{ name: 'Do' }, ['/crew: is required', '/name: needs at least 3 characters']],
    [{ name: 'dorado', crew: 1.5 }, ['/name: may have at most 5 characters', '/name: must match ^[A-Z]', '/crew: must be a whole number, not a number', '/crew: must be 2 or more']],
    [{ name: 'Dora', crew: '5' }, ['/crew: must be a whole number, not a text']],
    [{ name: 'Dora', crew: 5, class: 'tub' }, ['/class: must be one of "sloop", "brig"']],
    [{ name: 'Dora', crew: 5, cargo: [{ tons: 0 }, {}] }, ['/cargo: may have at most 1 item', '/cargo/0/tons: must be more than 0', '/cargo/1/tons: is required']],
    [{ name: 'Dora', crew: 5, to: 7 }, ['/to: must fit exactly one of the alternatives']],
    [{ name: 'Dora', crew: 5, 'a/b': 1 }, ['/a~1b: must be true or false, not a number']],
    [[], [': must be an object, not a list']],
    [undefined, [': needs a value']],
  ])('%j', (value, expected) => expect(said(value).sort()).toEqual([...expected].sort()));
  it('names a member that must not be there', () => expect(said({ name: 'Dora', crew: 5, sails: 2 }).join()).toContain('"sails"'));
  it('says so where a schema cannot be checked here', () => {
    const checker = new Checker({ type: 'object', properties: { a: { $ref: 'https://example.org/other' } } });
    const result = checker.check({ a: 1 });
    expect(result.violations).toEqual([]);
    expect(result.problem).toBeTruthy();
    expect(new Checker({ pattern: '(' }).check('x').problem).toBeTruthy();
  });
  it('treats an invalid schema as one that allows anything', () => expect(said(3, 'nonsense')).toEqual([]));
});

describe('sample', () => {
  // A generator that always gives the same.
  const seeded = (): (() => number) => {
    let state = 7;
    return () => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return state / 2147483648;
    };
  };
  const schemas: Json[] = [
    { type: 'object', properties: { position: { enum: [[0, 1], [2, 2]] } }, required: ['position'] },
    { type: 'integer', minimum: -3, exclusiveMaximum: 2 },
    { type: 'number', minimum: 0, maximum: 1, multipleOf: 0.1 },
    { type: 'string', minLength: 30, maxLength: 31 },
    { type: 'string', format: 'date-time' },
    { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 3, uniqueItems: true },
    { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'boolean' }], items: false },
    { oneOf: [{ type: 'string' }, { type: 'null' }] },
    { type: 'object', properties: { left: { $ref: '#' }, value: { type: 'integer' } }, required: ['value'] },
    { const: { deep: [1] } },
    { type: ['integer', 'null'], maximum: 4 },
  ];
  it.each(schemas.map((schema) => [JSON.stringify(schema), schema] as const))('fits %s', (_text, schema) => {
    const random = seeded();
    const checker = new Checker(schema);
    for (let i = 0; i < 40; i += 1) {
      const value = settled(sample(schema, schema, random));
      expect(checker.check(value).violations, JSON.stringify(value)).toEqual([]);
    }
  });
  it('has a limited length, whatever the schema wants', () => {
    expect(String(sample({ type: 'string', minLength: 2_000_000 }, true)).length).toBeLessThan(10_100);
    let asked = 0;
    const random = (): number => ((asked += 1) % 2) / 2;
    expect(sample({ type: 'array', minItems: 20_000, uniqueItems: true, items: { type: 'boolean' } }, true, random)).toHaveLength(2);
    expect(asked).toBeLessThan(20_000);
    const endless: Json = { type: 'array', minItems: 1, items: { $ref: '#' } };
    expect(JSON.stringify(sample(endless, endless, () => 0.9)).length).toBeLessThan(20_000);
  });
  it('prefers the examples that the schema gives', () => expect(sample({ type: 'string', examples: ['Ada'] }, true)).toBe('Ada'));
});

it('pathText is how people write a place', () => {
  expect(pathText('/cargo/0/good')).toBe('cargo[0].good');
  expect(pathText('/a~1b')).toBe('a/b');
  expect(pathText('')).toBe('');
});

describe('parseJson', () => {
  it('gives the value', () => expect(parseJson('{"a": [1]}')).toEqual({ value: { a: [1] } }));
  it.each(['', '{', '{"a": 1,}', '{"a": x}', "{'a': 1}"])('says what is wrong with %j', (text) => {
    const result = parseJson(text);
    expect('error' in result && result.error.length > 5).toBe(true);
  });
  it('says where', () => expect(parseJson('{\n  "a": 1\n  "b": 2\n}')).toEqual({ error: expect.stringContaining('line 3') as string }));
});
