/**
 * The paper's method to derive the formulas of super-row and super-super-row sizes for another GPU: products are timed with every
 * pair of sizes over a suite of matrices, and the best ones are regressed on the logarithm of the row density.
 *
 * Source: Lane & Booth 2022, §4.1. Both sizes are tuned together and regressed one by one; the kernel and its block dimensions are
 *   those of the density's case.
 * Differs: no slope is lowered by hand. Where the paper mends the regression for each case by factors, here a case has the pair of sizes that
 *   loses least on average over its matrices: with other blocks, other sizes are best, and it is their product that counts, of which
 *   the regression of one after the other knows nothing.
 * Differs too: the best sizes of a matrix are the middle of those as good as the fastest, not the fastest, which is often chance.
 */
import { leastSquares } from './csrk-fit.js';
import {
  CASES,
  caseOf,
  fittedCases,
  type GpuFormulas,
  type GpuLine,
  type GroupSizes,
  lineAt,
  type Shape,
} from './csrk-sizes.js';

/** What products with a pair of sizes took. */
export interface GroupTime extends GroupSizes {
  readonly medianMs: number;
  /** A quarter of the products took as long or longer. */
  readonly upperMs: number;
}

/** One matrix, timed with every pair of sizes. */
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
  /** Mean loss, on matrices of cases with several, of the sizes that the others of the case have found: what to expect of a new one. */
  readonly leftOutLoss: number;
}

/** The sizes of the least median. */
export function fastestSizes({ times }: GroupCurve): GroupTime {
  return times.reduce((best, time) => (time.medianMs < best.medianMs ? time : best));
}

/**
 * The geometric means of the sizes that are as good as the fastest: on average they take no longer than a quarter of its own
 * products does. Not whole numbers.
 */
export function bestSizes(curve: GroupCurve): GroupSizes {
  const { upperMs } = fastestSizes(curve);
  const good = curve.times.filter(({ medianMs }) => medianMs <= upperMs);
  return {
    superRowSize: geometricMean(good.map(({ superRowSize }) => superRowSize)),
    superSuperRowSize: geometricMean(good.map(({ superSuperRowSize }) => superSuperRowSize)),
  };
}

/** The regressions over at least one matrix, rounded as they are written down, and the sizes of the cases. */
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

/** Of a pair that was timed, against the fastest: 0.02 is 2 %. */
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

/** Of each matrix, with the sizes that the others have found. */
function lossesLeftOut(curves: readonly GroupCurve[]): number[] {
  return curves.map((curve) => lossOf(sizesThatLoseLeast(curves.filter((other) => other !== curve)), curve));
}

/** The formulas that a fit means: by its regressions alone, or with the sizes of the cases. */
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

/** 0 of none. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

/** To so many decimals, as the paper writes them; a 0 without a sign. */
function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals)) + 0;
}
