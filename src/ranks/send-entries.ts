/**
 * Entries that lie on any rank → the rows of each rank. A rank keeps the entries of its own rows where they are, and sends the others to the ranks that own
 * their rows, in rounds, so that the memory of messages is bounded.
 *
 * Memory: 16 bytes for each entry that arrives, and the CSR arrays (`core/entries.ts`); where nothing arrives, as `core/csr-in-place.ts`.
 */
import type { CsrMatrix } from '../core/csr.js';
import { csrInPlace } from '../core/csr-in-place.js';
import { csrFromEntries, discardChunk, type EntryChunk, entryChunk } from '../core/entries.js';
import type { Symmetry } from '../core/types.js';
import type { Communicator } from './communicator.js';

/** Sending needs these calls of a communicator. */
export type Sender = Pick<Communicator, 'rank' | 'size' | 'alltoall' | 'allreduce'>;

/** Rank r has the rows bounds[r] … bounds[r + 1] − 1 of the whole matrix. */
export type RowBounds = ArrayLike<number>;

/** In one round a rank sends what others need of so many entries: 4 MiB of values, rows and columns, or twice that with mirror images. Chosen. */
const ROUND_ENTRIES: number = 2 ** 18;

/**
 * Returns this rank's rows, of which the first one is row 0, as a general matrix. Duplicates are summed in the order of ranks, and of each rank's entries. Together.
 *
 * @param shape `cols` and `field` of the whole matrix, and how it is stored: if `symmetry` is not `general`, an entry off the diagonal also represents its mirror image
 * @param entries of this rank, with the rows and columns of the whole matrix, checked; their arrays are used up
 */
export function rowsOfEntries(
  comm: Sender,
  shape: Pick<CsrMatrix, 'cols' | 'field' | 'symmetry'>,
  bounds: RowBounds,
  entries: EntryChunk,
): CsrMatrix {
  const { rank, size } = comm;
  const { rowIdx, colIdx, values, used } = entries;
  const first = bounds[rank]!;
  const end = bounds[rank + 1]!;
  const arrived: EntryChunk[][] = Array.from({ length: size }, () => []);
  const rounds = comm.allreduce(Math.ceil(used / ROUND_ENTRIES), 'max');
  let kept = 0;
  for (let round = 0; round < rounds; round++) {
    const from = Math.min(used, round * ROUND_ENTRIES);
    const piece = { rowIdx, colIdx, values, from, to: Math.min(used, from + ROUND_ENTRIES) };
    const parts = partsOf(piece, shape.symmetry, bounds, rank);
    for (let k = from; k < piece.to; k++) {
      const row = rowIdx[k]!;
      if (row < first || row >= end) continue;
      // `kept` is never behind entry k, so no entry is lost that is still to be read.
      rowIdx[kept] = row - first;
      colIdx[kept] = colIdx[k]!;
      if (values !== undefined) values[kept] = values[k]!;
      kept++;
    }
    comm.alltoall(parts).forEach((part, sender) => {
      if (part.length > 0) arrived[sender]!.push(chunkOf(part, values !== undefined));
    });
  }
  entries.used = kept;
  const general = { rows: end - first, cols: shape.cols, field: shape.field, symmetry: 'general' } as const;
  if (arrived.every((chunks) => chunks.length === 0)) return csrInPlace(general, entries);
  if (kept > 0) arrived[rank]!.unshift(entries);
  else discardChunk(entries);
  return csrFromEntries(general, arrived.flat());
}

/** Returns the entries of some rows, each with the number that its row has in the whole matrix. */
export function entriesOf(matrix: CsrMatrix, numberOf: (row: number) => number): EntryChunk {
  const { rows, nnz, rowPtr, colIdx, values, field } = matrix;
  const entries = entryChunk(field, nnz);
  for (let i = 0; i < rows; i++) entries.rowIdx.fill(numberOf(i), rowPtr[i]!, rowPtr[i + 1]!);
  entries.colIdx.set(colIdx);
  entries.values?.set(values);
  entries.used = nnz;
  return entries;
}

interface Piece extends Pick<EntryChunk, 'rowIdx' | 'colIdx' | 'values'> {
  readonly from: number;
  readonly to: number;
}

/** Returns the entries of the rows of each rank, numbered from its first row; for this rank only mirror images. */
function partsOf(
  { rowIdx, colIdx, values, from, to }: Piece,
  symmetry: Symmetry,
  bounds: RowBounds,
  rank: number,
): Float64Array[] {
  const isMirrored = symmetry !== 'general';
  const sign = symmetry === 'skew-symmetric' ? -1 : 1;
  const ownerOf = owners(bounds);
  const counts = new Uint32Array(bounds.length - 1);
  for (let k = from; k < to; k++) {
    const [row, col] = [rowIdx[k]!, colIdx[k]!];
    const owner = ownerOf(row);
    if (owner !== rank) counts[owner]!++;
    if (isMirrored && row !== col) counts[ownerOf(col)]!++;
  }
  const parts = Array.from(counts, (count) => new Float64Array(count * (values === undefined ? 1 : 2)));
  const chunks = parts.map((part) => chunkOf(part, values !== undefined));
  const put = (owner: number, row: number, col: number, value: number) => {
    const chunk = chunks[owner]!;
    const at = --counts[owner]!;
    const place = chunk.used - 1 - at;
    chunk.rowIdx[place] = row - bounds[owner]!;
    chunk.colIdx[place] = col;
    if (chunk.values !== undefined) chunk.values[place] = value;
  };
  for (let k = from; k < to; k++) {
    const [row, col] = [rowIdx[k]!, colIdx[k]!];
    const value = values === undefined ? 1 : values[k]!;
    const owner = ownerOf(row);
    if (owner !== rank) put(owner, row, col, value);
    if (isMirrored && row !== col) put(ownerOf(col), col, row, sign * value);
  }
  return parts;
}

/** Returns, for each rank, the indices in a list of rows of those that it owns, ascending. */
export function indicesByOwner(rows: Uint32Array, bounds: RowBounds): readonly Uint32Array[] {
  const ownerOf = owners(bounds);
  const counts = new Uint32Array(bounds.length - 1);
  for (const row of rows) counts[ownerOf(row)]!++;
  const lists = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  rows.forEach((row, k) => {
    const owner = ownerOf(row);
    lists[owner]![counts[owner]!++] = k;
  });
  return lists;
}

/** Finds the rank that owns a row. The last answer is tried first: rows of neighbours in a list often have one owner. */
function owners(bounds: RowBounds): (row: number) => number {
  let owner = 0;
  return (row) => {
    if (row >= bounds[owner]! && row < bounds[owner + 1]!) return owner;
    let [low, high] = [0, bounds.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (bounds[middle]! <= row) low = middle;
      else high = middle;
    }
    owner = low;
    return owner;
  };
}

/** Returns a message as entries: rows, columns and, but for a pattern, values. */
function chunkOf({ buffer, byteOffset, length }: Float64Array, hasValues: boolean): EntryChunk {
  const used = hasValues ? length / 2 : length;
  return {
    rowIdx: new Uint32Array(buffer, byteOffset, used),
    colIdx: new Uint32Array(buffer, byteOffset + 4 * used, used),
    values: hasValues ? new Float64Array(buffer, byteOffset + 8 * used, used) : undefined,
    used,
  };
}
