// Short names for the console API's types. All come from the server's own description: openapi.d.ts is
// generated from openapi.json (build_tools/api_types.mjs).
import type { Body } from './client';
import type { JsonObject } from './json';
import type { components } from './openapi';

export type { Json, JsonObject } from './json';

type Schemas = components['schemas'];

export type TableInfo = Schemas['Table'];
export type TableStatus = TableInfo['status'];
export type SeatInfo = Schemas['TableSeat'];
export type SeatDecision = Schemas['Decision'];
export type ActionInfo = Schemas['Action'];
export type GameInfo = Schemas['HostedGame'];
export type ModelInfo = Schemas['Model'];
export type AgentKind = Schemas['AgentKind'];
// An agent of any kind; its AgentKind describes the options.
export type AgentSpec = { kind: string } & JsonObject;
type MatchBody = Body<'/api/v1/matches', 'post'>;
export type MatchRequest = Omit<MatchBody, 'seats'> & { seats?: (Omit<NonNullable<MatchBody['seats']>[number], 'agent'> & { agent?: AgentSpec })[] };
export type Analysis = Schemas['Analysis'];
export type JudgedDecision = Schemas['JudgedDecision'];
export type ForkRequest = Omit<Body<'/api/v1/tables/{id}/fork', 'post'>, 'seats'> & Pick<MatchRequest, 'seats'>;
export type MatchCreated = Schemas['MatchCreated'];
export type TranscriptEvent = Schemas['Event'];
export type Transcript = Schemas['Transcript'];
export type Replay = Schemas['Replay'];
export type Diagnostic = Schemas['Diagnostic'];
export type ChoiceRequest = Body<'/api/v1/tables/{id}/seats/{seat}/choose', 'post'>;
export type AgentSeated = Schemas['AgentSeated'];
