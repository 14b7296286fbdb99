/**
 * The paper's method to derive a formula for super-row sizes on a new machine: products are timed with every size over a
 * suite of matrices, and the best sizes are regressed on the logarithm of the row density.
 *
 * Source: Lane & Booth 2022, §4.1 (logarithmic regression) and §4.2 (the sizes of CPUs).
 * Differs: the regression is of log₂ of the size. The CPU's sizes are a geometric series, and with slope 0 the fit is the
 *   geometric mean that §4.2 recommends. No coefficient is lowered by hand: the fitted size is rounded to a size of the
 *   suite, which keeps it from falling too low.
 * Differs too: the best size of a matrix is the middle of all sizes that are as good as the fastest. On a CPU most sizes
 *   are, and the fastest of them is a matter of chance.
 */
import type { CsrkFit } from '../../core/tuning.js';
import { type Shape, SUPER_ROW_SIZES, usedSize } from './sizes.js';

/** The times of one matrix with every size. */
export interface SizeCurve extends Shape {
  /** Median milliseconds of a product, for each of `SUPER_ROW_SIZES`. */
  readonly medianMs: readonly number[];
}

/**
 * Times up to this much longer than the fastest count as equally good. It is the difference measured with 32-bit columns,
 * where all sizes do the same work (rgg in grid order 2.8 %, 27-point with 3 × 3 blocks 2.9 %; 40 ms per size, 2 cores of
 * an AMD EPYC, Node 20, November 2026).
 */
const AS_GOOD = 0.03;

/** The geometric mean of the sizes that are as good as the fastest. */
export function bestSize({ medianMs }: SizeCurve): number {
  const limit = (1 + AS_GOOD) * Math.min(...medianMs);
  const good = SUPER_ROW_SIZES.filter((_, k) => medianMs[k]! <= limit);
  return 2 ** mean(good.map(Math.log2));
}

/** The relative loss in time of a size against the fastest one: 0.02 is 2 %. */
export function lossAt(size: number, { medianMs }: SizeCurve): number {
  return medianMs[SUPER_ROW_SIZES.indexOf(size)]! / Math.min(...medianMs) - 1;
}

export interface Losses {
  readonly medianLoss: number;
  readonly worstLoss: number;
}

/** The losses over a suite, with a size for each of its matrices. */
export function lossesOf(curves: readonly SizeCurve[], sizeOf: (shape: Shape) => number): Losses {
  return summarizeLosses(curves.map((curve) => lossAt(sizeOf(curve), curve)));
}

/** Summarizes at least one loss. */
export function summarizeLosses(given: readonly number[]): Losses {
  const losses = given.toSorted((a, b) => a - b);
  const middle = (losses.length - 1) / 2;
  const medianLoss = (losses[Math.floor(middle)]! + losses[Math.ceil(middle)]!) / 2;
  return { medianLoss, worstLoss: losses.at(-1)! };
}

/** The regression over at least one matrix, and its losses on the number of threads that was timed. */
export function fitSizes(curves: readonly SizeCurve[], threads: number): CsrkFit {
  const points = curves.map((curve) => ({ x: Math.log(curve.nnz / curve.rows), y: Math.log2(bestSize(curve)) }));
  const line = leastSquares(points);
  const residuals = points.map(({ x, y }) => y - line.constant - line.slope * x);
  const rmsLog2 = Math.sqrt(mean(residuals.map((residual) => residual ** 2)));
  return { ...line, rmsLog2, ...lossesOf(curves, (shape) => usedSize(line, shape, threads)) };
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The line y = constant + slope · x with the least Σ (y − constant − slope · x)²; slope 0 if all x are equal. */
export function leastSquares(points: readonly Point[]): { constant: number; slope: number } {
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const spread = mean(points.map(({ x }) => (x - meanX) ** 2));
  const slope = spread === 0 ? 0 : mean(points.map(({ x, y }) => (x - meanX) * (y - meanY))) / spread;
  return { constant: meanY - slope * meanX, slope };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
