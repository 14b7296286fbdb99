/**
 * CSR: y ← α A x + β y over the rows [begin, end). Layout: `src/formats/csr.ts`. A unit is a row, so `carry` is unused.
 *
 * A row is summed in an order that depends on its length only: four (f32: eight) running sums, then a pair, then one. So
 * neither the number of parts nor their bounds change a bit. Two steps at the end instead of a remainder loop: a loop
 * mispredicts once more per row, which costs 35 % on short rows of varying length in cache-unfriendly order.
 */
import { gather32, gather32pair, gather64, madd32, madd64, put, value64, values64 } from './lanes';

/** Bytes 0 … 23 of the header of every row-compressed format. */
@unmanaged
export class CsrHeader {
  rows!: u32;
  cols!: u32;
  nnz!: u32;
  rowPtr!: usize;
  colIdx!: usize;
  values!: usize;
}

export function csr_spmv_f64(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  rows64<f64>(changetype<CsrHeader>(header), x, y, begin, end, alpha, beta);
}

export function csr_spmv_mixed(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  rows64<f32>(changetype<CsrHeader>(header), x, y, begin, end, alpha, beta);
}

export function csr_spmv_f32(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  rows32(changetype<CsrHeader>(header), x, y, begin, end, <f32>alpha, <f32>beta);
}

/** Rows whose sums are f64. Lanes: sum0 takes entries 0 1 mod 4, sum1 entries 2 3 mod 4. */
export function rows64<V>(header: CsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: f64, beta: f64): void {
  let ptr = header.rowPtr + (<usize>begin << 2);
  let k = load<u32>(ptr);
  let colIdx = header.colIdx + (<usize>k << 2);
  let values = header.values + (<usize>k << alignof<V>());
  const last = y + (<usize>end << 3);
  for (let at = y + (<usize>begin << 3); at < last; at += 8) {
    ptr += 4;
    const next = load<u32>(ptr);
    let left = next - k;
    k = next;
    let sum0 = f64x2.splat(0);
    let sum1 = f64x2.splat(0);
    for (; left > 3; left -= 4) {
      sum0 = madd64(sum0, values64<V>(values, 0), gather64(x, colIdx, 0));
      sum1 = madd64(sum1, values64<V>(values, 2), gather64(x, colIdx, 2));
      colIdx += 16;
      values += 4 << alignof<V>();
    }
    if (left & 2) {
      sum0 = madd64(sum0, values64<V>(values, 0), gather64(x, colIdx, 0));
      colIdx += 8;
      values += 2 << alignof<V>();
    }
    if (left & 1) {
      sum1 = madd64(sum1, value64<V>(values), v128.load64_zero(x + (<usize>load<u32>(colIdx) << 3)));
      colIdx += 4;
      values += 1 << alignof<V>();
    }
    const sum = f64x2.add(sum0, sum1);
    put<f64>(at, f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1), alpha, beta);
  }
}

/** Rows whose sums are f32. Lanes: sum0 takes entries 0 … 3 mod 8, sum1 entries 4 … 7 mod 8. */
export function rows32(header: CsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: f32, beta: f32): void {
  let ptr = header.rowPtr + (<usize>begin << 2);
  let k = load<u32>(ptr);
  let colIdx = header.colIdx + (<usize>k << 2);
  let values = header.values + (<usize>k << 2);
  const last = y + (<usize>end << 2);
  for (let at = y + (<usize>begin << 2); at < last; at += 4) {
    ptr += 4;
    const next = load<u32>(ptr);
    let left = next - k;
    k = next;
    let sum0 = f32x4.splat(0);
    let sum1 = f32x4.splat(0);
    for (; left > 7; left -= 8) {
      sum0 = madd32(sum0, v128.load(values), gather32(x, colIdx, 0));
      sum1 = madd32(sum1, v128.load(values, 16), gather32(x, colIdx, 4));
      colIdx += 32;
      values += 32;
    }
    if (left & 4) {
      sum0 = madd32(sum0, v128.load(values), gather32(x, colIdx, 0));
      colIdx += 16;
      values += 16;
    }
    if (left & 2) {
      sum1 = madd32(sum1, v128.load64_zero(values), gather32pair(x, colIdx));
      colIdx += 8;
      values += 8;
    }
    if (left & 1) {
      sum0 = madd32(sum0, v128.load32_zero(values), v128.load32_zero(x + (<usize>load<u32>(colIdx) << 2)));
      colIdx += 4;
      values += 4;
    }
    const sum = f32x4.add(sum0, sum1);
    const low = f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1);
    const high = f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3);
    put<f32>(at, low + high, alpha, beta);
  }
}
