/// <reference types="vitest/config" />
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vite';
import { depfile, depfileOfWorkers } from './build_tools/depfile';

// `npm run dev` serves the pages with hot reload, and forwards everything else to a running `openseat serve`.
const server = process.env.OPENSEAT_URL ?? 'http://127.0.0.1:8000';
const proxied = Object.fromEntries(
  ['/api', '/auth', '/chimera', '/game', '/mcp', '/openapi.json', '/healthz'].map((path) => [
    path,
    { target: server, ws: true, changeOrigin: true, headers: { Origin: server } },
  ]),
);

export default defineConfig({
  // In tests, components use their browser build, and are unmounted after each test.
  plugins: [svelte(), svelteTesting(), depfile(process.env.OPENSEAT_DEPFILE, process.env.OPENSEAT_DEPFILE_TARGET)],
  worker: { format: 'es', plugins: () => [depfileOfWorkers()] },
  // The checker's page shows a table of docs/rules.md.
  server: { proxy: proxied, fs: { allow: ['..'] } },
  build: {
    target: 'es2022',
    // The server's policy forbids data: URLs in scripts and styles, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What pages share comes in few files: on a slow line, each one costs more than its bytes.
    rollupOptions: { output: { experimentalMinChunkSize: 12_000 } },
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
