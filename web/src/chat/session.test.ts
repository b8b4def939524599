import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Json, JsonObject } from '../lib/api/types';
import { Session } from './session.svelte';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Answer = (result: JsonObject) => void;
const table = { table: 'T', title: 'Nim', status: 'your_turn', decision: { id: '1', query: 'Take' } };
const good: JsonObject = { structuredContent: table };
const bad: JsonObject = { isError: true, content: [{ type: 'text', text: 'the server is away' }] };

// A session with a host that asks `tool` for what each tool answers.
async function seated(tool: (name: string, answer: Answer) => void): Promise<Session> {
  let hear: (message: unknown) => void = () => undefined;
  const session = new Session({
    hear: (heard) => (hear = heard),
    post: ({ id, method, params }) => {
      const answer = (result: Json): void => hear({ jsonrpc: '2.0', id, result });
      if (method === 'ui/initialize') answer({ hostCapabilities: { serverTools: {} } });
      if (method === 'tools/call') tool(String((params as JsonObject).name), answer);
    },
  });
  await session.connect();
  hear({ jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: { token: 'mine' } } });
  await vi.advanceTimersByTimeAsync(0);
  return session;
}

it('a choice that succeeds makes a board look again that had given up', async () => {
  let isAway = false;
  let looks = 0;
  const session = await seated((name, answer) => {
    if (name === 'board_look') ++looks;
    answer(isAway && name === 'board_look' ? bad : good);
  });
  isAway = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(session.error).toBe('the server is away');
  const asked = looks;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(looks, 'it has given up').toBe(asked);
  isAway = false;
  await session.act('take', { count: 1 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(looks).toBeGreaterThan(asked);
  session.close();
});

it('a look that fails after a choice was made says nothing', async () => {
  const held: Answer[] = [];
  let isSlow = false;
  const session = await seated((name, answer) => {
    if (isSlow && name === 'board_look') held.push(answer);
    else answer(good);
  });
  isSlow = true;
  await vi.advanceTimersByTimeAsync(2000);
  expect(held.length).toBe(1);
  await session.act('take', { count: 1 });
  held[0]!(bad);
  await vi.advanceTimersByTimeAsync(0);
  expect(session.error).toBe('');
  session.close();
});
