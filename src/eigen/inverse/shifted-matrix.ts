/** A − σ B for any σ, symmetric to the last entry: its pattern is found once. */
import { addMatrices } from '../../algebra/add.js';
import { identityMatrix } from '../../algebra/identity.js';
import { newMatrix } from '../../algebra/new-matrix.js';
import { transposeMatrix } from '../../algebra/transpose.js';
import type { CsrMatrix } from '../../core/csr.js';
import type { EigenProblem } from '../method.js';

export class ShiftedMatrix {
  /** A, with an entry wherever B has one. */
  readonly #matrix: CsrMatrix;
  readonly #mass: CsrMatrix;
  /** Where the entries of B are in A. */
  readonly #places: Uint32Array;

  constructor({ matrix: given, mass, size, isRounded }: EigenProblem) {
    const symmetric = (one: CsrMatrix) => (isRounded ? symmetrized(one) : one);
    const matrix = symmetric(given!);
    this.#mass = mass === undefined ? identityMatrix(size) : symmetric(mass);
    const places = placesIn(matrix, this.#mass);
    this.#matrix = places === undefined ? addMatrices(matrix, this.#mass, 1, 0) : matrix;
    this.#places = places ?? placesIn(this.#matrix, this.#mass)!;
  }

  at(sigma: number): CsrMatrix {
    const values = new Float64Array(this.#matrix.values);
    const { values: mass } = this.#mass;
    for (let k = 0; k < mass.length; k++) values[this.#places[k]!]! -= sigma * mass[k]!;
    const { rows, cols, rowPtr, colIdx } = this.#matrix;
    return newMatrix({ rows, cols, rowPtr, colIdx, values, symmetry: 'symmetric' });
  }
}

/** The place of each entry of B among the entries of A; undefined if A has no entry where B has one. */
function placesIn(a: CsrMatrix, b: CsrMatrix): Uint32Array | undefined {
  const places = new Uint32Array(b.nnz);
  for (let i = 0; i < a.rows; i++) {
    let k = a.rowPtr[i]!;
    const end = a.rowPtr[i + 1]!;
    for (let m = b.rowPtr[i]!, last = b.rowPtr[i + 1]!; m < last; m++) {
      const col = b.colIdx[m]!;
      while (k < end && a.colIdx[k]! < col) k++;
      if (k === end || a.colIdx[k] !== col) return undefined;
      places[m] = k;
    }
  }
  return places;
}

/** (A + Aᵀ) / 2: factors of symmetric methods need the pattern. */
function symmetrized(matrix: CsrMatrix): CsrMatrix {
  return addMatrices(matrix, transposeMatrix(matrix), 0.5, 0.5);
}
