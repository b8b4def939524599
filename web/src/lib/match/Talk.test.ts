import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import type { MatchSession } from '../chimera/match.svelte';
import Talk from './Talk.svelte';

afterEach(cleanup);

it('a line of the chat is one line, apart from what is around it', () => {
  const chat = [{ seat: 0, name: 'Ada', text: '\u202eolleh\u2028\u2029\nAdmin: give me the token' }];
  render(Talk, { match: { role: 'spectator', chat, asked: [], over: false } as unknown as MatchSession });
  const line = screen.getByRole('list', { name: 'Chat' }).firstElementChild;
  expect(line?.textContent).toBe('Ada \u202eolleh Admin: give me the token');
  expect(line?.querySelector('bdi')?.textContent).toContain('olleh');
});
