import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import Stories from './Stories.svelte';
import Story from './Story.svelte';
import { game, library, turns } from './testdata';

interface Asked {
  method: string;
  url: string;
  body: unknown;
  key: string | undefined;
}
const asked: Asked[] = [];
// What a turn is answered with, one after the other; and the server's events.
let answers: { status: number; body: unknown }[];
let say: (event: string, data: unknown, id?: string) => void;

const ok = (data: unknown) => ({ ok: true, data, meta: { traceId: 't-1' } });
const failure = (code: string, message: string, details: unknown = {}) => ({ ok: false, error: { code, message, details }, meta: { traceId: 't-9' } });
const [first, second] = turns as [(typeof turns)[0], (typeof turns)[0]];

beforeEach(() => {
  asked.length = 0;
  answers = [];
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    const method = init.method ?? 'GET';
    const json = (body: unknown, status = 200) => Promise.resolve(new Response(JSON.stringify(body), { status }));
    asked.push({ method, url, body: init.body ? JSON.parse(init.body as string) : undefined, key: (init.headers as Record<string, string>)['Idempotency-Key'] });
    if (url === '/api/games/amber-heron/events') {
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          say = (event, data, id = '') => controller.enqueue(new TextEncoder().encode(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`));
        },
      });
      return Promise.resolve(new Response(stream));
    }
    if (method === 'POST') {
      const answer = answers.shift();
      return answer ? json(answer.body, answer.status) : Promise.reject(new TypeError('refused'));
    }
    if (url === '/api/games') return json(ok(library));
    if (url === '/api/v1/agents') return json({ agents: [{ kind: 'llm', title: 'Language model', description: 'Plays.', plays_from: 'here', named_by: 'player', takes_seed: true, bare: 'model', options_schema: {} }] });
    if (url === '/api/v1/models') return json({ models: [{ name: 'small', provider: 'openai', model: 'small' }, { name: 'big', provider: 'openai', model: 'large' }] });
    if (url === '/api/games/amber-heron') return json(ok({ ...game, ...first }));
    if (url === '/api/games/amber-heron/turns') return json(ok({ id: game.id, schemaVersion: 1, turns: [first] }));
    return json(failure('NOT_FOUND', `there is no story at ${url}`), 404);
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (id = 'amber-heron') => render(Story, { params: { id }, query: new URLSearchParams() });
const posts = () => asked.filter((each) => each.method === 'POST');

describe('a story', () => {
  it('is read and played by choices', async () => {
    answers.push({ status: 200, body: ok(second) });
    show();
    const choice = await screen.findByRole('button', { name: /Follow the chimes/ });
    expect(screen.getByText('A woman is waiting.')).toBeTruthy();
    expect(screen.getByText('Stay close.')).toBeTruthy();
    await userEvent.click(choice);
    expect(await screen.findByText('quietly', { selector: 'em' })).toBeTruthy();
    expect(posts()[0]).toMatchObject({ url: '/api/games/amber-heron/turns', body: { choiceId: first.turn.choices[0]?.id } });
    const standings = screen.getByRole('complementary', { name: 'Relationships and world' });
    await within(standings).findByText('Kiera');
    expect(within(standings).getAllByText('+5').length).toBeGreaterThan(0);
    expect(screen.getByText('Wardens −3')).toBeTruthy();
    expect(screen.getByRole('button', { name: /Turn back/ })).toBeTruthy();
  });

  it('is played by keys and in own words', async () => {
    answers.push({ status: 200, body: ok(second) }, { status: 200, body: ok({ ...second, turnNumber: 3 }) });
    show();
    await screen.findByRole('button', { name: /Examine the mist/ });
    await userEvent.keyboard('2');
    await screen.findByRole('button', { name: /Turn back/ });
    await userEvent.type(screen.getByRole('textbox'), 'I sing 2 songs.{Enter}');
    await waitFor(() => expect(posts()).toHaveLength(2));
    expect(posts().map((each) => each.body)).toEqual([{ choiceId: first.turn.choices[1]?.id }, { text: 'I sing 2 songs.' }]);
    expect(posts()[0]?.key).not.toBe(posts()[1]?.key);
  });

  it('says why a narration was refused, and tries again with the same key', async () => {
    answers.push(
      { status: 422, body: failure('VALIDATION_FAILED', 'Response failed schema validation', { issues: [{ path: ['choices', 0, 'label'], message: 'String must contain at least 1 character(s)' }] }) },
      { status: 422, body: failure('VALIDATION_FAILED', 'Invalid JSON response from model', { raw: '{ narrative: oh', parseError: 'Unexpected token n' }) },
      { status: 502, body: failure('PROVIDER_ERROR', 'the provider answered 500') },
      { status: 200, body: ok(second) },
    );
    show();
    await userEvent.click(await screen.findByRole('button', { name: /Follow the chimes/ }));
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Response failed schema validation');
    expect(alert.textContent).toContain('choices[0].label: String must contain at least 1 character(s)');
    expect(alert.textContent).toContain('422 VALIDATION_FAILED · trace t-9');
    // The story is as before.
    expect(screen.getByRole('button', { name: /Follow the chimes/ })).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('{ narrative: oh')).toBeTruthy();
    expect(screen.getByText('Unexpected token n')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('the provider answered 500')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('button', { name: /Turn back/ })).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(new Set(posts().map((each) => each.key)).size).toBe(1);
  });

  it('keeps what was written where it could not be told', async () => {
    answers.push({ status: 504, body: failure('PROVIDER_TIMEOUT', 'no answer in 60 s') });
    show();
    await userEvent.type(await screen.findByRole('textbox'), 'I sing.{Enter}');
    await screen.findByRole('alert');
    expect((screen.getByRole('textbox') as HTMLTextAreaElement).value).toBe('I sing.');
    expect(screen.getByText(/The model took too long/)).toBeTruthy();
  });

  it('offers what is on offer now where a choice is none', async () => {
    answers.push({ status: 409, body: failure('CHOICE_NOT_ON_OFFER', 'that choice is not on offer', { choices: [{ id: 'x', label: 'Climb the tree' }] }) });
    show();
    await userEvent.click(await screen.findByRole('button', { name: /Follow the chimes/ }));
    expect(await screen.findByRole('button', { name: /Climb the tree/ })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  it('does once what was sent to a server that did not answer', async () => {
    show();
    await userEvent.click(await screen.findByRole('button', { name: /Follow the chimes/ }));
    expect((await screen.findByRole('alert')).textContent).toContain('The server does not answer');
    answers.push({ status: 200, body: ok(second) });
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByRole('button', { name: /Turn back/ });
    expect(posts()[0]?.key).toBe(posts()[1]?.key);
  });

  it('follows what happens elsewhere', async () => {
    show();
    await screen.findByRole('button', { name: /Follow the chimes/ });
    await waitFor(() => expect(asked.some((each) => each.url.endsWith('/events'))).toBe(true));
    say('turn-started', { turnNumber: 2, input: { by: 'Ana', text: 'Follow the chimes' } });
    expect(await screen.findByText(/The narrator is thinking/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Follow the chimes/ })).toBeNull();
    say('turn-failed', { turnNumber: 2, error: { code: 'NARRATOR_TIMEOUT', message: 'no answer in 60 s', details: {} } });
    expect((await screen.findByRole('alert')).textContent).toContain('no answer in 60 s');
    say('turn', second, '2');
    expect(await screen.findByRole('button', { name: /Turn back/ })).toBeTruthy();
    say('over', { reason: 'the story was told' });
    expect(await screen.findByText('the story was told')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Turn back/ })).toBeNull();
  });

  it('reports a missing story', async () => {
    show('nowhere');
    expect((await screen.findByRole('alert')).textContent).toContain('there is no story at');
  });
});

describe('the library', () => {
  it('lists stories and begins one', async () => {
    answers.push(
      { status: 502, body: failure('PROVIDER_ERROR', 'the provider answered 401') },
      { status: 201, body: ok({ ...game, id: 'new-story', ...first }) },
    );
    render(Stories);
    expect((await screen.findByRole('link', { name: 'The Whispering Woods' })).getAttribute('href')).toBe('#/stories/amber-heron');
    await userEvent.click(screen.getByRole('button', { name: 'Start The Whispering Woods' }));
    const name = screen.getByLabelText('Your name');
    await userEvent.clear(name);
    await userEvent.type(name, 'Ana');
    await userEvent.selectOptions(screen.getByLabelText(/Narrator/), 'llm');
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Model', hidden: true }), 'big');
    // jsdom does not know that a dialog is open.
    const begin = screen.getByRole('button', { name: 'Start', hidden: true });
    await userEvent.click(begin);
    expect(await screen.findByText('the provider answered 401')).toBeTruthy();
    await userEvent.click(begin);
    await waitFor(() => expect(location.hash).toBe('#/stories/new-story'));
    expect(posts()[1]).toMatchObject({ url: '/api/games', body: { scenario: 'whispering-woods', player: 'Ana', narrator: { kind: 'llm', model: 'big' } } });
    expect(posts()[0]?.key).toBe(posts()[1]?.key);
  });
});
