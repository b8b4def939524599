// Reads what a game without a board of its own shows: its state as parts that can be drawn, and its actions as choices.
import type { Json, JsonObject } from '../api/types';
import { isObject } from '../schema/shape';

export type Part =
  | { kind: 'grid'; name: string; rows: string[][] } // a board: lists of cells, or texts of one character a cell
  | { kind: 'list'; name: string; items: string[] }
  | { kind: 'text'; name: string; text: string };

// A member of an action's data, with the values that are legal now.
export interface Choosable {
  name: string;
  values: Json[];
}

const kMostValues = 400;

export const shown = (value: Json): string => (value === null ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value));

// Lists of lists of the same length, or texts of the same length, at least two of each.
function gridOf(list: Json[]): string[][] | undefined {
  if (list.length < 2) return undefined;
  const rows = list.map((row) => (Array.isArray(row) ? row.map(shown) : typeof row === 'string' ? [...row] : []));
  const width = rows[0]!.length;
  const isText = list.every((row) => typeof row === 'string' && !row.includes(' '));
  const isGrid = width > 1 && rows.every((row) => row.length === width) && (isText || list.every(Array.isArray));
  return isGrid ? rows : undefined;
}

export function partsOf(state: JsonObject): Part[] {
  return Object.entries(state).flatMap(([name, value]): Part[] => {
    if (Array.isArray(value)) {
      const rows = gridOf(value);
      return [rows ? { kind: 'grid', name, rows } : { kind: 'list', name, items: value.map(shown) }];
    }
    if (isObject(value)) return partsOf(value).map((part) => ({ ...part, name: `${name}: ${part.name}` }));
    return [{ kind: 'text', name, text: shown(value ?? null) }];
  });
}

function valuesOf(schema: Json | undefined): Json[] {
  if (!isObject(schema)) return [];
  if (Array.isArray(schema.enum)) return schema.enum;
  if (schema.const !== undefined) return [schema.const];
  if (schema.type === 'boolean') return [false, true];
  const { minimum, maximum } = schema;
  if (schema.type !== 'integer' || typeof minimum !== 'number' || typeof maximum !== 'number' || maximum - minimum > kMostValues) return [];
  return Array.from({ length: maximum - minimum + 1 }, (_, i) => minimum + i);
}

// The members to choose for an action; undefined if one of them is not a choice from a list.
export function choosable(schema: Json | undefined): Choosable[] | undefined {
  if (schema === undefined || schema === null) return [];
  if (!isObject(schema) || !isObject(schema.properties)) return undefined;
  const members = Object.entries(schema.properties).map(([name, each]) => ({ name, values: valuesOf(each) }));
  return members.every((member) => member.values.length > 0) ? members : undefined;
}

export const dataOf = (members: Choosable[], picked: Json[]): JsonObject => Object.fromEntries(members.map((member, i) => [member.name, picked[i] ?? null]));

// Whether a schema that lists whole data (several members, not all combinations) has this one.
export function isListed(schema: Json | undefined, data: JsonObject): boolean {
  if (!isObject(schema) || !Array.isArray(schema.enum)) return true;
  const members = Object.entries(data);
  return schema.enum.some((each) => isObject(each) && members.every(([name, value]) => JSON.stringify(each[name]) === JSON.stringify(value)));
}
