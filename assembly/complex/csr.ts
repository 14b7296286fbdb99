/** Complex CSR and CSR-k: y ← α A x + β y over the rows, or the coarsest groups, [begin, end). Layouts: `src/formats/csr/csr.ts`, `csrk/csrk.ts`. */
import { ComplexHeader, CsrHeader, CsrkHeader } from '../../build/headers';
import { rowOf, superRowOf } from '../csrk/csrk';
import { Operands } from '../operands';
import { pairShift, putRow, putTwoRows, signsOf } from './pairs';

export function complex_csr_spmv<V, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  rows<V, u32, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

export function complex_csrk_spmv<V, I, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  const matrix = changetype<CsrkHeader>(header.matrix);
  const superRowPtr = matrix.superRowPtr;
  const last = superRowOf(matrix, end);
  if (sizeof<I>() === 4) {
    // Without bases nothing changes between super-rows.
    const first = rowOf(superRowPtr, superRowOf(matrix, begin));
    rows<V, I, X>(header, operands.x, operands.y, first, rowOf(superRowPtr, last), <X>operands.alpha, <X>operands.beta);
    return;
  }
  for (let superRow = superRowOf(matrix, begin); superRow < last; superRow++) {
    const x = operands.x + ((<usize>load<u32>(matrix.superRowBase + ((<usize>superRow) << 2))) << pairShift<X>());
    const row = rowOf(superRowPtr, superRow);
    rows<V, I, X>(header, x, operands.y, row, rowOf(superRowPtr, superRow + 1), <X>operands.alpha, <X>operands.beta);
  }
}

/** The rows of the first half of the range are computed with those of the second half: a core reads two places faster than one. */
function rows<V, I, X>(header: ComplexHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const matrix = changetype<CsrHeader>(header.matrix);
  const signs = signsOf(header);
  const half = (end - begin) >> 1;
  const allColumns = matrix.colIdx;
  const allValues = header.values;
  let ptr = matrix.rowPtr + ((<usize>begin) << 2);
  const toB = (<usize>half) << 2;
  const yToB = (<usize>half) << pairShift<X>();
  let kA = load<u32>(ptr);
  let kB = load<u32>(ptr + toB);
  let at = y + ((<usize>begin) << pairShift<X>());
  for (const last = at + yToB; at < last; at += 2 * sizeof<X>()) {
    ptr += 4;
    const nextA = load<u32>(ptr);
    const nextB = load<u32>(ptr + toB);
    const colsA = allColumns + ((<usize>kA) << alignof<I>());
    const colsB = allColumns + ((<usize>kB) << alignof<I>());
    const valuesA = allValues + ((<usize>kA) << pairShift<V>());
    const valuesB = allValues + ((<usize>kB) << pairShift<V>());
    putTwoRows<V, I, X>(at, at + yToB, x, colsA, colsB, valuesA, valuesB, nextA - kA, nextB - kB, signs, <f64>alpha, <f64>beta);
    kA = nextA;
    kB = nextB;
  }
  if (((end - begin) & 1) === 0) return;
  const colIdx = allColumns + ((<usize>kB) << alignof<I>());
  const values = allValues + ((<usize>kB) << pairShift<V>());
  putRow<V, I, X>(at + yToB, x, colIdx, values, load<u32>(ptr + toB, 4) - kB, signs, <f64>alpha, <f64>beta);
}
