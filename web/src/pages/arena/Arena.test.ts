import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toasts } from '../../lib/toasts.svelte';
import Arena from './Arena.svelte';
import { printed, recorded, summaryJson } from './testdata';

const second = { ...recorded, id: '20261122-010300-tictactoe-aaaaaa', name: 'first try' };
let answers: Record<string, { status: number; body: unknown }>;

beforeEach(() => {
  answers = {
    '/api/v1/arena': { status: 200, body: { runs: [summaryJson(recorded), summaryJson(second)], unreadable: [] } },
    [`/api/v1/arena/${recorded.id}`]: { status: 200, body: recorded },
    [`/api/v1/arena/${second.id}`]: { status: 200, body: second },
  };
  vi.stubGlobal('fetch', (url: string) => {
    const answer = answers[url] ?? { status: 404, body: { error: { code: 'not-found', message: `no ${url}` } } };
    return Promise.resolve(new Response(JSON.stringify(answer.body), { status: answer.status }));
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  for (const toast of toasts.list) toasts.dismiss(toast.id);
});

// jsdom's files cannot be read as text.
const file = (text: string, name: string) => Object.assign(new File([text], name), { text: () => Promise.resolve(text) });

const show = (query = '') => render(Arena, { params: {}, query: new URLSearchParams(query) });

describe('Arena', () => {
  it('shows the newest run, and another next to it', async () => {
    show();
    const wins = await screen.findByRole('table', { name: 'Win rate' });
    expect(within(wins).getAllByRole('row')).toHaveLength(3);
    expect(within(wins).getByText('82%')).toBeTruthy();
    await userEvent.click(screen.getByRole('checkbox', { name: /first try/ }));
    await waitFor(() => expect(within(screen.getByRole('table', { name: 'Win rate' })).getAllByRole('row')).toHaveLength(5));
    expect(location.hash).toContain(encodeURIComponent(`${recorded.id},${second.id}`));
  });

  it('opens the runs of its address, and says what it cannot show', async () => {
    show(`runs=${second.id},gone`);
    expect(await screen.findByRole('heading', { name: 'first try' })).toBeTruthy();
    expect((await screen.findByRole('alert')).textContent).toContain('Could not show the run gone');
  });

  it('takes a file', async () => {
    show();
    const input = document.querySelector('input[type=file]') as HTMLInputElement;
    await userEvent.upload(input, file(JSON.stringify(printed), 'night.json'));
    expect(await screen.findByText('6 games', { selector: 'p' })).toBeTruthy();
    expect((screen.getByRole('combobox', { name: 'Game' }) as HTMLSelectElement).value).toBe('rps');
    await userEvent.upload(input, file('{"game": 1}', 'odd.json'));
    await waitFor(() => expect(toasts.list.map((toast) => toast.text)).toContain('Could not show odd.json: game must be a string'));
  });

  it('says how to begin where there is nothing, and which files are broken', async () => {
    answers['/api/v1/arena'] = {
      status: 200,
      body: { runs: [], unreadable: [{ file: 'x.json', message: 'x.json: unexpected end' }] },
    };
    show();
    expect(await screen.findByText('No runs recorded yet')).toBeTruthy();
    expect(screen.getByText('x.json: unexpected end')).toBeTruthy();
  });

  it('shows what the server says went wrong', async () => {
    answers['/api/v1/arena'] = { status: 500, body: { error: { code: 'io', message: 'cannot read the folder' } } };
    show();
    expect((await screen.findByRole('alert')).textContent).toContain('cannot read the folder');
  });
});
