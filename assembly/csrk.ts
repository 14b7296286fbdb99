/**
 * CSR-k: y ← α A x + β y over the coarsest groups [begin, end): super-rows (k = 2) or super-super-rows (k = 3). Layout:
 * `src/formats/csrk.ts`. Listing 1 of the paper; the two inner loops are CSR's.
 */
import { CsrHeader, rows32, rows64 } from './csr';

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

function superRows<V, X>(header: CsrkHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  for (let unit = begin; unit < end; unit++) {
    let first = unit;
    let last = unit + 1;
    if (header.superSuperRowPtr != 0) {
      const pair = header.superSuperRowPtr + (<usize>unit << 2);
      first = load<u32>(pair);
      last = load<u32>(pair, 4);
    }
    for (let group = first; group < last; group++) {
      const pair = header.superRowPtr + (<usize>group << 2);
      rows<V, X>(header, x, y, load<u32>(pair), load<u32>(pair, 4), alpha, beta);
    }
  }
}

function rows<V, X>(header: CsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  if (sizeof<X>() == 4) rows32(header, x, y, begin, end, alpha, beta);
  else rows64<V>(header, x, y, begin, end, alpha, beta);
}
