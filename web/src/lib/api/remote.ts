// Calls of the console API that watch and control one table (docs/protocols/console.md).
import { api, type Body } from './client';
import type { AgentSeated, AgentSpec, ChoiceRequest, Diagnostic, Transcript } from './types';

// One page: at most `limit` events after number `after`.
export function transcriptAfter(id: string, after: number, limit: number, signal?: AbortSignal): Promise<Transcript> {
  return api.get('/api/v1/tables/{id}/transcript', { path: { id }, query: { after, limit }, signal });
}

export async function getDiagnostics(id: string, signal?: AbortSignal): Promise<Diagnostic[]> {
  return (await api.get('/api/v1/tables/{id}/diagnostics', { path: { id }, signal })).diagnostics;
}

export function choose(id: string, seat: number, choice: ChoiceRequest): Promise<{ choice: number }> {
  return api.post('/api/v1/tables/{id}/seats/{seat}/choose', { path: { id, seat }, body: choice });
}

export function setAgent(id: string, seat: number, agent: AgentSpec): Promise<AgentSeated> {
  return api.post('/api/v1/tables/{id}/seats/{seat}/agent', { path: { id, seat }, body: agent as Body<'/api/v1/tables/{id}/seats/{seat}/agent', 'post'> });
}

// Gives up the pending decision without an answer.
export function skipDecision(id: string, seat: number, decision?: number): Promise<{ skipped: number }> {
  return api.post('/api/v1/tables/{id}/seats/{seat}/skip', { path: { id, seat }, body: decision === undefined ? {} : { decision } });
}
