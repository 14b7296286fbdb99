/** Whether a ratio of speeds has fallen, by the spread of repeated measurements. Ratios are compared by their logarithms. */

import { median } from 'd3-array';

/** Of a normal distribution: its deviation over the median absolute deviation, and the error of the median over that of the mean. */
const NORMAL = 1.4826;
const MEDIAN = 1.2533;

/** Errors that a difference must exceed. */
const ERRORS = 3;

/** The place of arrays in memory and the state of the machine change ratios between runs by some percent, whatever the spread is. */
const LEAST_TOLERANCE = 0.07;

/** The median of the ratios of independent repetitions, and the standard error of its logarithm. */
export function summarize(ratios) {
  const logs = ratios.map(Math.log);
  const middle = median(logs);
  const deviation = NORMAL * median(logs.map((log) => Math.abs(log - middle)));
  return { ratio: Math.exp(middle), error: (MEDIAN * deviation) / Math.sqrt(ratios.length) };
}

/** The fall that would be noticed, as a share: 0.1 is 10 %. */
export function toleranceOf(now, before) {
  return 1 - Math.exp(-Math.max(LEAST_TOLERANCE, ERRORS * Math.hypot(now.error, before.error)));
}

/**
 * The record after another run: the lower of both ratios. From one hour to another, ratios change by more than they spread within a run
 * (27-point on one thread: 0.93 and 1.27 within 20 minutes; AMD EPYC, 2 cores, November 2026).
 */
export function recordOf(now, before) {
  const runs = (before?.runs ?? 0) + 1;
  return { ...(before !== undefined && before.ratio < now.ratio ? before : now), runs };
}

export function hasFallen(now, before) {
  return now.ratio < before.ratio * (1 - toleranceOf(now, before));
}
