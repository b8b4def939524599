import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../api/types';
import SchemaForm, { type FormState } from './SchemaForm.svelte';
import { FakeWorker, useFakeWorkers } from './fake_worker';
import type { Draft } from './shape';

beforeEach(useFakeWorkers);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const description = (field: HTMLElement): string =>
  (field.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim();

interface Shown {
  state: () => FormState;
  user: ReturnType<typeof userEvent.setup>;
  rerender: (props: { insist: boolean }) => Promise<void>;
}

async function show(schema: Json, data?: Draft): Promise<Shown> {
  let last: FormState | undefined;
  const { rerender } = render(SchemaForm, { schema, data, label: 'data', onstate: (state: FormState) => (last = state) });
  await vi.waitFor(() => expect(last?.checked).toBe(true));
  return {
    state: () => {
      if (!last) throw new Error('it said nothing');
      return last;
    },
    user: userEvent.setup(),
    rerender: async (props) => {
      await rerender(props);
      await tick();
    },
  };
}

const inObject = (member: Json, required = true): Json => ({ type: 'object', properties: { it: member }, ...(required ? { required: ['it'] } : {}) });

describe('fields', () => {
  it('a text with its bounds, and what is wrong with it', async () => {
    const { state, user } = await show(inObject({ type: 'string', minLength: 3, description: 'How she is called.' }));
    const field = screen.getByRole('textbox', { name: /it/ });
    expect(description(field)).toBe('How she is called. · at least 3 characters');
    await user.type(field, 'ab');
    expect(state().value).toEqual({ it: 'ab' });
    expect(state().valid).toBe(false);
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(description(field)).toMatch(/needs at least 3 characters/);
    await user.type(field, 'c');
    expect(state().valid).toBe(true);
    expect(field.getAttribute('aria-invalid')).toBe('false');
  });
  it('numbers: bounds and steps; empty is not there', async () => {
    const { state, user } = await show(inObject({ type: 'integer', minimum: 1, maximum: 6 }));
    const field = screen.getByRole('spinbutton', { name: /it/ });
    expect(field.getAttribute('step')).toBe('1');
    expect(field.getAttribute('max')).toBe('6');
    await user.type(field, '7');
    expect(state().violations).toEqual([{ path: '/it', message: 'must be 6 or less' }]);
    await user.clear(field);
    expect(state().value).toEqual({});
    expect(state().violations[0]?.message).toBe('is required');
  });
  it('yes or no is there from the beginning where it is required', async () => {
    const { state, user } = await show(inObject({ type: 'boolean' }));
    expect(state().value).toEqual({ it: false });
    await user.click(screen.getByRole('switch', { name: /it/ }));
    expect(state().value).toEqual({ it: true });
  });
  it('few values are buttons, and none is chosen for the person', async () => {
    const { state, user } = await show(inObject({ enum: [[0, 1], [2, 2]] }));
    expect(state().valid).toBe(false);
    const group = screen.getByRole('radiogroup', { name: /it/ });
    await user.click(within(group).getByRole('radio', { name: '[2,2]' }));
    expect(state().value).toEqual({ it: [2, 2] });
    expect(state().valid).toBe(true);
  });
  it('many values are a list', async () => {
    const { state, user } = await show(inObject({ enum: Array.from({ length: 40 }, (_, i) => `v${i}`) }));
    const list = screen.getByRole('combobox', { name: /it/ });
    expect((list as HTMLSelectElement).selectedOptions[0]?.textContent).toBe('Choose…');
    await user.selectOptions(list, 'v33');
    expect(state().value).toEqual({ it: 'v33' });
  });
  it('a constant stands there by itself', async () => {
    const { state } = await show(inObject({ const: 'walk' }));
    expect(state().value).toEqual({ it: 'walk' });
    expect(screen.getByText('"walk"')).toBeTruthy();
  });
  it('anything at all is JSON', async () => {
    const { state, user } = await show(inObject(true));
    await user.click(screen.getByRole('textbox', { name: /it/ }));
    await user.paste('{"a": [1]}');
    expect(state().value).toEqual({ it: { a: [1] } });
  });
});

describe('objects', () => {
  const schema: Json = {
    type: 'object',
    properties: { name: { type: 'string' }, captain: { type: 'object', properties: { skill: { type: 'integer', maximum: 5 } }, required: ['skill'] } },
    required: ['name'],
  };
  it('optional members are added and left out again', async () => {
    const { state, user } = await show(schema);
    await user.type(screen.getByRole('textbox', { name: /name/ }), 'x');
    await user.click(screen.getByRole('button', { name: 'captain' }));
    expect(state().value).toEqual({ name: 'x', captain: {} });
    const captain = screen.getByRole('group', { name: 'captain' });
    await user.type(within(captain).getByRole('spinbutton', { name: /skill/ }), '9');
    expect(state().violations).toEqual([{ path: '/captain/skill', message: 'must be 5 or less' }]);
    expect(within(captain).getByText('must be 5 or less')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Omit captain' }));
    expect(state().value).toEqual({ name: 'x' });
    expect(state().valid).toBe(true);
  });
  it('what the schema does not name is shown and kept', async () => {
    const { state, user } = await show(schema, { name: 'x', more: { deep: 1 } });
    await user.type(screen.getByRole('textbox', { name: /name/ }), 'y');
    expect(state().value).toEqual({ name: 'xy', more: { deep: 1 } });
    expect(screen.getByRole('button', { name: 'Omit more' })).toBeTruthy();
  });
  it('members of any name are added where the schema wants them', async () => {
    const { state, user } = await show({ type: 'object', additionalProperties: { type: 'integer' } });
    await user.type(screen.getByRole('textbox', { name: /Name of the new member/ }), 'gold{Enter}');
    await user.type(screen.getByRole('spinbutton', { name: /gold/ }), '12');
    expect(state().value).toEqual({ gold: 12 });
  });
});

describe('lists', () => {
  const schema = inObject({ type: 'array', items: { type: 'object', properties: { tons: { type: 'integer' } }, required: ['tons'] }, minItems: 1, maxItems: 2 });
  it('items are added, moved and removed within the bounds', async () => {
    const { state, user } = await show(schema);
    expect(state().value).toEqual({ it: [{}] });
    await user.type(screen.getByRole('spinbutton', { name: /tons/ }), '4');
    const add = screen.getByRole('button', { name: /Add to it/ });
    await user.click(add);
    expect((add as HTMLButtonElement).disabled).toBe(true);
    await user.type(screen.getAllByRole('spinbutton', { name: /tons/ })[1] as HTMLElement, '5');
    await user.click(screen.getByRole('button', { name: 'Move it 2 up' }));
    expect(state().value).toEqual({ it: [{ tons: 5 }, { tons: 4 }] });
    await user.click(screen.getByRole('button', { name: 'Remove it 1' }));
    expect(state().value).toEqual({ it: [{ tons: 4 }] });
    expect((screen.getByRole('button', { name: 'Remove it 1' }) as HTMLButtonElement).disabled).toBe(true);
  });
  it('an item that is not filled in yet is missing, not null', async () => {
    const { state, user } = await show(inObject({ type: 'array', items: { type: 'integer' } }));
    await user.click(screen.getByRole('button', { name: /Add to it/ }));
    expect(state().violations).toEqual([{ path: '/it/0', message: 'is required' }]);
    expect(screen.queryByText('is required')).toBeNull();
  });
  it('distinct values of a list are ticked', async () => {
    const { state, user } = await show(inObject({ type: 'array', uniqueItems: true, items: { enum: ['red', 'blue'] } }));
    await user.click(screen.getByRole('checkbox', { name: 'blue' }));
    await user.click(screen.getByRole('checkbox', { name: 'red' }));
    await user.click(screen.getByRole('checkbox', { name: 'blue' }));
    expect(state().value).toEqual({ it: ['red'] });
  });
});

it('alternatives are chosen by name, and each has its own fields', async () => {
  const { state, user } = await show(
    inObject({
      oneOf: [
        { title: 'A port', type: 'object', properties: { port: { type: 'string' } }, required: ['port'] },
        { title: 'At sea', type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
      ],
    }),
  );
  await user.selectOptions(screen.getByRole('combobox', { name: 'Kind of it' }), 'At sea');
  await user.type(screen.getByRole('spinbutton', { name: /lat/ }), '12.5');
  expect(state().value).toEqual({ it: { lat: 12.5 } });
  expect(state().valid).toBe(true);
});

it('a schema that contains itself can be filled in to any depth', async () => {
  const { state, user } = await show({ type: 'object', properties: { n: { type: 'integer' }, next: { $ref: '#' } }, required: ['n'] });
  await user.click(screen.getByRole('button', { name: 'next' }));
  await user.click(within(screen.getByRole('group', { name: 'next' })).getByRole('button', { name: 'next' }));
  for (const [i, field] of screen.getAllByRole('spinbutton', { name: /n/ }).entries()) await user.type(field, String(i));
  expect(state().value).toEqual({ n: 0, next: { n: 1, next: { n: 2 } } });
});

describe('a schema that is too large', () => {
  it('is filled in as JSON', async () => {
    const names = Array.from({ length: 3000 }, (_, i) => `p${i}`);
    const { state, user } = await show({ type: 'object', required: names, properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) });
    expect(screen.getByText(/too large for a form/)).toBeTruthy();
    const text = screen.getByRole('textbox', { name: 'data as JSON' });
    await user.clear(text);
    await user.click(text);
    await user.paste('{"p1": "x"}');
    expect(state().value).toEqual({ p1: 'x' });
    await user.click(screen.getByRole('button', { name: 'Form' }));
    expect(screen.getByText(/too large for a form/)).toBeTruthy();
  });
  it('because it contains itself ends in JSON', async () => {
    await show({ type: 'object', required: ['a'], properties: { a: { $ref: '#' } } });
    expect(document.querySelectorAll('textarea')).toHaveLength(1);
    cleanup();
    FakeWorker.stuck = true;
    render(SchemaForm, { schema: { type: 'object', required: ['a', 'b'], properties: { a: { $ref: '#' }, b: { $ref: '#' } } }, data: undefined, label: 'data', onstate: () => undefined });
    expect(await screen.findByText(/too large for a form/)).toBeTruthy();
  });
  it('with values by the thousand has a search for them', async () => {
    const { state, user } = await show(inObject({ enum: Array.from({ length: 5000 }, (_, i) => `v${i}`) }));
    const list = screen.getByRole('combobox', { name: /it/ });
    expect((list as HTMLSelectElement).options.length).toBeLessThan(210);
    await user.type(screen.getByRole('searchbox'), 'v4999');
    await user.selectOptions(list, 'v4999');
    await user.clear(screen.getByRole('searchbox'));
    expect((list as HTMLSelectElement).selectedOptions[0]?.textContent).toBe('v4999');
    expect(state().value).toEqual({ it: 'v4999' });
  });
});

describe('as JSON', () => {
  it('is checked while one types, and goes back into the form', async () => {
    const { state, user } = await show(inObject({ type: 'integer', maximum: 5 }));
    await user.click(screen.getByRole('button', { name: 'JSON' }));
    const text = screen.getByRole('textbox', { name: /as JSON/ });
    await user.clear(text);
    await user.click(text);
    await user.paste('{"it": 9');
    expect(state().broken).toBeTruthy();
    expect(state().valid).toBe(false);
    expect(text.getAttribute('aria-invalid')).toBe('true');
    await user.paste('}');
    expect(state().broken).toBeUndefined();
    expect(state().text).toBe('{"it": 9}');
    expect(screen.getByRole('listitem').textContent).toBe('it must be 5 or less');
    await user.click(screen.getByRole('button', { name: 'Form' }));
    expect(screen.getByRole<HTMLInputElement>('spinbutton', { name: /it/ }).valueAsNumber).toBe(9);
    expect(state().text).toBeUndefined();
  });
  it('data of another shape is shown as JSON in the form, not lost', async () => {
    const { state } = await show(inObject({ type: 'integer' }), { it: 'twelve' });
    expect(state().value).toEqual({ it: 'twelve' });
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /it/ }).value).toBe('"twelve"');
  });
});

