/** Statistics of the report. Pure; times in ms, one Map (contender → ms) for each matrix. */
import { deviation, max, mean, median, min, quantileSorted } from 'd3-array';

/** For positive numbers; undefined if there are none. */
export function geometricMean(numbers) {
  if (numbers.length === 0) return undefined;
  return Math.exp(mean(numbers, Math.log));
}

/**
 * Flegar & Anzt 2017, Table 1, and the quartiles of their figure 8. The deviation is that of a sample (divided by n − 1), 0 for
 * a single number; quantiles are interpolated. Undefined without numbers.
 */
export function distribution(numbers) {
  if (numbers.length === 0) return undefined;
  const sorted = Float64Array.from(numbers).sort();
  return {
    count: sorted.length,
    min: min(sorted),
    lower: quantileSorted(sorted, 0.25),
    median: median(sorted),
    upper: quantileSorted(sorted, 0.75),
    max: max(sorted),
    mean: mean(sorted),
    deviation: deviation(sorted) ?? 0,
  };
}

/**
 * Flegar & Anzt 2017, figure 7: for each contender, the numbers of matrices on which it is the fastest, the slowest, or
 * neither. A matrix measured with fewer than two contenders has no winner. Of equal times the first one counts.
 */
export function winnersAndLosers(times) {
  const counts = new Map();
  for (const ofMatrix of times) {
    if (ofMatrix.size < 2) continue;
    const entries = [...ofMatrix];
    const fastest = entries.reduce((a, b) => (b[1] < a[1] ? b : a))[0];
    const slowest = entries.reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    for (const [contender] of entries) {
      const count = counts.get(contender) ?? { fastest: 0, slowest: 0, between: 0 };
      if (contender === fastest) count.fastest++;
      else if (contender === slowest) count.slowest++;
      else count.between++;
      counts.set(contender, count);
    }
  }
  return counts;
}

/**
 * Flegar & Anzt 2017, figure 9: for each contender its times over the best of each matrix, in ascending order, one for each
 * matrix; Infinity if it was not measured, e.g. if a format refuses the matrix.
 */
export function overheads(times) {
  const contenders = new Set(times.flatMap((ofMatrix) => [...ofMatrix.keys()]));
  const best = times.map((ofMatrix) => min(ofMatrix.values()));
  return new Map(
    [...contenders].map((contender) => [
      contender,
      times.map((ofMatrix, k) => (ofMatrix.get(contender) ?? Infinity) / best[k]).sort((a, b) => a - b),
    ]),
  );
}

/** The share of matrices (0 … 1) on which a contender takes at most θ times as long as the best. */
export function shareWithin(sortedOverheads, theta) {
  return sortedOverheads.filter((overhead) => overhead <= theta).length / sortedOverheads.length;
}

/** The corners of the overhead profile as a step function, from θ = 1 to `limit`: a share is valid from its θ on. */
export function profileSteps(sortedOverheads, limit) {
  const thetas = [1, ...new Set(sortedOverheads.filter((theta) => theta > 1 && theta <= limit)), limit];
  return thetas.map((theta) => ({ theta, share: shareWithin(sortedOverheads, theta) }));
}

/**
 * Number of products after which a conversion has paid for itself against a product without conversion; Infinity:
 * never.
 */
export function payback(setupMs, ms, plainMs) {
  return ms < plainMs ? setupMs / (plainMs - ms) : Infinity;
}
