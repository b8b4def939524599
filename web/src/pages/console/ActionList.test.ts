import { cleanup, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import type { ActionInfo } from '../../lib/api/types';
import ActionList from './ActionList.svelte';
import type { TableFeed } from './feed.svelte';

afterEach(cleanup);

const named = (name: string): ActionInfo => ({ name, description: '', schema: null }) as ActionInfo;
const show = (actions: ActionInfo[]): void => {
  render(ActionList, { feed: { id: 't', events: [] } as unknown as TableFeed, actions, game: 'g', asked: new Set<string>() });
};

it('shows the first hundred actions, more on request, and finds the others', async () => {
  show(Array.from({ length: 250 }, (_, i) => named(`act${i}`)));
  const cards = () => document.querySelectorAll('article').length;
  expect(cards()).toBe(100);
  const user = userEvent.setup();
  await user.click(screen.getByText('Show more (150 left)'));
  expect(cards()).toBe(200);
  await user.type(screen.getByPlaceholderText('Search the actions'), 'act249');
  expect(screen.getByText('act249')).toBeTruthy();
  expect(cards()).toBe(1);
});

it('an action that cannot be drawn leaves the others alone', () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const broken = named('broken');
  Object.defineProperty(broken, 'schema', {
    get: () => {
      throw new Error('no such schema');
    },
  });
  show([named('first'), broken, named('last')]);
  expect(document.querySelectorAll('article')).toHaveLength(2);
  expect(screen.getByText(/Could not show the action broken/)).toBeTruthy();
  expect(said).toHaveBeenCalledOnce();
});
