import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api, ApiError, messageOf, onToken, tokenProtocols } from './client';
import { tokenQuestion } from './token.svelte';

const answers: Response[] = [];
const asked: { url: string; init: RequestInit }[] = [];
const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });

beforeEach(() => {
  answers.length = 0;
  asked.length = 0;
  sessionStorage.clear();
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    asked.push({ url, init });
    const next = answers.shift();
    return next ? Promise.resolve(next) : Promise.reject(new TypeError('refused'));
  });
});
afterEach(() => vi.unstubAllGlobals());

describe('api', () => {
  it('gives the answer, and leaves out what is not asked', async () => {
    answers.push(json(200, { events: [] }));
    expect(await api.get('/api/v1/tables/{id}/transcript', { path: { id: 'a b/c' }, query: { after: 3, viewer: undefined } })).toEqual({ events: [] });
    expect(asked[0]?.url).toBe('/api/v1/tables/a%20b%2Fc/transcript?after=3');
  });
  it.each([
    [json(404, { error: { code: 'not-found', message: 'no table "x"', path: 'id' } }), 'no table "x" (id)'],
    [json(400, { error: 'plain words' }), 'plain words'],
    [json(422, { message: 'does not fit' }), 'does not fit'],
    [new Response('Too many', { status: 429 }), 'Too many'],
    [new Response('', { status: 502, statusText: 'Bad Gateway' }), 'The server answered 502 Bad Gateway'],
  ])('says what the server said (%#)', async (answer, message) => {
    answers.push(answer);
    const error = await api.get('/api/v1/tables').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(messageOf(error)).toBe(message);
  });
  it.each([
    ['30', 30_000],
    [new Date(Date.UTC(2026, 0, 1, 12, 1)).toUTCString(), 60_000],
    ['soon', undefined],
  ])('knows when it may try again (%s)', async (header, inMs) => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12) });
    answers.push(new Response('{"message": "Too many"}', { status: 429, headers: { 'Retry-After': header } }));
    const error = await api.get('/api/v1/tables').catch((caught: unknown) => caught as ApiError);
    expect((error as ApiError).retryAt).toBe(inMs === undefined ? undefined : Date.now() + inMs);
    vi.useRealTimers();
  });
  it('says that nobody answers', async () => {
    await expect(api.post('/api/v1/matches', { body: { game: 'rps' } })).rejects.toThrow('does not answer');
  });
  it('says that an answer is not JSON', async () => {
    answers.push(new Response('<html>', { status: 200 }));
    await expect(api.get('/api/v1/tables')).rejects.toThrow('not JSON');
  });
  it('asks for the admin token where it is needed, and sends it from then on', async () => {
    const denied = () => json(401, { error: { code: 'unauthorized', message: 'needs the admin token', path: 'Authorization' } });
    answers.push(denied(), denied(), json(200, 1), json(200, 2));
    let given = 0;
    const forget = onToken(() => (given += 1));
    expect(tokenProtocols('openseat.live')).toEqual([]);
    const both = Promise.all([api.get('/api/v1/tables'), api.get('/api/v1/keys')]);
    await vi.waitFor(() => expect(tokenQuestion.pending?.reason).toBe('needs the admin token'));
    tokenQuestion.pending?.answer('secret');
    expect((await both).length).toBe(2);
    expect(asked.slice(2).map((each) => (each.init.headers as Record<string, string>).Authorization)).toEqual(['Bearer secret', 'Bearer secret']);
    // A WebSocket has it in the only place that a page can say anything.
    expect(tokenProtocols('openseat.live')).toEqual(['openseat.live', 'openseat.bearer.secret']);
    expect(given).toBeGreaterThan(0);
    forget();
  });
  it('gives up where the person does not say it', async () => {
    answers.push(json(401, { error: { code: 'unauthorized', message: 'no', path: 'Authorization' } }));
    const call = api.get('/api/v1/tables');
    await vi.waitFor(() => expect(tokenQuestion.pending).toBeDefined());
    tokenQuestion.pending?.answer(undefined);
    await expect(call).rejects.toThrow('no');
    // What pages ask by themselves does not raise the question again; what the person does, does.
    answers.push(json(401, { error: { code: 'unauthorized', message: 'still no', path: 'Authorization' } }));
    await expect(api.get('/api/v1/tables')).rejects.toThrow('still no');
    answers.push(json(401, { error: { code: 'unauthorized', message: 'for this, too', path: 'Authorization' } }), json(200, 1));
    const done = api.post('/api/v1/matches', { body: { game: 'rps' } });
    await vi.waitFor(() => expect(tokenQuestion.pending?.reason).toBe('for this, too'));
    tokenQuestion.pending?.answer('secret');
    expect(await done).toBe(1);
  });
});
