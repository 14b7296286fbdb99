/**
 * A maximum transversal: a row for each column such that the entries (row, column) exist and no row occurs twice. As a row permutation it
 * puts entries on the whole diagonal. Its length is the structural rank: below n, A is singular whatever its values are.
 *
 * Source: Duff, "On algorithms for obtaining a maximum transversal", ACM TOMS 7, 1981 (MC21): depth-first augmenting paths, cheap
 *   assignments first.
 * Differs: the columns that a failed search has visited are never visited again, as no augmenting path leads through them. So all failed
 *   searches take O(nnz) together.
 * Cost: O(n · nnz) at worst, about O(nnz) in practice.
 */
import type { Pattern } from '../../core/transpose.js';

/** The mark of a column without a row. */
export const UNMATCHED = 0xffff_ffff;

export interface Transversal {
  /** Length columns: the row of each column, or `UNMATCHED`. */
  readonly rowOf: Uint32Array;
  /** The structural rank: columns that have a row. */
  readonly rank: number;
}

/** @param columns the rows of each column of a square matrix */
export function transversal({ ptr, idx }: Pattern): Transversal {
  const n = ptr.length - 1;
  const rowOf = new Uint32Array(n).fill(UNMATCHED);
  const columnOf = new Uint32Array(n).fill(UNMATCHED);
  let rank = 0;
  const take = (row: number, column: number) => {
    rowOf[column] = row;
    columnOf[row] = column;
  };
  // A diagonal that exists stays where it is.
  for (let j = 0; j < n; j++)
    for (let k = ptr[j]!, end = ptr[j + 1]!; k < end; k++) {
      if (idx[k] !== j) continue;
      take(j, j);
      rank++;
    }
  if (rank === n) return { rowOf, rank };
  /** For each column the next entry that may have a free row: rows never become free. */
  const cheap = ptr.slice(0, n);
  /** For each column on the path the next entry to follow. */
  const next = new Uint32Array(n);
  const path = new Uint32Array(n);
  /** 1 + the column whose search visited a column; `DEAD`: a failed one. */
  const visited = new Uint32Array(n);
  const DEAD = 0xffff_ffff;
  for (let start = 0; start < n; start++) {
    if (rowOf[start] !== UNMATCHED) continue;
    let depth = 0;
    path[0] = start;
    visited[start] = start + 1;
    next[start] = ptr[start]!;
    const trail = [start];
    let free = UNMATCHED;
    while (depth >= 0) {
      const j = path[depth]!;
      const end = ptr[j + 1]!;
      let k = cheap[j]!;
      while (k < end && columnOf[idx[k]!] !== UNMATCHED) k++;
      cheap[j] = k;
      if (k < end) {
        free = idx[k]!;
        break;
      }
      for (k = next[j]!; k < end; k++) {
        const other = columnOf[idx[k]!]!;
        if (visited[other] === start + 1 || visited[other] === DEAD) continue;
        visited[other] = start + 1;
        trail.push(other);
        next[other] = ptr[other]!;
        path[++depth] = other;
        break;
      }
      next[j] = k === end ? end : k + 1;
      if (k === end) depth--;
    }
    if (free === UNMATCHED) {
      for (const column of trail) visited[column] = DEAD;
      continue;
    }
    rank++;
    // Each column on the path gives its row to the one before it.
    for (; depth >= 0; depth--) {
      const column = path[depth]!;
      const given = rowOf[column]!;
      take(free, column);
      free = given;
    }
  }
  return { rowOf, rank };
}
