/**
 * The paper's method to derive the formulas of super-row and super-super-row sizes for another GPU: products are timed
 * with every pair of sizes over a suite of matrices, and the best ones are regressed on the logarithm of the row
 * density.
 *
 * Source: Lane & Booth 2022, §4.1. Both sizes are tuned together and regressed one by one; the kernel and its block
 *   dimensions are those of the density's case.
 * Differs: no slope is lowered by hand. The paper corrects the regression for each case by factors; here a case has the
 *   pair of sizes with the least mean loss over its matrices. With other block dimensions other sizes are best, and the
 *   product of the two sizes counts, which separate regressions do not see.
 * Differs too: the best sizes of a matrix are the middle of all pairs as good as the fastest, since the fastest is
 *   often chance.
 */
import { leastSquares } from './fit.js';
import {
  CASES,
  caseOf,
  fittedCases,
  type GpuFormulas,
  type GpuLine,
  type GroupSizes,
  lineAt,
  type Shape,
} from './sizes.js';

/** The times of products with a pair of sizes. */
export interface GroupTime extends GroupSizes {
  readonly medianMs: number;
  /** Upper quartile: a quarter of the products took at least as long. */
  readonly upperMs: number;
}

/** The times of one matrix with every pair of sizes. */
export interface GroupCurve extends Shape {
  readonly times: readonly GroupTime[];
}

export interface GpuFit {
  readonly superSuperRows: GpuLine;
  readonly superRows: GpuLine;
  /** Root mean squares of best size − regression, in super-rows and in rows. */
  readonly rms: { readonly superSuperRows: number; readonly superRows: number };
  /** For cases 1 to 4 the sizes that lose least on average; undefined where the suite has no matrix of the case. */
  readonly cases: readonly (GroupSizes | undefined)[];
  /** Expected loss on a new matrix: the mean loss on a matrix with the sizes fitted to the others of its case, if any. */
  readonly leftOutLoss: number;
}

/** The pair of sizes with the least median. */
export function fastestSizes({ times }: GroupCurve): GroupTime {
  return times.reduce((best, time) => (time.medianMs < best.medianMs ? time : best));
}

/**
 * The geometric means of the sizes that are as good as the fastest: their median is at most the upper quartile of the
 * fastest pair. Not integers in general.
 */
export function bestSizes(curve: GroupCurve): GroupSizes {
  const { upperMs } = fastestSizes(curve);
  const good = curve.times.filter(({ medianMs }) => medianMs <= upperMs);
  return {
    superRowSize: geometricMean(good.map(({ superRowSize }) => superRowSize)),
    superSuperRowSize: geometricMean(good.map(({ superSuperRowSize }) => superSuperRowSize)),
  };
}

/** The regressions over at least one matrix, rounded as in the source code, and the sizes of the cases. */
export function fitGroupSizes(curves: readonly GroupCurve[]): GpuFit {
  const best = curves.map((curve) => ({ density: curve.nnz / curve.rows, ...bestSizes(curve) }));
  const superSuperRows = regress(best.map(({ density, superSuperRowSize: size }) => ({ density, size })));
  const superRows = regress(best.map(({ density, superRowSize: size }) => ({ density, size })));
  const byCase = Array.from({ length: CASES }, (_, place) =>
    curves.filter(({ rows, nnz }) => caseOf(nnz / rows) === place),
  );
  return {
    superSuperRows: superSuperRows.line,
    superRows: superRows.line,
    rms: { superSuperRows: superSuperRows.rms, superRows: superRows.rms },
    cases: byCase.map((own) => (own.length === 0 ? undefined : sizesThatLoseLeast(own))),
    leftOutLoss: mean(byCase.filter((own) => own.length > 1).flatMap(lossesLeftOut)),
  };
}

/** The relative loss of a timed pair against the fastest: 0.02 is 2 %. */
function lossOf({ superRowSize, superSuperRowSize }: GroupSizes, curve: GroupCurve): number {
  const isIt = (time: GroupTime) => time.superRowSize === superRowSize && time.superSuperRowSize === superSuperRowSize;
  return curve.times.find(isIt)!.medianMs / fastestSizes(curve).medianMs - 1;
}

function sizesThatLoseLeast(curves: readonly GroupCurve[]): GroupSizes {
  const ranked = curves[0]!.times.map(({ superRowSize, superSuperRowSize }) => {
    const sizes = { superRowSize, superSuperRowSize };
    return { sizes, loss: mean(curves.map((curve) => lossOf(sizes, curve))) };
  });
  return ranked.reduce((best, one) => (one.loss < best.loss ? one : best)).sizes;
}

/** The loss on each matrix with the sizes fitted to the other matrices. */
function lossesLeftOut(curves: readonly GroupCurve[]): number[] {
  return curves.map((curve) => lossOf(sizesThatLoseLeast(curves.filter((other) => other !== curve)), curve));
}

/** The formulas of a fit: from its regressions alone, or with the sizes of the cases. */
export function formulasOf({ superSuperRows, superRows, cases }: GpuFit, byCase: boolean): GpuFormulas {
  return { superSuperRows, superRows, cases: fittedCases(byCase ? cases : cases.map(() => undefined)) };
}

interface BestSize {
  readonly density: number;
  readonly size: number;
}

function regress(best: readonly BestSize[]): { line: GpuLine; rms: number } {
  const { constant, slope } = leastSquares(best.map(({ density, size }) => ({ x: Math.log(density), y: size })));
  const line: GpuLine = [rounded(constant, 3), rounded(-slope, 3)];
  const squares = best.map(({ density, size }) => (size - lineAt(line, density)) ** 2);
  return { line, rms: Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length) };
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(mean(values.map(Math.log)));
}

/** The mean; 0 for no values. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

/** Rounds to this number of decimals, as the paper does; −0 becomes 0. */
function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals)) + 0;
}
