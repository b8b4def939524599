/// <reference types="vitest/config" />
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { resolve } from 'node:path';
import { defineConfig, type Rollup } from 'vite';
import { depfile, depfileOfWorkers } from './build_tools/depfile';
import { early } from './build_tools/early';

// `npm run dev` serves the pages with hot reload, and forwards everything else to a running `openseat serve`.
const server = process.env.OPENSEAT_URL ?? 'http://127.0.0.1:8000';
const proxied = Object.fromEntries(
  ['/api', '/auth', '/chimera', '/game', '/mcp', '/openapi.json', '/healthz'].map((path) => [
    path,
    { target: server, ws: true, changeOrigin: true, headers: { Origin: server } },
  ]),
);

// On a slow line, each file costs more than its bytes. So these are one file each: the first load (what main.ts imports, and its
// imports), what is around every board, and the Netrunner table.
const around = /\/src\/lib\/(match|chimera|components\/(CutNote|Invite|Markdown|MatchGone|OverBefore|Rules|TakeSeat)\.)/;
const table = /\/src\/pages\/netrunner\/(?!Netrunner\.|Deck(?!Cards)|deck|setup|starter)/;
const entry = resolve('src/main.ts');
const first = new Set<string>();
function chunkOf(id: string, { getModuleInfo }: { getModuleInfo: Rollup.GetModuleInfo }): string | undefined {
  if (first.size === 0) {
    first.add(entry);
    for (const each of first) getModuleInfo(each)?.importedIds.forEach((imported) => first.add(imported)); // grows while it is read
  }
  if (first.has(id)) return 'first';
  return around.test(id) ? 'match' : table.test(id) ? 'netrunner' : undefined;
}

export default defineConfig({
  // In tests, components use their browser build, and are unmounted after each test.
  plugins: [svelte(), svelteTesting(), early(), depfile(process.env.OPENSEAT_DEPFILE, process.env.OPENSEAT_DEPFILE_TARGET)],
  worker: { format: 'es', plugins: () => [depfileOfWorkers()] },
  // The checker's page shows a table of docs/rules.md.
  server: { proxy: proxied, fs: { allow: ['..'] } },
  build: {
    target: 'es2022',
    // The server's policy forbids data: URLs in scripts and styles, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: { output: { experimentalMinChunkSize: 12_000, manualChunks: chunkOf, onlyExplicitManualChunks: true } },
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.ts'],
    restoreMocks: true,
    testTimeout: 30_000,
    // There may be only two cores.
    maxWorkers: 2,
    minWorkers: 1,
  },
});
