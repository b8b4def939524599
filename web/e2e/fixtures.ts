// What the tests in this folder get: a browser and a server for a file's tests, pages that are closed after
// each test, and errors on those pages. Such errors fail the test; if it fails, the contents of its pages are printed
// and kept in build/browser_failures.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect, test, type TestAPI, type TestContext } from 'vitest';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser, startOpenseat, visit, type Openseat, type Visitor } from './harness';

const kFailures = resolve('../build/browser_failures');
const kLines = 40; // of a page's text in the output; the file has all
const kPatienceMs = 10_000; // for a page that may hang

export interface Stage {
  browser: Browser;
  server: Openseat;
  // Opens a URL in its own browser context. `expected`: see Visitor.
  visit: (url: string, options?: BrowserContextOptions, expected?: RegExp) => Promise<Visitor>;
  visitor: Visitor; // where the file's tests start
  page: Page; // the visitor's page
}

export interface Setting {
  start?: () => Promise<Openseat>; // the server; default: startOpenseat()
  each?: boolean; // every test has its own server
  path?: string; // the page that `visitor` opens: '/#/replays'
}

// A test's place in its file: "decks > are built".
function nameOf(task: TestContext['task']): string {
  const names = [task.name];
  for (let suite = task.suite; suite; suite = suite.suite) names.unshift(suite.name);
  return names.join(' > ');
}

// The current contents of the pages: printed, and saved with a screenshot. Notes what a page does not provide; throws if
// the files cannot be written.
async function report(task: TestContext['task'], visitors: Visitor[]): Promise<void> {
  const file = basename(task.file.name).replace(/\W.*$/, '');
  const place = join(kFailures, `${file}_${nameOf(task).replace(/\W+/g, '_')}`.slice(0, 150));
  mkdirSync(kFailures, { recursive: true });
  const said: string[] = [];
  for (const [i, { page, troubles }] of visitors.entries()) {
    const one = `${place}_${i + 1}`;
    const problem = (error: unknown) => `(${error instanceof Error ? error.message.split('\n')[0] : String(error)})`;
    const text = await page.locator('body').innerText({ timeout: kPatienceMs }).catch(problem);
    const picture = await page.screenshot({ path: `${one}.png`, timeout: kPatienceMs }).then(() => `${one}.png`, problem);
    writeFileSync(`${one}.txt`, `${page.url()}\n${troubles.map((each) => `! ${each}\n`).join('')}\n${text}\n`);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    said.push(
      `Page ${i + 1} of ${visitors.length} is at ${page.url()}`,
      `  picture: ${picture}`,
      `  text: ${one}.txt`,
      ...(troubles.length > 0 ? troubles.map((each) => `  went wrong: ${each}`) : ['  nothing went wrong on it']),
      ...lines.slice(0, kLines).map((line) => `  | ${line.slice(0, 160)}`),
      ...(lines.length > kLines ? [`  | … ${lines.length - kLines} lines more`] : []),
    );
  }
  console.error(`"${nameOf(task)}" failed; its pages:\n${said.join('\n')}`);
}

// Without `each`, one server for all tests of a file, even with several calls.
export function tests({ start = () => startOpenseat(), each = false, path = '/' }: Setting = {}): TestAPI<Stage> {
  return test.extend<Stage>({
    browser: [
      async ({}, use) => {
        const browser = await launchBrowser();
        await use(browser);
        await browser.close();
      },
      { scope: 'file' },
    ],
    server: each
      ? async ({ onTestFinished }, use) => {
          const server = await start();
          onTestFinished(() => server.close());
          await use(server);
        }
      : [
          async ({}, use) => {
            const server = await start();
            await use(server);
            await server.close();
          },
          { scope: 'file' },
        ],
    // The pages are closed before anything that a test must stop itself (onTestFinished): a stopped server would cause
    // errors on them.
    visit: async ({ browser, task, onTestFinished }, use) => {
      const visitors: Visitor[] = [];
      onTestFinished(() => expect(visitors.flatMap(({ troubles }) => troubles), 'what went wrong on the pages').toEqual([]));
      await use(async (url, options, expected) => {
        const visitor = await visit(browser, url, options, expected);
        visitors.push(visitor);
        return visitor;
      });
      if (task.result?.state === 'fail' || visitors.some(({ troubles }) => troubles.length > 0)) {
        await report(task, visitors).catch((error: unknown) => console.error(`What the pages show cannot be kept: ${String(error)}`));
      }
      for (const { context, troubles } of visitors) {
        await context.close().catch((error: unknown) => troubles.push(`it could not be closed: ${String(error)}`));
      }
    },
    visitor: async ({ server, visit }, use) => use(await visit(server.url + path)),
    page: async ({ visitor }, use) => use(visitor.page),
  });
}
