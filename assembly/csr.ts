/**
 * CSR: y ← α A x + β y over the rows [begin, end). Layout: `src/formats/csr.ts`. A unit is a row, so `carry` is unused.
 *
 * Short rows are taken alternately from two places of the range. One core reading one place keeps too few cache lines in
 * flight: from two places the 5-, 7- and 9-point Laplacians run 1.1 to 1.5 × as fast; four are no better, and longer rows
 * (13 and 27 entries) lose up to a third. (AMD EPYC Zen 4, one thread, f64, November 2026.)
 */
import { BranchFree, Branching, put, rowSum } from './lanes';

/** Bytes 0 … 27 of the header of every row-compressed format. */
@unmanaged
export class CsrHeader {
  rows!: u32;
  cols!: u32;
  nnz!: u32;
  /** 1 where most rows are as long as the row before. */
  steady!: u32;
  rowPtr!: usize;
  /** Readable, and valid columns, for 4 entries past the last. */
  colIdx!: usize;
  /** Readable for 4 entries past the last. */
  values!: usize;
}

/** Mean entries per row up to which two places are read at a time. */
const SHORT_ROW: u32 = 10;

export function csr_spmv_f64(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  const middle = begin + ((end - begin) >> 1);
  rowsOfTwo<f64, f64>(changetype<CsrHeader>(header), x, y, begin, middle, middle, end, alpha, beta);
}

export function csr_spmv_mixed(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  const middle = begin + ((end - begin) >> 1);
  rowsOfTwo<f32, f64>(changetype<CsrHeader>(header), x, y, begin, middle, middle, end, alpha, beta);
}

export function csr_spmv_f32(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  const middle = begin + ((end - begin) >> 1);
  rowsOfTwo<f32, f32>(changetype<CsrHeader>(header), x, y, begin, middle, middle, end, <f32>alpha, <f32>beta);
}

/** The rows [a, aEnd) and [b, bEnd): alternately while both have short rows left, then one after the other. */
export function rowsOfTwo<V, X>(header: CsrHeader, x: usize, y: usize, a: u32, aEnd: u32, b: u32, bEnd: u32, alpha: X, beta: X): void {
  const both = rowsAreShort(header, a, aEnd) && rowsAreShort(header, b, bEnd) ? min(aEnd - a, bEnd - b) : 0;
  if (header.steady) {
    alternateRows<V, X, Branching>(header, x, y, a, b, both, alpha, beta);
    rows<V, X, Branching>(header, x, y, a + both, aEnd, alpha, beta);
    rows<V, X, Branching>(header, x, y, b + both, bEnd, alpha, beta);
  } else {
    alternateRows<V, X, BranchFree>(header, x, y, a, b, both, alpha, beta);
    rows<V, X, BranchFree>(header, x, y, a + both, aEnd, alpha, beta);
    rows<V, X, BranchFree>(header, x, y, b + both, bEnd, alpha, beta);
  }
}

/** Whether [begin, end) is worth reading from two places. */
export function rowsAreShort(header: CsrHeader, begin: u32, end: u32): bool {
  const first = load<u32>(header.rowPtr + (<usize>begin << 2));
  const last = load<u32>(header.rowPtr + (<usize>end << 2));
  return last - first <= SHORT_ROW * (end - begin);
}

/** Rows a, b, a + 1, b + 1 …, `count` of each. */
function alternateRows<V, X, Tail>(header: CsrHeader, x: usize, y: usize, a: u32, b: u32, count: u32, alpha: X, beta: X): void {
  const colIdx = header.colIdx;
  const values = header.values;
  const toB = <usize>(b - a) << alignof<X>();
  let ptrA = header.rowPtr + (<usize>a << 2);
  let ptrB = header.rowPtr + (<usize>b << 2);
  let kA = load<u32>(ptrA);
  let kB = load<u32>(ptrB);
  const last = y + (<usize>(a + count) << alignof<X>());
  for (let at = y + (<usize>a << alignof<X>()); at < last; at += sizeof<X>()) {
    ptrA += 4;
    ptrB += 4;
    const nextA = load<u32>(ptrA);
    const nextB = load<u32>(ptrB);
    put<X>(at, rowSum<V, X, Tail>(x, colIdx + (<usize>kA << 2), values + (<usize>kA << alignof<V>()), nextA - kA), alpha, beta);
    put<X>(at + toB, rowSum<V, X, Tail>(x, colIdx + (<usize>kB << 2), values + (<usize>kB << alignof<V>()), nextB - kB), alpha, beta);
    kA = nextA;
    kB = nextB;
  }
}

/** The rows [begin, end), one after the other. */
function rows<V, X, Tail>(header: CsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  let ptr = header.rowPtr + (<usize>begin << 2);
  let k = load<u32>(ptr);
  let colIdx = header.colIdx + (<usize>k << 2);
  let values = header.values + (<usize>k << alignof<V>());
  const last = y + (<usize>end << alignof<X>());
  for (let at = y + (<usize>begin << alignof<X>()); at < last; at += sizeof<X>()) {
    ptr += 4;
    const next = load<u32>(ptr);
    put<X>(at, rowSum<V, X, Tail>(x, colIdx, values, next - k), alpha, beta);
    colIdx += <usize>(next - k) << 2;
    values += <usize>(next - k) << alignof<V>();
    k = next;
  }
}
