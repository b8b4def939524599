import { expect, it } from 'vitest';
import type { TableInfo } from '../../lib/api/types';
import { findInvitation, otherPeople, seatsAgain } from './rematch';

const rows = [
  { name: 'Ada', you: true, agent: 'client' },
  { name: 'Bo', agent: 'client' },
];
const finished = { id: 'old', game: 'rps', opened: '2026-01-01T10:00:00.000Z' };
const table = (change: Partial<TableInfo>): TableInfo => ({
  id: 'new',
  kind: 'hosted',
  game: 'rps',
  status: 'awaiting-players',
  opened: '2026-01-01T10:05:00.000Z',
  events: 1,
  seats: [{ index: 0, name: 'Bo', agent: 'client' }],
  ...change,
});

it('who else played', () => {
  expect(otherPeople(rows)).toEqual(['Bo']);
  expect(otherPeople([rows[0]!, { name: 'random 2', agent: 'random' }])).toEqual([]);
});

it('an invitation is a later match of that game in which one of them waits', () => {
  const found = (change: Partial<TableInfo>) => findInvitation([table(change)], finished, ['Bo'])?.id;
  expect(found({})).toBe('new');
  expect(found({ seats: [{ index: 0, name: 'Cleo', agent: 'client' }] })).toBeUndefined();
  expect(found({ game: 'chicken' })).toBeUndefined();
  expect(found({ status: 'in-progress' })).toBeUndefined();
  expect(found({ opened: '2026-01-01T09:00:00.000Z' })).toBeUndefined();
  expect(found({ id: 'old' })).toBeUndefined();
  expect(findInvitation([table({})], { ...finished, opened: undefined }, ['Bo'])).toBeUndefined();
});

it('the same seats', () => {
  expect(seatsAgain(rows)).toEqual([{ kind: 'you' }, { kind: 'open' }]);
  expect(seatsAgain([rows[0]!, { name: 'random 2', agent: 'random' }])).toEqual([{ kind: 'agent', agent: { kind: 'random' } }, { kind: 'you' }]);
});
