import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeSocket } from './fake_socket';
import { LiveSocket, type LiveState } from './socket';

beforeEach(() => {
  FakeSocket.made = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

describe('LiveSocket', () => {
  it('comes back after a drop, with growing pauses, and says that it was open before', () => {
    const states: LiveState[] = [];
    const opened: boolean[] = [];
    const socket = new LiveSocket('ws://x/', {
      make: FakeSocket.make,
      onMessage: () => {},
      onOpen: (again) => opened.push(again),
      onState: (state) => states.push(state),
    });
    FakeSocket.last().open();
    expect(socket.send('a')).toBe(true);
    FakeSocket.last().drop();
    expect(socket.send('b')).toBe(false);
    vi.advanceTimersByTime(400);
    expect(FakeSocket.made.length).toBe(2);
    FakeSocket.last().drop();
    vi.advanceTimersByTime(400);
    expect(FakeSocket.made.length).toBe(2); // the second pause is longer
    vi.advanceTimersByTime(400);
    expect(FakeSocket.made.length).toBe(3);
    FakeSocket.last().open();
    expect(opened).toEqual([false, true]);
    expect(states).toEqual(['connecting', 'open', 'waiting', 'connecting', 'waiting', 'connecting', 'open']);
  });
  it('does not come back once it was closed, or where its owner says so', () => {
    const first = new LiveSocket('ws://x/', { make: FakeSocket.make, onMessage: () => {} });
    FakeSocket.last().open();
    first.close();
    const second = new LiveSocket('ws://x/', { make: FakeSocket.make, onMessage: () => {}, retry: (code) => code !== 1008 });
    FakeSocket.last().drop(1008, 'go away');
    expect(second.state).toBe('closed');
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.made.length).toBe(2);
  });
  it('tries at once when the browser is online again', () => {
    const socket = new LiveSocket('ws://x/', { make: FakeSocket.make, onMessage: () => {}, firstPauseMs: 60_000, longestPauseMs: 60_000 });
    FakeSocket.last().drop();
    window.dispatchEvent(new Event('online'));
    expect(FakeSocket.made.length).toBe(2);
    socket.close();
  });
});
