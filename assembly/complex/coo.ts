/**
 * Complex COO: y ← α A x + β y over the rows whose first entries are in the lines [begin, end), and the empty rows before them. Layout:
 * `src/formats/coo/coo.ts`. A row is never shared by parts, so there are no carries.
 */
import { ComplexHeader, CooHeader } from '../../build/headers';
import { endOfRow, firstEntryFrom, firstRowFrom, rowOfEntry } from '../coo/rows';
import { Operands } from '../operands';
import { pairShift, putRow, signsOf } from './pairs';

export function complex_coo_spmv<V, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  lines<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

function lines<V, X>(header: ComplexHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const matrix = changetype<CooHeader>(header.matrix);
  const signs = signsOf(header);
  const last = firstRowFrom(matrix, end);
  let row = firstRowFrom(matrix, begin);
  if (row >= last) return;
  let k = firstEntryFrom(matrix, begin, row);
  const stop = firstEntryFrom(matrix, end, last);
  while (row < last) {
    const at = rowOfEntry(matrix, k);
    if (at > row && matrix.adds) {
      row = min(at, last);
      continue;
    }
    const first = k;
    k = endOfRow(matrix, k, row, last, stop);
    const colIdx = matrix.colIdx + ((<usize>first) << 2);
    const values = header.values + ((<usize>first) << pairShift<V>());
    const factor = k > first ? <f64>alpha : 0;
    putRow<V, u32, X>(y + ((<usize>row) << pairShift<X>()), x, colIdx, values, k - first, signs, factor, <f64>beta);
    row++;
  }
}
