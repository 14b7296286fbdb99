import { describe, expect, test } from 'vitest';
import { repeatUntilOptimized } from '#dist/backends/team/warm-up.js';

const RUN_MS = 0.01;

function spin(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('repeatUntilOptimized', () => {
  test('ends when runs take less time than the first ones', () => {
    const SLOW = 150;
    let runs = 0;
    repeatUntilOptimized(() => {
      if (runs++ < SLOW) spin(RUN_MS);
    });
    // Later runs take no time: thousands would fit in.
    expect(runs).toBeLessThan(SLOW + 50);
  });

  test('runs for 5 ms if all runs take the same time, though the first one takes longer', () => {
    let runs = 0;
    const begin = performance.now();
    repeatUntilOptimized(() => spin(runs++ === 0 ? 20 * RUN_MS : RUN_MS));
    expect(performance.now() - begin).toBeGreaterThanOrEqual(5);
  });
});
