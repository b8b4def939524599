import { describe, expect, it } from 'vitest';
import { modelCharts, modelNotes, outcomeChart, seatChart, winChart } from './charts';
import { readRun, readRuns } from './run';
import { printed, recorded } from './testdata';

describe('readRun', () => {
  it('takes a record', () => {
    const run = readRun(recorded, 'x');
    expect(run.id).toBe(recorded.id);
    expect(run.seats[0]?.bySeat[1]).toEqual({ wins: 37, draws: 6, losses: 7 });
    expect(run.models[0]).toMatchObject({ name: 'big', illegal: 21, mended: 2, cost: 1.41, latency: { p99: 4900 } });
  });
  it('takes what older programs printed, and no number that was not written', () => {
    const run = readRun(printed, 'a file');
    expect(run).toMatchObject({ id: 'a file', title: 'rps', wanted: 6, models: [] });
    expect(run.seed).toBeUndefined();
    expect(seatChart([run])).toBeUndefined();
  });
  it.each([
    [[], 'a run must be an object'],
    [{ ...recorded, format: 'else' }, '"format" must be'],
    [{ ...recorded, version: 2 }, 'this one has version 2'],
    [{ ...recorded, games: '7' }, 'games must be a number of at least 0'],
    [{ ...recorded, seats: [] }, 'seats must be a list'],
    [{ ...recorded, seats: [{ agent: 'random', wins: -1, draws: 0, losses: 0 }] }, 'seats[0].wins must be'],
    [{ ...recorded, models: { big: { answers: null } } }, 'models.big.answers must be'],
  ])('says what is wrong with %#', (value, message) => {
    expect(() => readRun(value, 'x')).toThrow(message);
  });
});

describe('readRuns', () => {
  it('finds runs among the lines of a terminal', () => {
    const runs = readRuns(`some progress\n${JSON.stringify(printed)}\n{no json\n${JSON.stringify(recorded)}\n`, 'out.txt');
    expect(runs.map((run) => [run.id, run.file])).toEqual([
      ['out.txt#1', 'out.txt'],
      [recorded.id, 'out.txt'],
    ]);
  });
  it('takes one value or a list', () => {
    expect(readRuns(JSON.stringify(recorded, null, 2), 'a.json')).toHaveLength(1);
    expect(readRuns(JSON.stringify([recorded, printed]), 'a.json')).toHaveLength(2);
  });
  it('says so if there is none', () => {
    expect(() => readRuns('hello', 'a.txt')).toThrow('no JSON output of');
    expect(() => readRuns('[]', 'a.txt')).toThrow('no run');
    expect(() => readRuns('{"a": 1}', 'a.txt')).toThrow('game must be a string');
  });
});

describe('charts', () => {
  const runs = [readRun(recorded, 'x'), readRun(printed, 'y')];
  it('show shares with their intervals', () => {
    const chart = winChart(runs);
    expect(chart.rows.map((row) => [row.mark, row.label, row.value, row.detail])).toEqual([
      ['A', 'llm:big', '82%', '73% to 88%'],
      ['A', 'random', '9%', '5% to 16%'],
      ['B', 'random 1', '33%', '10% to 70%'],
      ['B', 'random 2', '50%', '19% to 81%'],
    ]);
  });
  it('show outcomes that add up', () => {
    for (const row of outcomeChart(runs).rows) expect(row.parts?.reduce((sum, part) => sum + part.value, 0)).toBeCloseTo(1);
    expect(outcomeChart(runs).rows[0]?.detail).toBe('1 forfeited');
  });
  it('show models side by side, and say what is unknown', () => {
    const free = readRun({ ...recorded, models: { big: { ...recorded.models.big, cost: null } } }, 'z');
    expect(modelCharts([runs[0] ?? free]).map((chart) => chart.id)).toEqual(['illegal', 'repaired', 'latency', 'tokens', 'cost']);
    expect(modelCharts([free]).map((chart) => chart.id)).not.toContain('cost');
    expect(modelNotes([free]).join(' ')).toContain('unknown cost');
    expect(modelCharts([readRun(printed, 'y')])).toEqual([]);
  });
});
