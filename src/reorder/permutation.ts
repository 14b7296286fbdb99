/**
 * Permutations, and matrices and vectors under them.
 *
 * One convention everywhere, that of SciPy and of `A(p, :)` in MATLAB: an *order* lists the old indices as they come in the new
 * matrix, `order[new] = old`. So row i of P A Qᵀ is row `rowOrder[i]` of A, and (P x)ᵢ = x[order[i]]. Pᵀ is the inverse.
 */
import { type CsrInput, type CsrMatrix, csrMatrix, sortRow } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';

/** Orders for a matrix. Where one is left out, rows or columns stay as they are. */
export interface Ordering {
  /** Length rows. */
  readonly rowOrder?: Uint32Array | undefined;
  /** Length cols. The same array as `rowOrder` where the permutation is symmetric: P A Pᵀ. */
  readonly colOrder?: Uint32Array | undefined;
}

/**
 * An order, checked: each of 0 … length − 1 once. A Uint32Array is taken as it is.
 *
 * @throws SparlaneError `shape` for a wrong length, `argument` for an index that is out of range or comes twice
 */
export function checkPermutation(name: string, order: ArrayLike<number>, length: number): Uint32Array {
  if (!(order?.length === length)) throw mismatch('shape', name, `length ${length}`, order);
  const seen = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const index = order[i]!;
    if (!(Number.isInteger(index) && index >= 0 && index < length)) {
      throw mismatch('argument', `${name}[${i}]`, `an integer from 0 to ${length - 1}`, index, { index: i });
    }
    if (seen[index] === 1)
      throw mismatch('argument', `${name}[${i}]`, 'every index once', `${index} again`, { index: i });
    seen[index] = 1;
  }
  return order instanceof Uint32Array ? order : Uint32Array.from(order);
}

/** Both orders of an ordering, checked against a shape; one array is checked once. @throws as `checkPermutation` */
export function checkOrdering({ rowOrder, colOrder }: Ordering, rows: number, cols: number): Ordering {
  const checkedRows = rowOrder && checkPermutation('rowOrder', rowOrder, rows);
  const same = colOrder === rowOrder && rows === cols;
  return {
    rowOrder: checkedRows,
    colOrder: same ? checkedRows : colOrder && checkPermutation('colOrder', colOrder, cols),
  };
}

/** The order that undoes another: `inverse[old] = new`. */
export function inversePermutation(order: Uint32Array): Uint32Array {
  const inverse = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i++) inverse[order[i]!] = i;
  return inverse;
}

/** The order of what is put in order `first`, then in order `second`: `first[second[i]]`. */
export function composePermutations(first: Uint32Array, second: Uint32Array): Uint32Array {
  if (first.length !== second.length) throw mismatch('shape', 'second', `length ${first.length}`, second);
  return second.map((index) => first[index]!);
}

/** P x: `x[order[i]]` for every i, into `target` (not x itself), or into a new array. */
export function permuteVector<A extends FloatArray>(x: A, order: Uint32Array, target?: A): A {
  if (x.length !== order.length) throw mismatch('shape', 'x', `length ${order.length}`, x);
  if (target !== undefined && target.length !== order.length) {
    throw mismatch('shape', 'target', `length ${order.length}`, target);
  }
  const result = target ?? new (x.constructor as new (length: number) => A)(x.length);
  for (let i = 0; i < order.length; i++) result[i] = x[order[i]!]!;
  return result;
}

/**
 * P A Qᵀ, canonical: its row i is row `rowOrder[i]` of A, its column j column `colOrder[j]`. O(rows + cols + nnz), and each
 * row sorted.
 *
 * @throws SparlaneError as `csrMatrix` and `checkPermutation`
 */
export function permuteMatrix(input: CsrInput, ordering: Ordering): CsrMatrix {
  const matrix = csrMatrix(input);
  const { rows, cols, nnz } = matrix;
  const { rowOrder, colOrder } = checkOrdering(ordering, rows, cols);
  const newColumn = colOrder && inversePermutation(colOrder);
  const rowPtr = new Uint32Array(rows + 1);
  const colIdx = new Uint32Array(nnz);
  const values = new (matrix.values.constructor as new (length: number) => FloatArray)(nnz);
  let at = 0;
  for (let i = 0; i < rows; i++) {
    const row = rowOrder === undefined ? i : rowOrder[i]!;
    for (let k = matrix.rowPtr[row]!, end = matrix.rowPtr[row + 1]!; k < end; k++, at++) {
      const column = matrix.colIdx[k]!;
      colIdx[at] = newColumn === undefined ? column : newColumn[column]!;
      values[at] = matrix.values[k]!;
    }
    rowPtr[i + 1] = at;
    if (newColumn !== undefined) sortRow(colIdx, values, rowPtr[i]!, at);
  }
  const symmetry = rowOrder === colOrder ? matrix.symmetry : 'general';
  return { ...matrix, rowPtr, colIdx, values, symmetry };
}
