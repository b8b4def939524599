import { afterEach, describe, expect, it, vi } from 'vitest';
import { EventParser, EventStream, type ServerEvent } from './event_stream';

describe('EventParser', () => {
  const text = 'event: turn\nid: 2\ndata: {"a":\ndata: 1}\n\n: still here\n\ndata:x\r\n\r\nevent: none\n\n';
  const events: ServerEvent[] = [
    { event: 'turn', data: '{"a":\n1}', id: '2' },
    { event: 'message', data: 'x', id: '' },
  ];
  it('reads events, however they are cut', () => {
    for (let cut = 0; cut <= text.length; cut += 1) {
      const parser = new EventParser();
      expect([...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))], `cut at ${cut}`).toEqual(events);
    }
  });
});

describe('EventStream', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const body = (text: string) => new Response(text, { status: 200 });

  it('comes back, and asks for what came after the last event', async () => {
    vi.useFakeTimers();
    const asked: (string | undefined)[] = [];
    const answers = [body('id: 7\ndata: a\n\n'), body('data: b\n\n'), new Response('{"error":{"code":"GAME_OVER","message":"it is over"}}', { status: 410 })];
    vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
      asked.push((init.headers as Record<string, string>)['Last-Event-ID']);
      return Promise.resolve(answers.shift());
    });
    const heard: string[] = [];
    const refused = vi.fn();
    const stream = new EventStream('/events', '3', (event) => heard.push(event.data), undefined, refused);
    await vi.advanceTimersByTimeAsync(5000);
    expect(heard).toEqual(['a', 'b']);
    expect(asked).toEqual(['3', '7', '7']);
    expect(refused).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(3);
    stream.close();
  });

  it('asks no more once it is closed', async () => {
    vi.useFakeTimers();
    const fetch = vi.fn(() => Promise.reject(new TypeError('refused')));
    vi.stubGlobal('fetch', fetch);
    const stream = new EventStream('/events', '', () => {});
    await vi.advanceTimersByTimeAsync(600);
    const before = fetch.mock.calls.length;
    expect(before).toBeGreaterThan(1);
    stream.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetch).toHaveBeenCalledTimes(before);
  });
});
