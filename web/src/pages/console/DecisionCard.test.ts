import { cleanup, render, screen, within } from '@testing-library/svelte';
import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SeatDecision } from '../../lib/api/types';
import * as downloads from '../../lib/download';
import DecisionCard from './DecisionCard.svelte';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});
const later = (ms: number) => flushSync(() => vi.advanceTimersByTime(ms));
const iso = (inMs: number) => new Date(Date.now() + inMs).toISOString();

function show(more: Partial<SeatDecision>): void {
  const decision: SeatDecision = { id: 3, query: 'What now?', state: 'board', priority: 'low', asked: iso(0), ephemeral: false, attempt: 1, actions: ['move', 'pass'], ...more };
  render(DecisionCard, { seat: { index: 0, name: 'player', agent: 'external', decision }, agent: 'external', skip: () => undefined, handOver: () => undefined });
}

it('counts down to the deadline', () => {
  show({ asked: iso(-5000), deadline: iso(25_000) });
  const clock = screen.getByRole('timer');
  expect(clock.textContent?.trim()).toBe('25 s left');
  later(20_000);
  expect(clock.textContent?.trim()).toBe('5 s left');
  expect(clock.classList.contains('short')).toBe(true);
  later(6000);
  expect(clock.textContent?.trim()).toBe('time is up');
});

it('shows the beginning of a long state, and offers all of it', () => {
  const saved = vi.spyOn(downloads, 'download').mockImplementation(() => undefined);
  const state = `{${'a '.repeat(200_000)}}`;
  show({ state });
  const group = screen.getByRole('group', { name: 'The state of the game' });
  expect(group.querySelector('pre')?.textContent).toHaveLength(100_000);
  within(group).getByRole('button', { name: 'Download all' }).click();
  expect(saved).toHaveBeenCalledWith('text.txt', state, 'text/plain');
});

it('says for how long it has been open where there is no deadline', () => {
  show({ asked: iso(-5000) });
  later(60_000);
  expect(screen.getByRole('timer').textContent?.trim()).toBe('open for 1 min 5 s');
  expect(screen.getByText(/one of 2 actions/)).toBeTruthy();
});
