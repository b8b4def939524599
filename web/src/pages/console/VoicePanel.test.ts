import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import VoicePanel from './VoicePanel.svelte';

const asked: string[] = [];
const socket = {
  id: 7,
  game: 'A',
  state: 'ready',
  peer: '127.0.0.1',
  speaking: false,
  speakers: [
    { id: 1, name: 'Ann', talking: true, level_db: -30, peak_db: -6, frames: 50, seconds: 1 },
    { id: 2, name: '', talking: false, level_db: -120, peak_db: -120, frames: 0, seconds: 0 },
  ],
  problems: [{ key: 'perf/voice/pace', message: 'the audio of "Ann" comes faster than it is spoken', count: 3 }],
  recording: '/data/voice/A',
};

beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) => {
    asked.push(`${init?.method ?? 'GET'} ${url}`);
    const body = url.endsWith('/say') ? { said: true } : { mode: 'loop', sockets: [socket, { ...socket, id: 8, game: 'B', speakers: [] }] };
    return Promise.resolve(new Response(JSON.stringify(body), { status: 200 }));
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('shows who is heard in this game, how loud, and what is odd', async () => {
  render(VoicePanel, { game: 'A' });
  const level = await screen.findByLabelText<HTMLMeterElement>('Level of Ann');
  expect(level.value).toBe(0.5);
  expect(screen.getByLabelText<HTMLMeterElement>('Level of speaker 2').value).toBe(0);
  expect(screen.getByText(/comes faster than it is spoken/).textContent).toContain('3 times');
  expect(screen.getAllByRole('region')).toHaveLength(1);
});

it('has the character say a tone', async () => {
  render(VoicePanel, { game: 'A' });
  await userEvent.click(await screen.findByRole('button', { name: 'Say a tone' }));
  await waitFor(() => expect(asked).toContain('POST /api/v1/voice/7/say'));
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Stop' }).disabled).toBe(true);
});

it('shows nothing for a game without voice', async () => {
  render(VoicePanel, { game: 'C' });
  await waitFor(() => expect(asked).toContain('GET /api/v1/voice'));
  expect(screen.queryByRole('region')).toBeNull();
});
