// Agents that the form offers for a seat.
import { playersOf } from '../../lib/agents.svelte';
import { levelFor } from '../../lib/levels';
import type { AgentKind, JsonObject } from '../../lib/api/types';
import type { SeatChoice } from '../../lib/start_match';

export interface SeatForm {
  kind: string;
  detail: string;
}

export interface SeatKind {
  value: string;
  label: string;
  hint: string;
  option?: string; // required option
  detail?: string; // its label
  levels?: boolean; // whether it plays at a level, which may be left open
}

const people: SeatKind[] = [
  { value: 'you', label: 'You', hint: 'at this browser' },
  { value: 'open', label: 'A friend', hint: 'the first person to open the link' },
];

// What needs more than one line is for the console.
const fitsHere = (kind: AgentKind): boolean => Object.values((kind.options_schema.properties ?? {}) as Record<string, JsonObject>).every((option) => option.type !== undefined);

export function seatKinds(game: string, kinds: AgentKind[]): SeatKind[] {
  const agents = playersOf(game, kinds).filter(fitsHere);
  return [
    ...people,
    ...agents.map(({ kind, title, description, bare, options_schema }): SeatKind => {
      const properties = (options_schema.properties ?? {}) as Record<string, JsonObject>;
      const option = bare === undefined ? undefined : properties[bare];
      return { value: kind, label: title, hint: description, ...(option ? { option: bare, detail: String(option.description ?? bare) } : {}), ...(properties.level ? { levels: true } : {}) };
    }),
  ];
}

// Who sits opposite at first: a bot of the level that this person has reached, or a friend if no bot has levels.
export function usualOpponent(game: string, kinds: SeatKind[]): SeatForm {
  const bot = kinds.find((each) => each.levels);
  return bot ? { kind: bot.value, detail: String(levelFor(game)) } : { kind: 'open', detail: '' };
}

// Whether there is something to choose yet.
export const isComplete = ({ kind, detail }: SeatForm, kinds: SeatKind[]): boolean => detail.trim() !== '' || kinds.find((each) => each.value === kind)?.option === undefined;

export function seatChoice({ kind, detail }: SeatForm, kinds: SeatKind[]): SeatChoice {
  if (kind === 'you' || kind === 'open') return { kind };
  const about = kinds.find((each) => each.value === kind);
  return { kind: 'agent', agent: { kind, ...(about?.option ? { [about.option]: detail.trim() } : {}), ...(about?.levels && detail ? { level: Number(detail) } : {}) } };
}
