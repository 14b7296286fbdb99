/**
 * CSR-k: y ← α A x + β y over the coarsest groups [begin, end): super-rows (k = 2) or super-super-rows (k = 3). Layout:
 * `src/formats/csrk.ts`. Listing 1 of the paper; the loop over rows is CSR's, which here decides anew for each super-row
 * whether its rows are short.
 */
import { CsrHeader, rowsOfTwo } from './csr';

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

/** Super-rows of the first half of the range are taken together with those of the second: two places, as in CSR. */
function superRows<V, X>(header: CsrkHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const superRowPtr = header.superRowPtr;
  const first = superRowOf(header, begin);
  const last = superRowOf(header, end);
  const middle = first + ((last - first + 1) >> 1);
  for (let a = first, b = middle; a < middle; a++, b++) {
    const rowsOfA = superRowPtr + (<usize>a << 2);
    // The second half may be one super-row short; its last pointer is then used twice, for no rows.
    const rowsOfB = superRowPtr + (<usize>min(b, last) << 2);
    const bEnd = superRowPtr + (<usize>min(b + 1, last) << 2);
    rowsOfTwo<V, X>(header, x, y, load<u32>(rowsOfA), load<u32>(rowsOfA, 4), load<u32>(rowsOfB), load<u32>(bEnd), alpha, beta);
  }
}

/** The first super-row of a unit. */
function superRowOf(header: CsrkHeader, unit: u32): u32 {
  if (header.superSuperRowPtr == 0) return unit;
  return load<u32>(header.superSuperRowPtr + (<usize>unit << 2));
}
