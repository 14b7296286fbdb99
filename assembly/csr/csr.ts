/**
 * CSR: y ← α A x + β y over the rows [begin, end). Layout: `src/formats/csr/csr.ts`. A unit is a row, so no carry is left;
 * in `csr_merge…`, which shares these loops, a unit is a step of the merge path (`merge.ts`).
 *
 * Rows are computed one after the other, or alternately from two places of the range. A core that reads one place keeps too few cache lines in
 * flight: with two places the 5-, 7- and 9-point Laplacians are 1.1 to 1.5 × as fast. Four places are no better. Of longer
 * rows (13 and 27 entries) an AMD EPYC Zen 4 loses up to a third, and an Intel Xeon gains: 27-point 128³ in GFLOP/s from one place and
 * from two on 1, 8, 16, 32 threads 1.5, 9.3, 16.2, 25.7 and 1.7, 11.3, 18.6, 28.3. Short rows of many lengths lose, too, where x is not in the second cache:
 * a Delaunay triangulation of 400,000 points in random order takes 5.0 ms from one place and 6.4 from two on an EPYC Zen 5. So the first products try
 * both (`src/backends/team/trial.ts`), with the same bits. (f64, November 2026.)
 *
 * Where many rows have no entries, the others are listed (`src/formats/layout/listed-rows.ts`), and only those are computed.
 */
import { CsrHeader, ENTRIES_PER_BRANCH } from '../../build/headers';
import { BranchFree, Branching, put, rowSum, valueShift } from '../lanes';
import { Operands } from '../operands';
import { lowerBound, word } from '../word';

/** The bit of `way` that says that rows are computed from two places; the bits above it are a number of branches. */
const TWO_PLACES: u32 = 1;

export function csr_spmv<V, X>(header: CsrHeader, operands: Operands, begin: u32, end: u32): void {
  if (header.nonEmpty === 0) halves<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
  else nonEmptyRows<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

/** Computes the rows [begin, end) in two halves. */
function halves<V, X>(header: CsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const middle = begin + ((end - begin) >> 1);
  rowsOfTwo<V, u32, X>(header, hasBranches(header, begin, end, end - begin), x, x, y, begin, middle, middle, end, alpha, beta);
}

/** Returns whether the rows [begin, end), of which so many are computed, end in branches. */
@inline
export function hasBranches(header: CsrHeader, begin: u32, end: u32, computed: u32): bool {
  const entries = load<u32>(word(header.rowPtr, end)) - load<u32>(word(header.rowPtr, begin));
  return computed + entries / ENTRIES_PER_BRANCH <= header.way >>> 1;
}

/**
 * Computes the rows [a, aEnd) and [b, bEnd): with two places alternately while both have rows left, then one after the other.
 * Columns are stored as `I`; if that is u16, they count from a base, and xA and xB point at the elements of the two bases.
 */
export function rowsOfTwo<V, I, X>(
  header: CsrHeader,
  branches: bool,
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
  const both = readsTwoPlaces(header) ? min(aEnd - a, bEnd - b) : 0;
  if (branches) {
    alternateRows<V, I, X, Branching>(header, xA, xB, y, a, b, both, alpha, beta);
    rows<V, I, X, Branching>(header, xA, y, a + both, aEnd, alpha, beta);
    rows<V, I, X, Branching>(header, xB, y, b + both, bEnd, alpha, beta);
  } else {
    alternateRows<V, I, X, BranchFree>(header, xA, xB, y, a, b, both, alpha, beta);
    rows<V, I, X, BranchFree>(header, xA, y, a + both, aEnd, alpha, beta);
    rows<V, I, X, BranchFree>(header, xB, y, b + both, bEnd, alpha, beta);
  }
}

/** Returns whether rows are computed alternately from two places of a range. */
@inline
export function readsTwoPlaces(header: CsrHeader): bool {
  return (header.way & TWO_PLACES) !== 0;
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

/** Computes the rows [begin, end) where those that have entries are listed: first y of all rows as if they had none, then the rows of the list. */
function nonEmptyRows<V, X>(header: CsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const first = lowerBound(header.nonEmpty, header.nonEmptyCount, begin);
  const last = lowerBound(header.nonEmpty, header.nonEmptyCount, end);
  const from = y + ((<usize>begin) << alignof<X>());
  const to = y + ((<usize>end) << alignof<X>());
  // α · 0 is +0 for these α only: for others it is −0 or NaN.
  if (beta === <X>0 && alpha > <X>0 && alpha < <X>Infinity) memory.fill(from, 0, to - from);
  else for (let at = from; at < to; at += sizeof<X>()) put<X>(at, <X>0, alpha, beta);
  const rest: X = beta === <X>0 ? <X>0 : <X>1;
  if (hasBranches(header, begin, end, last - first)) listed<V, X, Branching>(header, x, y, first, last, alpha, rest);
  else listed<V, X, BranchFree>(header, x, y, first, last, alpha, rest);
}

/** Computes the rows at the places [begin, end) of the list. No entry lies between them. */
function listed<V, X, Tail>(header: CsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  if (begin === end) return;
  const rowPtr = header.rowPtr;
  const table = header.table;
  let place = word(header.nonEmpty, begin);
  let k = load<u32>(word(rowPtr, load<u32>(place)));
  let colIdx = word(header.colIdx, k);
  let values = header.values + ((<usize>k) << valueShift<V>());
  for (const after = word(header.nonEmpty, end); place < after; place += 4) {
    const row = load<u32>(place);
    const next = load<u32>(word(rowPtr, row), 4);
    put<X>(y + ((<usize>row) << alignof<X>()), rowSum<V, u32, X, Tail>(x, colIdx, values, table, next - k), alpha, beta);
    colIdx = word(colIdx, next - k);
    values += (<usize>(next - k)) << valueShift<V>();
    k = next;
  }
}
