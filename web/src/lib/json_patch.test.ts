// @vitest-environment node
import { describe, expect, it } from 'vitest';
import type { Json } from './api/types';
import { applyPatch } from './json_patch';

describe('a patch', () => {
  it('adds, removes and replaces members and elements', () => {
    const before = { a: 1, 'b/c~': { d: [1, 2, 3] }, gone: true, same: { deep: 1 } };
    const after = applyPatch(before, [
      { op: 'replace', path: '/a', value: null },
      { op: 'remove', path: '/gone' },
      { op: 'add', path: '/new', value: [] },
      { op: 'add', path: '/b~1c~0/d/1', value: 9 },
      { op: 'remove', path: '/b~1c~0/d/0' },
      { op: 'replace', path: '/b~1c~0/d/2', value: 4 },
    ]);
    expect(after).toEqual({ a: null, 'b/c~': { d: [9, 2, 4] }, same: { deep: 1 }, new: [] });
    expect(before).toEqual({ a: 1, 'b/c~': { d: [1, 2, 3] }, gone: true, same: { deep: 1 } });
    expect((after as typeof before).same).toBe(before.same);
  });
  it('may replace the whole', () => {
    expect(applyPatch<Json>({}, [{ op: 'replace', path: '', value: [1] }])).toEqual([1]);
  });
  it('throws if it is for another value', () => {
    expect(() => applyPatch({ a: 1 }, [{ op: 'add', path: '/a/b/c', value: 1 }])).toThrow('/a/b/c');
  });
});
