// Language models are chosen from those that the server has, wherever a seat is given to one; a server without says how
// to have one.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { Child, launchBrowser, program, startModel, startOpenseat, visit, type Openseat, type Visitor } from './harness';
import { stumblingModel } from './play';

let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

async function open(server: Openseat, path: string): Promise<void> {
  visitor = await visit(browser, `${server.url}/#${path}`);
  page = visitor.page;
}
afterEach(async () => {
  await visitor.context.close();
  expect(visitor.troubles).toEqual([]);
});

describe('with models', () => {
  let server: Openseat;
  let model: Awaited<ReturnType<typeof startModel>>;
  beforeAll(async () => {
    model = await startModel((prompt) => stumblingModel(prompt, 99));
    server = await startOpenseat(['--agent', 'external', '--model', `tiny=openai:stand-in@${model.url}`, '--model', `other=openai:large@${model.url}`]);
  });
  afterAll(async () => {
    await server?.close();
    await model?.close();
  });
  const offered = async (select = page.getByRole('combobox', { name: 'Model', exact: true })) => {
    await select.waitFor();
    return select.locator('option').allTextContents();
  };

  it('one plays a board game', async () => {
    await open(server, '/play?game=tictactoe');
    await page.getByRole('combobox').nth(1).selectOption('llm');
    expect(await offered()).toEqual(['other (large)', 'tiny (stand-in)']);
    await page.getByRole('combobox', { name: 'Model', exact: true }).selectOption('tiny');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByRole('button', { name: 'Row 2, column 2: free' }).click();
    await page.getByRole('button', { name: 'Row 1, column 1: O' }).waitFor();
    expect(await page.getByText('language model').count()).toBe(1);
  });
  it('one is offered at Netrunner, and to narrate', async () => {
    await open(server, '/netrunner');
    await page.locator('input[name=opponent][value=llm]').check();
    expect(await offered()).toEqual(['other (large)', 'tiny (stand-in)']);
    await page.goto(`${server.url}/#/stories`);
    await page.getByRole('button', { name: /^Begin The/ }).first().click();
    await page.getByLabel('Who tells it').selectOption('llm');
    expect(await offered()).toEqual(['other (large)', 'tiny (stand-in)']);
  });
  it('a game from elsewhere is handed to one', async () => {
    const game = new Child(program, ['demo', 'tictactoe', '--url', server.ws, '--games', '1', '--pace', '0', '--seed', '3']);
    await open(server, '/console');
    await page.getByRole('button', { name: 'Hand to an agent' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: /^Model/ }).check();
    await dialog.getByRole('combobox', { name: 'Model', exact: true }).selectOption('tiny');
    await dialog.getByRole('button', { name: 'Seat' }).click();
    await page.getByRole('group', { name: 'Context log' }).getByText(/llm chose/).first().waitFor();
    await game.end('SIGKILL');
  });
});

describe('without', () => {
  let server: Openseat;
  beforeAll(async () => {
    server = await startOpenseat();
  });
  afterAll(() => server?.close());
  beforeEach(() => open(server, '/play?game=rps'));

  it('says how to add one, and starts nothing', async () => {
    await page.getByRole('combobox').nth(1).selectOption('llm');
    await page.getByText('--model NAME=PROVIDER:MODEL@URL').waitFor();
    expect(await page.getByRole('button', { name: 'Play', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('combobox').nth(1).selectOption('random');
    expect(await page.getByRole('button', { name: 'Play', exact: true }).isDisabled()).toBe(false);
  });
});
