// The only way to call the server's HTTP API. Every failure becomes an ApiError with the server's own message; none is
// swallowed. If the admin token is needed, it is asked for once and kept for this browser tab. Paths, parameters,
// bodies and answers are checked against the server's description (openapi.d.ts) at compile time:
// `api.get('/api/v1/tables/{id}', { path: { id } })`.
import type { paths } from './openapi';
import { isPrivate } from '../match_name';
import { requestToken, tokenQuestion } from './token.svelte';

export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number, // 0: no answer
    readonly code: string = '',
    readonly path: string = '', // which part of the request was wrong, if the server says
    readonly body: unknown = undefined,
    readonly retryAt: number | undefined = undefined, // when to retry (Retry-After)
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

export interface RequestOptions {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  // Whether to ask the person for the admin token if it is needed. Default: yes, except for a GET once they have declined,
  // because pages poll. False for optional requests.
  askToken?: boolean;
}

const kTokenKey = 'openseat.token';

export function adminToken(): string | null {
  return sessionStorage.getItem(kTokenKey);
}
const listeners = new Set<() => void>();
// Calls `listener` when the token was given. Returns a function that unsubscribes.
export function onToken(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
// A page cannot set headers on a WebSocket: the token is sent as a subprotocol, along with the one that the
// server should select (docs/protocols/console.md).
export function tokenProtocols(protocol: string): string[] {
  const token = adminToken();
  return token ? [protocol, `openseat.bearer.${token}`] : [];
}

// The same for games; an invitation to a match also works, and so does a `pass`: the token or the code of a seat.
export function gameProtocols(protocol: string, match?: string, pass?: string): string[] {
  const token = adminToken() ?? pass ?? (match !== undefined && isPrivate(match) ? match : undefined);
  return token ? [protocol, `openseat.bearer.${token}`] : [];
}

// Whether the WebSocket at `path` requires a token and a person entered one. A plain request without an upgrade tells
// what it requires.
export async function tokenWanted(path: string): Promise<boolean> {
  const answer = await send('GET', path, {}).catch(() => undefined);
  if (answer?.status !== 401 || tokenQuestion.declined) return false;
  return giveToken(await requestToken(readError(answer, await answer.text()).message, 'games'));
}

function giveToken(token: string | undefined): boolean {
  if (token === undefined) return false;
  sessionStorage.setItem(kTokenKey, token);
  for (const listener of listeners) listener();
  return true;
}

function url(path: string, query: RequestOptions['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

// Seconds, or a date.
function readRetryAfter(text: string | null): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  const at = /^\s*\d+\s*$/.test(text) ? Date.now() + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

// The server's error in any of its forms: {"error": {"code", "message", "path"}}, {"error": text},
// {"message"}, or plain text.
function readError({ status, statusText, headers }: Response, text: string): ApiError {
  const retryAt = readRetryAfter(headers.get('Retry-After'));
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    const said = text.trim();
    const message = said && said.length < 500 ? said : `The server answered ${status} ${statusText}`.trim();
    return new ApiError(message, status, '', '', undefined, retryAt);
  }
  const object = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const error = object.error;
  if (typeof error === 'object' && error !== null) {
    const { message, code, path } = error as Record<string, unknown>;
    return new ApiError(String(message ?? `The server answered ${status}`), status, String(code ?? ''), String(path ?? ''), body, retryAt);
  }
  const message = typeof error === 'string' ? error : object.message;
  return new ApiError(typeof message === 'string' ? message : `The server answered ${status} ${statusText}`.trim(), status, '', '', body, retryAt);
}

async function send(method: string, path: string, options: RequestOptions): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json', ...options.headers };
  if (options.body !== undefined) headers['Content-Type'] = 'application/json';
  const token = adminToken();
  if (token) headers.Authorization ??= `Bearer ${token}`;
  try {
    return await fetch(url(path, options.query), {
      method,
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal,
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError('The server does not answer. Is it still running?', 0);
  }
}

// The whole answer, for anything that is not JSON. Throws ApiError.
export async function request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
  let response = await send(method, path, options);
  while (response.status === 401) {
    const error = readError(response, await response.text());
    const mayAsk = options.askToken ?? (method !== 'GET' || !tokenQuestion.declined);
    if (error.path !== 'Authorization' || !mayAsk) throw error;
    if (!giveToken(await requestToken(error.message))) throw error;
    response = await send(method, path, options);
  }
  if (!response.ok) throw readError(response, await response.text());
  return response;
}

type Method = 'get' | 'post' | 'put' | 'delete';
type PathOf<M extends Method> = { [P in keyof paths]: paths[P][M] extends { responses: unknown } ? P : never }[keyof paths];
type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>;
type JsonOf<T> = T extends { content: { 'application/json': infer J } } ? J : undefined;
type Given<T> = [NonNullable<T>] extends [never] ? undefined : NonNullable<T>;

// An operation's success answer, and its request.
export type Answer<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer R } ? { [S in keyof R & (200 | 201 | 202 | 204)]: JsonOf<R[S]> }[keyof R & (200 | 201 | 202 | 204)] : never;
export type Body<P extends keyof paths, M extends Method> = Operation<P, M> extends { requestBody?: infer B } ? JsonOf<NonNullable<B>> : undefined;

type Parameters<P extends keyof paths, M extends Method, In extends 'path' | 'query'> =
  Operation<P, M> extends { parameters: { [I in In]?: infer T } } ? Given<T> : undefined;
// A member `name` for what the operation takes; absent if it takes nothing.
type Member<Name extends string, T> = [T] extends [undefined] ? { [N in Name]?: undefined } : object extends T ? { [N in Name]?: T } : { [N in Name]: T };
type CallOptions<P extends keyof paths, M extends Method> = Omit<RequestOptions, 'body' | 'query'> &
  Member<'path', Parameters<P, M, 'path'>> &
  Member<'query', Parameters<P, M, 'query'>> &
  Member<'body', Body<P, M>>;
type Rest<P extends keyof paths, M extends Method> = object extends CallOptions<P, M> ? [options?: CallOptions<P, M>] : [options: CallOptions<P, M>];

type Values = Record<string, string | number>;
const filled = (path: string, values: Values = {}): string => path.replace(/\{(\w+)\}/g, (_, name: string) => segment(values[name] ?? ''));

async function json(method: string, path: string, options: RequestOptions & { path?: Values } = {}): Promise<unknown> {
  const response = await request(method, filled(path, options.path), options);
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ApiError(`The server's answer to ${method} ${path} is not JSON`, response.status);
  }
}

const call =
  <M extends Method>(method: M) =>
  <P extends PathOf<M>>(path: P, ...[options]: Rest<P, M>): Promise<Answer<P, M>> =>
    json(method.toUpperCase(), path, options as RequestOptions) as Promise<Answer<P, M>>;

export const api = { get: call('get'), post: call('post'), put: call('put'), delete: call('delete') };

// A path segment, escaped.
export const segment = encodeURIComponent;

// A message for people, from anything that was thrown.
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.path && error.path !== 'Authorization' ? `${error.message} (${error.path})` : error.message;
  return error instanceof Error ? error.message : String(error);
}
