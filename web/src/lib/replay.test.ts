// @vitest-environment node
import { describe, expect, it } from 'vitest';
import type { JsonObject, TranscriptEvent } from './api/types';
import { readModelStep, summarize, sumModels } from './replay';

const event = (seq: number, kind: string, payload: JsonObject = {}): TranscriptEvent => ({ seq, time: '2026-01-01T00:00:00Z', kind, payload });
const model = (seq: number, payload: JsonObject) => event(seq, 'model', { seat: 0, model: 'tiny', step: 'answer', ...payload });

describe('answers of models', () => {
  it('are read with what was wrong', () => {
    const step = readModelStep(model(1, { text: '{', outcome: 'invalid', tokens_in: 5, tokens_out: 2, ms: 30.5, parse_error: 'ends early', issues: [{ path: 'position', message: 'must be free' }], cut_off: true }));
    expect(step.notes).toEqual(['ends early', 'position: must be free', 'the answer was cut off']);
    expect([step.tokensIn, step.tokensOut, step.ms, step.cost]).toEqual([5, 2, 30.5, undefined]);
  });
  it('are summed by seat and model', () => {
    const steps = [
      model(1, { outcome: 'strict', tokens_in: 10, cost: 0.5, ms: 10 }),
      model(2, { outcome: 'mended', tokens_in: 10, cost: 0.25, ms: 20 }),
      model(3, { outcome: 'invalid' }),
      model(4, { step: 'failure' }),
      model(5, { outcome: 'strict', seat: 1 }),
    ].map(readModelStep);
    const [first, second] = sumModels(steps);
    expect(first).toMatchObject({ seat: 0, answers: 3, mended: 1, wrong: 1, failures: 1, tokensIn: 20, cost: 0.75, ms: 30 });
    expect(second).toMatchObject({ seat: 1, answers: 1, cost: undefined });
  });
});

describe('a line for each event', () => {
  it('says what happened', () => {
    expect(summarize({ kind: 'received', payload: { command: 'context' } })).toMatchObject({ label: 'from the game', text: 'context' });
    expect(summarize({ kind: 'verdict', payload: { verdict: 'refused', message: 'taken' } })).toMatchObject({ tone: 'bad', text: 'refused taken' });
    expect(summarize({ kind: 'played', payload: { action: 'move', data: { x: 1 }, agent: 'client' } })).toMatchObject({ text: 'move {"x":1} (by client)' });
    expect(summarize({ kind: 'played', payload: { action: 'pass' } })).toMatchObject({ text: 'pass' });
    expect(summarize({ kind: 'handed-over', payload: { seat: 1, name: 'Ana', agent: 'random' } })).toMatchObject({ label: 'handed over', text: 'random plays seat 1 from now on, for Ana' });
    expect(summarize({ kind: 'handed-over', payload: { seat: 1, agent: { kind: 'llm', model: 'tiny' } } }).text).toBe('llm plays seat 1 from now on');
    expect(summarize({ kind: 'gap', payload: { lost: 3, since: '2026-01-01T00:00:00.5Z', reason: 'the disk is full' } })).toMatchObject({ label: 'gap', tone: 'warn', text: expect.stringMatching(/^3 events are missing here, from .+ on: the disk is full$/) });
    expect(summarize({ kind: 'gap', payload: { lost: 1 } }).text).toBe('1 event is missing here');
    expect(summarize({ kind: 'webhook', payload: { seat: 0, event: 'game-start', status: 200 } }).text).toBe('game-start to seat 0: status 200');
    expect(summarize({ kind: 'kind-99', payload: { x: 1 } })).toMatchObject({ label: 'kind-99', text: '{"x":1}' });
    expect(summarize({ kind: 'sent', payload: { text: 'a'.repeat(500) } }).text.length).toBeLessThan(200);
  });
});
