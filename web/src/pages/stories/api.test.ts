import { afterEach, expect, it, vi } from 'vitest';
import { readLibrary } from './api';

afterEach(() => vi.unstubAllGlobals());

it('reads as many pages of stories as are asked for, and says whether there are more', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url);
    const page = Number(new URLSearchParams(url.split('?')[1]).get('cursor') ?? 1);
    const data = { scenarios: [], schemaVersions: [1, 2], games: [{ id: `story-${page}` }], ...(page < 3 ? { next: `${page + 1}` } : {}) };
    return Promise.resolve(new Response(JSON.stringify({ ok: true, data, meta: { traceId: 't' } })));
  });
  const two = await readLibrary(undefined, 2);
  expect(two.games.map((game) => game.id)).toEqual(['story-1', 'story-2']);
  expect(two.next).toBe('3');
  expect(asked).toEqual(['/api/games', '/api/games?cursor=2']);
  const all = await readLibrary(undefined, 9);
  expect(all.games).toHaveLength(3);
  expect(all.next).toBeUndefined();
});
