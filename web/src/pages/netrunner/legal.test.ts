import { describe, expect, it } from 'vitest';
import encounter from './testdata/encounter.json';
import runnerTurn from './testdata/runner_turn.json';
import type { JsonObject } from '../../lib/api/types';
import type { MatchAction } from '../../lib/chimera/client';
import { costOf, expand, fullLabel, inOrder, installOn, question, sortLegal, withWords } from './legal';
import { cardsById, read, type Card } from './state';

const action = (name: string, schema?: JsonObject): MatchAction => ({ name, description: '', ...(schema ? { schema } : {}) });
const ofEnum = (members: Record<string, (string | number)[]>, required = Object.keys(members)): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(members).map(([name, values]) => [name, { enum: values }])),
  required,
  additionalProperties: false,
});

describe('expand', () => {
  it('gives every object that a schema lists', () => {
    expect(expand(undefined)).toEqual([{}]);
    expect(expand(ofEnum({ server: ['HQ', 'R&D'] }))).toEqual([{ server: 'HQ' }, { server: 'R&D' }]);
    expect(expand(ofEnum({ card: ['c1', 'c2'], ability: [0, 1] }))).toHaveLength(4);
    expect(expand({ anyOf: [ofEnum({ card: ['c1'], ability: [0] }), ofEnum({ card: ['c2'], ability: [3] })] })).toEqual([
      { card: 'c1', ability: 0 },
      { card: 'c2', ability: 3 },
    ]);
  });
  it('leaves out what may be left out, and does not', () => {
    expect(expand(ofEnum({ until: ['turn-end'] }, []))).toEqual([{}, { until: 'turn-end' }]);
  });
});

describe('sortLegal', () => {
  const cards = new Map<string, Card>([
    ['c1', { cid: 'c1', side: 'Corp', type: 'ICE', title: 'Palisade', cost: 3 }],
    ['c2', { cid: 'c2', side: 'Corp', type: 'Operation', title: 'Hedge Fund', cost: 5 }],
    ['c3', { cid: 'c3', side: 'Runner', type: 'Program', title: 'Cleaver', abilities: [{ label: 'Break up to 2 Barrier subroutines', 'cost-label': '1 [Credits]', playable: true }] }],
  ]);
  const legal = sortLegal(
    [
      action('keep'),
      action('credit'),
      action('play', { anyOf: [ofEnum({ card: ['c1'], server: ['HQ', 'New remote'] }, ['card']), ofEnum({ card: ['c2'] })] }),
      action('ability', ofEnum({ card: ['c3'], ability: [0] })),
      action('run', ofEnum({ server: ['R&D'] })),
      action('choice', ofEnum({ choice: ['Pay 1 [Credits] to trash', 'No action'] })),
      action('continue', ofEnum({ until: ['turn-end'] }, [])),
      action('concede'),
    ],
    cards,
  );
  it('puts each choice where it belongs', () => {
    expect(legal.byCard.get('c1')?.map((choice) => choice.label)).toEqual(['Install on HQ', 'Install in a new remote server']);
    expect(legal.byCard.get('c2')?.map((choice) => choice.label)).toEqual(['Play (1 click, 5 credits)']);
    expect(legal.byCard.get('c3')?.map((choice) => fullLabel(choice, cards))).toEqual(['Cleaver: Break up to 2 Barrier subroutines (1 credit)']);
    expect([...legal.runs.keys()]).toEqual(['R&D']);
    expect([...legal.prompt.values()].map((choice) => choice.label)).toEqual(['Pay 1 credit to trash', 'No action']);
    expect(legal.general.map((choice) => choice.label)).toEqual(['Gain 1 credit', 'Continue', 'Pass for the rest of this turn']);
  });
  it('keeps giving up apart, and other names of options away', () => {
    expect(legal.concede?.action).toBe('concede');
    expect(legal.all.some((choice) => choice.action === 'concede' || choice.action === 'keep')).toBe(false);
  });
  it('knows what installing on a server is', () => {
    expect(installOn(legal.byCard.get('c1')!, 'HQ')?.data).toEqual({ card: 'c1', server: 'HQ' });
    expect(installOn(legal.byCard.get('c1')!, 'Archives')).toBeUndefined();
  });
  it('says what basic actions cost', () => {
    expect(legal.general.map(costOf)).toEqual(['1 click', '', '']);
  });
});

describe('buttons', () => {
  it('have the words of the rules', () => {
    const legal = sortLegal([action('continue'), action('choice', ofEnum({ choice: ['Steal', 'End the run (2)'] }))], new Map());
    const choices = [
      { idx: 0, value: 'Steal', label: 'Steal Offworld Office: 2 agenda points' },
      { idx: 1, value: 'End the run', option: 'End the run (2)', danger: true },
    ];
    withWords(legal, { pass: { label: 'Let 1 subroutine resolve: lose 3 [Credits]', danger: true }, prompt: { message: '', 'prompt-type': 'choice', choices } });
    expect(legal.general.map(({ label, danger }) => [label, danger])).toEqual([['Let 1 subroutine resolve: lose 3 credits', true]]);
    expect([...legal.prompt.values()].map(({ label, danger }) => [label, danger])).toEqual([
      ['Steal Offworld Office: 2 agenda points', undefined],
      ['End the run (2)', true],
    ]);
  });
  it('come in order: what breaks everything, then of the card in question, then others, then what can hurt', () => {
    const choice = (label: string, more: object) => ({ action: 'rez', data: {}, label, ...more });
    const all = [choice('hurts', { danger: true }), choice('other', { card: 'c2' }), choice('this', { card: 'c1' }), choice('pass', {}), choice('all', { action: 'auto-break', card: 'c3' })];
    expect(inOrder(all, 'c1').map(({ label }) => label)).toEqual(['all', 'this', 'pass', 'other', 'hurts']);
  });
});

describe('question', () => {
  const asked = (fixture: { state: unknown; actions: unknown }, change: object = {}, actions = fixture.actions) => {
    const state = { ...read(fixture.state as JsonObject), ...change };
    return question(state, sortLegal(actions as MatchAction[], cardsById(state)));
  };
  it('says what is asked', () => {
    expect(asked(runnerTurn, { prompt: null })).toBe('Your turn: take an action (2 clicks left)');
    expect(asked(encounter)).toBe('You encounter Whitespace');
    expect(asked(runnerTurn, { prompt: null }, [])).toBe('The Corp is choosing …');
    expect(asked(runnerTurn, { prompt: { message: 'Pay 2 [Credits]?', 'prompt-type': 'choice' } })).toBe('Pay 2 credits?');
    expect(asked(runnerTurn, { winner: 'runner' })).toBe('The Runner has won');
    expect(asked(runnerTurn, { side: null, run: null }, [])).toBe("It is the Runner's turn");
  });
});