it('what is missing is pointed out once the person insists', async () => {
  const { rerender } = await show(inObject({ type: 'string' }));
  expect(screen.queryByText('is required')).toBeNull();
  await rerender({ insist: true });
  expect(await screen.findByText('is required')).toBeTruthy();
});

it('an example is valid, and Clear starts over', async () => {
  const { state, user } = await show(inObject({ type: 'integer', minimum: 3, maximum: 4 }));
  await user.click(screen.getByRole('button', { name: 'Example' }));
  expect(state().valid).toBe(true);
  expect([3, 4]).toContain((state().value as { it: number }).it);
  await user.click(screen.getByRole('button', { name: 'Clear' }));
  expect(state().value).toEqual({});
});

it('an endless pattern is left to the server, and blocks nothing', async () => {
  let last: FormState | undefined;
  const { component } = render(SchemaForm, { schema: inObject({ type: 'string', pattern: '^(a+)+$' }), data: undefined, label: 'data', onstate: (state: FormState) => (last = state) });
  await vi.waitFor(() => expect(last?.checked).toBe(true));
  FakeWorker.stuck = true;
  const user = userEvent.setup();
  await user.type(screen.getByRole('textbox', { name: /it/ }), 'aaaa!');
  const settled = await (component as unknown as { settle: () => Promise<FormState> }).settle();
  expect(settled).toMatchObject({ value: { it: 'aaaa!' }, valid: true, checked: false });
  expect(await screen.findByText(/Not checked while you type \(the schema takes too long\); the server checks it/)).toBeTruthy();
});

it('members are offered by the one pattern that there is, without running it', async () => {
  const { state, user } = await show({ type: 'object', patternProperties: { '^(x+)+$': { type: 'integer' } }, additionalProperties: false });
  await user.type(screen.getByRole('textbox', { name: /Name of the new member/ }), 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{Enter}');
  await user.type(screen.getByRole('spinbutton', { name: /xxx/ }), '12');
  expect(state().valid).toBe(true);
});
