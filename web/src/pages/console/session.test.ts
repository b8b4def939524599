import { describe, expect, it } from 'vitest';
import type { JsonObject, TranscriptEvent } from '../../lib/api/types';
import { latencyFigures, logOf, messagesOf, outcomesOf, rawText, verdictOf } from './session';

let seq = 0;
const event = (kind: string, payload: JsonObject, ms = 0): TranscriptEvent => {
  seq += 1;
  return { seq, time: new Date(Date.UTC(2026, 10, 22) + ms).toISOString(), kind, payload };
};
const action = (id: string, ms = 0) => event('sent', { command: 'action', data: { id, name: 'move', data: '{"position":[0,2]}' } }, ms);
const result = (id: string, success: boolean, ms = 0, message = '') => event('received', { command: 'action/result', game: 'G', data: { id, success, message } }, ms);

describe('messagesOf', () => {
  it('shows both ways, and what each is about', () => {
    const messages = messagesOf([
      event('opened', { kind: 'remote' }),
      event('received', { command: 'actions/register', data: { actions: [{ name: 'a' }, { name: 'b' }] } }),
      action('1'),
      result('1', false, 5, 'no'),
      event('received', { text: 'not { JSON' }),
    ]);
    expect(messages.map((each) => [each.to, each.command, each.about])).toEqual([
      ['server', 'actions/register', 'a, b'],
      ['game', 'action', 'move {"position":[0,2]}'],
      ['server', 'action/result', 'refused: no'],
      ['server', '', 'not { JSON'],
    ]);
  });
  it('returns non-JSON unchanged', () => {
    expect(rawText({ text: 'a{' })).toBe('a{');
    expect(rawText({ command: 'context', text: 'x' })).toBe('{"command":"context","text":"x"}');
  });
});

describe('logOf', () => {
  it('says in words that something is missing', () => {
    const [gap, one] = logOf([event('gap', { lost: 12, since: '2026-11-22T10:00:00Z', reason: 'the disk is full' }), event('gap', { lost: 1 })]);
    expect(gap).toMatchObject({ kind: 'other', tone: 'warn', text: 'the disk is full' });
    expect(gap?.title).toMatch(/^12 events are missing here, from .+ on$/);
    expect(one?.title).toBe('1 event is missing here');
  });
  it('is what a player would read', () => {
    const log = logOf([
      event('link', { state: 'connected', peer: '127.0.0.1' }),
      event('received', { command: 'context', data: { message: 'Hello', silent: false } }),
      event('received', { command: 'actions/register', data: { actions: [] } }),
      event('received', { command: 'actions/force', data: { query: 'Which?', state: 'a\nb', priority: 'high', ephemeral_context: true, action_names: ['move'] } }),
      event('decision', { seat: 0, decision: 1, attempt: 1 }),
      event('choice', { seat: 0, action: 'move', data: { x: 1 }, choice: 1, agent: 'console' }),
      event('refusal', { seat: 0, action: 'move', message: 'x must be 2', data: { x: 1 } }),
      result('1', false, 0, 'taken'),
      event('verdict', { verdict: 'refused', choice: 1 }),
      event('decision', { seat: 0, decision: 1, attempt: 2, refusal: 'taken' }),
      event('verdict', { verdict: 'timed-out', choice: 2 }),
      event('decision-end', { decision: 1, end: 'gave-up' }),
      event('kind-of-tomorrow', { a: 1 }),
    ]);
    expect(log.map((each) => [each.kind, each.title, each.text])).toEqual([
      ['connection', 'The game connected', '127.0.0.1'],
      ['context', 'Context, may be answered', 'Hello'],
      ['decision', 'Force, high priority, forgotten afterwards', 'Which?\n\na\nb'],
      ['choice', 'You chose move', '{"x":1}'],
      ['refusal', 'Not sent: move', 'x must be 2\n{"x":1}'],
      ['result', 'The game refused it', 'taken'],
      ['decision', 'Asked again, attempt 2', 'taken'],
      ['result', 'No result in time: counted as failed', ''],
      ['decision', 'The decision is over: gave up', ''],
      ['other', 'kind-of-tomorrow', '{"a":1}'],
    ]);
  });
  it('bears any payload', () => {
    const odd = [null, 1, 'x', [], {}, { command: 3 }, { command: 'context' }, { command: 'context', data: [] }] as unknown as JsonObject[];
    const events = odd.flatMap((payload) => ['received', 'sent'].map((kind) => event(kind, payload)));
    expect(() => [logOf(events), messagesOf(events), outcomesOf(events)]).not.toThrow();
  });
});

describe('outcomesOf', () => {
  it('pairs actions with their results, and measures', () => {
    const events = [action('a', 0), result('a', true, 40), action('b', 100), result('x', true, 110), action('c', 200), result('b', false, 900, 'no')];
    const outcomes = outcomesOf(events);
    expect(outcomes.map((each) => [each.id, each.state, each.ms, each.message])).toEqual([
      ['a', 'accepted', 40, ''],
      ['b', 'refused', 800, 'no'],
      ['c', 'waiting', undefined, ''],
    ]);
    expect(latencyFigures(outcomes)).toEqual({ count: 3, accepted: 1, refused: 1, lost: 0, median: 40, p95: 800, worst: 800 });
  });
  it('a result after the time is up does not make it a success', () => {
    const outcomes = outcomesOf([action('a', 0), event('verdict', { verdict: 'timed-out', choice: 1 }, 20_000), result('a', true, 21_000)]);
    expect(outcomes[0]?.state).toBe('timed-out');
    expect(latencyFigures(outcomes).lost).toBe(1);
  });
  it('has no figures without results', () => expect(latencyFigures([]).median).toBeUndefined());
});

it('verdictOf finds what became of a choice', () => {
  const events = [event('choice', { choice: 4 }), event('verdict', { choice: 4, verdict: 'accepted', message: 'fine' }), event('choice', { choice: 5 })];
  expect(verdictOf(events, 4)).toEqual({ verdict: 'accepted', message: 'fine' });
  expect(verdictOf(events, 5)).toBeUndefined();
});
