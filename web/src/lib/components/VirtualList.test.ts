import { render, screen } from '@testing-library/svelte';
import { createRawSnippet } from 'svelte';
import { describe, expect, it } from 'vitest';
import VirtualList from './VirtualList.svelte';

const row = createRawSnippet<[string, number]>((item) => ({ render: () => `<span>${item()}</span>` }));

describe('VirtualList', () => {
  it('has only the visible rows in the page, and says how many there are', () => {
    const items = Array.from({ length: 10_000 }, (_, i) => `line ${i}`);
    render(VirtualList<string>, { items, key: (item: string) => item, row, label: 'Log', estimate: 20 });
    const rows = screen.getAllByRole('listitem');
    expect(rows.length).toBeLessThan(60);
    expect(rows[0]?.textContent).toBe('line 0');
    expect(rows[0]?.getAttribute('aria-setsize')).toBe('10000');
  });
});
