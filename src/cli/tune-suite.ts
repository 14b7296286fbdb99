/** The suite of `sparlane tune`: every super-row size on matrices of row densities from 2 to 128. */
import { expectedProduct } from '../conformance/expected.js';
import { sampleVector } from '../conformance/matrices.js';
import type { CsrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import { SUPER_ROW_SIZE } from '../core/groups.js';
import type { CsrkFit } from '../core/tuning.js';
import { type Dtype, vectorArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import { fitSizes, type Losses, lossesOf, type SizeCurve } from '../formats/csrk/fit.js';
import { SUPER_ROW_SIZES } from '../formats/csrk/sizes.js';
import { prepareProduct, type VerifiedProduct } from './product.js';
import { timeInTurn } from './timing.js';

/**
 * By row density. Some 1.5 million entries each: beyond L2, and small enough for 18 copies to be timed in turn. Every super-row
 * spans less than 2¹⁶ columns at all sizes, so that all of them have 16-bit columns.
 */
export const SUITE: readonly string[] = [
  'gallery:road?nx=800&ny=800',
  'gallery:laplace1d3?nx=500000',
  'gallery:laplace2d5?nx=550&ny=550',
  'gallery:laplace3d7?nx=60&ny=60&nz=60',
  'gallery:laplace2d9?nx=410&ny=410',
  'gallery:rgg?n=115000&order=grid',
  'gallery:banded?rows=90000&perRow=16',
  'gallery:laplace3d27?nx=38&ny=38&nz=38',
  'gallery:qcd?nx=8&ny=8&nz=8&nt=8',
  'gallery:laplace3d27?nx=18&ny=18&nz=18&block=3',
  'gallery:banded?rows=12000&perRow=128',
];

/**
 * With 16-bit columns, since each super-row then has a base that the kernel loads. With 32-bit columns the kernel
 * ignores super-rows (`assembly/csrk/csrk.ts`), and all sizes are equally fast.
 */
const specOf = (size: number) => `csrk?index=16&superRowSize=${size}`;

export interface SuiteCurve extends SizeCurve {
  readonly source: string;
  readonly dtype: Dtype;
}

/** The suite's result for one dtype. */
export interface SuiteOutcome {
  readonly dtype: Dtype;
  readonly curves: readonly SuiteCurve[];
  readonly fit: CsrkFit;
  /** The loss of the built-in size on the same matrices. */
  readonly builtIn: Losses;
  /** Whether the fit loses less. */
  readonly isBetter: boolean;
}

/** Verifies the product of every size, and times them in turn. @throws SparlaneError `kernel` if one is wrong */
export async function measureCurve(
  engine: Engine,
  source: string,
  matrix: CsrMatrix,
  dtype: Dtype,
  timeMs: number,
): Promise<SuiteCurve> {
  const products: VerifiedProduct[] = [];
  try {
    const x = vectorArray(dtype).from(sampleVector(matrix.cols, 'real', 1));
    const expected = expectedProduct(matrix, dtype, x, x, 1, 0);
    for (const size of SUPER_ROW_SIZES) {
      const combination = { matrix: source, requested: specOf(size), dtype, threads: engine.threads };
      const product = prepareProduct(engine, matrix, combination, x, expected);
      products.push(product);
      if (product.fault === undefined) continue;
      throw new SparlaneError('kernel', `${source} as ${combination.requested} in ${dtype} is wrong: ${product.fault}`);
    }
    const timings = await timeInTurn(products.map(({ run }) => ({ run, timeMs })));
    const { rows, nnz } = matrix;
    return { source, dtype, rows, nnz, medianMs: timings.map(({ medianMs }) => medianMs) };
  } finally {
    for (const product of products) product[Symbol.dispose]();
  }
}

/** Fits the sizes to the curves of this dtype. */
export function outcomeOf(dtype: Dtype, all: readonly SuiteCurve[], threads: number): SuiteOutcome {
  const curves = all.filter((curve) => curve.dtype === dtype);
  const fit = fitSizes(curves, threads);
  const builtIn = lossesOf(curves, () => SUPER_ROW_SIZE);
  return { dtype, curves, fit, builtIn, isBetter: fit.medianLoss < builtIn.medianLoss };
}
