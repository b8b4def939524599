import { render, screen } from '@testing-library/svelte';
import { describe, expect, it, vi } from 'vitest';
import MessageRow from './MessageRow.svelte';

describe('a message', () => {
  it('can be downloaded whole if it is cut once it is spread over lines', () => {
    const text = JSON.stringify(Array<number>(40_000).fill(1));
    const row = { mark: '>', markName: 'sent', about: 'large', text, time: '', clock: '', note: '', toggle: vi.fn() };
    render(MessageRow, { ...row, open: true });
    expect(text.length).toBeLessThan(100_000);
    expect(screen.getByRole('button', { name: 'Download all' })).toBeTruthy();
  });
});
