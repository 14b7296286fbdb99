/**
 * A transversal of the largest product: the rows are permuted so that the product of the moduli on the diagonal is as large as it can be.
 *
 * Source: Duff & Koster, "On algorithms for permuting large entries to the diagonal of a sparse matrix", SIAM J. Matrix Anal. Appl. 22, 2001
 *   (MC64): shortest augmenting paths (Dijkstra) over the costs log max|aⱼ| − log|aᵢⱼ|.
 * Differs: for log₂ the upper word of the number, an integer, which is 2²⁰ (log₂ + 1023) up to 0.09 · 2²⁰. So all sums are exact, ties
 *   are common, and no logarithm is computed. An explicit 0 is an entry of the least modulus.
 * Cost: O(n (n + nnz) log n) at worst; a few times nnz where large entries are easy to find.
 */
import { empty, pop, push, reserveHeap } from './row-heap';
import { at, fill, filled, NONE, put, putReal, real, reserve, reserveReals } from './words';

let n: i32 = 0;
let ptr: usize = 0;
let idx: usize = 0;
let rowOf: usize = 0;
let columnOf: usize = 0;
/** Costs of entries, of columns by their own; a dual price of each row and column with cost − price − price ≥ 0, and 0 where matched. */
let cost: usize = 0;
let rowPrice: usize = 0;
let colPrice: usize = 0;

/**
 * @param sizes the upper word of each entry's modulus @param rows the row of each column is written there
 * @returns whether there is a transversal of all columns
 */
export function largestProduct(size: i32, columnPtr: usize, rowIdx: usize, sizes: usize, rows: usize): bool {
  n = size;
  ptr = columnPtr;
  idx = rowIdx;
  rowOf = rows;
  columnOf = filled(n, NONE);
  rowPrice = reserveReals(n);
  colPrice = reserveReals(n);
  cost = reserveReals(at(ptr, n));
  fill(rowOf, n, NONE);
  price(sizes);
  if (!takeFree()) return false;
  takeNear();
  return takeByPaths();
}

function take(row: i32, column: i32): void {
  put(rowOf, column, row);
  put(columnOf, row, column);
}

function price(sizes: usize): void {
  for (let i = 0; i < n; i++) putReal(rowPrice, i, Infinity);
  for (let j = 0; j < n; j++) {
    let most = 0;
    for (let k = at(ptr, j), end = at(ptr, j + 1); k < end; k++) most = max(most, at(sizes, k));
    for (let k = at(ptr, j), end = at(ptr, j + 1); k < end; k++) {
      const own = <f64>(most - at(sizes, k));
      putReal(cost, k, own);
      if (own < real(rowPrice, at(idx, k))) putReal(rowPrice, at(idx, k), own);
    }
  }
}

/** Takes entries that cost nothing beyond the prices, those on the diagonal first. @returns whether every column has an entry */
function takeFree(): bool {
  for (let j = 0; j < n; j++) {
    let least = Infinity;
    let row = NONE;
    for (let k = at(ptr, j), end = at(ptr, j + 1); k < end; k++) {
      const i = at(idx, k);
      const reduced = real(cost, k) - real(rowPrice, i);
      const isBetter = reduced < least || (reduced === least && row !== j && (i === j || at(columnOf, row) !== NONE));
      if (!isBetter) continue;
      least = reduced;
      row = i;
    }
    if (row === NONE) return false;
    putReal(colPrice, j, least);
    if (at(columnOf, row) === NONE) take(row, j);
  }
  return true;
}

/** Paths of one step: the owner of a row that j wants takes another row that costs it nothing. */
function takeNear(): void {
  const next = reserve(n);
  memory.copy(next, ptr, (<usize>n) << 2);
  for (let j = 0; j < n; j++) {
    if (at(rowOf, j) !== NONE) continue;
    for (let k = at(ptr, j), end = at(ptr, j + 1); k < end && at(rowOf, j) === NONE; k++) {
      const row = at(idx, k);
      if (real(cost, k) - real(rowPrice, row) > real(colPrice, j)) continue;
      const owner = at(columnOf, row);
      const last = at(ptr, owner + 1);
      let m = at(next, owner);
      for (; m < last; m++) {
        const other = at(idx, m);
        if (at(columnOf, other) !== NONE || real(cost, m) - real(rowPrice, other) > real(colPrice, owner)) continue;
        take(other, owner);
        take(row, j);
        break;
      }
      put(next, owner, m);
    }
  }
}

function takeByPaths(): bool {
  const distance = reserveReals(n);
  /** The column before a row on its shortest path. */
  const before = reserve(n);
  const isFinal = filled(n, 0);
  /** Rows that were reached, that are final, and that are no farther than the present one. */
  const reached = reserve(n);
  const final = reserve(n);
  const near = reserve(at(ptr, n));
  reserveHeap(distance, at(ptr, n));
  for (let i = 0; i < n; i++) putReal(distance, i, Infinity);
  for (let start = 0; start < n; start++) {
    if (at(rowOf, start) !== NONE) continue;
    let reachedCount = 0;
    let finalCount = 0;
    let nearCount = 0;
    let shortest = Infinity;
    let last = NONE;
    let j = start;
    let base: f64 = 0;
    for (;;) {
      for (let k = at(ptr, j), end = at(ptr, j + 1); k < end; k++) {
        const i = at(idx, k);
        if (at(isFinal, i) === 1) continue;
        const through = base + real(cost, k) - real(rowPrice, i) - real(colPrice, j);
        if (through >= shortest || through >= real(distance, i)) continue;
        if (real(distance, i) === Infinity) put(reached, reachedCount++, i);
        putReal(distance, i, through);
        put(before, i, j);
        if (at(columnOf, i) === NONE) {
          shortest = through;
          last = i;
        } else if (through > base) push(i);
        else put(near, nearCount++, i);
      }
      let row = nearCount > 0 ? at(near, --nearCount) : pop();
      while (row !== NONE && at(isFinal, row) === 1) row = nearCount > 0 ? at(near, --nearCount) : pop();
      if (row === NONE || real(distance, row) >= shortest) break;
      put(isFinal, row, 1);
      put(final, finalCount++, row);
      base = real(distance, row);
      j = at(columnOf, row);
    }
    empty();
    if (last === NONE) return false;
    for (let f = 0; f < finalCount; f++) {
      const row = at(final, f);
      const change = shortest - real(distance, row);
      putReal(rowPrice, row, real(rowPrice, row) - change);
      putReal(colPrice, at(columnOf, row), real(colPrice, at(columnOf, row)) + change);
      put(isFinal, row, 0);
    }
    putReal(colPrice, start, real(colPrice, start) + shortest);
    for (let r = 0; r < reachedCount; r++) putReal(distance, at(reached, r), Infinity);
    for (let row = last; ; ) {
      const column = at(before, row);
      const given = at(rowOf, column);
      take(row, column);
      if (column === start) break;
      row = given;
    }
  }
  return true;
}
