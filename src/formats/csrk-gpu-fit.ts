/**
 * The paper's method to derive the formulas of super-row and super-super-row sizes for another GPU: products are timed with every
 * pair of sizes over a suite of matrices, and the best ones are regressed on the logarithm of the row density.
 *
 * Source: Lane & Booth 2022, §4.1. Both sizes are tuned together and regressed one by one; the kernel and its block dimensions are
 *   those of the density's case.
 * Differs: no slope is lowered by hand. What the paper does with the cases after the regression is a factor for each case and size
 *   here: the geometric mean of best over regression. Sizes are kept from falling too low by staying among those that were timed.
 * Differs too: the best sizes of a matrix are the middle of those as good as the fastest, not the fastest, which is often chance.
 */
import { leastSquares } from './csrk-fit.js';
import {
  CASES,
  type CaseFactors,
  caseOf,
  fittedCases,
  type GpuFormulas,
  type GpuLine,
  type GroupSizes,
  lineAt,
  type Shape,
  sizesBy,
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
  /** For cases 1 to 4; 1 where the suite has no matrix of the case. */
  readonly factors: readonly CaseFactors[];
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

/** The regressions over at least one matrix, and the factors of the cases. Rounded as they are written down. */
export function fitGroupSizes(curves: readonly GroupCurve[]): GpuFit {
  const best = curves.map((curve) => ({ density: curve.nnz / curve.rows, ...bestSizes(curve) }));
  const superSuperRows = regress(best.map(({ density, superSuperRowSize: size }) => ({ density, size })));
  const superRows = regress(best.map(({ density, superRowSize: size }) => ({ density, size })));
  const base = { superSuperRows: superSuperRows.line, superRows: superRows.line, cases: UNCHANGED };
  const ratios = best.map(({ density, ...sizes }) => {
    const regression = sizesBy(base, density);
    return {
      place: caseOf(density),
      superSuperRows: sizes.superSuperRowSize / regression.superSuperRowSize,
      superRows: sizes.superRowSize / regression.superRowSize,
    };
  });
  const factors = Array.from({ length: CASES }, (_, place): CaseFactors => {
    const own = ratios.filter((ratio) => ratio.place === place);
    return [factorOf(own.map((ratio) => ratio.superSuperRows)), factorOf(own.map((ratio) => ratio.superRows))];
  });
  const rms = { superSuperRows: superSuperRows.rms, superRows: superRows.rms };
  return { superSuperRows: base.superSuperRows, superRows: base.superRows, rms, factors };
}

/** The formulas that a fit means: by its regressions alone, or with the factors of the cases. */
export function formulasOf({ superSuperRows, superRows, factors }: GpuFit, byCase: boolean): GpuFormulas {
  return { superSuperRows, superRows, cases: fittedCases(byCase ? factors : factors.map(() => [1, 1])) };
}

const UNCHANGED: GpuFormulas['cases'] = Array.from({ length: CASES }, () => (ssrs, srs) => [ssrs, srs]);

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

function factorOf(ratios: readonly number[]): number {
  return ratios.length === 0 ? 1 : rounded(geometricMean(ratios), 2);
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** To so many decimals, as the paper writes them; a 0 without a sign. */
function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals)) + 0;
}
