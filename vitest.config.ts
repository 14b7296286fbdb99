import { defineConfig } from 'vitest/config';

/** Tests import the built package (`#dist/…`): what is tested is what ships, and worker threads can load it. */
export default defineConfig({
  test: { include: ['test/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
});
