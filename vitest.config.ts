import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Nothing is ever stored here, so that engines under test find no tuning of the user's. */
const EMPTY_CACHE = join(tmpdir(), 'sparlane-tests-without-cache');

/** The longest files, at half a minute and more: begun last, they would run while other cores are idle. */
const SLOW = /conformance\/(wasm|threads)|browser\/page|cli\/tune|execution\/team|ranks\/devices/;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

/** Tests import the built package (`#dist/…`): what is tested is what ships, and worker threads can load it. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // By default one core is left idle. Some tests wait (for timers, stopped processes, a browser), so there is one worker more than cores.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowFirst },
    // Modules stay loaded from one file to the next, the conformance matrices with them: a third of the time less.
    isolate: false,
    env: { XDG_CACHE_HOME: EMPTY_CACHE, LOCALAPPDATA: EMPTY_CACHE },
  },
});
