// What a game came to, from its states: for the sheet at its end.
import { newLines, sides, type NetrunnerState, type Side } from './state';

export interface Score {
  points: number;
  agendas: string[];
  credits: number; // in the end
  installs: number;
  plays: number;
  lostCards: number; // the Runner's, to damage
}
export interface ScoreSheet {
  turns: number;
  runs: number;
  successful: number;
  accessed: number;
  damage: number;
  tags: number;
  of: Record<Side, Score>;
}

export function scoreSheet(states: NetrunnerState[]): ScoreSheet | undefined {
  const last = states.at(-1);
  if (!last) return undefined;
  const lines = [...(states[0]?.log ?? []), ...states.slice(1).flatMap((state, i) => newLines(states[i], state))];
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  const sum = (pattern: RegExp) => lines.reduce((total, line) => total + Number(pattern.exec(line)?.[1] ?? 0), 0);
  const of = Object.fromEntries(
    sides.map((side) => {
      const name = side === 'corp' ? 'Corp' : 'Runner';
      return [
        side,
        {
          points: last[side]['agenda-point'],
          agendas: last[side].scored.map((card) => card.title ?? ''),
          credits: last[side].credit,
          installs:
            count(new RegExp(`^${name} (.* to install|installs) `)) -
            count(new RegExp(`^${name} takes back the last click: installing `)),
          plays: count(new RegExp(`^${name} (.* to play|plays) `)),
          lostCards: count(new RegExp(`^${name} loses .* to the damage`)),
        },
      ];
    }),
  ) as Record<Side, Score>;
  return {
    turns: last.turn,
    runs: count(/^Runner .*makes? a run on /),
    successful: count(/^Runner ends a successful run on /),
    accessed: count(/^Runner accesses /),
    damage: sum(/^Corp does (\d+) \w+ damage/),
    tags: sum(/^Runner takes (\d+) tag/),
    of,
  };
}
