/** Ratios of times that are disturbed now and then. */
import { expect, test } from 'vitest';
import { ratioOf, type TimedTurn } from '#dist/operators/turns.js';

/** Times of one after the other, in milliseconds; the last one for ever. A turn takes a while. */
function timed(times: readonly number[], leastMs = Number.POSITIVE_INFINITY): TimedTurn {
  let next = 0;
  const time = () => {
    for (const end = performance.now() + 30; performance.now() < end; );
    return times[Math.min(next++, times.length - 1)]!;
  };
  return { product: { time }, leastMs };
}

test('one disturbed round does not decide, however clear it seems', () => {
  const best = timed([10, 5], 5);
  expect(ratioOf(best, timed([6.8]), 1, false).ratio).toBeCloseTo(1.36);
});

test('a clear ratio needs two undisturbed rounds', () => {
  const rival = timed([9, 3]);
  expect(ratioOf(timed([5]), rival, 1, false).ratio).toBeCloseTo(0.6);
  expect(rival.leastMs).toBe(3);
});

test('times that always disturb one another do not count: the least of each do', () => {
  let isBest = true;
  const take = (own: boolean, ms: number) => ({
    product: {
      time() {
        for (const end = performance.now() + 5; performance.now() < end; );
        if (own) isBest = !isBest;
        // In each round another one is disturbed.
        return own === isBest ? 10 * ms : ms;
      },
    },
    leastMs: ms,
  });
  const { ratio, noise } = ratioOf(take(true, 1), take(false, 2), 2, false);
  expect(ratio).toBeCloseTo(2);
  expect(noise).toBeGreaterThan(0.05);
});
