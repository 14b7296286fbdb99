/**
 * Complex COO: y ← α A x + β y over the rows whose first entries are in the lines [begin, end), and the empty rows before them. Layout:
 * `src/formats/coo/coo.ts`. A row is never shared by parts, so there are no carries.
 */
import { ComplexHeader, CooHeader } from '../../build/headers';
import { LINE_SHIFT } from '../coo/coo';
import { Operands } from '../operands';
import { pairShift, putRow, signsOf } from './pairs';

export function complex_coo_spmv<V, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  lines<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

function lines<V, X>(header: ComplexHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  if (begin === end) return;
  const matrix = changetype<CooHeader>(header.matrix);
  const signs = signsOf(header);
  const nnz = matrix.nnz;
  let k = begin << LINE_SHIFT;
  let row: u32 = k === 0 ? 0 : rowOf(matrix, k - 1) + 1;
  const last = end << LINE_SHIFT < nnz ? rowOf(matrix, (end << LINE_SHIFT) - 1) + 1 : matrix.rows;
  while (k < nnz && rowOf(matrix, k) < row) k++;
  while (row < last) {
    const at = rowOf(matrix, k);
    if (at > row && matrix.adds) {
      row = min(at, last);
      continue;
    }
    const first = k;
    while (rowOf(matrix, k) === row) k++;
    const colIdx = matrix.colIdx + ((<usize>first) << 2);
    const values = header.values + ((<usize>first) << pairShift<V>());
    const factor = k > first ? <f64>alpha : 0;
    putRow<V, u32, X>(y + ((<usize>row) << pairShift<X>()), x, colIdx, values, k - first, signs, factor, <f64>beta);
    row++;
  }
}

/** Returns the row of an entry. After the last entry it is `rows`, which is no row. */
@inline
export function rowOf(matrix: CooHeader, entry: u32): u32 {
  return load<u32>(matrix.rowIdx + ((<usize>entry) << 2));
}
