import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeSocket } from '../live/fake_socket';
import { keepSeat, keptSeat, sitHere, sittingAs } from '../player.svelte';
import { MatchSession, mergeHistory, type Snapshot } from './match.svelte';

const tick = () => new Promise((done) => setTimeout(done));
const answer = (result: unknown, token?: string) => {
  const last = FakeSocket.last().heard().at(-1);
  FakeSocket.last().say({ type: 'response', id: last?.id, result, ...(token ? { token } : {}) });
};
const around = (event: string, data: object) => FakeSocket.last().say({ type: 'notification', scope: 'table', event, data: { 'match-id': 'm', ...data } });
const table = (present: boolean, more: object = {}) =>
  around('table', { seats: [{ name: 'Ada', present, person: true, agent: 'client' }], spectators: 0, offers: [], ...more });
const adas = { match: 'm', game: 'g', name: 'Ada', token: 'secret' };
const refuse = (code: number, message: string) => {
  FakeSocket.last().say({ type: 'response', id: FakeSocket.last().heard().at(-1)?.id, error: { code, message } });
};
const notice = (event: string, state: unknown, more: object = {}) =>
  FakeSocket.last().say({
    type: 'notification',
    scope: 'match',
    event,
    data: { 'match-id': 'm', 'match-status': event === 'end' ? 'done' : 'in-progress', 'game-id': 'g', 'game-state': state, ...more },
  });

let match: MatchSession | undefined;
const open = (joinAs?: string): MatchSession => {
  match = new MatchSession('g', 'm', { joinAs, url: 'ws://x/', make: FakeSocket.make });
  FakeSocket.last().open();
  return match;
};

beforeEach(() => {
  FakeSocket.made = [];
  sessionStorage.clear();
  localStorage.clear();
  // The console API says nothing here, as to a browser elsewhere.
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{"error":{"message":"no","path":"Authorization"}}', { status: 401 })));
});
afterEach(() => {
  vi.useRealTimers();
  match?.close();
  vi.unstubAllGlobals();
});

describe('mergeHistory', () => {
  const at = (seq: number, n = seq, news?: string[]): Snapshot => ({ seq, state: { n }, status: 'in-progress', ...(news ? { news } : {}) });
  const merged = (recorded: Snapshot[], seen: Snapshot[]) => mergeHistory(recorded, seen).map((each) => each.state.n);
  it('puts what was recorded before what was seen, each once', () => {
    expect(merged([at(0), at(1), at(2)], [at(2), at(3)])).toEqual([0, 1, 2, 3]);
    expect(merged([at(0), at(1), at(2), at(3)], [at(2), at(3)])).toEqual([0, 1, 2, 3]);
    expect(merged([], [at(2)])).toEqual([2]);
    expect(merged([at(0)], [])).toEqual([0]);
  });
  it('goes by the numbers of events, for a position may come again', () => {
    // The page opened after event 4; the record was read later.
    expect(merged([at(1), at(2), at(4, 1), at(6, 2), at(8, 1)], [at(5, 1), at(6, 2), at(8, 1)])).toEqual([1, 2, 1, 2, 1]);
  });
  it('takes from the record what led to the first position that was seen', () => {
    expect(mergeHistory([at(1), at(2, 2, ['Ada moved.'])], [at(2), at(3)])[1]?.news).toEqual(['Ada moved.']);
  });
});

