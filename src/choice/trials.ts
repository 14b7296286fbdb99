/**
 * Which formats are worth a trial. A trial converts the matrix and times products, next to the fastest format so far. Its price is known, and
 * what it saves is expected from the errors of the model: the value of information, as in Bayesian optimization (P. I. Frazier, A tutorial on
 * Bayesian optimization, 2018).
 *
 * For one matrix, the predictions of two formats, relative to their times, differ by a factor exp(δ). δ has a Laplace distribution: on 684 and 724
 * cases of even seeds (`bench/judge.mjs`, AMD EPYC and Intel Xeon, November 2026) |δ| is 0.09 and 0.10 in the median, 0.29 and 0.40 at 90 %, 0.55 and
 * 0.77 at 99 %.
 */
import type { Products, RankedFormat } from './choose.js';

/** The scale of δ, its mean absolute value: 0.13 and 0.16 there. */
const SPREAD = 0.15;

/**
 * The variance of a format's own error relative to that of the error which all formats of a matrix have in common. Standard deviations: 0.15; and
 * 0.24 on a machine that was measured by `sparlane tune`, 0.37 on one that was not (248 cases of even seeds, AMD EPYC Zen 5, November 2026).
 */
const COMMON = 0.3;

/** `many` products, for trials: so many, and for so long at least. */
const MANY = 10_000;
const MANY_MS = 10_000;

/** The price of a trial in addition to the conversion: so many products, and milliseconds until V8 has optimized the kernel. */
const TRIAL_PRODUCTS = 60;
const TRIAL_MS = 50;

/** A format with the measured time of its products. */
export type MeasuredFormat = RankedFormat & { readonly measuredMs: number };

export function fastest(measured: readonly MeasuredFormat[]): MeasuredFormat {
  return measured.reduce((best, one) => (one.measuredMs < best.measuredMs ? one : best));
}

/**
 * The format whose trial is expected to save most time over the products, with its price.
 *
 * @param measured formats after their trials, at least one
 * @param others formats that were not tried
 * @returns undefined if no trial pays
 */
export function worthTrying(
  measured: readonly MeasuredFormat[],
  others: readonly RankedFormat[],
  products: Products,
): RankedFormat | undefined {
  const leastMs = fastest(measured).measuredMs;
  const wholeMs = products === 'many' ? Math.max(MANY * leastMs, MANY_MS) : products * leastMs;
  const errors = measured.map((format) => Math.log(format.measuredMs / countedMs(format)));
  // The error that all formats of this matrix have in common here. One slow format does not yet make a slow machine.
  const scale = Math.exp(errors.reduce((sum, error) => sum + error, 0) / (errors.length + COMMON));
  let best: RankedFormat | undefined;
  let most = 0;
  for (const format of others) {
    const savedMs = wholeMs * expectedShare(Math.log((scale * countedMs(format)) / leastMs));
    const gainMs = savedMs - format.conversionMs - TRIAL_MS - TRIAL_PRODUCTS * leastMs;
    if (gainMs > most) [best, most] = [format, gainMs];
  }
  return best;
}

function countedMs({ productMs, doubt = 1 }: RankedFormat): number {
  return doubt * productMs;
}

/** E max(0, δ - slower): the share of a product's time that a format is expected to save that seems slower by a factor exp(slower). */
function expectedShare(slower: number): number {
  return Math.max(0, -slower) + (SPREAD / 2) * Math.exp(-Math.abs(slower) / SPREAD);
}
