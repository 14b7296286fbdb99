/** The blocks of a matrix K = [A, B₁; B₂, −C] whose unknowns belong to two fields, and the diagonal of its Schur complement −C − B₂ diag(A)⁻¹ B₁. */
import { diagonalPlaces, NO_ENTRY } from '../algebra/diagonal.js';
import { newMatrix } from '../algebra/new-matrix.js';
import type { CsrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import { transposedPlaces } from '../core/transpose.js';
import type { FloatArray } from '../core/types.js';
import { reciprocalDiagonal } from './diagonal.js';

/** The rows of both fields, ascending. */
export interface Fields {
  readonly first: Uint32Array;
  readonly second: Uint32Array;
}

/** @param count rows of the first field, which are the first ones of the matrix; 0: those with a positive diagonal entry */
export function fieldsOf(matrix: CsrMatrix, count: number): Fields {
  const { rows, values } = matrix;
  const places = diagonalPlaces(matrix);
  const isFirst = (row: number) => (count > 0 ? row < count : places[row] !== NO_ENTRY && values[places[row]!]! > 0);
  const all = Uint32Array.from({ length: rows }, (_, row) => row);
  return { first: all.filter(isFirst), second: all.filter((row) => !isFirst(row)) };
}

/** A block of a matrix, whose values are at `places` among those of the matrix. */
export interface Block {
  readonly matrix: CsrMatrix;
  readonly places: Uint32Array;
}

/** The block of some rows and columns, which are ascending. */
export function blockOf(
  { cols, rowPtr, colIdx, values }: CsrMatrix,
  itsRows: Uint32Array,
  itsCols: Uint32Array,
): Block {
  const position = new Uint32Array(cols).fill(NO_ENTRY);
  itsCols.forEach((col, i) => {
    position[col] = i;
  });
  const ptr = new Uint32Array(itsRows.length + 1);
  const kept: number[] = [];
  itsRows.forEach((row, i) => {
    for (let k = rowPtr[row]!; k < rowPtr[row + 1]!; k++) if (position[colIdx[k]!] !== NO_ENTRY) kept.push(k);
    ptr[i + 1] = kept.length;
  });
  const places = Uint32Array.from(kept);
  const matrix = newMatrix({
    ...{ rows: itsRows.length, cols: itsCols.length, rowPtr: ptr },
    ...{ colIdx: places.map((k) => position[colIdx[k]!]!), values: valuesAt(places, values) },
  });
  return { matrix, places };
}

export function valuesAt(places: Uint32Array, values: FloatArray): Float64Array {
  return Float64Array.from(places, (k) => values[k]!);
}

/**
 * Prepares the diagonal of the Schur complement of the second field: kᵢᵢ − Σⱼ kᵢⱼ kⱼᵢ / kⱼⱼ over the first field.
 *
 * @returns the diagonal from values of the matrix. @throws SparlaneError `structure` for one that is 0 or not finite, and for a diagonal of the first field that
 *   cannot be inverted
 */
export function schurDiagonal(matrix: CsrMatrix, { first, second }: Fields): (values: FloatArray) => Float64Array {
  const diagonal = diagonalPlaces(matrix);
  const firstPlaces = Uint32Array.from(first, (row) => diagonal[row]!);
  const inField = new Uint32Array(matrix.rows).fill(NO_ENTRY);
  first.forEach((row, i) => {
    inField[row] = i;
  });
  const pairs = pairsOf(matrix, second, inField);
  return (values) => {
    const inverse = reciprocalDiagonal('matrix', firstPlaces, values);
    return Float64Array.from(second, (row, i) => {
      let sum = diagonal[row] === NO_ENTRY ? 0 : values[diagonal[row]!]!;
      for (let p = pairs.ptr[i]!; p < pairs.ptr[i + 1]!; p++)
        sum -= values[pairs.left[p]!]! * values[pairs.right[p]!]! * inverse[pairs.through[p]!]!;
      if (sum !== 0 && Number.isFinite(sum)) return sum;
      const text = `matrix: expected a Schur complement with a diagonal of finite numbers other than 0, got ${sum} in row ${row}`;
      throw new SparlaneError('structure', text, { row });
    });
  };
}

/** Row i of the second field has the pairs ptr[i] … ptr[i + 1] − 1: the places of kᵢⱼ and kⱼᵢ, and the place of j in the first field. */
interface Pairs {
  readonly ptr: Uint32Array;
  readonly left: Uint32Array;
  readonly right: Uint32Array;
  readonly through: Uint32Array;
}

function pairsOf(matrix: CsrMatrix, second: Uint32Array, inField: Uint32Array): Pairs {
  const { rowPtr, colIdx } = matrix;
  const transposed = transposedPlaces(matrix);
  const [left, right, through]: [number[], number[], number[]] = [[], [], []];
  const ptr = new Uint32Array(second.length + 1);
  second.forEach((row, i) => {
    let t = transposed.ptr[row]!;
    const end = transposed.ptr[row + 1]!;
    for (let k = rowPtr[row]!; k < rowPtr[row + 1]!; k++) {
      const j = colIdx[k]!;
      while (t < end && transposed.idx[t]! < j) t++;
      if (inField[j] === NO_ENTRY || t === end || transposed.idx[t] !== j) continue;
      left.push(k);
      right.push(transposed.source[t]!);
      through.push(inField[j]!);
    }
    ptr[i + 1] = left.length;
  });
  return { ptr, left: Uint32Array.from(left), right: Uint32Array.from(right), through: Uint32Array.from(through) };
}
