import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import Markdown from './Markdown.svelte';

afterEach(cleanup);

it('shows the host of a link after its text', () => {
  render(Markdown, { text: '[Sign in again](http://evil.example/?token)' });
  expect(screen.getByRole('link').textContent).toBe('Sign in again (evil.example)');
});
