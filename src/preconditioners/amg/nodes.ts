/**
 * The unknowns of a node, found in the pattern: as many consecutive rows have the same columns, which are those of whole nodes, as the displacements of a mesh
 * have.
 *
 * Differs from `findBlockSize` of `bsr`, which may store zeros, and from the groups of `inode`, which differ in size: here all nodes are alike. Rows of fixed unknowns, which
 * have no entry beside the diagonal, may be anywhere.
 * Cost: some loads per row where unknowns are not in nodes, since the first rows differ there; where they are, two loads per entry.
 */
import type { CompressedRows } from '../../core/csr.js';

/** A node has at most as many unknowns. Chosen: shells have 6. */
export const MOST_UNKNOWNS = 8;

/** How many nodes have entries beside the diagonal in all rows, and in some of them. */
export interface NodeCounts {
  readonly whole: number;
  readonly partial: number;
}

type Pattern = Pick<CompressedRows, 'rows' | 'rowPtr' | 'colIdx'>;

/** @returns the largest number that fits; 1 if none does */
export function unknownsOfNode(matrix: Pattern): number {
  return largestThatFits((size) => countNodes(matrix, size));
}

/** Fixed unknowns fit any number, so most nodes must have none. @param countsOf undefined: the number does not fit */
export function largestThatFits(countsOf: (size: number) => NodeCounts | undefined): number {
  for (let size = MOST_UNKNOWNS; size > 1; size--) {
    const counts = countsOf(size);
    if (counts !== undefined && counts.whole > counts.partial) return size;
  }
  return 1;
}

/**
 * Counts the nodes of a size; undefined if the rows are not in such nodes.
 *
 * @param matrix it may have more columns than rows, as a rank's rows have. Those further columns are not looked at in groups
 */
export function countNodes(matrix: Pattern, size: number): NodeCounts | undefined {
  const { rows } = matrix;
  if (rows % size !== 0) return undefined;
  let [whole, partial] = [0, 0];
  for (let first = 0; first < rows; first += size) {
    let [free, leader] = [0, -1];
    for (let row = first; row < first + size; row++) {
      if (isFixed(matrix, row)) continue;
      free++;
      if (leader >= 0 && !hasSameColumns(matrix, leader, row)) return undefined;
      if (leader < 0 && !hasWholeNodes(matrix, row, size)) return undefined;
      leader = row;
    }
    if (free === size) whole++;
    else if (free > 0) partial++;
  }
  return { whole, partial };
}

/** Whether a row has no entry beside the diagonal. */
function isFixed({ rowPtr, colIdx }: Pattern, row: number): boolean {
  const [begin, end] = [rowPtr[row]!, rowPtr[row + 1]!];
  return end === begin || (end === begin + 1 && colIdx[begin] === row);
}

function hasSameColumns({ rowPtr, colIdx }: Pattern, one: number, other: number): boolean {
  const [begin, from, to] = [rowPtr[one]!, rowPtr[other]!, rowPtr[other + 1]!];
  if (rowPtr[one + 1]! - begin !== to - from) return false;
  for (let k = from; k < to; k++) if (colIdx[k] !== colIdx[begin + k - from]) return false;
  return true;
}

/** Whether a row that has a column of a node has all columns of it that are not fixed. */
function hasWholeNodes(matrix: Pattern, row: number, size: number): boolean {
  const { rows, rowPtr, colIdx } = matrix;
  const end = rowPtr[row + 1]!;
  for (let k = rowPtr[row]!; k < end && colIdx[k]! < rows; ) {
    const first = colIdx[k]! - (colIdx[k]! % size);
    for (let col = first; col < first + size; col++) {
      if (k < end && colIdx[k] === col) k++;
      else if (!isFixed(matrix, col)) return false;
    }
  }
  return true;
}
