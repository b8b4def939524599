// Calls of the arena's API (docs/protocols/console.md), and short names for its types.
import { api, type Answer } from '../../lib/api/client';
import type { components, paths } from '../../lib/api/openapi';

type Schemas = components['schemas'];
export type RunSummary = Schemas['ArenaRun'];
export type Agent = Schemas['ArenaAgent'];
export type Pair = Schemas['ArenaPair'];
export type Table = Schemas['ArenaTable'];
export type Standings = Schemas['ArenaStandings'];
export type GameLine = Schemas['ArenaGame'];
export type Decision = Schemas['ArenaDecision'];
export type RunList = Answer<'/api/v1/arena', 'get'>;
export type ShownRun = Answer<'/api/v1/arena/{id}', 'get'>;
export type Counts = NonNullable<ShownRun['counts']>;
export type Cause = Counts['causes'][number];
export type GameList = Answer<'/api/v1/arena/{id}/games', 'get'>;
export type ShownGame = Answer<'/api/v1/arena/{id}/games/{game}', 'get'>;
export type GameQuery = NonNullable<paths['/api/v1/arena/{id}/games']['get']['parameters']['query']>;

const kDecisions = 50; // per request

export const listRuns = (cursor?: string): Promise<RunList> => api.get('/api/v1/arena', { query: { cursor } });

export const getRun = (id: string, signal?: AbortSignal): Promise<ShownRun> => api.get('/api/v1/arena/{id}', { path: { id }, signal });

export const getStandings = (id: string, query: { anchor?: string; equal_games?: boolean }, signal?: AbortSignal): Promise<Standings> =>
  api.get('/api/v1/arena/{id}/standings', { path: { id }, query, signal });

export const listGames = (id: string, query: GameQuery): Promise<GameList> => api.get('/api/v1/arena/{id}/games', { path: { id }, query });

export const getGame = (id: string, game: number): Promise<ShownGame> => api.get('/api/v1/arena/{id}/games/{game}', { path: { id, game } });

export const listDecisions = (id: string, game: number, cursor?: string): Promise<{ decisions: Decision[]; next?: string }> =>
  api.get('/api/v1/arena/{id}/games/{game}/decisions', { path: { id, game }, query: { limit: kDecisions, cursor } });

// What run.json says of a run (docs/formats/run.md). It may be of another version of the program, so every member may
// be missing.
export interface Asked {
  name?: string;
  command?: string;
  openseat?: string;
  started?: string;
  seconds?: number;
  seed?: number;
  wanted?: number;
  fixed_roles?: boolean;
  agents?: string[];
  games?: { id: string; title?: string; rules_version?: number; options?: unknown }[];
  schedule?: { format?: string; pairs?: number; until_interval?: number | null };
  models?: Record<string, unknown>;
  budget?: { cost?: number | null; tokens?: number | null; hours?: number | null };
  parts?: { started?: string; seconds?: number | null; tokens?: number; cost?: number }[];
}
export const askedOf = (run: ShownRun): Asked => (run.run ?? {}) as Asked;

// An older run, of which there are only sums (docs/formats/arena_run.md).
export interface OldRun {
  name?: string;
  started?: string;
  seconds?: number;
  game?: string;
  title?: string;
  games?: number;
  wanted?: number;
  seats?: { agent: string; wins?: number; draws?: number; losses?: number; forfeits?: number }[];
  models?: Record<string, { answers?: number; illegal?: number; mended?: number; reasked?: number; cost?: number | null; latency_ms?: { p50?: number } }>;
}
