import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveConsole } from '../../lib/api/live';
import { FakeSocket } from '../../lib/live/fake_socket';
import type { TableInfo } from '../../lib/api/types';
import { TableFeed, withTable } from './feed.svelte';

// A server with one table of `count` events.
let count = 0;
let gone = false;
let shown = (_seq: number): boolean => true; // of a hosted match, spectators see only some
let mostAtOnce = Infinity; // a page is also limited in bytes
let asked: string[] = [];
const event = (seq: number) => ({ seq, time: '2026-11-22T01:00:00.000Z', kind: 'note', payload: { text: `n${seq}` } });
const table = () => ({ id: 't', game: 'G', kind: 'remote', status: gone ? 'recorded' : 'connected', opened: '2026-11-22T01:00:00.000Z', events: count, diagnostics: 0, seats: [] });

function answer(url: string): Response {
  asked.push(url);
  const at = new URL(url, 'http://x');
  if (at.pathname === '/api/v1/tables') return Response.json({ tables: [table()] });
  if (at.pathname === '/api/v1/tables/t') return Response.json(table());
  if (at.pathname.endsWith('/diagnostics')) return Response.json({ diagnostics: [] });
  const after = Number(at.searchParams.get('after'));
  const limit = Number(at.searchParams.get('limit'));
  const events = Array.from({ length: count - after }, (_, i) => event(after + 1 + i)).filter((each) => shown(each.seq));
  return Response.json({ table: 't', viewer: 'all', events: events.slice(0, Math.min(limit, mostAtOnce)) });
}

let feed: TableFeed | undefined;
beforeEach(() => {
  [count, gone, asked] = [5, false, []];
  [shown, mostAtOnce] = [() => true, Infinity];
  FakeSocket.made = [];
  vi.stubGlobal('fetch', (url: string) => Promise.resolve(answer(url)));
});
afterEach(() => {
  feed?.stop();
  vi.unstubAllGlobals();
});
const sequence = (): number[] => feed?.events.map((each) => each.seq) ?? [];

