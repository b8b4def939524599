import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Checking, type Checked } from './checking';
import { FakeWorker, useFakeWorkers } from './fake_worker';
import type { Draft } from './shape';

let told: [Draft, Checked][];
let checking: Checking;

beforeEach(() => {
  vi.useFakeTimers();
  useFakeWorkers();
  told = [];
  checking = new Checking({ type: 'integer', maximum: 5 }, (value, checked) => told.push([value, checked]), 500);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
const flush = () => vi.advanceTimersByTimeAsync(0);

it('judges the newest value only', async () => {
  await flush();
  checking.check(9);
  checking.check(8);
  const settled = checking.settled();
  expect(told).toEqual([]);
  checking.check(3);
  await flush();
  await settled;
  expect(told).toEqual([[3, { violations: [] }]]);
  expect(FakeWorker.made[0]?.asked).toBe(2); // 9 was under way when the others came
  checking.check(7);
  await checking.settled();
  expect(told[1]).toEqual([7, { violations: [{ path: '', message: 'must be 5 or less' }] }]);
  await checking.settled();
});

it('gives up permanently on what takes too long, without blocking', async () => {
  await flush();
  FakeWorker.stuck = true;
  checking.check(1);
  const settled = checking.settled();
  await vi.advanceTimersByTimeAsync(499);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await settled;
  expect(FakeWorker.made[0]?.ended).toBe(true);
  expect(told).toEqual([[1, { violations: [], problem: 'the schema takes too long' }]]);
  checking.check(2);
  expect(told.length).toBe(1);
  await checking.settled();
  expect(told[1]).toEqual([2, { violations: [], problem: 'the schema takes too long' }]);
  expect(FakeWorker.made[0]?.asked).toBe(1);
});

it('the time counts from when the worker is there', async () => {
  checking = new Checking(true, (value, checked) => told.push([value, checked]), 500);
  const worker = FakeWorker.made[1];
  FakeWorker.stuck = true;
  const ready = worker?.onmessage;
  if (worker) worker.onmessage = null;
  checking.check(1);
  await vi.advanceTimersByTimeAsync(5000);
  expect(told).toEqual([]);
  ready?.({ data: { ready: true } });
  await vi.advanceTimersByTimeAsync(500);
  expect(told.length).toBe(1);
});

it('says that the check could not be loaded', async () => {
  checking.check(1);
  FakeWorker.made[0]?.onerror?.();
  await checking.settled();
  expect(told).toEqual([[1, { violations: [], problem: 'the check could not be loaded' }]]);
});

it('ends quietly', async () => {
  await flush();
  checking.check(1);
  const settled = checking.settled();
  checking.end();
  checking.end();
  await settled;
  await flush();
  expect(told).toEqual([]);
  expect(FakeWorker.made[0]?.ended).toBe(true);
});

it('hands its worker on where that is idle', async () => {
  await flush();
  checking.end();
  expect(FakeWorker.made[0]?.ended).toBe(false);
  const next = new Checking({ type: 'string' }, (value, checked) => told.push([value, checked]));
  expect(FakeWorker.made.length).toBe(1);
  next.check(4);
  await next.settled();
  expect(told.map(([value, checked]) => [value, checked.violations[0]?.message])).toEqual([[4, expect.stringContaining('must be a text')]]);
  // Not to two at once.
  const other = new Checking(true, () => undefined);
  expect(FakeWorker.made.length).toBe(2);
  next.check(1);
  next.end();
  other.check(1);
  other.end();
  expect(FakeWorker.made.map((each) => each.ended)).toEqual([true, true]);
});
