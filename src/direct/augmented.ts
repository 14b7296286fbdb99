/**
 * Least squares as a square system. For A with more rows than columns, K = [α I, A; Aᵀ, 0] and K (s, x) = (b, 0): x has the least ‖b − A x‖, and α s is
 * the residual. For A with more columns, K = [α I, Aᵀ; A, 0] and K (x, y) = (0, b): x is the shortest one with A x = b.
 *
 * Source: Björck, "Numerical Methods for Least Squares Problems", 1996, sections 2.5 and 6.4.
 * For: matrices that iterations solve slowly. K is symmetric and indefinite, and its condition is about that of A, not its square as with Aᵀ A, for an α between
 *   the least and the greatest singular value. Dense rows do no harm.
 */
import type { CsrMatrix } from '../core/csr.js';
import { largestModulus } from '../core/norms.js';
import { transposedPlaces } from '../core/transpose.js';
import type { FloatArray } from '../core/types.js';

/**
 * α over the largest modulus of an entry. From 1e-2 to 1e-6 all of twelve systems were solved as well as rounding allows (polynomials up to degree 18, levelling
 * with weights of 1e-3 to 1e3, linear programs, Läuchli's matrix with 1e-7); at 1e-8 pivots were replaced, and one was lost.
 */
const ALPHA = 1e-4;

/** In `source`: α, not an entry of A. */
const OF_ALPHA = 0xffff_ffff;

export class AugmentedSystem {
  /** A */
  given: CsrMatrix;
  readonly #pattern: Omit<CsrMatrix, 'values'>;
  /** The place of each entry among the values of A. */
  readonly #source: Uint32Array;

  /** @param matrix A */
  constructor(matrix: CsrMatrix) {
    this.given = matrix;
    const { rows, cols, nnz } = matrix;
    const [long, short] = [Math.max(rows, cols), Math.min(rows, cols)];
    const own = { ptr: matrix.rowPtr, idx: matrix.colIdx, source: Uint32Array.from({ length: nnz }, (_, k) => k) };
    const across = transposedPlaces(matrix);
    const [ofLong, ofShort] = rows > cols ? [own, across] : [across, own];
    const size = long + short;
    const entries = long + 2 * nnz;
    const rowPtr = new Uint32Array(size + 1);
    const colIdx = new Uint32Array(entries);
    this.#source = new Uint32Array(entries);
    let at = 0;
    const add = (column: number, source: number) => {
      colIdx[at] = column;
      this.#source[at++] = source;
    };
    for (let i = 0; i < long; i++) {
      add(i, OF_ALPHA);
      for (let k = ofLong.ptr[i]!, end = ofLong.ptr[i + 1]!; k < end; k++)
        add(long + ofLong.idx[k]!, ofLong.source[k]!);
      rowPtr[i + 1] = at;
    }
    for (let i = 0; i < short; i++) {
      for (let k = ofShort.ptr[i]!, end = ofShort.ptr[i + 1]!; k < end; k++) add(ofShort.idx[k]!, ofShort.source[k]!);
      rowPtr[long + i + 1] = at;
    }
    this.#pattern = { rows: size, cols: size, nnz: entries, rowPtr, colIdx, field: 'real', symmetry: 'symmetric' };
  }

  /** K */
  matrix(): CsrMatrix {
    const { values } = this.given;
    const largest = largestModulus(values);
    const alpha = largest > 0 ? ALPHA * largest : 1;
    const own = new Float64Array(this.#source.length);
    for (let k = 0; k < own.length; k++) own[k] = this.#source[k] === OF_ALPHA ? alpha : values[this.#source[k]!]!;
    return { ...this.#pattern, values: own };
  }

  /** The right-hand side of K for that of A. */
  right(b: FloatArray): Float64Array {
    const { rows, cols } = this.given;
    const right = new Float64Array(rows + cols);
    right.set(b, rows > cols ? 0 : cols);
    return right;
  }

  /** x, of a solution of K. */
  solution(z: Float64Array): Float64Array {
    const { rows, cols } = this.given;
    return rows > cols ? z.subarray(rows) : z.subarray(0, cols);
  }
}
