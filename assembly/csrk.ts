/**
 * CSR-k: y ← α A x + β y over the coarsest groups [begin, end): super-rows (k = 2) or super-super-rows (k = 3). Layout:
 * `src/formats/csrk.ts`. Listing 1 of the paper; the loops over rows are CSR's.
 */
import { CsrHeader, rowsAreShort, rowsOfTwo } from './csr';

@unmanaged
export class CsrkHeader extends CsrHeader {
  /** Groups of the coarsest level. */
  units!: u32;
  superRowPtr!: usize;
  /** 0 where k = 2: then a unit is one super-row. */
  superSuperRowPtr!: usize;
}

export function csrk_spmv_f64(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  superRows<f64, f64>(changetype<CsrkHeader>(header), x, y, begin, end, alpha, beta);
}

export function csrk_spmv_mixed(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  superRows<f32, f64>(changetype<CsrkHeader>(header), x, y, begin, end, alpha, beta);
}

export function csrk_spmv_f32(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  superRows<f32, f32>(changetype<CsrkHeader>(header), x, y, begin, end, <f32>alpha, <f32>beta);
}

/**
 * Where rows are short, super-rows of the first half of the range are taken together with those of the second: two places,
 * as in CSR. Where they are long, one after the other: alternating between two streams of 30 KiB each cost a third.
 */
function superRows<V, X>(header: CsrkHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const superRowPtr = header.superRowPtr;
  const first = superRowOf(header, begin);
  const last = superRowOf(header, end);
  let a = first;
  if (rowsAreShort(header, rowOf(superRowPtr, first), rowOf(superRowPtr, last))) {
    const half = (last - first) >> 1;
    for (let b = first + half; a < first + half; a++, b++) {
      const rowA = rowOf(superRowPtr, a);
      const rowB = rowOf(superRowPtr, b);
      rowsOfTwo<V, X>(header, x, y, rowA, rowOf(superRowPtr, a + 1), rowB, rowOf(superRowPtr, b + 1), alpha, beta);
    }
    a += half;
  }
  for (; a < last; a++) {
    const next = rowOf(superRowPtr, a + 1);
    rowsOfTwo<V, X>(header, x, y, rowOf(superRowPtr, a), next, next, next, alpha, beta);
  }
}

/** The first super-row of a unit. */
function superRowOf(header: CsrkHeader, unit: u32): u32 {
  if (header.superSuperRowPtr == 0) return unit;
  return load<u32>(header.superSuperRowPtr + (<usize>unit << 2));
}

/** The first row of a super-row. */
function rowOf(superRowPtr: usize, superRow: u32): u32 {
  return load<u32>(superRowPtr + (<usize>superRow << 2));
}
