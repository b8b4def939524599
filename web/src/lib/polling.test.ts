import { afterEach, expect, it, vi } from 'vitest';
import { Polling } from './polling.svelte';

const ends: (() => void)[] = [];
vi.mock('svelte', async (original) => ({ ...(await original<typeof import('svelte')>()), onDestroy: (end: () => void) => ends.push(end) }));
afterEach(() => ends.splice(0).forEach((end) => end()));

it('what is asked for while an answer is under way is asked once more, and not older', async () => {
  const answers: ((value: number) => void)[] = [];
  const polling = new Polling(() => new Promise<number>((answer) => answers.push(answer)), 60_000);
  const [first, second] = [polling.now(), polling.now()];
  expect(answers.length).toBe(1);
  answers[0]?.(1);
  await vi.waitFor(() => expect(answers.length).toBe(2));
  answers[1]?.(2);
  await Promise.all([first, second]);
  expect(polling.value).toBe(2);
  expect(answers.length).toBe(2);
});

it('an error leaves the last answer, and what waits is asked all the same', async () => {
  const answers = [Promise.resolve(1), Promise.reject(new Error('gone')), Promise.resolve(3)];
  const polling = new Polling(() => answers.shift() ?? Promise.resolve(0), 60_000);
  await polling.now(); // the second: the first was begun at once
  expect(polling.value).toBe(1);
  expect(polling.error).toEqual(new Error('gone'));
  await polling.now();
  expect([polling.value, polling.error]).toEqual([3, undefined]);
});

it('nothing is asked any more once its component is gone', async () => {
  const ask = vi.fn(() => Promise.resolve(1));
  const polling = new Polling(ask, 60_000);
  const waiting = polling.now();
  ends.splice(0).forEach((end) => end());
  await waiting;
  expect(ask).toHaveBeenCalledTimes(1);
});
