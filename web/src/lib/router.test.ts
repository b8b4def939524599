// @vitest-environment node
import { describe, expect, it } from 'vitest';
import { href, matchPath, parseHash } from './router.svelte';

describe('router', () => {
  it('reads path and query behind the #', () => {
    const at = parseHash('#/replays/a%20b?viewer=spectator');
    expect(at.path).toBe('/replays/a%20b');
    expect(at.query.get('viewer')).toBe('spectator');
  });
  it('takes what is no page address for the first page', () => {
    expect(parseHash('').path).toBe('/');
    expect(parseHash('#section').path).toBe('/');
  });
  it('does not mind a slash at the end', () => expect(parseHash('#/play/').path).toBe('/play'));
  it('gives the named parts of a path', () => {
    expect(matchPath('/match/:game/:id', '/match/rps/red%20fox')).toEqual({ game: 'rps', id: 'red fox' });
    expect(matchPath('/match/:game/:id', '/match/rps')).toBeUndefined();
    expect(matchPath('/match/:game/:id', '/match/rps/')).toBeUndefined();
    expect(matchPath('/match/:game', '/match/%E0%A4%A')).toBeUndefined();
  });
  it('writes addresses that it reads again', () => {
    const link = href('/replays/:id', { id: 'a/b c' }, { viewer: '1', gone: undefined });
    const at = parseHash(link);
    expect(matchPath('/replays/:id', at.path)).toEqual({ id: 'a/b c' });
    expect([...at.query]).toEqual([['viewer', '1']]);
  });
});
