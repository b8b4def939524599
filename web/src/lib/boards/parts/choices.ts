// What a player may do now, and what of it a part of the table stands for. A choice may be made in several steps: a step
// names some members of the action's data, the first ones first.
import type { Json, JsonObject } from '../../api/types';
import type { MatchAction } from '../../chimera/client';
import { choosable } from '../plain';
import { isObject } from '../../schema/shape';
import type { Action, Bound } from './view';

const kMostCounted = 3000; // legal data of one action

const keyOf = (value: Json | undefined): string => JSON.stringify(value ?? null);

interface Legal {
  action: MatchAction;
  members: string[]; // of its data, in order
  values: Map<string, Set<string>>; // of each member, as JSON; none: any value
  rows: JsonObject[] | undefined; // all legal data, where not every combination is legal
  beginnings: Set<string>; // of the rows: the values of the first members, as JSON
}

function legalOf(action: MatchAction): Legal {
  const { schema } = action;
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const values = new Map<string, Set<string>>();
  for (const [name, each] of Object.entries(properties)) {
    const known = choosable({ properties: { [name]: each } });
    if (known) values.set(name, new Set(known[0]!.values.map(keyOf)));
  }
  const rows = isObject(schema) && Array.isArray(schema.enum) ? schema.enum.filter(isObject) : undefined;
  const members = Object.keys(properties);
  const beginnings = new Set((rows ?? []).flatMap((row) => members.map((_, i) => beginning(row, members, i + 1))));
  return { action, members, values, rows, beginnings: beginnings.add(beginning({}, members, 0)) };
}

const beginning = (data: JsonObject, members: string[], count: number): string => JSON.stringify(members.slice(0, count).map((member) => data[member] ?? null));

export type Fit = 'whole' | 'step' | undefined;

export class Choices {
  #legal: Map<string, Legal>;

  constructor(actions: MatchAction[]) {
    this.#legal = new Map(actions.map((action) => [action.name, legalOf(action)]));
  }

  // Whether the choice is legal, or the first steps of one that is.
  fit({ name, data = {} }: Action): Fit {
    const legal = this.#legal.get(name);
    if (!legal) return undefined;
    const given = Object.keys(data);
    if (given.length > legal.members.length || !legal.members.slice(0, given.length).every((member) => given.includes(member))) return undefined;
    const isLegal = legal.rows
      ? legal.beginnings.has(beginning(data, legal.members, given.length))
      : given.every((member) => legal.values.get(member)?.has(keyOf(data[member])) ?? true);
    if (!isLegal) return undefined;
    return given.length === legal.members.length ? 'whole' : 'step';
  }

  // `step` after what was picked; undefined if it does not go on from there.
  after(picked: Action | undefined, step: Action): { choice: Action; fit: Fit } | undefined {
    if (picked && (picked.name !== step.name || Object.keys(step.data ?? {}).length === 0 || Object.keys(step.data ?? {}).some((member) => member in (picked.data ?? {})))) {
      return undefined;
    }
    const choice = { name: step.name, data: { ...picked?.data, ...step.data } };
    const fit = this.fit(choice);
    return fit ? { choice, fit } : undefined;
  }

  // What cannot be done by way of `bound`, as actions with only those data; after `picked`, only what completes it, with
  // what was picked.
  unbound(bound: Bound[], picked: Action | undefined): MatchAction[] {
    return [...this.#legal.values()].flatMap((legal): MatchAction[] => {
      const data = allData(legal);
      if (picked && picked.name !== legal.action.name) return [];
      const ways = waysTo(legal, bound);
      // Too many to count, or free.
      if (!data) return ways.size > 0 && legal.values.size === legal.members.length ? [] : [completing(legal, picked)];
      const fits = (row: JsonObject) => Object.entries(picked?.data ?? {}).every(([member, value]) => keyOf(row[member]) === keyOf(value));
      const left = data.filter((row) => !isReached(row, legal.members, ways) && fits(row));
      if (left.length === 0) return [];
      return left.length === data.length ? [legal.action] : [narrowed(legal, left)];
    });
  }
}

function allData({ members, values, rows }: Legal): JsonObject[] | undefined {
  if (rows) return rows;
  let all: JsonObject[] = [{}];
  for (const member of members) {
    const legal = values.get(member);
    if (!legal || all.length * legal.size > kMostCounted) return undefined;
    all = all.flatMap((row) => [...legal].map((value) => ({ ...row, [member]: JSON.parse(value) as Json })));
  }
  return all;
}

// The steps of an action that something is bound to: for each set of members, which values.
function waysTo({ action, members }: Legal, bound: Bound[]): Map<string, Set<string>> {
  const ways = new Map<string, Set<string>>();
  for (const { name, data = {} } of bound.flatMap(({ actions }) => actions)) {
    if (name !== action.name) continue;
    const named = members.filter((member) => member in data);
    const key = named.join('\n');
    const values = ways.get(key) ?? new Set<string>();
    ways.set(key, values.add(keyOf(named.map((member) => data[member]!))));
  }
  return ways;
}

function isReached(row: JsonObject, members: string[], ways: Map<string, Set<string>>): boolean {
  if (members.length === 0) return ways.size > 0;
  // How many members are known after some steps.
  const known = new Set([0]);
  for (const done of known) {
    for (let next = done + 1; next <= members.length; ++next) {
      const named = members.slice(done, next);
      if (ways.get(named.join('\n'))?.has(keyOf(named.map((member) => row[member]!)))) known.add(next);
    }
  }
  return known.has(members.length);
}

// The action with what was picked of it.
function completing({ action }: Legal, picked: Action | undefined): MatchAction {
  const { schema } = action;
  const known = Object.entries(picked?.data ?? {});
  if (known.length === 0 || !isObject(schema) || !isObject(schema.properties)) return action;
  return { ...action, schema: { ...schema, properties: { ...schema.properties, ...Object.fromEntries(known.map(([member, value]) => [member, { const: value }])) } } };
}

function narrowed({ action, members }: Legal, rows: JsonObject[]): MatchAction {
  const properties: JsonObject = {};
  for (const member of members) {
    const values = new Map(rows.map((row) => [keyOf(row[member]), row[member] ?? null]));
    properties[member] = { enum: [...values.values()] };
  }
  return { ...action, schema: { type: 'object', properties, enum: rows } };
}
