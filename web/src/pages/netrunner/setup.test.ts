import { beforeEach, describe, expect, it } from 'vitest';
import { raiseLevel } from '../../lib/levels';
import type { Deck } from './decks_api';
import { firstSetup, matchRequest, rememberedSetup, rememberSetup, setupProblem, type Setup } from './setup';

const deck = (id: string, side: string, problems: string[] = []): Deck => ({
  id,
  name: `Deck ${id}`,
  game: 'netrunner',
  side,
  identity: `${id}0`,
  cards: { [`${id}1`]: 2, [`${id}2`]: 1 },
  notes: '',
  problems: problems.map((message) => ({ message })),
  changed: '2026-01-01T00:00:00Z',
});
const setup = (change: Partial<Setup>): Setup => ({ ...firstSetup, ...change });

beforeEach(() => localStorage.clear());

describe('the match that is made', () => {
  it('leaves the person’s seat open', () => {
    expect(matchRequest(setup({}), [])).toEqual({
      game: 'netrunner',
      options: { format: 'system-gateway-beginner' },
      seats: [{ role: 'corp', agent: { kind: 'search', level: 1 }, name: 'Newcomer (level 1)' }, { role: 'runner' }],
    });
    expect(matchRequest(setup({ side: 'corp', opponent: 'friend' }), []).seats).toEqual([{ role: 'corp' }, { role: 'runner' }]);
  });
  it('seats a bot of the chosen level', () => {
    expect(matchRequest(setup({ level: 5 }), []).seats?.[0]).toEqual({ role: 'corp', agent: { kind: 'search', level: 5 }, name: 'Club (level 5)' });
    raiseLevel('netrunner', 3);
    expect(matchRequest(setup({}), []).seats?.[0]?.agent).toEqual({ kind: 'search', level: 3 });
    expect(matchRequest(setup({ opponent: 'bot' }), []).seats?.[0]?.agent).toEqual({ kind: 'bot' });
  });
  it('tells the webhook’s URL and key', () => {
    const wanted = setup({ side: 'corp', opponent: 'webhook', url: ' https://a.example/hook ', key: 'secret' });
    expect(matchRequest(wanted, []).seats?.[1]?.agent).toEqual({ kind: 'webhook', url: 'https://a.example/hook', key: 'secret' });
    expect(matchRequest({ ...wanted, key: '' }, []).seats?.[1]?.agent).toEqual({ kind: 'webhook', url: 'https://a.example/hook' });
  });
  it('writes out both decks', () => {
    expect(matchRequest(setup({ side: 'runner', decks: 'system-gateway', own: 'r', theirs: 'c' }), [deck('c', 'corp'), deck('r', 'runner')])).toEqual({
      game: 'netrunner',
      options: {
        format: 'system-gateway',
        decks: { corp: { name: 'Deck c', identity: 'c0', cards: ['c1', 'c1', 'c2'] }, runner: { name: 'Deck r', identity: 'r0', cards: ['r1', 'r1', 'r2'] } },
      },
      seats: [{ role: 'corp', agent: { kind: 'search', level: 1 }, name: 'Newcomer (level 1)' }, { role: 'runner' }],
    });
  });
});

describe('what is missing', () => {
  it('is reported', () => {
    expect(setupProblem(setup({}), [])).toBeUndefined();
    expect(setupProblem(setup({ opponent: 'llm' }), [])).toContain('no model');
    expect(setupProblem(setup({ opponent: 'webhook', url: 'agent.example' }), [])).toContain('URL');
    expect(setupProblem(setup({ opponent: 'webhook', url: 'https://agent.example/x' }), [])).toBeUndefined();
    const own = setup({ side: 'corp', decks: 'system-gateway', own: 'c', theirs: 'r' });
    expect(setupProblem(own, [deck('c', 'corp')])).toBe('Choose your opponent’s deck');
    expect(setupProblem(own, [deck('c', 'corp', ['too few cards']), deck('r', 'runner')])).toContain('too few cards');
    expect(setupProblem({ ...own, side: 'runner' }, [deck('c', 'corp'), deck('r', 'runner')])).toBe('Choose your deck');
    expect(setupProblem(own, [deck('c', 'corp'), deck('r', 'runner')])).toBeUndefined();
  });
});

it('is remembered without the key', () => {
  rememberSetup(setup({ side: 'corp', opponent: 'webhook', url: 'https://a.example', key: 'secret' }));
  expect(localStorage.getItem('openseat.netrunner.setup')).not.toContain('secret');
  expect(rememberedSetup()).toMatchObject({ side: 'corp', opponent: 'webhook', url: 'https://a.example', key: '' });
  localStorage.setItem('openseat.netrunner.setup', '{');
  expect(rememberedSetup()).toEqual(firstSetup);
});
