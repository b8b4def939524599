// What the arena's pages say of ratings and games, in words and numbers. Pure.
import { count, duration, plural } from '../../lib/format';
import { href } from '../../lib/router.svelte';
import type { Agent, Decision, GameLine, GameQuery, Pair, RunSummary } from './api';

export const rating = (value: number | null): string => (value === null ? '–' : String(Math.round(value)));
export const interval = (agent: Agent): string => (agent.low === null ? '' : `${rating(agent.low)} to ${rating(agent.high)}`);
export const signed = (value: number): string => (value > 0 ? `+${Math.round(value)}` : String(Math.round(value)).replace('-', '−'));

// "$0.0012"; null: unknown.
export function money(dollars: number | null): string {
  if (dollars === null) return '–';
  if (dollars === 0) return '$0';
  return dollars >= 1 ? `$${dollars.toFixed(2)}` : `$${dollars.toPrecision(2)}`;
}
export const latency = (ms: number | null): string => (ms === null ? '–' : duration(ms));

// "3.4 %" of the decisions; "" without decisions.
export function share(part: number, of: number): string {
  if (of === 0) return '';
  const percent = (part / of) * 100;
  if (percent > 0 && percent < 0.1) return '<0.1 %';
  if (percent < 100 && percent > 99.9) return '>99.9 %';
  return `${percent.toFixed(percent === 0 || percent === 100 ? 0 : 1)} %`;
}

// What an agent scored: 1 for a win, half for a draw; undefined without games.
export const score = (of: { wins: number; draws: number; games: number }): number | undefined =>
  of.games === 0 ? undefined : (of.wins + of.draws / 2) / of.games;

export const runName = (run: RunSummary): string =>
  run.name ?? (run.agents.length === 2 ? run.agents.join(' – ') : `${run.agents.slice(0, 3).join(', ')}${run.agents.length > 3 ? ` and ${run.agents.length - 3} more` : ''}`);

// The row's view of a pair: its record against the column.
export function against(pairs: Pair[], row: string, column: string): { wins: number; draws: number; losses: number; games: number } | undefined {
  const found = pairs.find((pair) => (pair.a === row && pair.b === column) || (pair.a === column && pair.b === row));
  if (!found || found.games === 0) return undefined;
  const { wins, draws, losses, games } = found;
  return found.a === row ? { wins, draws, losses, games } : { wins: losses, draws, losses: wins, games };
}

// Who is better of two, and what would settle it.
export function comparison(pair: Pair): { settled: boolean; text: string } {
  const better = pair.difference >= 0 ? pair.a : pair.b;
  const other = better === pair.a ? pair.b : pair.a;
  const sure = better === pair.a ? pair.superiority : 1 - pair.superiority;
  const points = Math.round(Math.abs(pair.difference));
  const gap = points === 0 ? `${better} and ${other} are rated the same` : `${better} is rated ${points} above ${other}`;
  if (pair.more_pairs === 0) return { settled: true, text: `${gap}. That is settled: 0 lies outside the 95 % interval of the difference.` };
  const chance = `${gap}. The probability that ${better} is the stronger one is ${Math.round(sure * 100)} %.`;
  if (pair.more_pairs === null) return { settled: false, text: `${chance} They are too close for any reasonable number of games to settle it.` };
  return { settled: false, text: `${chance} About ${plural(pair.more_pairs, 'more pair')} of games between the two would settle it, if they differ as much as now.` };
}

// Neighbors in the table of whom the better one is not known.
export function openPairs(agents: Agent[], pairs: Pair[]): Pair[] {
  const place = new Map(agents.map((agent, i) => [agent.agent, i]));
  return pairs.filter((pair) => pair.more_pairs !== 0 && Math.abs((place.get(pair.a) ?? 0) - (place.get(pair.b) ?? 0)) === 1);
}

export const gamesHref = (run: string, query: GameQuery): string =>
  href('/arena/:run/games', { run }, Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value === undefined || value === '' ? undefined : String(value)])));
export const gameHref = (run: string, game: number): string => href('/arena/:run/games/:game', { run, game: String(game) });

// "llm:a won", "a draw", "does not count".
export function resultOf(game: GameLine): string {
  if (game.result === 'void') return 'void';
  if (game.result === 'draw') return 'a draw';
  const winners = game.winners.map((seat) => game.seats[seat] ?? `seat ${seat}`);
  const twins = new Set(game.seats).size < game.seats.length;
  return `${winners.map((name, i) => (twins ? `${name} (player ${(game.winners[i] ?? 0) + 1})` : name)).join(' and ')} won${game.forfeit ? ' by a forfeit' : ''}`;
}
export const whyOf = (game: GameLine): string => game.cause ?? game.reason;

export const tokensOf = (tokens: { input: number; cached: number; created: number; output: number; reasoning: number }): string => {
  const parts = [`${count(tokens.input)} read`];
  if (tokens.cached > 0) parts.push(`${count(tokens.cached)} from the cache`);
  if (tokens.created > 0) parts.push(`${count(tokens.created)} written to the cache`);
  parts.push(`${count(tokens.output)} written${tokens.reasoning > 0 ? ` (${count(tokens.reasoning)} of them reasoning)` : ''}`);
  return parts.join(', ');
};

// A choice in words: the label of the legal choice, if it is one, or what was sent.
export function choiceOf(decision: Decision): string | undefined {
  if (!decision.choice) return undefined;
  let action = '';
  let data = '';
  try {
    const parsed = JSON.parse(decision.choice) as { action?: unknown; data?: unknown };
    action = typeof parsed.action === 'string' ? parsed.action : '';
    if (parsed.data !== undefined && parsed.data !== null) data = typeof parsed.data === 'string' ? parsed.data : JSON.stringify(parsed.data);
  } catch {
    return decision.choice;
  }
  const same = decision.choices?.find((choice) => choice.action === action && compact(choice.data ?? '') === compact(data));
  return same?.label ?? [action, data].filter(Boolean).join(' ');
}
const compact = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
};

// Why games are void or forfeits, by code (docs/runs.md).
export const codeWords: Record<string, string> = {
  schema: 'no valid answer',
  parse: 'no readable answer',
  refused: 'no legal choice',
  declined: 'declined to answer',
  'cut-off': 'answers were cut off',
  provider: "the provider's error",
  timeout: 'out of time',
  cap: 'a limit was reached',
  'too-large': 'too large',
  unreachable: 'could not be reached',
  interrupted: 'interrupted',
};

export const outcomes: Record<string, { text: string; tone: string }> = {
  strict: { text: 'as requested', tone: 'good' },
  mended: { text: 'repaired', tone: 'warn' },
  invalid: { text: 'not allowed by the schema', tone: 'bad' },
  unreadable: { text: 'unreadable', tone: 'bad' },
  declined: { text: 'declined', tone: 'bad' },
};

// Round numbers around [low, high], about `wanted` of them.
export function scale(low: number, high: number, wanted = 5): number[] {
  const span = Math.max(high - low, 1);
  const power = 10 ** Math.floor(Math.log10(span / wanted));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => span / each <= wanted) ?? 10 * power;
  const first = Math.floor(low / step);
  const last = Math.max(Math.ceil(high / step), first + 1);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}
