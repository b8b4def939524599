import { expect, it } from 'vitest';
import type { AgentKind } from '../../lib/api/types';
import { raiseLevel } from '../../lib/levels';
import { isComplete, seatChoice, seatKinds, usualOpponent } from './seats';

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
const all = [
  kind('random'),
  kind('bot', { game: 'netrunner' }),
  kind('script', { options_schema: { type: 'object', properties: { script: { description: 'Any JSON.' } } } }),
  kind('llm', { bare: 'model', options_schema: { type: 'object', properties: { model: { type: 'string', description: 'Its name.' } } } }),
];

it('offers people, and the kinds of the server that play the game', () => {
  const offered = seatKinds('tictactoe', all);
  expect(offered.map((each) => each.value)).toEqual(['you', 'open', 'random', 'llm']);
  expect(offered[3]).toEqual({ value: 'llm', label: 'The llm', hint: 'Plays.', option: 'model', detail: 'Its name.' });
  expect(seatKinds('netrunner', all).map((each) => each.value)).toContain('bot');
});

it('makes an agent of what was chosen', () => {
  const offered = seatKinds('tictactoe', all);
  expect(seatChoice({ kind: 'you', detail: '' }, offered)).toEqual({ kind: 'you' });
  expect(seatChoice({ kind: 'random', detail: '' }, offered)).toEqual({ kind: 'agent', agent: { kind: 'random' } });
  expect(seatChoice({ kind: 'llm', detail: ' tiny ' }, offered)).toEqual({ kind: 'agent', agent: { kind: 'llm', model: 'tiny' } });
  expect(isComplete({ kind: 'llm', detail: ' ' }, offered)).toBe(false);
  expect(isComplete({ kind: 'llm', detail: 'tiny' }, offered)).toBe(true);
  expect(isComplete({ kind: 'random', detail: '' }, offered)).toBe(true);
});

it('lets people choose the level of an agent that has levels', () => {
  const offered = seatKinds('tictactoe', [kind('search', { options_schema: { type: 'object', properties: { level: { type: 'integer' } } } })]);
  expect(seatChoice({ kind: 'search', detail: '3' }, offered)).toEqual({ kind: 'agent', agent: { kind: 'search', level: 3 } });
  expect(seatChoice({ kind: 'search', detail: '' }, offered)).toEqual({ kind: 'agent', agent: { kind: 'search' } });
  expect(isComplete({ kind: 'search', detail: '' }, offered)).toBe(true);
});

it('seats a bot of the level that the person has reached, if there are such bots', () => {
  const offered = seatKinds('tictactoe', [kind('random'), kind('search', { options_schema: { type: 'object', properties: { level: { type: 'integer' } } } })]);
  expect(usualOpponent('tictactoe', offered)).toEqual({ kind: 'search', detail: '1' });
  raiseLevel('tictactoe', 4);
  expect(usualOpponent('tictactoe', offered)).toEqual({ kind: 'search', detail: '4' });
  expect(usualOpponent('tictactoe', seatKinds('tictactoe', all))).toEqual({ kind: 'open', detail: '' });
});
