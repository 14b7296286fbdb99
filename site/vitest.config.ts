import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The tests of the site, which must have been built: `npm run docs`. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: { include: ['test/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000, maxWorkers: 2 },
});
