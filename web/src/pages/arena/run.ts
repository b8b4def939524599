// Reads a run of `openseat play` (docs/formats/arena_run.md), from the server or from a file of
// `openseat play --json`, which may be older than the format.
import { api, type Answer } from '../../lib/api/client';

export interface Score {
  wins: number;
  draws: number;
  losses: number;
}
export interface RunSeat extends Score {
  agent: string;
  forfeits: number;
  bySeat: Score[]; // empty: unknown
}
export interface RunModel {
  name: string;
  provider?: string;
  model?: string;
  answers: number;
  failures: number;
  illegal: number;
  mended: number;
  reasked: number;
  givenUp: number;
  tokensIn: number;
  tokensOut: number;
  cost?: number; // dollars; undefined if the model has no prices
  latency?: { p50: number; p90: number; p99: number }; // ms
}
export interface Run {
  id: string;
  name?: string;
  file?: string; // the file it came from
  started?: string;
  seconds?: number;
  game: string;
  title: string;
  games: number;
  wanted: number;
  seed?: number;
  options?: unknown;
  fixedRoles: boolean;
  seats: RunSeat[];
  models: RunModel[];
}

export type RunList = Answer<'/api/v1/arena', 'get'>;
export type RunSummary = RunList['runs'][number];

export const listRuns = (cursor?: string, signal?: AbortSignal): Promise<RunList> => api.get('/api/v1/arena', { query: { cursor }, signal });
export const getRun = async (id: string, signal?: AbortSignal): Promise<Run> =>
  readRun(await api.get('/api/v1/arena/{id}', { path: { id }, signal }), id);

type Members = Record<string, unknown>;

function members(value: unknown, what: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} must be an object`);
  return value as Members;
}
function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new Error(`${what} must be a string`);
  return value;
}
function amount(value: unknown, what: string): number {
  if (typeof value !== 'number' || !(value >= 0)) throw new Error(`${what} must be a number of at least 0`);
  return value;
}
const optional = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === undefined || value === null ? undefined : read(value);

function readScore(value: unknown, what: string): Score {
  const score = members(value, what);
  return {
    wins: amount(score.wins, `${what}.wins`),
    draws: amount(score.draws, `${what}.draws`),
    losses: amount(score.losses, `${what}.losses`),
  };
}

function readSeat(value: unknown, what: string): RunSeat {
  const seat = members(value, what);
  return {
    ...readScore(seat, what),
    agent: text(seat.agent, `${what}.agent`),
    forfeits: amount(seat.forfeits ?? 0, `${what}.forfeits`),
    bySeat: Array.isArray(seat.by_seat) ? seat.by_seat.map((score, i) => readScore(score, `${what}.by_seat[${i}]`)) : [],
  };
}

function readModel(name: string, value: unknown): RunModel {
  const what = `models.${name}`;
  const model = members(value, what);
  const answers = amount(model.answers, `${what}.answers`);
  // Older files have only the rate.
  const illegal = model.illegal ?? Math.round(amount(model.illegal_rate ?? 0, `${what}.illegal_rate`) * answers);
  return {
    name,
    provider: optional(model.provider, (each) => text(each, `${what}.provider`)),
    model: optional(model.model, (each) => text(each, `${what}.model`)),
    answers,
    failures: amount(model.failures ?? 0, `${what}.failures`),
    illegal: amount(illegal, `${what}.illegal`),
    mended: amount(model.mended ?? 0, `${what}.mended`),
    reasked: amount(model.reasked ?? 0, `${what}.reasked`),
    givenUp: amount(model.given_up ?? 0, `${what}.given_up`),
    tokensIn: amount(model.tokens_in ?? 0, `${what}.tokens_in`),
    tokensOut: amount(model.tokens_out ?? 0, `${what}.tokens_out`),
    cost: optional(model.cost, (each) => amount(each, `${what}.cost`)),
    latency: optional(model.latency_ms, (each) => {
      const latency = members(each, `${what}.latency_ms`);
      return {
        p50: amount(latency.p50, `${what}.latency_ms.p50`),
        p90: amount(latency.p90, `${what}.latency_ms.p90`),
        p99: amount(latency.p99, `${what}.latency_ms.p99`),
      };
    }),
  };
}

// Throws an Error that says what was expected.
export function readRun(value: unknown, fallbackId: string): Run {
  const run = members(value, 'a run');
  if (run.format !== undefined && run.format !== 'openseat-run') throw new Error('"format" must be "openseat-run"');
  if (run.version !== undefined && run.version !== 1) {
    throw new Error(`this page reads run records of version 1, but this one has version ${String(run.version)}`);
  }
  const game = text(run.game, 'game');
  const games = amount(run.games, 'games');
  if (!Array.isArray(run.seats) || run.seats.length === 0) throw new Error('seats must be a list of agents');
  return {
    id: optional(run.id, (id) => text(id, 'id')) ?? fallbackId,
    name: optional(run.name, (name) => text(name, 'name')),
    started: optional(run.started, (started) => text(started, 'started')),
    seconds: optional(run.seconds, (seconds) => amount(seconds, 'seconds')),
    game,
    title: optional(run.title, (title) => text(title, 'title')) ?? game,
    games,
    wanted: optional(run.wanted, (wanted) => amount(wanted, 'wanted')) ?? games,
    // Above 2^53, JavaScript does not read the exact number.
    seed: typeof run.seed === 'number' && Number.isSafeInteger(run.seed) ? run.seed : undefined,
    options: run.options,
    fixedRoles: run.fixed_roles === true,
    seats: run.seats.map((seat, i) => readSeat(seat, `seats[${i}]`)),
    models: Object.entries(members(run.models ?? {}, 'models')).map(([name, model]) => readModel(name, model)),
  };
}

// The runs in a file: one JSON value, or terminal output with a run on any of its lines. Throws if there are
// none.
export function readRuns(content: string, file: string): Run[] {
  const found: Run[] = [];
  const take = (value: unknown) => {
    const run = readRun(value, `${file}#${found.length + 1}`);
    found.push({ ...run, file });
  };
  let whole: unknown;
  try {
    whole = JSON.parse(content);
  } catch {
    for (const line of content.split('\n')) {
      if (!line.trimStart().startsWith('{')) continue;
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        continue; // not a run
      }
      take(value);
    }
    if (found.length === 0) throw new Error('it has no JSON output of `openseat play --json`');
    return found;
  }
  for (const value of Array.isArray(whole) ? whole : [whole]) take(value);
  if (found.length === 0) throw new Error('it holds no run');
  return found;
}

export function summaryOf(run: Run): RunSummary {
  return {
    id: run.id,
    name: run.name ?? run.file,
    started: run.started ?? '',
    seconds: run.seconds,
    game: run.game,
    title: run.title,
    games: run.games,
    wanted: run.wanted,
    agents: run.seats.map((seat) => seat.agent),
  };
}
