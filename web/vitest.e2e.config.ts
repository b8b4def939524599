import { defineConfig } from 'vitest/config';

// The tests in a real browser against the real program: e2e/*.e2e.ts. tests/web/browser.sh runs them.
export default defineConfig({
  test: {
    include: ['e2e/**/*.e2e.ts'],
    environment: 'node',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    // One browser and one server at a time: two cores are all there may be.
    fileParallelism: false,
    pool: 'forks',
    poolOptions: { forks: { singleFork: true } },
  },
});
