/**
 * COO with atomic adds: y ← y + α A x over the cache lines [begin, end) of entries, sorted by row or by column. Layout:
 * `src/formats/coo/coo.ts`; y ← β y is a stage before (`assembly/scale.ts`).
 *
 * WebAssembly has no atomic add of floating-point numbers: it is a loop of compare-and-swap on their bits. By row, a run of
 * entries of one row is summed first, by CSR's own loop, and added once. By column, an element of x is loaded once for all
 * entries of its column, and every entry is an atomic add.
 */
import { CooAtomicHeader } from '../../build/headers';
import { BranchFree, Branching, rowSum, valueAt, valueShift } from '../lanes';
import { Operands } from '../operands';
import { LINE_SHIFT } from './coo';

export function coo_atomic_spmv<V, X>(header: CooAtomicHeader, operands: Operands, begin: u32, end: u32): void {
  lines<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha);
}

function lines<V, X>(header: CooAtomicHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X): void {
  const first = min(begin << LINE_SHIFT, header.nnz);
  const last = min(end << LINE_SHIFT, header.nnz);
  if (header.byColumn) columns<V, X>(header, x, y, first, last, alpha);
  else if (header.steady) rows<V, X, Branching>(header, x, y, first, last, alpha);
  else rows<V, X, BranchFree>(header, x, y, first, last, alpha);
}

/** Computes the entries [k, end) sorted by row: one add per run. */
function rows<V, X, Tail>(header: CooAtomicHeader, x: usize, y: usize, k: u32, end: u32, alpha: X): void {
  const rowIdx = header.rowIdx;
  const colIdx = header.colIdx;
  const values = header.values;
  const table = header.table;
  while (k < end) {
    const row = load<u32>(rowIdx + ((<usize>k) << 2));
    const next = min(endOfRun(rowIdx, k, row), end);
    const sum = rowSum<V, u32, X, Tail>(x, colIdx + ((<usize>k) << 2), values + ((<usize>k) << valueShift<V>()), table, next - k);
    addAtomic<X>(y + ((<usize>row) << alignof<X>()), alpha * sum);
    k = next;
  }
}

/** Computes the entries [k, end) sorted by column: one add per entry. */
function columns<V, X>(header: CooAtomicHeader, x: usize, y: usize, k: u32, end: u32, alpha: X): void {
  const rowIdx = header.rowIdx;
  const colIdx = header.colIdx;
  const values = header.values;
  const table = header.table;
  while (k < end) {
    const column = load<u32>(colIdx + ((<usize>k) << 2));
    const xj = load<X>(x + ((<usize>column) << alignof<X>()));
    for (const next = min(endOfRun(colIdx, k, column), end); k < next; k++) {
      const row = load<u32>(rowIdx + ((<usize>k) << 2));
      const value = valueAt<V, X>(values + ((<usize>k) << valueShift<V>()), table);
      addAtomic<X>(y + ((<usize>row) << alignof<X>()), alpha * (value * xj));
    }
  }
}

/** The first entry after k with another index; `indices` are readable for 4 places past the last, which hold other indices. */
function endOfRun(indices: usize, k: u32, index: u32): u32 {
  const same = i32x4.splat(index);
  let mask = i32x4.bitmask(i32x4.eq(v128.load(indices + ((<usize>k) << 2)), same));
  while (mask === 15) {
    k += 4;
    mask = i32x4.bitmask(i32x4.eq(v128.load(indices + ((<usize>k) << 2)), same));
  }
  return k + ctz(~mask);
}

/** Compares bits, not numbers: as numbers −0 equals 0, and NaN does not equal itself. */
function addAtomic<X>(at: usize, term: X): void {
  if (sizeof<X>() === 4) {
    let seen = load<u32>(at);
    for (;;) {
      const found = atomic.cmpxchg<u32>(at, seen, reinterpret<u32>(reinterpret<f32>(seen) + <f32>term));
      if (found === seen) return;
      seen = found;
    }
  }
  let seen = load<u64>(at);
  for (;;) {
    const found = atomic.cmpxchg<u64>(at, seen, reinterpret<u64>(reinterpret<f64>(seen) + <f64>term));
    if (found === seen) return;
    seen = found;
  }
}
