import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MatchSession } from '../chimera/match.svelte';
import { FakeSocket } from '../live/fake_socket';
import { toasts } from '../toasts.svelte';
import PlayAgain from './PlayAgain.svelte';

const say = (message: object) => FakeSocket.last().say(message);
const answer = (more: object) => say({ type: 'response', id: FakeSocket.last().heard().at(-1)?.id, ...more });
const table = (more: object) => say({ type: 'notification', scope: 'table', event: 'table', data: { 'match-id': 'm', seats: [], spectators: 0, offers: [], 'may-offer': ['rematch'], ...more } });
const tick = () => new Promise((done) => setTimeout(done));

beforeEach(() => {
  FakeSocket.made = [];
  sessionStorage.clear();
  localStorage.clear();
  toasts.list = [];
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{"error":{"message":"no"}}', { status: 401 })));
});
afterEach(() => vi.unstubAllGlobals());

async function askForARematch(): Promise<{ match: MatchSession; unmount: () => void }> {
  const match = new MatchSession('g', 'm', { joinAs: 'Ada', url: 'ws://x/', make: FakeSocket.make });
  FakeSocket.last().open();
  answer({ result: {}, token: 'secret' });
  await tick();
  say({ type: 'notification', scope: 'match', event: 'end', data: { 'match-id': 'm', 'match-status': 'done', 'match-players': ['Ada', 'Bo'], 'game-state': {} } });
  table({});
  const { unmount } = render(PlayAgain, { match });
  await userEvent.click(screen.getByRole('button', { name: 'Play again' }));
  expect(FakeSocket.last().heard().at(-1)).toMatchObject({ operation: 'offer', params: { offer: 'rematch' } });
  return { match, unmount };
}

it('goes to the rematch without a complaint, also if that is there before the answer', async () => {
  const { match, unmount } = await askForARematch();
  table({ next: 'n' });
  await vi.waitFor(() => expect(location.hash).toBe('#/match/g/n'));
  // The page of the rematch takes this one's place.
  unmount();
  match.close();
  await tick();
  expect(toasts.list).toEqual([]);
});

it('says so if the server refuses', async () => {
  const { match } = await askForARematch();
  answer({ error: { code: -32602, message: 'Incorrect parameters' } });
  await vi.waitFor(() => expect(toasts.list.map((each) => each.text)).toEqual(['Incorrect parameters']));
  match.close();
});
