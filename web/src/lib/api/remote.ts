// Calls of the console API that watch and control one table (docs/protocols/console.md).
import { api, type Body } from './client';
import type { AgentSeated, AgentSpec, ChoiceRequest, Diagnostic, TableInfo, Transcript } from './types';

export type Profile = NonNullable<TableInfo['profile']>['name'];

// One page: at most `limit` events after number `after`.
export function transcriptAfter(id: string, after: number, limit: number, signal?: AbortSignal): Promise<Transcript> {
  return api.get('/api/v1/tables/{id}/transcript', { path: { id }, query: { after, limit }, signal });
}

// Those of the game's current run, or what was found after the event with the number `since`.
export async function getDiagnostics(id: string, { since, signal }: { since?: number; signal?: AbortSignal } = {}): Promise<Diagnostic[]> {
  const all: Diagnostic[] = [];
  for (;;) {
    const answer = await api.get('/api/v1/tables/{id}/diagnostics', { path: { id }, query: { since }, signal });
    all.push(...answer.diagnostics);
    if (since === undefined || answer.next === undefined) return all;
    since = answer.next;
  }
}

export function choose(id: string, seat: number, choice: ChoiceRequest): Promise<{ choice: number }> {
  return api.post('/api/v1/tables/{id}/seats/{seat}/choose', { path: { id, seat }, body: choice });
}

export function setAgent(id: string, seat: number, agent: AgentSpec): Promise<AgentSeated> {
  return api.post('/api/v1/tables/{id}/seats/{seat}/agent', { path: { id, seat }, body: agent as Body<'/api/v1/tables/{id}/seats/{seat}/agent', 'post'> });
}

// Another profile for one table of a game that speaks the Neuro API.
export function setProfile(id: string, profile: Profile, seed?: number): Promise<unknown> {
  return api.post('/api/v1/tables/{id}/control', { path: { id }, body: { command: 'profile', profile, seed } });
}

// Gives up the pending decision without an answer.
export function skipDecision(id: string, seat: number, decision?: number): Promise<{ skipped: number }> {
  return api.post('/api/v1/tables/{id}/seats/{seat}/skip', { path: { id, seat }, body: decision === undefined ? {} : { decision } });
}
