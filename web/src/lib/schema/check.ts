// Checks data against a JSON Schema (2020-12) while a person types. The validator interprets the schema: the pages' policy
// forbids validators that generate code. It is its own chunk: `await import('…/check')`. The server checks again.
import { Validator, type OutputUnit, type Schema } from '@cfworker/json-schema';
import type { Json } from '../api/types';
import { at, isObject, typeOf, type Draft } from './shape';

export interface Violation {
  path: string; // JSON pointer into the data, "" for the whole
  message: string;
}

// Keywords that a more precise violation inside repeats.
const kOutward = new Set([
  'properties', 'patternProperties', 'items', 'prefixItems', 'additionalItems', 'contains', '$ref', '$dynamicRef', '$recursiveRef',
  'allOf', 'if', 'then', 'else', 'dependentSchemas', 'propertyNames',
]);

const list = (values: Json[]): string => {
  const text = values.slice(0, 8).map((each) => JSON.stringify(each)).join(', ');
  return values.length > 8 ? `${text} … (${values.length} in total)` : text;
};
const kTypes: Record<string, string> = { object: 'an object', array: 'a list', string: 'a text', number: 'a number', integer: 'a whole number', boolean: 'true or false', null: 'null' };
const called = (type: Json): string => (Array.isArray(type) ? type.map(called).join(' or ') : (kTypes[String(type)] ?? String(type)));

// One sentence; the validator's own for unknown keywords.
function words(keyword: string, wanted: Draft, value: Draft, said: string): string {
  const many = (n: Draft, what: string): string => `${String(n)} ${what}${n === 1 ? '' : 's'}`;
  switch (keyword) {
    case 'type':
      return `must be ${called(wanted ?? null)}${value === undefined ? '' : `, not ${called(typeOf(value))}`}`;
    case 'enum':
      return Array.isArray(wanted) ? `must be one of ${list(wanted)}` : said;
    case 'const':
      return `must be ${JSON.stringify(wanted)}`;
    case 'minimum':
      return `must be ${String(wanted)} or more`;
    case 'maximum':
      return `must be ${String(wanted)} or less`;
    case 'exclusiveMinimum':
      return `must be more than ${String(wanted)}`;
    case 'exclusiveMaximum':
      return `must be less than ${String(wanted)}`;
    case 'multipleOf':
      return `must be a multiple of ${String(wanted)}`;
    case 'minLength':
      return `needs at least ${many(wanted, 'character')}`;
    case 'maxLength':
      return `may have at most ${many(wanted, 'character')}`;
    case 'pattern':
      return `must match ${String(wanted)}`;
    case 'format':
      return `must be a valid ${String(wanted)}`;
    case 'minItems':
      return `needs at least ${many(wanted, 'item')}`;
    case 'maxItems':
      return `may have at most ${many(wanted, 'item')}`;
    case 'uniqueItems':
      return 'must not have the same item twice';
    case 'minProperties':
      return `needs at least ${many(wanted, 'member')}`;
    case 'maxProperties':
      return `may have at most ${many(wanted, 'member')}`;
    case 'anyOf':
      return 'fits none of the alternatives';
    case 'oneOf':
      return 'must fit exactly one of the alternatives';
    case 'not':
      return 'is what the schema rules out';
    default:
      return said;
  }
}

const named = (said: string): string | undefined => /"(.*?)"/.exec(said)?.[1];

export class Checker {
  #schema: Json;
  #validator: Validator;

  constructor(schema: Json) {
    this.#schema = schema;
    const given = typeof schema === 'boolean' || isObject(schema) ? schema : true;
    this.#validator = new Validator(given as Schema | boolean, '2020-12', false);
  }

  // All violations, in schema order. `problem`: why this schema cannot be used here.
  check(value: Draft): { violations: Violation[]; problem?: string } {
    if (value === undefined) return { violations: [{ path: '', message: 'needs a value' }] };
    try {
      const result = this.#validator.validate(value);
      return { violations: result.valid ? [] : this.#list(result.errors, value) };
    } catch (error) {
      // A pattern that this browser does not support, or an external reference.
      return { violations: [], problem: error instanceof Error ? error.message : String(error) };
    }
  }

  #list(errors: OutputUnit[], value: Json): Violation[] {
    const found: Violation[] = [];
    // If all alternatives failed, report only that, not each one's reason.
    const failed = errors.filter((each) => each.keyword === 'anyOf' || each.keyword === 'oneOf').map((each) => `${each.keywordLocation}/`);
    for (const each of errors) {
      const { keyword } = each;
      if (kOutward.has(keyword)) continue;
      if (failed.some((prefix) => each.keywordLocation.startsWith(prefix))) continue;
      let path = decodeURIComponent(each.instanceLocation.replace(/^#/, ''));
      let message: string;
      if (keyword === 'required') {
        // Reported at the missing member.
        const name = named(each.error) ?? '';
        path += `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        message = 'is required';
      } else if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
        const name = named(each.error);
        message = name ? `has a member "${name}" that it must not have` : 'has members that it must not have';
      } else if (keyword === 'false' || keyword === 'boolean') {
        continue; // reported by the member's own keyword
      } else {
        const wanted = at(this.#schema, decodeURIComponent(each.keywordLocation.replace(/^#/, '')));
        message = wanted === undefined ? each.error : words(keyword, wanted, at(value, path), each.error);
      }
      if (!found.some((other) => other.path === path && other.message === message)) found.push({ path, message });
    }
    return found.length > 0 ? found : [{ path: '', message: 'does not fit the schema' }];
  }
}
