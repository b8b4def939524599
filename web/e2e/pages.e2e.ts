// Every page: no violation of WCAG 2.1 A and AA that axe can find, in light and dark and on a phone; nothing wider than
// the screen; and the first load is small.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect } from 'vitest';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { tests } from './fixtures';
import { pages, startForPages } from './pages';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const kFirstLoadLimit = 80_000;

const it = tests({ start: startForPages });

async function violations(page: Page): Promise<string[]> {
  // A color that fades is none of the page's.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((each) => each.effect?.getComputedTiming().iterations !== Infinity)
        .map((each) => each.finished.catch(() => {})),
    ),
  );
  await page.evaluate(axe);
  const results = await page.evaluate(
    (options) => (globalThis as unknown as { axe: { run: (context: Document, options: RunOptions) => Promise<AxeResults> } }).axe.run(document, options),
    { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] } as RunOptions,
  );
  return results.violations.flatMap((each) => each.nodes.map((node) => `${each.id}: ${each.help}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`));
}

describe.each(pages)('the page $name', ({ path, prepare }) => {
  it('can be used by everybody, in light, dark and on a phone', async ({ server, visit }) => {
    const { page } = await visit(`${server.url}/#${path}`, { colorScheme: 'light' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await prepare?.(page, server);
    expect(await violations(page), 'light').toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    expect(await violations(page), 'dark').toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: 'wider than the phone' }).toBeLessThanOrEqual(360);
    expect(await violations(page), 'phone').toEqual([]);
  });
});

it('loads less than 80 KB at first', async ({ page }) => {
  await page.getByText('Running now').waitFor();
  const bytes = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .concat(performance.getEntriesByType('navigation'))
      .filter((entry) => !entry.name.endsWith('.woff2')) // comes after the first page
      .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize, 0),
  );
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(kFirstLoadLimit);
});
