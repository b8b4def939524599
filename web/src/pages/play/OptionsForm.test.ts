import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import OptionsForm from './OptionsForm.svelte';

const schema = {
  type: 'object',
  properties: {
    rounds: { type: 'integer', minimum: 1, maximum: 99, not: { multipleOf: 2 }, default: 3 },
    level: { enum: ['easy', 'hard'], default: 'easy' },
    open: { type: 'boolean', default: false },
  },
};

it('gives what was changed, and says what does not fit', async () => {
  const onchange = vi.fn();
  render(OptionsForm, { schema, onchange });
  expect(onchange).toHaveBeenLastCalledWith({}, undefined);
  const rounds = screen.getByLabelText('Rounds');
  await userEvent.type(rounds, '4');
  expect(screen.getByText('must be an odd number')).toBeTruthy();
  expect(onchange).toHaveBeenLastCalledWith({ rounds: 4 }, 'an odd number');
  await userEvent.clear(rounds);
  await userEvent.type(rounds, '5');
  await userEvent.selectOptions(screen.getByRole('combobox'), 'hard');
  await userEvent.click(screen.getByLabelText('Open'));
  expect(onchange).toHaveBeenLastCalledWith({ rounds: 5, level: 'hard', open: true }, undefined);
});
