// The confidence of a share, and the comparison of two agents.
import type { Run } from './run';

export interface Interval {
  low: number;
  mid: number;
  high: number;
}

const kZ = 1.959964; // 95%

// The share of `hits` in `total` and its 95% Wilson interval, which also holds for few games and for shares near 0
// and 1. Without games, the interval is 0 to 1.
export function wilson(hits: number, total: number): Interval {
  if (total <= 0) return { low: 0, mid: 0, high: 1 };
  const share = hits / total;
  const z2 = kZ * kZ;
  const center = (share + z2 / (2 * total)) / (1 + z2 / total);
  const half = (kZ / (1 + z2 / total)) * Math.sqrt((share * (1 - share)) / total + z2 / (4 * total * total));
  return { low: hits === 0 ? 0 : Math.max(0, center - half), mid: share, high: hits === total ? 1 : Math.min(1, center + half) };
}

export const percent = (share: number, digits = 0): string => {
  const value = share * 100;
  // Never rounds to "100%" unless it is all.
  const fixed = value.toFixed(digits);
  if (share < 1 && Number(fixed) === 100) return `>${(100 - 10 ** -digits).toFixed(digits)}%`;
  if (share > 0 && Number(fixed) === 0) return `<${(10 ** -digits).toFixed(digits)}%`;
  return `${fixed}%`;
};

export interface Verdict {
  kind: 'clear' | 'open';
  text: string;
}

// Whether one of two agents is better, by the decided games. Runs of more agents have no verdict.
export function verdict(run: Run): Verdict | undefined {
  const [a, b] = run.seats;
  if (!a || !b || run.seats.length !== 2) return undefined;
  const decided = a.wins + b.wins;
  const names = a.agent === b.agent ? [`${a.agent} (first)`, `${b.agent} (second)`] : [a.agent, b.agent];
  if (decided === 0) return { kind: 'open', text: `Nobody won any of the ${run.games} games.` };
  const share = wilson(a.wins, decided);
  if (share.low > 0.5) return { kind: 'clear', text: `${names[0]} is the better player here: it won ${a.wins} of ${decided} decided games.` };
  if (share.high < 0.5) return { kind: 'clear', text: `${names[1]} is the better player here: it won ${b.wins} of ${decided} decided games.` };
  return { kind: 'open', text: `Too close to call: ${a.wins} to ${b.wins} in ${decided} decided games may well be luck.` };
}

// Ticks from 0 to at least `most`, at round numbers, about `wanted` of them.
export function ticks(most: number, wanted = 4): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999) ?? 10 * power;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}
