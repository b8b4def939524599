import { cleanup, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import ModelSelect from './ModelSelect.svelte';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});
const answer = (status: number, body: unknown) => vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(body), { status })));

it('offers the models that the server has, the first one chosen', async () => {
  answer(200, { models: [{ name: 'big', provider: 'anthropic', model: 'large-4' }, { name: 'llama', provider: 'openai', model: 'llama' }] });
  const props = $state({ value: 'gone' });
  render(ModelSelect, { get value() { return props.value; }, set value(next) { props.value = next; } });
  const select = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Model' });
  expect([...select.options].map((each) => each.textContent)).toEqual(['big (large-4)', 'llama']);
  await vi.waitFor(() => expect(props.value).toBe('big'));
  await userEvent.selectOptions(select, 'llama');
  expect(props.value).toBe('llama');
});

it('says how to add one if there is none', async () => {
  answer(200, { models: [] });
  render(ModelSelect, {});
  expect((await screen.findByText(/has no models yet/)).textContent).toContain('--model NAME=PROVIDER:MODEL@URL');
  expect(screen.queryByRole('combobox')).toBeNull();
});

it('shows why they cannot be listed', async () => {
  answer(500, { error: { code: 'io', message: 'the disk is full' } });
  render(ModelSelect, {});
  expect((await screen.findByRole('alert')).textContent).toContain('the disk is full');
});