describe('TableFeed', () => {
  it('begins near the end of a long record, and fetches the past on demand', async () => {
    count = 3500;
    feed = new TableFeed('t');
    void feed.run();
    await vi.waitFor(() => expect(feed?.state).toBe('live'));
    expect([feed.first, feed.last, feed.hasEarlier]).toEqual([2501, 3500, true]);
    await feed.earlier();
    expect([feed.first, feed.last]).toEqual([1501, 3500]);
  });
  it('fetches the past in as many pages as it takes', async () => {
    [count, mostAtOnce] = [3500, 300];
    feed = new TableFeed('t');
    void feed.run();
    await vi.waitFor(() => expect(feed?.state).toBe('live'));
    await feed.earlier();
    expect(sequence()).toEqual(Array.from({ length: 2000 }, (_, i) => 1501 + i));
  });
  it('shows each event once, also where their numbers have gaps', async () => {
    [count, shown] = [3500, (seq) => seq % 3 === 0];
    feed = new TableFeed('t');
    void feed.run();
    await vi.waitFor(() => expect(feed?.state).toBe('live'));
    await feed.earlier();
    const before = feed.first;
    await feed.earlier();
    expect(feed.first).toBeLessThan(before);
    const seqs = sequence();
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => (seqs[0] ?? 0) + 3 * i));
    expect(seqs.at(-1)).toBe(3498);
  });
  it('asks again and again while nothing is pushed', async () => {
    feed = new TableFeed('t');
    void feed.run();
    await vi.waitFor(() => expect(sequence()).toEqual([1, 2, 3, 4, 5]));
    count = 7;
    await vi.waitFor(() => expect(sequence()).toEqual([1, 2, 3, 4, 5, 6, 7]), { timeout: 3000 });
  });
  it('takes what is pushed, once and in order, and fetches what was left out', async () => {
    const live = new LiveConsole({ make: FakeSocket.make, url: 'ws://x/' });
    FakeSocket.last().open();
    feed = new TableFeed('t', live);
    void feed.run();
    await vi.waitFor(() => expect(FakeSocket.last().heard()).toContainEqual({ op: 'subscribe', table: 't', after: 5 }));
    const push = (...events: unknown[]) => FakeSocket.last().say({ type: 'events', table: 't', events });
    asked = [];
    push(event(5), event(6));
    push(event(7));
    await vi.waitFor(() => expect(sequence()).toEqual([1, 2, 3, 4, 5, 6, 7]));
    expect(asked).toEqual([]);
    // Two are missing, and one was too long to be pushed.
    count = 11;
    push(event(10), { seq: 11, time: '', kind: 'received', omitted: 70_000 });
    await vi.waitFor(() => expect(sequence()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
    expect(feed.events.every((each) => each.payload !== undefined)).toBe(true);
    count = 13;
    FakeSocket.last().say({ type: 'gap', table: 't', gap: { after: 11, next: 14 } });
    await vi.waitFor(() => expect(feed?.last).toBe(13));
    FakeSocket.last().say({ type: 'table', table: { ...table(), status: 'waiting' } });
    expect(feed.table?.status).toBe('waiting');
    // What is too long for lists is fetched.
    asked = [];
    FakeSocket.last().say({ type: 'table', table: { ...table(), status: 'waiting', partial: true } });
    await vi.waitFor(() => expect(feed?.table?.status).toBe('connected'), { timeout: 3000 });
    expect(asked).toContain('/api/v1/tables/t');
    live.close();
  });
  it('shows the record of a table that is over', async () => {
    feed = new TableFeed('t');
    void feed.run();
    await vi.waitFor(() => expect(feed?.state).toBe('live'));
    gone = true;
    count = 6;
    feed.refresh();
    await vi.waitFor(() => expect(feed?.state).toBe('recorded'));
    expect(feed.last).toBe(6);
  });
  it('reports a lost server, and resumes', async () => {
    feed = new TableFeed('t');
    void feed.run();
    await vi.waitFor(() => expect(feed?.state).toBe('live'));
    const working = globalThis.fetch;
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('refused')));
    feed.refresh();
    await vi.waitFor(() => expect(feed?.state).toBe('lost'));
    vi.stubGlobal('fetch', working);
    feed.refresh();
    await vi.waitFor(() => expect(feed?.state).toBe('live'));
    expect(feed.error).toBeUndefined();
  });
  it('does not follow a flood event by event: it restarts near the end', async () => {
    feed = new TableFeed('t');
    void feed.run();
    await vi.waitFor(() => expect(feed?.state).toBe('live'));
    count = 50_000;
    feed.refresh();
    await vi.waitFor(() => expect(feed?.last).toBe(50_000));
    expect(feed.events.length).toBe(1000);
    expect(feed.skipped).toBe(48_995);
  });
});

describe('withTable', () => {
  const table = (id: string, opened: string, status: TableInfo['status'] = 'connected'): TableInfo => ({ id, opened, status, events: 1 });
  const ids = (tables: TableInfo[]): string => tables.map((each) => each.id).join();
  const listed = [table('c', '2026-11-20T03:00:00Z'), table('a', '2026-11-20T01:00:00Z'), table('past', '2026-11-20T04:00:00Z', 'recorded')];
  it('puts a table before the older ones, and before those that are over', () => {
    expect(ids(withTable(listed, table('d', '2026-11-20T05:00:00Z')))).toBe('d,c,a,past');
    expect(ids(withTable(listed, table('b', '2026-11-20T02:00:00Z')))).toBe('c,b,a,past');
    expect(ids(withTable(listed, table('z', '2026-11-20T00:00:00Z')))).toBe('c,a,z,past');
    expect(ids(withTable([], table('z', '2026-11-20T00:00:00Z')))).toBe('z');
  });
  it('replaces one that is known where it is', () => {
    const changed = withTable(listed, table('a', '2026-11-20T01:00:00Z', 'waiting'));
    expect(ids(changed)).toBe('c,a,past');
    expect(changed[1]?.status).toBe('waiting');
  });
});
