import { afterEach, expect, it, vi } from 'vitest';
import { agents, playersOf, playsFromOutside } from './agents.svelte';
import type { AgentKind } from './api/types';

const kind = (name: string, more: Partial<AgentKind> = {}): AgentKind => ({
  kind: name,
  title: `The ${name}`,
  description: 'Plays.',
  plays_from: 'here',
  named_by: 'player',
  takes_seed: false,
  options_schema: { type: 'object', properties: {} },
  ...more,
});

afterEach(() => vi.unstubAllGlobals());

it('names agents plainly until the server has told their titles', async () => {
  expect(agents.title('random')).toBe('Random');
  vi.stubGlobal('fetch', () => Promise.reject(new Error('no')));
  await agents.load();
  expect(agents.kinds).toEqual([]);
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify({ agents: [kind('random')] }))));
  await agents.load();
  expect(agents.title('random')).toBe('The random');
  expect(agents.name({ kind: 'random' })).toBe('The random');
  expect(agents.name({ kind: 'llm', model: 'tiny' })).toBe('tiny');
});

it('offers a game its own players', () => {
  const all = [kind('random'), kind('bot', { game: 'netrunner' }), kind('external', { plays_from: 'outside' })];
  expect(playersOf('netrunner', all).map((each) => each.kind)).toEqual(['random', 'bot', 'external']);
  expect(playersOf('chess', all).map((each) => each.kind)).toEqual(['random', 'external']);
  expect(playersOf('', all).map((each) => each.kind)).toEqual(['random', 'external']);
  expect(playsFromOutside('external', all)).toBe(true);
  expect(playsFromOutside('bot', all)).toBe(false);
  expect(playsFromOutside('nobody', all)).toBe(false);
});
