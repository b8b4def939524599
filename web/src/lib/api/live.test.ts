import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from './client';
import { tokenQuestion } from './token.svelte';
import { FakeSocket } from '../live/fake_socket';
import { LiveConsole, type TableHandlers } from './live';
import type { TranscriptEvent } from './types';

beforeEach(() => {
  FakeSocket.made = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const handlers = (after: () => number): TableHandlers & { events: TranscriptEvent[]; gaps: [number, number][] } => {
  const events: TranscriptEvent[] = [];
  const gaps: [number, number][] = [];
  return { events, gaps, after, onEvents: (more) => events.push(...more), onGap: (from, to) => gaps.push([from, to]) };
};

describe('LiveConsole', () => {
  it('subscribes once it is open, and again behind what is known when it comes back', () => {
    let known = 7;
    const live = new LiveConsole({ make: FakeSocket.make, url: 'ws://x/' });
    const table = handlers(() => known);
    live.subscribe('a', table);
    FakeSocket.last().open();
    expect(FakeSocket.last().heard()).toEqual([{ op: 'subscribe', table: 'a', after: 7 }]);
    FakeSocket.last().say({ type: 'events', table: 'a', events: [{ seq: 8, time: '', kind: 'note', payload: {} }] });
    FakeSocket.last().say({ type: 'events', table: 'b', events: [{ seq: 1, time: '', kind: 'note', payload: {} }] });
    FakeSocket.last().say({ type: 'gap', table: 'a', gap: { after: 8, next: 20 } });
    expect(table.events.map((event) => event.seq)).toEqual([8]);
    expect(table.gaps).toEqual([[8, 20]]);
    known = 20;
    FakeSocket.last().drop();
    vi.advanceTimersByTime(1000);
    FakeSocket.last().open();
    expect(FakeSocket.last().heard()).toEqual([{ op: 'subscribe', table: 'a', after: 20 }]);
  });
  it('hears of the list and of single tables, and says when it comes and goes', () => {
    const live = new LiveConsole({ make: FakeSocket.make, url: 'ws://x/' });
    const said: string[] = [];
    const unlisten = live.listen(() => said.push(live.state));
    live.watch({
      onTables: (tables) => said.push(`all ${tables.map((table) => table.id).join()}`),
      onTable: (table) => said.push(`one ${table.id}`),
      onGone: (id) => said.push(`gone ${id}`),
    });
    const socket = FakeSocket.last();
    socket.open();
    expect(socket.heard()).toEqual([{ op: 'tables' }]);
    socket.say({ type: 'tables', tables: [{ id: 'a' }, { id: 'b' }] });
    socket.say({ type: 'more-tables', tables: [{ id: 'e' }, { id: 'f' }], more: false });
    socket.say({ type: 'table', table: { id: 'c' } });
    socket.say({ type: 'table-gone', id: 'a' });
    unlisten();
    socket.drop();
    expect(said).toEqual(['open', 'all a,b', 'one e', 'one f', 'one c', 'gone a']);
  });
  it('does not swallow what the server refuses', () => {
    const troubles: string[] = [];
    const live = new LiveConsole({ make: FakeSocket.make, url: 'ws://x/', onTrouble: (message) => troubles.push(message) });
    const errors: string[] = [];
    const end = live.subscribe('a', { ...handlers(() => 0), onError: (message, code) => errors.push(`${code}: ${message}`) });
    FakeSocket.last().open();
    FakeSocket.last().say({ type: 'error', table: 'a', error: { code: 'not-found', message: 'no table' } });
    FakeSocket.last().say({ type: 'error', error: { message: 'unknown op' } });
    FakeSocket.last().say('not JSON');
    end();
    FakeSocket.last().say({ type: 'error', table: 'a', error: { message: 'late' } });
    expect(errors).toEqual(['not-found: no table']);
    expect(troubles).toEqual(['unknown op', expect.stringContaining('not JSON'), 'late']);
    expect(FakeSocket.last().heard().at(-1)).toEqual({ op: 'unsubscribe', table: 'a' });
  });
  it('comes with the token as soon as there is one', async () => {
    const live = new LiveConsole({ make: FakeSocket.make, url: 'ws://x/' });
    expect(FakeSocket.last().protocols).toEqual([]);
    FakeSocket.last().drop();
    expect(live.state).toBe('waiting');
    const denied = { error: { code: 'unauthorized', message: 'needs the token', path: 'Authorization' } };
    const answers = [new Response(JSON.stringify(denied), { status: 401 }), new Response('{}')];
    vi.stubGlobal('fetch', () => Promise.resolve(answers.shift()));
    const call = api.post('/api/v1/matches', { body: { game: 'rps' } });
    await vi.waitFor(() => expect(tokenQuestion.pending).toBeDefined());
    tokenQuestion.pending?.answer('secret');
    await call;
    expect(live.state).toBe('connecting');
    expect(FakeSocket.last().protocols).toEqual(['openseat.live', 'openseat.bearer.secret']);
    live.close();
    vi.unstubAllGlobals();
    sessionStorage.clear();
  });
});
