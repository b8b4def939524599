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
    expect([report.packets, report.sent, report.ms]).toEqual([8, 0, 10]);
    expect(report.summary).toBe('Failed: 8 packets, 0 actions sent, 2 errors, 1 warning');
  });
  it('gathers the findings, the worst first, each with its packet', () => {
    expect(report.findings.map((each) => [each.level, each.key])).toEqual([
      ['error', 'result/unknown'],
      ['error', 'packet/json'],
      ['warn', 'action/duplicate'],
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
  it('says which file is not what it should be', () => {
    expect(() => readLog('hello')).toThrow('no log');
    expect(() => readReport({ name: 'x', actions: '{}' })).toThrow('actions store');
    expect(() => readReport({ name: 'x', context: '[1]' })).toThrow('context store');
    expect(() => readReport({ name: 'x', junit: '<a' })).toThrow('JUnit');
  });
  it('a bracket at the end of a packet is no key', () => {
    expect(readLog('[t] debug: Received: {"a":[x] [packet/json]')[0]?.key).toBeUndefined();
  });
});

it('every finding of the documentation is explained', () => {
  expect(checks.size).toBeGreaterThanOrEqual(36);
  expect(checks.get('packet/json')?.happened).toBe('A packet is not valid JSON.');
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
    await expect(fetchHere('/x.log')).rejects.toThrow('a page');
  });
});
