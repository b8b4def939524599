import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checks } from './checks';
import { fetchHere, packReport, unpackReport } from './link';
import { kindOfFile, nameOfRun, readLog, readReport } from './report';

const sample = (name: string): string => readFileSync(`src/pages/checker/sample/vicky_22-11-2026_01-28-25_local${name}`, 'utf8');

describe('readReport', () => {
  const report = readReport({ name: 'run', log: sample('.log'), actions: sample('_actions.json'), context: sample('_context.json'), junit: sample('.junit.xml') });
  it('says how the run ended', () => {
    expect(report.verdict).toBe('failed');
    expect(report.game).toBe('Harbour Trader');
    expect([report.packets, report.sent, report.ms]).toEqual([8, 0, 11]);
    expect(report.summary).toBe('Failed: 8 packets, 0 actions sent, 2 errors, 3 warnings');
  });
  it('gathers the findings, the worst first, each with its packet', () => {
    expect(report.findings.map((each) => [each.level, each.key])).toEqual([
      ['error', 'prot/result/unexpected'],
      ['error', 'prot/json/repaired'],
      ['warn', 'prot/schema/unsupported_keywords'],
      ['warn', 'perf/register/identical_duplicate'],
      ['info', 'prot/schema/additionalProperties'],
      ['info', 'prot/unregister/unknown'],
    ]);
    expect(report.grade).toBe('F (40 of 100)');
    expect(report.costs.map((each) => [each.points, each.key])).toEqual([
      [20, 'prot/result/unexpected'],
      [20, 'prot/json/repaired'],
      [12, 'prot/schema/unsupported_keywords'],
      [8, 'perf/register/identical_duplicate'],
    ]);
    expect(report.findings[0]?.lines[0]?.text).toBe('no action was sent with id `nope`');
    expect(report.findings[0]?.lines[0]?.packet).toContain('"id":"nope"');
  });
  it('reads the stores and the script', () => {
    expect(report.actions?.map((each) => each.name)).toEqual(['build_ship', 'sail', 'end_day']);
    expect(report.context?.[0]?.source).toBe('startup');
    expect(report.script?.[0]).toEqual({ name: '1 build_ship', failure: 'the action was not sent' });
  });
  it('knows actions that were sent, and their results', () => {
    const log = [
      '[2026-11-22T01:00:00.000Z] debug: Sent action: id a-1, name move, data {"x":1}',
      '[2026-11-22T01:00:00.100Z] debug: Result of action id a-1: success false, message taken',
      '[2026-11-22T01:00:00.200Z] critical: the run ended early [script/unfinished]',
      '',
    ].join('\n');
    const { timeline, verdict } = readReport({ name: 'x', log });
    expect(timeline.map((each) => [each.way, each.title, each.text])).toEqual([
      ['sent', 'move', '{"x":1}   (id a-1)'],
      ['result', 'refused', 'taken   (id a-1)'],
      ['finding', 'script/unfinished', 'the run ended early'],
    ]);
    expect(verdict).toBe('unfinished');
  });
  it('knows the grade, what it cost, and what the log left out', () => {
    const log = [
      '[2026-11-22T01:00:00.000Z] info: action `a`: its schema is {} [prot/schema/prefer_omit_to_empty]',
      '[2026-11-22T01:00:00.000Z] info: Grade: B (84 of 100)',
      '[2026-11-22T01:00:00.000Z] info: 1. costs 12: perf/actions/churn, 3 times: it changed [a/b]',
      '[2026-11-22T01:00:00.000Z] info: 2. costs 2: perf/context/heading: `message` has the heading "# A: b"',
      '[2026-11-22T01:00:00.000Z] info: Passed: 5012 packets, 31 actions sent, 0 errors, 1 warning',
    ].join('\n');
    const report = readReport({ name: 'x', log });
    expect(report.findings.map((each) => [each.level, each.key])).toEqual([['info', 'prot/schema/prefer_omit_to_empty']]);
    expect(report.grade).toBe('B (84 of 100)');
    expect(report.costs).toEqual([
      { points: 12, key: 'perf/actions/churn', text: '3 times: it changed [a/b]' },
      { points: 2, key: 'perf/context/heading', text: '`message` has the heading "# A: b"' },
    ]);
    expect([report.packets, report.sent]).toEqual([5012, 31]);
  });
  it('says which file is not what it should be', () => {
    expect(() => readLog('hello')).toThrow('not a log');
    expect(() => readReport({ name: 'x', actions: '{}' })).toThrow('actions store');
    expect(() => readReport({ name: 'x', context: '[1]' })).toThrow('context store');
    expect(() => readReport({ name: 'x', junit: '<a' })).toThrow('JUnit');
  });
  it('a bracket at the end of a packet is no key', () => {
    expect(readLog('[t] debug: Received: {"a":[x] [prot/json/repaired]')[0]?.key).toBeUndefined();
  });
});

it('every finding of the documentation is explained', () => {
  expect(checks.size).toBeGreaterThanOrEqual(100);
  expect(checks.get('prot/json/repaired')?.happened).toBe('A message is not valid JSON, but can be read after repairs.');
  for (const check of checks.values()) expect(check.advice, check.key).not.toBe('');
});

it('files are known by name, else by what is in them', () => {
  expect(kindOfFile('a.log', '')).toBe('log');
  expect(kindOfFile('a_actions.json', '[]')).toBe('actions');
  expect(kindOfFile('store.json', '[{"source": "context"}]')).toBe('context');
  expect(kindOfFile('store', '[2026] info: x')).toBe('log');
  expect(kindOfFile('photo.png', 'x')).toBeUndefined();
  expect(nameOfRun('logs/vicky_1_actions.json')).toBe('vicky_1');
});

describe('links', () => {
  afterEach(() => vi.unstubAllGlobals());
  it('hold a whole report', async () => {
    const files = { name: 'run', log: sample('.log'), actions: undefined, context: '[]', junit: undefined };
    const packed = await packReport(files);
    expect(packed).toMatch(/^[\w-]+$/);
    expect(packed.length).toBeLessThan(files.log.length);
    expect(await unpackReport(packed)).toEqual(files);
  });
  it('that are damaged, or too large, are said to be so', async () => {
    await expect(unpackReport('%%%')).rejects.toThrow('damaged');
    await expect(unpackReport((await packReport({ name: 'x' })).slice(0, -6))).rejects.toThrow('damaged');
    await expect(unpackReport('a'.repeat(400_000))).rejects.toThrow('too long');
  });
  it('lead to this server only', async () => {
    const asked = vi.fn();
    vi.stubGlobal('fetch', asked);
    await expect(fetchHere('https://example.org/x.log')).rejects.toThrow('only from this server');
    await expect(fetchHere('//example.org/x.log')).rejects.toThrow('only from this server');
    expect(asked).not.toHaveBeenCalled();
    asked.mockResolvedValueOnce(new Response('[t] info: x', { headers: { 'content-type': 'text/plain' } }));
    expect(await fetchHere('/reports/x.log')).toBe('[t] info: x');
    asked.mockResolvedValueOnce(new Response('gone', { status: 404 }));
    await expect(fetchHere('/x.log')).rejects.toThrow('404');
    asked.mockResolvedValueOnce(new Response('<html>', { headers: { 'content-type': 'text/html' } }));
    await expect(fetchHere('/x.log')).rejects.toThrow('a web page');
  });
});
