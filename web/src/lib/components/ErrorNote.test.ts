import { cleanup, render, screen } from '@testing-library/svelte';
import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../api/client';
import { notifyError, toasts } from '../toasts.svelte';
import ErrorNote from './ErrorNote.svelte';
import Toasts from './Toasts.svelte';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  toasts.list = [];
  vi.useRealTimers();
});
const later = (ms: number) => flushSync(() => vi.advanceTimersByTime(ms));
const tooMany = () => new ApiError('Too many requests', 429, '', '', undefined, Date.now() + 65_000);

it('counts down until it can be tried again', () => {
  render(ErrorNote, { error: tooMany() });
  const timer = screen.getByRole('timer');
  expect(timer.textContent?.trim()).toBe('Try again in 1 min 5 s.');
  later(60_000);
  expect(timer.textContent?.trim()).toBe('Try again in 5 s.');
  later(5000);
  expect(timer.textContent?.trim()).toBe('You can try again now.');
});

it('says nothing of it where the server did not', () => {
  render(ErrorNote, { error: new ApiError('no', 400) });
  expect(screen.queryByRole('timer')).toBeNull();
});

it('a toast counts, too', () => {
  render(Toasts);
  flushSync(() => notifyError(tooMany()));
  later(64_000);
  expect(screen.getByRole('timer').textContent?.trim()).toBe('Try again in 1 s.');
});
