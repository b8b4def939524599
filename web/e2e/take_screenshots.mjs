// take_screenshots.mjs FOLDER [PART OF A NAME]: runs screenshots.ts with Vite's TypeScript loader.
import { createServer } from 'vite';

const [folder, only] = process.argv.slice(2);
if (!folder) {
  console.error('usage: take_screenshots.mjs FOLDER [PART OF A NAME]');
  process.exit(2);
}
const vite = await createServer({ configFile: false, server: { middlewareMode: true }, appType: 'custom', logLevel: 'error' });
try {
  const { takeScreenshots } = await vite.ssrLoadModule('/e2e/screenshots.ts');
  await takeScreenshots(folder, only, (line) => console.log(line));
} finally {
  await vite.close();
}
