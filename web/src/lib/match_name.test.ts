import { expect, it } from 'vitest';
import { isPrivate, matchId, matchName } from './match_name';

it('a private match is named by its id and its invitation', () => {
  expect(matchName('red-fox')).toBe('red-fox');
  expect(matchName('red-fox', '')).toBe('red-fox');
  expect(matchName('red-fox', 'k3fq')).toBe('red-fox.k3fq');
  expect(matchId('red-fox.k3fq')).toBe('red-fox');
  expect(matchId('red-fox')).toBe('red-fox');
  expect([isPrivate('red-fox'), isPrivate('red-fox.k3fq')]).toEqual([false, true]);
});
