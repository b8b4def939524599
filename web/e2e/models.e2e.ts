// Wherever a seat gets a language model, it is chosen from the server's models; without models, the page says how
// to add one.
import { describe, expect } from 'vitest';
import type { Page } from 'playwright-core';
import { tests } from './fixtures';
import { startWithModels } from './harness';
import { playDemo, stumblingModel } from './play';

describe('with models', () => {
  const names = ['tiny=openai:stand-in', 'other=openai:large'];
  const it = tests({ start: () => startWithModels((prompt) => stumblingModel(prompt, 99), names, ['--agent', 'external']) });
  const select = (page: Page) => page.getByRole('combobox', { name: 'Model', exact: true });
  const offersBoth = (page: Page) =>
    expect.poll(() => select(page).locator('option').allTextContents()).toEqual(['other (large)', 'tiny (stand-in)']);

  it('one plays a board game', async ({ page, server }) => {
    await page.goto(`${server.url}/#/play?game=tictactoe`);
    await page.getByRole('combobox').nth(1).selectOption('llm');
    await offersBoth(page);
    await select(page).selectOption('tiny');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByRole('button', { name: 'Row 2, column 2: free' }).click();
    await page.getByRole('button', { name: 'Row 1, column 1: O' }).waitFor();
    await expect.poll(() => page.getByText('language model').count()).toBe(1);
  });
  it('one is offered for Netrunner, and as a narrator', async ({ page, server }) => {
    await page.goto(`${server.url}/#/netrunner`);
    await page.locator('input[name=opponent][value=llm]').check();
    await offersBoth(page);
    await page.goto(`${server.url}/#/stories`);
    await page.getByRole('button', { name: /^Start The/ }).first().click();
    await page.getByLabel('Narrator').selectOption('llm');
    await offersBoth(page);
  });
  it('a remote game is handed to one', async ({ page, server, onTestFinished }) => {
    const game = playDemo(server, 1);
    onTestFinished(() => game.end('SIGKILL'));
    await page.goto(`${server.url}/#/console`);
    await page.getByRole('button', { name: 'Hand to an agent' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: /^Language model/ }).check();
    await dialog.getByRole('combobox', { name: 'Model', exact: true }).selectOption('tiny');
    await dialog.getByRole('button', { name: 'Seat' }).click();
    await page.getByRole('group', { name: 'Context log' }).getByText(/llm chose/).first().waitFor();
  });
});

describe('without', () => {
  const it = tests({ each: true, path: '/#/play?game=rps' });

  it('says how to add one, and starts nothing', async ({ page }) => {
    const play = page.getByRole('button', { name: 'Play', exact: true });
    await page.getByRole('combobox').nth(1).selectOption('llm');
    await page.getByText('--model NAME=PROVIDER:MODEL@URL').waitFor();
    await expect.poll(() => play.isDisabled()).toBe(true);
    await page.getByRole('combobox').nth(1).selectOption('random');
    await expect.poll(() => play.isDisabled()).toBe(false);
  });
});
