import { defineConfig } from 'vitest/config';

// The tests in a real browser against the real program: e2e/*.e2e.ts. tests/web/browser.sh runs them.
export default defineConfig({
  test: {
    include: ['e2e/**/*.e2e.ts'],
    environment: 'node',
    // No test is about time: these are for what never comes, also where the machine is slow and shared.
    testTimeout: 180_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // Where so much is broken, more of it says nothing new, and the report comes before CTest's time limit.
    bail: 8,
    // One browser and one server at a time: two cores are all there may be.
    fileParallelism: false,
    pool: 'forks',
    poolOptions: { forks: { singleFork: true } },
  },
});
