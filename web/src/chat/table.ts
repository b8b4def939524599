// What the board in the chat knows of a table: the answer of the tool board_look (src/protocols/mcp/board_tools.cc).
import type { Json, JsonObject } from '../lib/api/types';
import type { MatchAction } from '../lib/chimera/client';
import { isObject } from '../lib/schema/shape';

export interface Drawn {
  game: string; // "": the rules are elsewhere
  title: string;
  table: string;
  names: string[];
  roles: string[];
  openSeats: number;
  started: boolean;
  state: JsonObject;
  view: JsonObject | undefined; // the table as the game draws it, if it does
  text: string;
  events: string[];
  actions: MatchAction[];
  status: 'your_turn' | 'may_act' | 'waiting' | 'game_over' | 'watching';
  seat: number | undefined;
  decision: { id: string; query: string } | undefined;
  outcome: { winner: string | null; reason: string } | undefined;
  guest: boolean; // a person has taken a seat from this chat
}

const texts = (value: Json | undefined): string[] => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

// Undefined for anything that is no table.
export function readDrawn(from: JsonObject): Drawn | undefined {
  if (typeof from.table !== 'string' || typeof from.title !== 'string') return undefined;
  const decision = isObject(from.decision) ? { id: text(from.decision.id), query: text(from.decision.query) } : undefined;
  const outcome = isObject(from.outcome) ? { winner: typeof from.outcome.winner === 'string' ? from.outcome.winner : null, reason: text(from.outcome.reason) } : undefined;
  const status = (['your_turn', 'may_act', 'waiting', 'game_over'] as const).find((each) => each === from.status) ?? 'watching';
  const actions = (Array.isArray(from.actions) ? from.actions : []).flatMap((each) =>
    isObject(each) && typeof each.name === 'string' ? [{ name: each.name, description: text(each.description), ...(each.schema === undefined ? {} : { schema: each.schema }) }] : [],
  );
  return {
    game: text(from.game),
    title: from.title,
    table: from.table,
    names: texts(from.names),
    roles: texts(from.roles),
    openSeats: Number(from.open_seats ?? 0),
    started: from.started === true,
    state: isObject(from.state) ? from.state : {},
    view: isObject(from.view) ? from.view : undefined,
    text: text(from.text),
    events: texts(from.events),
    actions,
    status,
    seat: typeof from.seat === 'number' ? from.seat : undefined,
    decision,
    outcome,
    guest: from.guest === true,
  };
}

// Whether both show the same.
export const sameDrawn = (one: Drawn | undefined, other: Drawn): boolean => JSON.stringify(one) === JSON.stringify(other);
