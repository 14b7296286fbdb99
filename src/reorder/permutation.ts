/**
 * Permutations, and their application to matrices and vectors.
 *
 * The convention everywhere is that of SciPy and of `A(p, :)` in MATLAB: an *order* lists the old indices in their new
 * sequence, `order[new] = old`. Row i of P A Qᵀ is row `rowOrder[i]` of A, and (P x)ᵢ = x[order[i]]. Pᵀ is the inverse.
 */
import { asFloats, checkAttached, checkFloats, isArrayLike, overlap } from '../core/arrays.js';
import { sortRow } from '../core/canonical.js';
import { integer, knownKeys } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';

/** Orders for a matrix. Without an order, rows or columns keep theirs. */
export interface Ordering {
  /** Length rows. */
  readonly rowOrder?: Uint32Array | undefined;
  /** Length cols. The same array as `rowOrder` if the permutation is symmetric: P A Pᵀ. */
  readonly colOrder?: Uint32Array | undefined;
}

/** The same, as a caller has it. */
export interface OrderingInput {
  readonly rowOrder?: ArrayLike<number> | undefined;
  readonly colOrder?: ArrayLike<number> | undefined;
}

/**
 * Checks an order: each of 0 … length − 1 occurs once. A Uint32Array is returned without a copy.
 *
 * @param name its name in errors
 * @throws SparlaneError `shape` for a wrong length, `argument` for an index that is out of range or occurs twice
 */
export function checkPermutation(name: string, order: ArrayLike<number>, length: number): Uint32Array {
  integer('length', length);
  if (ArrayBuffer.isView(order)) checkAttached(name, order);
  if (!isArrayLike(order) || order.length !== length) throw mismatch('shape', name, `length ${length}`, order);
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

/** Checks both orders of an ordering against a shape; a shared array is checked once. @throws as `checkPermutation` */
export function checkOrdering(ordering: OrderingInput, rows: number, cols: number): Ordering {
  if (isArrayLike(ordering)) throw mismatch('argument', 'ordering', '{ rowOrder, colOrder }', ordering);
  // Orderings of `bandk` have groups too.
  knownKeys<OrderingInput & { groups?: unknown }>('ordering', ordering, {
    rowOrder: true,
    colOrder: true,
    groups: true,
  });
  const { rowOrder, colOrder } = ordering;
  const checkedRows = rowOrder === undefined ? undefined : checkPermutation('rowOrder', rowOrder, rows);
  if (colOrder === undefined) return { rowOrder: checkedRows, colOrder };
  const same = colOrder === rowOrder && rows === cols;
  return { rowOrder: checkedRows, colOrder: same ? checkedRows : checkPermutation('colOrder', colOrder, cols) };
}

/** The order that undoes another: `inverse[old] = new`. @throws as `checkPermutation` */
export function inversePermutation(order: ArrayLike<number>): Uint32Array {
  return inverted(checkPermutation('order', order, lengthOf('order', order)));
}

/** As `inversePermutation`, of an order that needs no check. */
export function inverted(order: Uint32Array): Uint32Array {
  const inverse = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i++) inverse[order[i]!] = i;
  return inverse;
}

/** The order that applies `first`, then `second`: `first[second[i]]`. @throws as `checkPermutation` */
export function composePermutations(first: ArrayLike<number>, second: ArrayLike<number>): Uint32Array {
  const outer = checkPermutation('first', first, lengthOf('first', first));
  const inner = checkPermutation('second', second, outer.length);
  return inner.map((index) => outer[index]!);
}

function lengthOf(name: string, order: ArrayLike<number>): number {
  if (!isArrayLike(order)) throw mismatch('argument', name, 'an array of integers', order);
  return order.length;
}

/**
 * P x: `x[order[i]]` for every i.
 *
 * @param order has the length of x
 * @param target has the type and length of x, and does not overlap x. Default: a new array
 * @throws as `checkPermutation`; `argument` or `shape` if x or target does not fit
 */
export function permuteVector<A extends FloatArray>(x: A, order: ArrayLike<number>, target?: A): A;
export function permuteVector(x: readonly number[], order: ArrayLike<number>, target?: Float64Array): Float64Array;
export function permuteVector<A extends FloatArray>(
  given: A | readonly number[],
  order: ArrayLike<number>,
  target?: A,
): A {
  const x = Array.isArray(given) ? (asFloats('x', given) as A) : checkFloats('x', given as A);
  const { length } = x;
  if (length !== lengthOf('order', order)) throw mismatch('shape', 'x', `length ${order.length}`, x);
  const checked = checkPermutation('order', order, length);
  const type = x.constructor as new (length: number) => A;
  if (target === undefined) return gather(x, checked, new type(length));
  if (!(target instanceof type)) throw mismatch('argument', 'target', `a ${type.name}, as x`, target);
  if (target.length !== length) throw mismatch('shape', 'target', `length ${length}`, target);
  if (target.buffer === x.buffer && overlap(x, target)) {
    throw mismatch('argument', 'target', 'memory apart from x', 'an overlap');
  }
  return gather(x, checked, target);
}

/** The same for arguments that are already checked. */
export function gather<A extends FloatArray>(x: A, order: Uint32Array, target: A): A {
  for (let i = 0; i < order.length; i++) target[i] = x[order[i]!]!;
  return target;
}

/**
 * P A Qᵀ, canonical: its row i is row `rowOrder[i]` of A, its column j is column `colOrder[j]`. O(rows + cols + nnz), plus
 * the sorting of each row.
 *
 * @throws SparlaneError as `csrMatrix` and `checkPermutation`
 */
export function permuteMatrix(input: MatrixInput, ordering: OrderingInput): CsrMatrix {
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
