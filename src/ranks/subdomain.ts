/**
 * The subdomain of a rank: A among its own elements and the ghosts, in the order of their global numbers. The rows of ghosts come from their
 * owners.
 */
import type { CsrMatrix } from '../core/csr.js';
import { csrFromEntries } from '../core/entries.js';
import { lowerBound } from '../core/search.js';
import type { DistributedOperator } from './distributed-operator.js';
import type { Meeting } from './meeting.js';

export interface Subdomain {
  readonly matrix: CsrMatrix;
  /** The place of the first own element: ghosts of lower ranks come before. */
  readonly first: number;
}

interface RowsOfRank {
  readonly firstRow: number;
  readonly own: CsrMatrix;
  readonly halo: ReturnType<DistributedOperator['halo']>;
}

/** Called by all ranks. @param A square */
export function subdomainOf(meeting: Meeting, A: DistributedOperator): Subdomain {
  const mine: RowsOfRank = { firstRow: A.explain().firstRow, own: A.ownMatrix(), halo: A.halo() };
  const { firstRow } = mine;
  const { ghosts } = mine.halo;
  const first = lowerBound(ghosts, firstRow);
  const placeOfGhost = (ghost: number) => (ghost < first ? ghost : A.rows + ghost);
  /** −1: outside of the subdomain. */
  const placeOf = (index: number) => {
    if (index >= firstRow && index < firstRow + A.rows) return first + index - firstRow;
    const ghost = lowerBound(ghosts, index);
    return ghosts[ghost] === index ? placeOfGhost(ghost) : -1;
  };
  const received = meeting.allToAll(rowsForOthers(mine, meeting.transport.size));
  const count = received.reduce((sum, { length }) => sum + length / 3, mine.own.nnz + mine.halo.matrix.nnz);
  const all = {
    rowIdx: new Uint32Array(count),
    colIdx: new Uint32Array(count),
    values: new Float64Array(count),
    used: 0,
  };
  const add = (row: number, col: number, value: number) => {
    const j = placeOf(col);
    if (j < 0) return;
    all.rowIdx[all.used] = placeOf(row);
    all.colIdx[all.used] = j;
    all.values[all.used++] = value;
  };
  for (let i = 0; i < A.rows; i++) forEachOfRow(mine, i, add);
  for (const entries of received)
    for (let at = 0; at < entries.length; at += 3) add(entries[at]!, entries[at + 1]!, entries[at + 2]!);
  const rows = A.rows + ghosts.length;
  const matrix = csrFromEntries({ rows, cols: rows, field: 'real', symmetry: 'general' }, [all]);
  return { matrix: { ...matrix, symmetry: mine.own.symmetry }, first };
}

/** Calls `take` with the entries of an own row, by global numbers. */
function forEachOfRow(
  { firstRow, own, halo }: RowsOfRank,
  i: number,
  take: (row: number, col: number, value: number) => void,
): void {
  for (let k = own.rowPtr[i]!; k < own.rowPtr[i + 1]!; k++)
    take(firstRow + i, firstRow + own.colIdx[k]!, own.values[k]!);
  const { ghosts, boundaryRows, matrix } = halo;
  const at = lowerBound(boundaryRows, i);
  if (boundaryRows[at] !== i) return;
  for (let k = matrix.rowPtr[at]!; k < matrix.rowPtr[at + 1]!; k++)
    take(firstRow + i, ghosts[matrix.colIdx[k]!]!, matrix.values[k]!);
}

/** For each rank the rows of this one that are its ghosts: row, column and value of an entry, then those of the next one. */
function rowsForOthers(mine: RowsOfRank, ranks: number): Float64Array[] {
  const parts = Array.from({ length: ranks }, () => new Float64Array());
  for (const { rank, places } of mine.halo.plan.sends) {
    const entries: number[] = [];
    for (const place of places) forEachOfRow(mine, place, (...entry) => void entries.push(...entry));
    parts[rank] = Float64Array.from(entries);
  }
  return parts;
}
