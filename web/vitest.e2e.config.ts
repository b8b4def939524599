import { defineConfig } from 'vitest/config';

// The tests in a real browser against the real program: e2e/*.e2e.ts. tests/web/browser.sh runs them.
export default defineConfig({
  test: {
    include: ['e2e/**/*.e2e.ts'],
    environment: 'node',
    // Tests do not assert timing: these limits are for what never happens, even on a slow, shared machine.
    testTimeout: 180_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // After this many failures, more say nothing new, and the report comes before CTest's time limit.
    bail: 8,
    // Where nobody watches, a report is read when a test failed: it holds those tests, not the others.
    reporters: process.stdout.isTTY ? ['default'] : ['dot'],
    // One browser and one server at a time: there may be only two cores.
    fileParallelism: false,
    pool: 'forks',
    poolOptions: { forks: { singleFork: true } },
  },
});
