/** Timing in turn, and what is said of the times. */

/** Milliseconds of one call. */
export function time(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** Returns the milliseconds of the processor that all threads of this process have used, those of V8 included. */
export function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Calls for so many milliseconds, which are not counted: caches fill, and threads get cores of their own. */
export function runFor(run, ms) {
  for (const end = performance.now() + ms; performance.now() < end; ) run();
}

/** Rounds in turn, forward and backward, so that no contender always follows the same other. */
export async function takeTurns(contenders, rounds) {
  for (let round = 0; round < rounds; round++) {
    for (const contender of round % 2 ? contenders.toReversed() : contenders) await contender.turn();
  }
}

/** The number before which that share of the others lies. */
export function quantile(numbers, share) {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

export function median(numbers) {
  return quantile(numbers, 0.5);
}
