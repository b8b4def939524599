import { beforeEach, describe, expect, it, vi } from 'vitest';
import { tokenQuestion } from '../api/token.svelte';
import { FakeSocket } from '../live/fake_socket';
import { ChimeraClient, ChimeraError, kConnectionLost, type MatchNotice } from './client';

beforeEach(() => {
  FakeSocket.made = [];
});

function connected(handlers: ConstructorParameters<typeof ChimeraClient>[0] = {}): ChimeraClient {
  const client = new ChimeraClient(handlers, { url: 'ws://x/chimera', make: FakeSocket.make });
  FakeSocket.last().open();
  return client;
}

describe('ChimeraClient', () => {
  it('gives each request its answer', async () => {
    const client = connected();
    const made = client.createMatch('rps', 'Ada', { rounds: 5 });
    const acted = client.act('m', 'throw', { hand: 'rock' });
    const [create, act] = FakeSocket.last().heard();
    expect(create).toMatchObject({ type: 'request', operation: 'create-match', params: { game: 'rps', 'player-name': 'Ada', options: { rounds: 5 } } });
    FakeSocket.last().say({ type: 'response', id: act?.id, result: { ok: true } });
    FakeSocket.last().say({ type: 'response', id: create?.id, result: { 'match-id': 'red-fox' }, token: 't' });
    expect(await made).toEqual({ matchId: 'red-fox', token: 't' });
    expect(await acted).toEqual({ ok: true });
  });
  it('fails a request with the details of the server', async () => {
    const client = connected();
    const acted = client.act('m', 'move', {});
    const id = FakeSocket.last().heard()[0]?.id;
    FakeSocket.last().say({ type: 'response', id, error: { code: -50103, message: 'Incorrect move', data: { details: 'position [0,0] is taken by X' } } });
    const error = (await acted.catch((caught: unknown) => caught)) as ChimeraError;
    expect(error.code).toBe(-50103);
    expect(error.message).toBe('Incorrect move: position [0,0] is taken by X');
  });
  it('tells of notifications about matches', () => {
    const notices: MatchNotice[] = [];
    connected({ onNotice: (notice) => notices.push(notice) });
    const data = { 'match-id': 'm', 'match-status': 'done', 'game-id': 'rps', 'match-winner': null, 'match-reason': 'equal', 'game-state': { a: 1 } };
    FakeSocket.last().say({ type: 'notification', scope: 'match', event: 'end', data });
    FakeSocket.last().say({ type: 'notification', scope: 'weather', event: 'end', data });
    expect(notices).toEqual([{ event: 'end', matchId: 'm', seq: 0, game: 'rps', status: 'done', state: { a: 1 }, winner: null, reason: 'equal' }]);
  });
  it('fails what was under way when the connection drops', async () => {
    const client = connected();
    const acted = client.act('m', 'move', {}).catch((caught: unknown) => caught);
    FakeSocket.last().drop();
    expect(((await acted) as ChimeraError).code).toBe(kConnectionLost);
    expect(((await client.act('m', 'move', {}).catch((caught: unknown) => caught)) as ChimeraError).code).toBe(kConnectionLost);
    client.close();
  });
  it('comes with the invitation to its match', () => {
    const open = (match: string) => new ChimeraClient({}, { match, url: 'ws://x/chimera', make: FakeSocket.make });
    open('red-fox.k3fq');
    expect(FakeSocket.last().protocols).toEqual(['openseat.chimera', 'openseat.bearer.red-fox.k3fq']);
    open('red-fox');
    expect(FakeSocket.last().protocols).toEqual([]);
  });
  it('asks for a token where the server wants one, and comes back with it', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('{"error":{"code":"unauthorized","message":"games need a token here"}}', { status: 401 })));
    const client = new ChimeraClient({}, { match: 'red-fox', url: 'ws://x/chimera', make: FakeSocket.make });
    FakeSocket.last().drop();
    await vi.waitFor(() => expect(tokenQuestion.pending?.reason).toBe('games need a token here'));
    tokenQuestion.pending?.answer('secret');
    await vi.waitFor(() => expect(FakeSocket.last().protocols).toEqual(['openseat.chimera', 'openseat.bearer.secret']));
    client.close();
    sessionStorage.clear();
  });
  it('says what it cannot read', () => {
    const onTrouble = vi.fn();
    connected({ onTrouble });
    FakeSocket.last().say('{');
    FakeSocket.last().say({ type: 'response', id: null, error: { code: -32600, message: 'Incorrect request' } });
    expect(onTrouble.mock.calls.map(([text]) => String(text).slice(0, 17))).toEqual(['The server sent i', 'Incorrect request']);
  });
});