describe('MatchSession', () => {
  it('watches where it has no seat, and keeps every state once', async () => {
    const session = open();
    expect(FakeSocket.last().heard()[0]).toMatchObject({ operation: 'spectate-match' });
    answer({});
    await tick();
    expect(session.role).toBe('spectator');
    notice('start', { n: 0 });
    notice('update', { n: 1 });
    notice('update', { n: 1 });
    notice('end', { n: 2 }, { 'match-winner': 'Ada', 'match-reason': 'three in a row' });
    expect(session.history.map((each) => each.state.n)).toEqual([0, 1, 2]);
    expect([session.over, session.winner, session.reason]).toEqual([true, 'Ada', 'three in a row']);
  });
  it('takes a seat, and takes it again after a drop', async () => {
    const session = open('Ada');
    expect(FakeSocket.last().heard()[0]).toMatchObject({ operation: 'join-match', params: { 'player-name': 'Ada' } });
    answer({}, 'secret');
    await tick();
    expect([session.role, session.me]).toEqual(['player', 'Ada']);
    expect(keptSeat('m')).toMatchObject(adas);
    expect(sittingAs('m')).toBe('Ada');
    FakeSocket.last().drop();
    await vi.waitFor(() => expect(FakeSocket.made.length).toBe(2));
    FakeSocket.last().open();
    expect(FakeSocket.last().heard()[0]).toMatchObject({ operation: 'join-match', params: { 'player-name': 'Ada', token: 'secret' } });
  });
  it('watches when its seat is gone', async () => {
    keepSeat({ ...adas, token: 'old' });
    sitHere('m', 'Ada');
    const session = open();
    refuse(-40102, 'Unknown match');
    await tick();
    expect(FakeSocket.last().heard()[1]).toMatchObject({ operation: 'list-seats' });
    answer({ seats: [{ 'match-id': 'm', 'player-name': 'Ada', gone: true }] });
    await tick();
    expect(FakeSocket.last().heard()[2]).toMatchObject({ operation: 'spectate-match' });
    answer({});
    await tick();
    expect(session.role).toBe('spectator');
    expect(keptSeat('m')).toBeUndefined();
  });
  it('keeps its seat while only its token is refused for now', async () => {
    keepSeat(adas);
    sitHere('m', 'Ada');
    const session = open();
    refuse(-40102, 'Unknown match');
    await tick();
    answer({ seats: [{ 'match-id': 'm', 'player-name': 'Ada' }] });
    await tick();
    expect(session.error).toMatch('Unknown match');
    expect(keptSeat('m')).toMatchObject(adas);
  });
  it('keeps a seat that another server of the cluster has', async () => {
    keepSeat(adas);
    sitHere('m', 'Ada');
    const session = open();
    refuse(-40102, 'Unknown match');
    await tick();
    expect(FakeSocket.last().heard()[1]).toMatchObject({ operation: 'list-seats', params: { 'match-id': 'm' } });
    answer({ seats: [{ elsewhere: true }] });
    await tick();
    expect(session.error).toMatch('Unknown match');
    expect(keptSeat('m')).toMatchObject(adas);
  });
  it('watches first where another server of the cluster has its seat', async () => {
    keepSeat(adas);
    open();
    answer({ seats: [{ elsewhere: true }] });
    await tick();
    expect(FakeSocket.last().heard()[1]).toMatchObject({ operation: 'spectate-match' });
  });
  it('takes the seat that this browser has, if nobody plays it now', async () => {
    keepSeat(adas);
    open();
    expect(FakeSocket.last().protocols).toEqual(['openseat.chimera', 'openseat.bearer.m.secret']);
    answer({ seats: [{ 'match-status': 'in-progress', present: false }] });
    await tick();
    expect(FakeSocket.last().heard().map((each) => each.operation)).toEqual(['list-seats', 'join-match']);
    expect(FakeSocket.last().heard()[1]).toMatchObject({ params: { token: 'secret' } });
  });
  it('takes the seat when the one who had it leaves before this page watches', async () => {
    keepSeat(adas);
    open();
    answer({ seats: [{ 'match-status': 'in-progress', present: true }] });
    await tick();
    expect(FakeSocket.last().heard()[1]).toMatchObject({ operation: 'spectate-match', params: { table: true } });
    answer({});
    await tick();
    table(false);
    FakeSocket.last().open();
    expect(FakeSocket.last().heard()[0]).toMatchObject({ operation: 'join-match', params: { token: 'secret' } });
  });
  it('remembers that it saw the end', async () => {
    open('Ada');
    answer({}, 'secret');
    await tick();
    notice('end', { n: 2 }, { 'match-winner': 'Ada' });
    expect(keptSeat('m')).toMatchObject({ over: true });
  });
  it('asks before it takes the seat from another tab, and gives it up to one', async () => {
    keepSeat(adas);
    const session = open();
    answer({ seats: [{ 'match-status': 'in-progress', present: true }] });
    await tick();
    answer({});
    await tick();
    table(true);
    expect([session.elsewhere, session.role]).toEqual([true, 'spectator']);
    session.playHere();
    FakeSocket.last().open();
    answer({});
    await tick();
    expect([session.elsewhere, session.role, session.me]).toEqual([false, 'player', 'Ada']);
    around('seat-taken', {});
    expect([session.elsewhere, session.role, sittingAs('m')]).toEqual([true, 'spectator', undefined]);
    expect(FakeSocket.made.length).toBe(2);
  });
  it('finds another name where the name is taken', async () => {
    const session = open('Ada');
    refuse(-40103, 'Duplicate player name');
    await tick();
    expect(FakeSocket.last().heard().at(-1)).toMatchObject({ params: { 'player-name': 'Ada 2' } });
    refuse(-40103, 'Duplicate player name');
    await tick();
    expect(FakeSocket.last().heard().at(-1)).toMatchObject({ params: { 'player-name': 'Ada 3' } });
    answer({}, 'secret');
    await tick();
    expect([session.me, session.role]).toEqual(['Ada 3', 'player']);
  });
  it('shows what others offer and say, and follows a rematch with the same token', async () => {
    const session = open('Ada');
    answer({}, 'secret');
    await tick();
    notice('start', { n: 0 }, { 'match-players': ['Ada', 'Bo'] });
    table(true, { offers: [{ offer: 'draw', seat: 1, agreed: [1] }], 'may-offer': ['take-back'] });
    expect(session.asked.map((each) => each.offer)).toEqual(['draw']);
    around('chat', { lines: [{ seat: 1, name: 'Bo', text: 'a draw?', time: '' }] });
    expect(session.chat.map((line) => line.text)).toEqual(['a draw?']);
    const agreed = session.offer('draw');
    expect(FakeSocket.last().heard().at(-1)).toMatchObject({ operation: 'offer', params: { 'match-id': 'm', offer: 'draw' } });
    answer({ agreed: true });
    expect(await agreed).toBe(true);
    table(true, { next: 'n' });
    expect(session.followRematch()).toBe('n');
    expect(keptSeat('n')).toMatchObject({ name: 'Ada', token: 'secret', over: false });
  });
  it('keeps what the server says of each step: what happened, and what was taken back', async () => {
    const session = open();
    answer({});
    await tick();
    expect(FakeSocket.last().heard()[0]).toMatchObject({ params: { news: true } });
    notice('start', { n: 0 });
    notice('update', { n: 1 }, { 'match-news': ['Ada moved.', 'It rains.'] });
    notice('update', { n: 0 }, { 'match-news': ['Bo moved back.'] });
    notice('update', { n: 1 }, { 'match-taken-back': 1 });
    notice('update', { n: 1 }, { 'match-news': ['Bo passed.'] });
    expect(session.history.map((each) => each.state.n)).toEqual([0, 1, 0, 1, 1]);
    expect(session.history.map((each) => each.takenBack)).toEqual([undefined, undefined, undefined, 1, undefined]);
    expect(session.history.map((each) => each.news?.join(' '))).toEqual([undefined, 'Ada moved. It rains.', 'Bo moved back.', undefined, 'Bo passed.']);
  });
  it('says that the match is not there', async () => {
    const session = open();
    refuse(-40102, 'Unknown match');
    await tick();
    expect(session.missing).toBe(true);
  });
  it('shows why a move was refused, and lets the player choose again', async () => {
    const session = open('Ada');
    answer({}, 'secret');
    await tick();
    notice('start', { n: 0 });
    const acted = session.act('move', {});
    expect(session.chosenAt).toBe(1);
    refuse(-50103, 'Incorrect move');
    await acted;
    expect(session.error).toBe('Incorrect move');
    expect(session.chosenAt).toBeUndefined();
  });
  it('is choosing until the state comes that the choice led to, after its answer', async () => {
    const session = open('Ada');
    answer({}, 'secret');
    await tick();
    notice('start', { n: 0 });
    const acted = session.act('move', {});
    expect(session.acting).toBe(true);
    answer({});
    await acted;
    expect(session.acting).toBe(true);
    notice('update', { n: 1 });
    expect(session.acting).toBe(false);
  });
  it('is choosing for a moment if a choice changes nothing that its player sees', async () => {
    const session = open('Ada');
    answer({}, 'secret');
    await tick();
    notice('start', { n: 0 });
    vi.useFakeTimers();
    const acted = session.act('move', {});
    answer({});
    await acted;
    expect(session.acting).toBe(true);
    vi.advanceTimersByTime(1000);
    expect(session.acting).toBe(false);
  });
  it('knows who plays, and gives up, without the console API', async () => {
    const session = open('Bo');
    expect(FakeSocket.last().heard()[0]).toMatchObject({ params: { names: true } });
    answer({}, 'secret');
    await tick();
    notice('start', { n: 0 }, { 'match-players': ['Ada', 'Bo'] });
    expect(session.players).toEqual(['Ada', 'Bo']);
    expect(session.seat).toBe(1);
    const gaveUp = session.forfeit();
    expect(FakeSocket.last().heard().at(-1)).toMatchObject({ operation: 'forfeit-match', params: { 'match-id': 'm' } });
    answer({});
    await gaveUp;
    notice('end', { n: 0 }, { 'match-winner': 'Ada', 'match-reason': 'Bo gave up', 'match-players': ['Ada', 'Bo'] });
    expect([session.over, session.reason]).toEqual([true, 'Bo gave up']);
  });
});
