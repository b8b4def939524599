import { expect, it } from 'vitest';
import { clockText, termsText } from './clock';
import { isJoinable, isLively } from './open_games';
import type { TableInfo } from '../api/types';

it('shows a clock', () => {
  expect([clockText(-1), clockText(9.94), clockText(65), clockText(3723), clockText(259_200)]).toEqual(['0.0', '9.9', '1:05', '1:02:03', '3 d 0 h']);
});
it('puts terms into words', () => {
  expect(termsText(undefined)).toBe('');
  expect(termsText({ grace: 60 })).toBe('');
  expect(termsText({ game_time: 600, increment: 5 })).toBe('10 minutes each, plus 5 seconds a move');
  expect(termsText({ move_time: 86_400 })).toBe('a day for each move');
});

it('lists open games as long as somebody is there', () => {
  const opened = new Date(0).toISOString();
  const table = (more: object) => ({ id: 'm', kind: 'hosted', status: 'awaiting-players', opened, events: 1, ...more }) as TableInfo;
  const ada = (present: boolean) => [{ index: 0, name: 'Ada', agent: 'client', present }];
  expect(isJoinable(table({ seats: ada(true) }), 1e9)).toBe(true);
  expect(isJoinable(table({ seats: ada(false) }), 1)).toBe(false);
  expect(isJoinable(table({ seats: [] }), 60_000)).toBe(true);
  expect(isJoinable(table({ seats: [] }), 18 * 60_000)).toBe(false);
  expect(isJoinable(table({ seats: ada(false), terms: { move_time: 86_400 } }), 1e9)).toBe(true);
  expect(isJoinable(table({ status: 'in-progress', seats: ada(true) }), 1)).toBe(false);
  expect(isLively(table({ status: 'in-progress', seats: ada(false) }))).toBe(true);
  expect(isLively(table({ seats: ada(false) }))).toBe(false);
});
