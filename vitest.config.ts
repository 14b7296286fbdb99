import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Nothing is ever stored here, so that engines under test find no tuning of the user's. */
const EMPTY_CACHE = join(tmpdir(), 'sparlane-tests-without-cache');

/**
 * The class of a test file is the word before `.test.ts`, or `unit`. `npm test` runs `unit`, `npm run test:all` all three. CI runs
 * `node` on every major version of Node, `long` on one. With SPARLANE_SOAK=1, which `test:all` sets, a random test or a soak test tries all its
 * cases (`test/soak.ts`).
 */
const CLASSES: Readonly<Record<string, string>> = {
  // Begun first, as the longest files: a browser, other programs, many processes, measurements, the conformance suite in full.
  long: 'test/**/*.long.test.ts',
  // What another version of Node may break: threads, streams, processes, WebAssembly.
  node: 'test/**/*.node.test.ts',
  unit: 'test/**/!(*.long|*.node).test.ts',
};
const ORDER = Object.keys(CLASSES);

/** Begun first in their classes: in a clean clone, Vitest takes the largest file for the longest, and these would be alone at the end. */
const LONGEST = ['conformance/wasm', 'conformance/threads', 'ranks/'];

/** By class, so that a worker keeps its modules as long as possible; within a class the longest first. */
class ByClass extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((name) => moduleId.includes(`/test/${name}`));
    return ORDER.flatMap((name) => {
      const ofClass = sorted.filter(({ project }) => project.name === name);
      return [...ofClass.filter(isLong), ...ofClass.filter((file) => !isLong(file))];
    });
  }
}

/** Tests import the built package (`#dist/…`): what is tested is what ships, and worker threads can load it. */
export default defineConfig({
  test: {
    projects: Object.entries(CLASSES).map(([name, pattern]) => ({ extends: true, test: { name, include: [pattern] } })),
    setupFiles: ['test/setup.ts'],
    // What is no test runs as Node loads it, without Vite's accessors for imports: a fifth of the time less.
    server: { deps: { external: [/(?<!\/test)\/(dist|bench)\//] } },
    // Only what hangs takes so long: on a busy machine the longest tests take some 70 s.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Of the tests that start processes, and ask for it.
    maxConcurrency: 3,
    // By default one core is left idle. Some tests wait (for timers, stopped processes, a browser), so there is one worker more than cores.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: ByClass },
    // Modules stay loaded from one file to the next, the conformance matrices with them: a third of the time less.
    isolate: false,
    env: { XDG_CACHE_HOME: EMPTY_CACHE, LOCALAPPDATA: EMPTY_CACHE },
  },
});
