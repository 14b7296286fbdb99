/** The products that the suite checks of a matrix, and their expected results: the same for every format and backend. */
import type { CsrMatrix } from '../core/csr.js';
import { type Dtype, type FloatArray, vectorArray } from '../core/types.js';
import { type ExpectedProduct, expectedProduct } from './expected.js';
import { type DataKind, sampleVector } from './matrices.js';
import { perMatrix } from './per-matrix.js';

/**
 * α, β, and whether a brief check uses them too. All are exact in f32; with integer data, the results are exact too. Integer data are
 * multiplied with all of them, in every way; real data with those of brief checks, which round every term; special data also with α = 0.
 */
const FACTORS: readonly (readonly [alpha: number, beta: number, isBrief?: boolean])[] = [
  [1, 0, true],
  [2, 0],
  [-1, 1],
  [0.5, -2],
  [1, 1],
  [-0.25, 0.5, true],
  [0, 1],
  [0, 0],
];

/** The vector y before a product, and its expected contents afterwards. */
export interface Case {
  readonly alpha: number;
  readonly beta: number;
  /** Whether brief checks use it. */
  readonly isBrief: boolean;
  readonly before: Float64Array;
  readonly expected: ExpectedProduct;
}

/** The vectors for the products of a matrix, and the expected results. */
export interface Expectations {
  readonly x: FloatArray;
  readonly cases: readonly Case[];
  /** y ← α A x with a NaN in one column of x, by column and α, as far as it was needed. */
  readonly withNaN: Map<string, Float64Array>;
}

/** The products of a matrix, and their results. */
export const expectationsOf: (matrix: CsrMatrix, dtype: Dtype, kind: DataKind) => Expectations =
  perMatrix(computeExpectations);

function computeExpectations(matrix: CsrMatrix, dtype: Dtype, kind: DataKind): Expectations {
  const type = vectorArray(dtype);
  const numbers = kind === 'real' ? 'real' : 'integer';
  const x = type.from(sampleVector(matrix.cols, numbers, 6));
  const y = Float64Array.from(type.from(sampleVector(matrix.rows, numbers, 7)));
  // With β = 0, y is overwritten, and its old contents are ignored.
  const nothing = new Float64Array(matrix.rows).fill(NaN);
  const ofKind = FACTORS.filter(
    ([alpha, , isBrief]) => isBrief || kind === 'integer' || (kind === 'special' && alpha === 0),
  );
  const cases = ofKind.map(([alpha, beta, isBrief = false]) => {
    const before = beta === 0 ? nothing : y;
    return { alpha, beta, isBrief, before, expected: expectedProduct(matrix, dtype, x, before, alpha, beta) };
  });
  return { x, cases, withNaN: new Map() };
}
