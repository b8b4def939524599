// Calls of the console API, one function each (docs/protocols/console.md).
import { applyPatch, type Change } from '../json_patch';
import { api, type Body, type RequestOptions } from './client';
import type { AgentKind, Analysis, ForkRequest, GameInfo, JsonObject, MatchCreated, MatchRequest, ModelInfo, Replay, TableInfo, Transcript, TranscriptEvent } from './types';

const kFirstPage = 200;
const kPage = 5000;
const kTables = 1000; // per page

export interface TableList {
  tables: TableInfo[];
  more: boolean; // there are older ones
}

// The newest live tables, followed by recorded ones if requested: up to `pages` pages.
export async function readTables(recorded: boolean, pages = 1, signal?: AbortSignal, options: Pick<RequestOptions, 'askToken'> = {}): Promise<TableList> {
  const tables: TableInfo[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; ++page) {
    const answer = await api.get('/api/v1/tables', { ...options, query: { recorded: recorded || undefined, limit: kTables, cursor }, signal });
    tables.push(...answer.tables);
    cursor = answer.next;
    if (cursor === undefined) break;
  }
  return { tables, more: cursor !== undefined };
}

export async function listTables(recorded = false, signal?: AbortSignal, options: Pick<RequestOptions, 'askToken'> = {}): Promise<TableInfo[]> {
  return (await readTables(recorded, 1, signal, options)).tables;
}

// One table, live or recorded.
export function getTable(id: string, options: Pick<RequestOptions, 'signal' | 'askToken'> = {}): Promise<TableInfo> {
  return api.get('/api/v1/tables/{id}', { ...options, path: { id } });
}

export async function listGames(signal?: AbortSignal, options: Pick<RequestOptions, 'askToken'> = {}): Promise<GameInfo[]> {
  return (await api.get('/api/v1/hosted-games', { ...options, signal })).games;
}

export async function listAgents(signal?: AbortSignal, options: Pick<RequestOptions, 'askToken'> = {}): Promise<AgentKind[]> {
  return (await api.get('/api/v1/agents', { ...options, signal })).agents;
}

export async function listModels(signal?: AbortSignal): Promise<ModelInfo[]> {
  return (await api.get('/api/v1/models', { signal })).models;
}

export function createMatch(match: MatchRequest): Promise<MatchCreated> {
  // The API description lists each kind's options; here an agent may be of any kind.
  return api.post('/api/v1/matches', { body: match as Body<'/api/v1/matches', 'post'> });
}

export function forkTable(id: string, fork: ForkRequest): Promise<MatchCreated> {
  return api.post('/api/v1/tables/{id}/fork', { path: { id }, body: fork as Body<'/api/v1/tables/{id}/fork', 'post'> });
}

// What is known of how good the choices of a finished match were, or of a game of a run that was analyzed.
export function readAnalysis(of: string | RunGame, options: Pick<RequestOptions, 'signal' | 'askToken'> = {}): Promise<Analysis> {
  return typeof of === 'string'
    ? api.get('/api/v1/tables/{id}/analysis', { ...options, path: { id: of } })
    : api.get('/api/v1/arena/{id}/games/{game}/analysis', { ...options, path: { id: of.run, game: of.game } });
}

// While the match goes on: what may be told now, which is nothing unless the server wants it.
export function readLiveAnalysis(id: string, options: Pick<RequestOptions, 'signal' | 'askToken'> = {}): Promise<Analysis> {
  return api.get('/api/v1/tables/{id}/analysis', { ...options, path: { id }, query: { live: true } });
}

export function startAnalysis(id: string): Promise<Analysis> {
  return api.post('/api/v1/tables/{id}/analysis', { path: { id }, body: {} });
}

export function controlTable(id: string, command: string, args: JsonObject = {}): Promise<JsonObject> {
  return api.post('/api/v1/tables/{id}/control', { path: { id }, body: { command, ...args } });
}

// A game of a run in the arena.
export interface RunGame {
  run: string;
  game: number;
}

// The whole transcript of a table, by its id, or of a game of a run, page by page; the first one is small, and `onPage` gets
// what is here so far. `viewer` as in the documentation; "" is the table's own default.
export async function readTranscript(of: string | RunGame, viewer = '', options: Pick<RequestOptions, 'signal' | 'askToken'> & { onPage?: (soFar: Transcript) => void } = {}): Promise<Transcript> {
  const { onPage, ...calls } = options;
  const events: TranscriptEvent[] = [];
  let after = 0;
  for (let limit = kFirstPage; ; limit = kPage) {
    const query = { after, limit, viewer: viewer || undefined };
    const page = await (typeof of === 'string'
      ? api.get('/api/v1/tables/{id}/transcript', { ...calls, path: { id: of }, query })
      : api.get('/api/v1/arena/{id}/games/{game}/transcript', { ...calls, path: { id: of.run, game: of.game }, query }));
    events.push(...page.events);
    if (page.next === undefined) return { ...page, events };
    onPage?.({ ...page, events: [...events] });
    after = page.next;
  }
}

// A page of the replay of a table, or of a game of a run (lib/replay_pages.svelte.ts reads all of them).
export function readReplay(
  of: string | RunGame,
  query: { viewer?: string; said?: boolean; view?: boolean; page?: number; step?: number; event?: number; decision?: number },
  options: Pick<RequestOptions, 'signal' | 'askToken'> = {},
): Promise<Replay> {
  return typeof of === 'string'
    ? api.get('/api/v1/tables/{id}/replay', { ...options, path: { id: of }, query })
    : api.get('/api/v1/arena/{id}/games/{game}/replay', { ...options, path: { id: of.run, game: of.game }, query });
}

export interface PastStep {
  seq: number;
  state: JsonObject;
  view?: JsonObject;
  news?: string[]; // what led here
  takenBack?: number; // the seat whose choice was taken back
}

// All states of a match so far, as the viewer saw them.
export async function readPast(id: string, viewer: string, options: Pick<RequestOptions, 'signal' | 'askToken'> = {}): Promise<PastStep[]> {
  const states: PastStep[] = [];
  for (let page = 1, pages = 1; page <= pages; ++page) {
    const replay = await readReplay(id, { viewer: viewer || undefined, view: true, page }, options);
    pages = replay.pages;
    for (const { seq, kind, payload, state, patch, view, view_patch, news } of replay.steps) {
      const last = states.at(-1);
      const drawn = view_patch && last?.view ? applyPatch(last.view, view_patch as unknown as Change[]) : (view as JsonObject | undefined);
      states.push({
        seq,
        state: state === undefined ? applyPatch(last!.state, patch as unknown as Change[]) : (state as JsonObject),
        ...(drawn ? { view: drawn } : {}),
        ...(news ? { news } : {}),
        ...(kind === 'taken-back' ? { takenBack: Number((payload as JsonObject).seat) } : {}),
      });
    }
  }
  return states;
}
