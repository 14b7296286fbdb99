/**
 * The subdomain of a rank: A among its own elements and the ghosts, in the order of their global numbers. The rows of ghosts come from their
 * owners; every rank sees all rows that any of them needs.
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

/** Entries with local or global numbers. */
interface Triplets {
  readonly rowIdx: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: Float64Array;
  used: number;
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
  const shared = gatherTriplets(meeting, sentRows(mine));
  const all = triplets(mine.own.nnz + mine.halo.matrix.nnz + shared.used);
  forEachEntry(mine, (row, col, value) => add(all, placeOf(row), placeOf(col), value));
  for (let e = 0; e < shared.used; e++) {
    const row = shared.rowIdx[e]!;
    if (row >= firstRow && row < firstRow + A.rows) continue;
    const [i, j] = [placeOf(row), placeOf(shared.colIdx[e]!)];
    if (i >= 0 && j >= 0) add(all, i, j, shared.values[e]!);
  }
  const rows = A.rows + ghosts.length;
  const matrix = csrFromEntries({ rows, cols: rows, field: 'real', symmetry: 'general' }, [all]);
  return { matrix: { ...matrix, symmetry: mine.own.symmetry }, first };
}

/** Calls `take` with this rank's entries, by global numbers. */
function forEachEntry(
  { firstRow, own, halo }: RowsOfRank,
  take: (row: number, col: number, value: number) => void,
): void {
  const { ghosts, boundaryRows, matrix } = halo;
  for (let i = 0; i < own.rows; i++)
    for (let k = own.rowPtr[i]!; k < own.rowPtr[i + 1]!; k++)
      take(firstRow + i, firstRow + own.colIdx[k]!, own.values[k]!);
  for (let i = 0; i < matrix.rows; i++)
    for (let k = matrix.rowPtr[i]!; k < matrix.rowPtr[i + 1]!; k++)
      take(firstRow + boundaryRows[i]!, ghosts[matrix.colIdx[k]!]!, matrix.values[k]!);
}

/** The rows of this rank of which others have ghosts. */
function sentRows(mine: RowsOfRank): Triplets {
  const { firstRow, own, halo } = mine;
  const isSent = new Uint8Array(own.rows);
  for (const { places } of halo.plan.sends) for (const place of places) isSent[place] = 1;
  let count = 0;
  forEachEntry(mine, (row) => {
    count += isSent[row - firstRow]!;
  });
  const sent = triplets(count);
  forEachEntry(mine, (row, col, value) => {
    if (isSent[row - firstRow] === 1) add(sent, row, col, value);
  });
  return sent;
}

function gatherTriplets(meeting: Meeting, { rowIdx, colIdx, values }: Triplets): Triplets {
  const rows = meeting.gather(rowIdx).all;
  return { rowIdx: rows, colIdx: meeting.gather(colIdx).all, values: meeting.gather(values).all, used: rows.length };
}

function triplets(count: number): Triplets {
  return { rowIdx: new Uint32Array(count), colIdx: new Uint32Array(count), values: new Float64Array(count), used: 0 };
}

function add(to: Triplets, row: number, col: number, value: number): void {
  to.rowIdx[to.used] = row;
  to.colIdx[to.used] = col;
  to.values[to.used++] = value;
}
