// Screenshots of every page: desktop and phone, light and dark. `./dev screenshots FOLDER` runs it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { comeAgain, launchBrowser, visit } from './harness';
import { takeMotion } from './motion';
import { pages, startForPages } from './pages';

const sizes = {
  desktop: { viewport: { width: 1280, height: 860 }, deviceScaleFactor: 1 },
  phone: { viewport: { width: 390, height: 800 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
};

export async function takeScreenshots(folder: string, only: string | undefined, say: (line: string) => void): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const [browser, server] = await Promise.all([launchBrowser(), startForPages()]);
  try {
    const wanted = pages.filter((page) => !only || page.name.includes(only));
    const moving = !only || 'motion'.includes(only);
    if (wanted.length === 0 && !moving) throw new Error(`no page's name holds "${only}"; there are motion, ${pages.map((page) => page.name).join(', ')}`);
    if (moving) writeFileSync(join(folder, 'motion.png'), await takeMotion(browser, server.url));
    for (const [i, { name, path, prepare }] of wanted.entries()) {
      for (const [size, options] of Object.entries(sizes)) {
        const { page, context } = await visit(browser, `${server.url}/#${path}`, { ...options, colorScheme: 'light' });
        await comeAgain(page);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await prepare?.(page, server);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
          await page.evaluate(() => scrollTo(0, 0));
          await page.screenshot({ path: join(folder, `${name}_${size}_${colorScheme}.png`), fullPage: size === 'desktop' ? false : true });
        }
        await context.close();
      }
      say(`[${i + 1}/${wanted.length}] ${name}`);
    }
    say(`The screenshots are in ${resolve(folder)}`);
  } finally {
    await browser.close();
    await server.close();
  }
}
