/**
 * A transversal of the largest product: the rows are permuted so that the product of the moduli on the diagonal is as large as it can be.
 *
 * Source: Duff & Koster, "On algorithms for permuting large entries to the diagonal of a sparse matrix", SIAM J. Matrix Anal. Appl. 22, 2001
 *   (MC64): shortest augmenting paths (Dijkstra) over the costs log max|aⱼ| − log|aᵢⱼ|.
 * Differs: for log₂ the upper word of the number, an integer, which is 2²⁰ (log₂ + 1023) up to 0.09 · 2²⁰. So all sums are exact, ties
 *   are common, and no logarithm is computed. An explicit 0 is an entry of the least modulus.
 * Cost: O(n (n + nnz) log n) at worst; a few times nnz where large entries are easy to find.
 */
import type { Pattern } from '../../core/transpose.js';
import { UNMATCHED } from './transversal.js';

/**
 * @param columns the rows of each column of a square matrix
 * @param source the place of each entry among the values
 * @returns the row of each column; undefined if there is no transversal of all columns
 */
export function largestProduct(
  { ptr, idx }: Pattern,
  source: Uint32Array,
  values: Float64Array,
): Uint32Array | undefined {
  const n = ptr.length - 1;
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const rowOf = new Uint32Array(n).fill(UNMATCHED);
  const columnOf = new Uint32Array(n).fill(UNMATCHED);
  /** Costs of entries, of columns by their own; a dual price of each row and column with cost − price − price ≥ 0, and 0 where matched. */
  const cost = new Float64Array(idx.length);
  const rowPrice = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  const colPrice = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    let most = 0;
    for (let k = ptr[j]!, end = ptr[j + 1]!; k < end; k++) {
      const size = words[2 * source[k]! + 1]! & 0x7fff_ffff;
      cost[k] = size;
      if (size > most) most = size;
    }
    for (let k = ptr[j]!, end = ptr[j + 1]!; k < end; k++) {
      const own = most - cost[k]!;
      cost[k] = own;
      if (own < rowPrice[idx[k]!]!) rowPrice[idx[k]!] = own;
    }
  }
  const take = (row: number, column: number) => {
    rowOf[column] = row;
    columnOf[row] = column;
  };
  // Entries that cost nothing beyond the prices, those on the diagonal first.
  for (let j = 0; j < n; j++) {
    let least = Number.POSITIVE_INFINITY;
    let row = UNMATCHED;
    for (let k = ptr[j]!, end = ptr[j + 1]!; k < end; k++) {
      const i = idx[k]!;
      const reduced = cost[k]! - rowPrice[i]!;
      const isBetter = reduced < least || (reduced === least && row !== j && (i === j || columnOf[row] !== UNMATCHED));
      if (!isBetter) continue;
      least = reduced;
      row = i;
    }
    if (row === UNMATCHED) return undefined;
    colPrice[j] = least;
    if (columnOf[row] === UNMATCHED) take(row, j);
  }
  // Paths of one step: the owner of a row that j wants takes another row that costs it nothing.
  const next = ptr.slice(0, n);
  for (let j = 0; j < n; j++) {
    if (rowOf[j] !== UNMATCHED) continue;
    for (let k = ptr[j]!, end = ptr[j + 1]!; k < end && rowOf[j] === UNMATCHED; k++) {
      const row = idx[k]!;
      if (cost[k]! - rowPrice[row]! > colPrice[j]!) continue;
      const owner = columnOf[row]!;
      for (let m = next[owner]!, last = ptr[owner + 1]!; ; m++) {
        next[owner] = m;
        if (m === last) break;
        const other = idx[m]!;
        if (columnOf[other] !== UNMATCHED || cost[m]! - rowPrice[other]! > colPrice[owner]!) continue;
        take(other, owner);
        take(row, j);
        break;
      }
    }
  }
  const distance = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  /** The column before a row on its shortest path. */
  const before = new Uint32Array(n);
  const isFinal = new Uint8Array(n);
  const heap = new RowHeap(distance);
  for (let start = 0; start < n; start++) {
    if (rowOf[start] !== UNMATCHED) continue;
    const reached: number[] = [];
    const final: number[] = [];
    let shortest = Number.POSITIVE_INFINITY;
    let last = UNMATCHED;
    /** Rows that are no farther than the present one. */
    const near: number[] = [];
    let j = start;
    let base = 0;
    for (;;) {
      for (let k = ptr[j]!, end = ptr[j + 1]!; k < end; k++) {
        const i = idx[k]!;
        if (isFinal[i] === 1) continue;
        const through = base + cost[k]! - rowPrice[i]! - colPrice[j]!;
        if (through >= shortest || through >= distance[i]!) continue;
        if (distance[i] === Number.POSITIVE_INFINITY) reached.push(i);
        distance[i] = through;
        before[i] = j;
        if (columnOf[i] === UNMATCHED) {
          shortest = through;
          last = i;
        } else if (through > base) heap.push(i);
        else near.push(i);
      }
      let row = near.pop() ?? heap.pop();
      while (row !== UNMATCHED && isFinal[row] === 1) row = near.pop() ?? heap.pop();
      if (row === UNMATCHED || distance[row]! >= shortest) break;
      isFinal[row] = 1;
      final.push(row);
      base = distance[row]!;
      j = columnOf[row]!;
    }
    heap.clear();
    if (last === UNMATCHED) return undefined;
    for (const row of final) {
      const change = shortest - distance[row]!;
      rowPrice[row]! -= change;
      colPrice[columnOf[row]!]! += change;
      isFinal[row] = 0;
    }
    colPrice[start]! += shortest;
    for (const row of reached) distance[row] = Number.POSITIVE_INFINITY;
    for (let row = last; ; ) {
      const column = before[row]!;
      const given = rowOf[column]!;
      take(row, column);
      if (column === start) break;
      row = given;
    }
  }
  return rowOf;
}

/** Rows by their distance; a row whose distance became smaller is there twice. */
class RowHeap {
  readonly #distance: Float64Array;
  readonly #rows: number[] = [];
  readonly #keys: number[] = [];

  constructor(distance: Float64Array) {
    this.#distance = distance;
  }

  push(row: number): void {
    const rows = this.#rows;
    const keys = this.#keys;
    const key = this.#distance[row]!;
    let at = rows.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent]! <= key) break;
      rows[at] = rows[parent]!;
      keys[at] = keys[parent]!;
      at = parent;
    }
    rows[at] = row;
    keys[at] = key;
  }

  pop(): number {
    const rows = this.#rows;
    const keys = this.#keys;
    if (rows.length === 0) return UNMATCHED;
    const first = rows[0]!;
    const row = rows.pop()!;
    const key = keys.pop()!;
    const { length } = rows;
    if (length === 0) return first;
    let at = 0;
    for (let child = 1; child < length; child = 2 * at + 1) {
      if (child + 1 < length && keys[child + 1]! < keys[child]!) child++;
      if (keys[child]! >= key) break;
      rows[at] = rows[child]!;
      keys[at] = keys[child]!;
      at = child;
    }
    rows[at] = row;
    keys[at] = key;
    return first;
  }

  clear(): void {
    this.#rows.length = 0;
    this.#keys.length = 0;
  }
}
