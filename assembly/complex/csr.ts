/** Complex CSR and CSR-k: y ← α A x + β y over the rows, or the coarsest groups, [begin, end). Layouts: `src/formats/csr/csr.ts`, `csrk/csrk.ts`. */
import { ComplexHeader, CsrHeader, CsrkHeader } from '../../build/headers';
import { rowOf, superRowOf } from '../csrk/csrk';
import { Operands } from '../operands';
import { exchangedSignsOf, pairShift, putRow, signsOf } from './pairs';

export function complex_csr_spmv<V, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  rows<V, u32, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

export function complex_csrk_spmv<V, I, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  const matrix = changetype<CsrkHeader>(header.matrix);
  const superRowPtr = matrix.superRowPtr;
  const last = superRowOf(matrix, end);
  for (let superRow = superRowOf(matrix, begin); superRow < last; superRow++) {
    let x = operands.x;
    if (sizeof<I>() === 2) x += (<usize>load<u32>(matrix.superRowBase + ((<usize>superRow) << 2))) << pairShift<X>();
    const row = rowOf(superRowPtr, superRow);
    rows<V, I, X>(header, x, operands.y, row, rowOf(superRowPtr, superRow + 1), <X>operands.alpha, <X>operands.beta);
  }
}

function rows<V, I, X>(header: ComplexHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const matrix = changetype<CsrHeader>(header.matrix);
  const signs = signsOf(header);
  const exchanged = exchangedSignsOf(header);
  let ptr = matrix.rowPtr + ((<usize>begin) << 2);
  let k = load<u32>(ptr);
  let colIdx = matrix.colIdx + ((<usize>k) << alignof<I>());
  let values = header.values + ((<usize>k) << pairShift<V>());
  const last = y + ((<usize>end) << pairShift<X>());
  for (let at = y + ((<usize>begin) << pairShift<X>()); at < last; at += 2 * sizeof<X>()) {
    ptr += 4;
    const next = load<u32>(ptr);
    putRow<V, I, X>(at, x, colIdx, values, next - k, signs, exchanged, <f64>alpha, <f64>beta);
    colIdx += (<usize>(next - k)) << alignof<I>();
    values += (<usize>(next - k)) << pairShift<V>();
    k = next;
  }
}
