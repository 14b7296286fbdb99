import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Nothing is ever stored here, so that engines under test find no tuning of the user's. */
const EMPTY_CACHE = join(tmpdir(), 'sparlane-tests-without-cache');

/** Tests import the built package (`#dist/…`): what is tested is what ships, and worker threads can load it. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // By default one core is left idle.
    maxWorkers: '100%',
    // Modules stay loaded from one file to the next, the conformance matrices with them: a third of the time less.
    isolate: false,
    env: { XDG_CACHE_HOME: EMPTY_CACHE, LOCALAPPDATA: EMPTY_CACHE },
  },
});
