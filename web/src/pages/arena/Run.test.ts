import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import Arena from './Arena.svelte';
import Game from './Game.svelte';
import Games from './Games.svelte';
import Run from './Run.svelte';
import { decisions, game, run, standings } from './testdata';

let answers: Record<string, unknown>;
let asked: string[];

beforeEach(() => {
  asked = [];
  answers = {
    '/api/v1/arena/cup': run,
    '/api/v1/arena/cup/standings': standings,
    '/api/v1/arena/cup/games': { games: [game(1), game(2, { result: 'void', winners: [], cause: 'llm:a: HTTP 500', code: 'provider' })], total: 3, next: 'game:2' },
    '/api/v1/arena/cup/games/17': { run: 'cup', game: game(17, { forfeit: true, winners: [1], cause: 'llm:a: no valid answer', code: 'schema' }), pair: [game(16)], decisions: 3, offered: true },
    '/api/v1/arena/cup/games/17/decisions': { decisions },
  };
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url);
    const answer = url.includes('cursor=') ? { games: [game(3)], total: 3 } : answers[url.replace(/\?.*/, '')];
    const body = answer ?? { error: { code: 'not-found', message: `no ${url}` } };
    return Promise.resolve(new Response(JSON.stringify(body), { status: answer ? 200 : 404 }));
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const params = { run: 'cup', game: '17' };
const show = (page: typeof Run | typeof Games | typeof Game, query = '') => render(page, { params, query: new URLSearchParams(query) });
const row = async (table: string, name: RegExp) => within(await screen.findByRole('table', { name: table })).getByRole('row', { name });
const linkIn = (element: HTMLElement, name: string) => within(element).getByRole('link', { name }).getAttribute('href');

describe('a run', () => {
  it('has figures that open their games', async () => {
    show(Run);
    const a = await row('Leaderboard', /llm:a/);
    expect(within(a).getByText('1540 to 1681')).toBeTruthy();
    expect(linkIn(a, '6')).toBe('#/arena/cup/games?agent=llm%3Aa&result=win');
    expect(linkIn(a, '3')).toBe('#/arena/cup/games?agent=llm%3Aa&with=illegal');
    expect(linkIn(a, '$0.012')).toBe('#/arena/cup/games?agent=llm%3Aa&sort=cost');
    const b = await row('Leaderboard', /llm:b/);
    expect(linkIn(b, '2 by forfeit')).toBe('#/arena/cup/games?agent=llm%3Ab&result=forfeit');
    const cell = screen.getByRole('link', { name: /^llm:b against llm:a: *25 % *1–0–3$/ });
    expect(cell.getAttribute('href')).toBe('#/arena/cup/games?agent=llm%3Ab&opponent=llm%3Aa');
    expect(screen.getByText(/no valid answer/, { selector: '.cause' }).closest('li')?.querySelector('a')?.getAttribute('href')).toBe('#/arena/cup/games?culprit=llm%3Ab&code=schema&result=forfeit');
  });

  it('shows one of its games, and asks for another anchor', async () => {
    show(Run, 'game_id=rps&anchor=random');
    const table = await screen.findByRole('table', { name: 'Leaderboard' });
    expect(within(table).getAllByRole('row')).toHaveLength(3);
    expect(within(table).getByText('fixed')).toBeTruthy();
    expect(asked).toContain('/api/v1/arena/cup/standings?anchor=random');
    expect(linkIn(await row('Leaderboard', /random/), 'random')).toBe('#/arena/cup/games?agent=random&game_id=rps');
  });

  it('says what would settle who is better', async () => {
    show(Run);
    expect(await screen.findByText(/About 12 more pairs/)).toBeTruthy();
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'with' }), 'random');
    expect(screen.getByText(/That is settled/)).toBeTruthy();
  });

  it('that is older has sums only', async () => {
    answers['/api/v1/arena/cup'] = { id: 'cup', kind: 'file', record: { name: 'Long ago', games: 7, seats: [{ agent: 'llm:x', wins: 4 }], models: { x: { answers: 10, illegal: 1 } } } };
    show(Run);
    expect(await screen.findByRole('heading', { name: 'Long ago' })).toBeTruthy();
    expect(await row('Results', /llm:x 4 0 0 0/)).toBeTruthy();
    expect(await row('Models', /x 10 10.0 %/)).toBeTruthy();
    expect(asked.some((url) => url.includes('standings'))).toBe(false);
  });

  it('that is gone is reported', async () => {
    delete answers['/api/v1/arena/cup'];
    show(Run);
    expect((await screen.findByRole('alert')).textContent).toContain('Could not show this run');
  });
});

describe('the games of a run', () => {
  it('are those that the URL asks for', async () => {
    show(Games, 'agent=llm:a&result=loss&with=nonsense&sort=cost');
    expect(await screen.findByText('3 games')).toBeTruthy();
    expect(asked).toContain('/api/v1/arena/cup/games?agent=llm%3Aa&result=loss&sort=cost');
    expect((screen.getByRole('combobox', { name: 'Result' }) as HTMLSelectElement).value).toBe('loss');
    expect(screen.getByText('llm:a: HTTP 500')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Show more' }));
    expect(asked).toContain('/api/v1/arena/cup/games?agent=llm%3Aa&result=loss&sort=cost&cursor=game%3A2');
    expect(await screen.findByRole('link', { name: 'Game 3' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
    // Filters change the URL; without an agent, nobody's loss can be asked for.
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Agent' }), '');
    expect(location.hash).toBe('#/arena/cup/games?sort=cost');
  });
});

describe('a game', () => {
  it('says why it was lost, down to the prompt', async () => {
    show(Game, 'decision=0');
    expect(await screen.findByText('random won by a forfeit')).toBeTruthy();
    expect(screen.getByText(/llm:a: no valid answer/)).toBeTruthy();
    expect(await row('Players', /1: llm:a lost by forfeit/)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Watch the replay' }).getAttribute('href')).toBe('#/arena/cup/games/17/replay');
    expect(await screen.findByText('You play Tic-Tac-Toe.')).toBeTruthy();
    expect(screen.getByText('Corners are strong.')).toBeTruthy();
    expect(screen.getByText('a comma was removed')).toBeTruthy();
    expect(screen.getByText(/overloaded \(status 529\)/)).toBeTruthy();
    expect(screen.getByText(/5,000,000 bytes/)).toBeTruthy();
  });
});

describe('the arena', () => {
  it('lists runs, and says which cannot be read', async () => {
    answers['/api/v1/arena'] = {
      runs: [{ id: 'cup', kind: 'folder', name: 'The cup', ended: false, games: 3, wanted: 9, played: [{ id: 'rps', title: 'RPS' }], agents: ['a', 'b', 'c', 'd'] }],
      unreadable: [{ file: 'x', message: 'x/run.json: it is not a run' }],
    };
    render(Arena);
    expect((await screen.findByRole('link', { name: 'The cup' })).getAttribute('href')).toBe('#/arena/cup');
    expect(screen.getByText(/3 games of 9/)).toBeTruthy();
    expect(screen.getByText('not finished')).toBeTruthy();
    expect(screen.getByRole('note').textContent).toContain('it is not a run');
    await userEvent.type(screen.getByRole('searchbox'), 'nothing like this');
    expect(screen.getByText('No run matches.')).toBeTruthy();
  });

  it('says how to begin', async () => {
    answers['/api/v1/arena'] = { runs: [], unreadable: [] };
    render(Arena);
    expect(await screen.findByRole('heading', { name: 'No runs recorded yet' })).toBeTruthy();
  });
});
