/**
 * Which formats are worth a trial. A trial converts the matrix and times products, next to the fastest format so far. Its price is known, and
 * what it saves is expected from the errors of the model: the value of information, as in Bayesian optimization (P. I. Frazier, A tutorial on
 * Bayesian optimization, 2018).
 *
 * For one matrix, the predictions of two formats, relative to their times, differ by a factor exp(δ). δ has a Laplace distribution: on 684 and 724
 * cases of even seeds (`bench/judge.mjs`, AMD EPYC and Intel Xeon, November 2026) |δ| is 0.09 and 0.10 in the median, 0.29 and 0.40 at 90 %, 0.55 and
 * 0.77 at 99 %.
 */
import { expectedMs, type Products, type RankedFormat } from './choose.js';

/** The scale of δ, its mean absolute value: 0.13 and 0.16 there. */
const SPREAD = 0.15;

/**
 * The variance of a format's own error relative to that of the error which all formats of a matrix have in common. Standard deviations: 0.15; and
 * 0.24 on a machine that was measured by `sparlane tune`, 0.37 on one that was not (248 cases of even seeds, AMD EPYC Zen 5, November 2026).
 */
const COMMON = 0.3;

/** Trials for `many` products count so many of them, and at least as many as take MANY_MS. */
const MANY = 10_000;
const MANY_MS = 10_000;

/** The price of a trial in addition to the conversion: so many products, and milliseconds until V8 has optimized the kernel. */
const TRIAL_PRODUCTS = 16;
const TRIAL_MS = 30;

/**
 * All trials of a matrix together take at most BUDGET_SHARE of the time of the products; and at most SHORT_MS, or the time of BUDGET_PRODUCTS if that is
 * more; and at most LONGEST_MS. Most of the gain is in the first trials: over the times of 344 cases (`bench/results/2026-11-23-judge.jsonl.gz`) the mean
 * regret is 7.5 % without trials, 0.5 % if all are made that pay, and some 1.3 % within this budget, which takes a third of the time.
 */
const BUDGET_SHARE = 0.025;
const SHORT_MS = 250;
const BUDGET_PRODUCTS = 150;
const LONGEST_MS = 2000;

/** A format with the measured time of its products. */
export type MeasuredFormat = RankedFormat & { readonly measuredMs: number };

export function fastest(measured: readonly MeasuredFormat[]): MeasuredFormat {
  return measured.reduce((best, one) => (one.measuredMs < best.measuredMs ? one : best));
}

/** Milliseconds that all trials of a matrix may take, if one product takes `productMs`. */
export function budgetMs(productMs: number, products: Products): number {
  return Math.min(
    LONGEST_MS,
    Math.max(SHORT_MS, BUDGET_PRODUCTS * productMs),
    BUDGET_SHARE * wholeMs(productMs, products),
  );
}

/** Milliseconds of a trial, if one product takes `productMs`. `share`: of the matrix, that is stored and multiplied. */
export function trialMs({ conversionMs }: RankedFormat, productMs: number, share = 1): number {
  return TRIAL_MS + share * (conversionMs + TRIAL_PRODUCTS * productMs);
}

/** What the search for the next trial needs to know in addition to the formats. */
export interface TrialLimits {
  /** Milliseconds that a trial may take. Default: any. */
  readonly leftMs?: number;
  /** The share of the matrix that a trial stores and multiplies. Default: all of it. */
  readonly share?: number;
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
  { leftMs = Number.POSITIVE_INFINITY, share = 1 }: TrialLimits = {},
): RankedFormat | undefined {
  const leastMs = fastest(measured).measuredMs;
  const scale = commonError(measured);
  let best: RankedFormat | undefined;
  let most = 0;
  for (const format of others) {
    const priceMs = trialMs(format, leastMs, share);
    if (priceMs > leftMs) continue;
    const savedMs = wholeMs(leastMs, products) * expectedShare(Math.log((scale * countedMs(format)) / leastMs));
    if (savedMs - priceMs > most) [best, most] = [format, savedMs - priceMs];
  }
  return best;
}

/** Matrices are akin if the predicted times of the formats that were tried are the same up to this factor. Chosen. */
const AKIN = 1.2;

/**
 * The ranking of a matrix that is akin to one whose formats were tried, such as its transpose: its predictions err by the same factors. Undefined if
 * they are not akin.
 *
 * @param tried the ranking of the other matrix, with the measured times of the formats that were tried
 */
export function learned(
  ranking: readonly RankedFormat[],
  tried: readonly RankedFormat[],
  products: Products,
): RankedFormat[] | undefined {
  const measured = tried.filter((format): format is MeasuredFormat => format.measuredMs !== undefined);
  const here = new Map(ranking.map(({ spec, productMs }) => [spec, productMs]));
  const isAkin = measured.every(({ spec, productMs }) => {
    const ratio = (here.get(spec) ?? Number.NaN) / productMs;
    return Math.max(ratio, 1 / ratio) < AKIN;
  });
  if (!isAkin) return undefined;
  const common = commonError(measured);
  const doubts = new Map(measured.map((format) => [format.spec, format.measuredMs / (common * format.productMs)]));
  const doubted = ranking.map((format) => {
    const doubt = doubts.get(format.spec);
    return doubt === undefined ? format : { ...format, doubt };
  });
  return doubted.sort((a, b) => expectedMs(a, products) - expectedMs(b, products));
}

/** The error that all formats of a matrix have in common here. One slow format does not yet make a slow machine. */
function commonError(measured: readonly MeasuredFormat[]): number {
  const errors = measured.map((format) => Math.log(format.measuredMs / countedMs(format)));
  return Math.exp(errors.reduce((sum, error) => sum + error, 0) / (errors.length + COMMON));
}

/** Milliseconds of all products. */
function wholeMs(productMs: number, products: Products): number {
  return products === 'many' ? Math.max(MANY * productMs, MANY_MS) : products * productMs;
}

function countedMs({ productMs, doubt = 1 }: RankedFormat): number {
  return doubt * productMs;
}

/** E max(0, δ - slower): the share of a product's time that a format is expected to save that seems slower by a factor exp(slower). */
function expectedShare(slower: number): number {
  return Math.max(0, -slower) + (SPREAD / 2) * Math.exp(-Math.abs(slower) / SPREAD);
}
