/**
 * CSR: y ← α A x + β y over the rows [begin, end). Layout: `src/formats/csr/csr.ts`. A unit is a row, so no carry is left;
 * in `csr_merge…`, which shares these loops, a unit is a step of the merge path (`merge.ts`).
 *
 * Short rows are computed alternately from two places of the range. A core that reads one place keeps too few cache lines in
 * flight: with two places the 5-, 7- and 9-point Laplacians are 1.1 to 1.5 × as fast. Four places are no better. Of longer
 * rows (13 and 27 entries) an AMD EPYC Zen 4 loses up to a third, and an Intel Xeon gains: 27-point 128³ in GFLOP/s from one place and
 * from two on 1, 8, 16, 32 threads 1.5, 9.3, 16.2, 25.7 and 1.7, 11.3, 18.6, 28.3. So the first products try both
 * (`src/backends/team/trial.ts`), with the same bits. (f64, November 2026.)
 */
import { CsrHeader } from '../../build/headers';
import { BranchFree, Branching, put, rowSum, valueShift } from '../lanes';
import { Operands } from '../operands';

/** Greatest mean entries per row for which two places are always read in turn. */
const SHORT_ROW: u32 = 10;

/** Bits of `steady`. */
const STEADY: u32 = 1;
const TWO_PLACES: u32 = 2;

export function csr_spmv<V, X>(header: CsrHeader, operands: Operands, begin: u32, end: u32): void {
  halves<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

/** Computes the rows [begin, end) in two halves. */
function halves<V, X>(header: CsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const middle = begin + ((end - begin) >> 1);
  rowsOfTwo<V, u32, X>(header, x, x, y, begin, middle, middle, end, alpha, beta);
}

/**
 * Computes the rows [a, aEnd) and [b, bEnd): alternately while both have short rows left, then one after the other. Columns
 * are stored as `I`; if that is u16, they count from a base, and xA and xB point at the elements of the two bases.
 */
export function rowsOfTwo<V, I, X>(
  header: CsrHeader,
  xA: usize,
  xB: usize,
  y: usize,
  a: u32,
  aEnd: u32,
  b: u32,
  bEnd: u32,
  alpha: X,
  beta: X,
): void {
  const both = rowsAreShort(header, a, aEnd) && rowsAreShort(header, b, bEnd) ? min(aEnd - a, bEnd - b) : 0;
  if (header.steady & STEADY) {
    alternateRows<V, I, X, Branching>(header, xA, xB, y, a, b, both, alpha, beta);
    rows<V, I, X, Branching>(header, xA, y, a + both, aEnd, alpha, beta);
    rows<V, I, X, Branching>(header, xB, y, b + both, bEnd, alpha, beta);
  } else {
    alternateRows<V, I, X, BranchFree>(header, xA, xB, y, a, b, both, alpha, beta);
    rows<V, I, X, BranchFree>(header, xA, y, a + both, aEnd, alpha, beta);
    rows<V, I, X, BranchFree>(header, xB, y, b + both, bEnd, alpha, beta);
  }
}

/** Whether [begin, end) is to be read from two places. */
export function rowsAreShort(header: CsrHeader, begin: u32, end: u32): bool {
  if (header.steady & TWO_PLACES) return true;
  const first = load<u32>(header.rowPtr + ((<usize>begin) << 2));
  const last = load<u32>(header.rowPtr + ((<usize>end) << 2));
  return last - first <= SHORT_ROW * (end - begin);
}

/** Computes rows a, b, a + 1, b + 1 …, `count` of each. */
function alternateRows<V, I, X, Tail>(header: CsrHeader, xA: usize, xB: usize, y: usize, a: u32, b: u32, count: u32, alpha: X, beta: X): void {
  const colIdx = header.colIdx;
  const values = header.values;
  const table = header.table;
  // Without bases xA equals xB: one register less.
  if (sizeof<I>() === 4) xB = xA;
  const toB = (<usize>(b - a)) << alignof<X>();
  let ptrA = header.rowPtr + ((<usize>a) << 2);
  let ptrB = header.rowPtr + ((<usize>b) << 2);
  let kA = load<u32>(ptrA);
  let kB = load<u32>(ptrB);
  const last = y + ((<usize>(a + count)) << alignof<X>());
  for (let at = y + ((<usize>a) << alignof<X>()); at < last; at += sizeof<X>()) {
    ptrA += 4;
    ptrB += 4;
    const nextA = load<u32>(ptrA);
    const nextB = load<u32>(ptrB);
    const colsA = colIdx + ((<usize>kA) << alignof<I>());
    const colsB = colIdx + ((<usize>kB) << alignof<I>());
    put<X>(at, rowSum<V, I, X, Tail>(xA, colsA, values + ((<usize>kA) << valueShift<V>()), table, nextA - kA), alpha, beta);
    put<X>(at + toB, rowSum<V, I, X, Tail>(xB, colsB, values + ((<usize>kB) << valueShift<V>()), table, nextB - kB), alpha, beta);
    kA = nextA;
    kB = nextB;
  }
}

/** Computes the rows [begin, end), one after the other. */
export function rows<V, I, X, Tail>(header: CsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  let ptr = header.rowPtr + ((<usize>begin) << 2);
  let k = load<u32>(ptr);
  let colIdx = header.colIdx + ((<usize>k) << alignof<I>());
  let values = header.values + ((<usize>k) << valueShift<V>());
  const table = header.table;
  const last = y + ((<usize>end) << alignof<X>());
  for (let at = y + ((<usize>begin) << alignof<X>()); at < last; at += sizeof<X>()) {
    ptr += 4;
    const next = load<u32>(ptr);
    put<X>(at, rowSum<V, I, X, Tail>(x, colIdx, values, table, next - k), alpha, beta);
    colIdx += (<usize>(next - k)) << alignof<I>();
    values += (<usize>(next - k)) << valueShift<V>();
    k = next;
  }
}
