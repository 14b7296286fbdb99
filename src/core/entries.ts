/**
 * Entries in any order → canonical CSR: the path for generators and callers with triplets; for readers, see `csr-in-place.ts`.
 *
 * Entries arrive in chunks: their number need not be known, and no array is copied to grow. A stable counting sort
 * places them by row. Then unsorted rows are sorted, and duplicates are summed in order of arrival. Peak memory: the
 * CSR arrays and one copy of the entries (16 bytes each, 8 for a pattern). Each chunk is released when its entries are
 * placed.
 */
import { asFloats, asIndices, checkRange, type IndexArray, type NumberArray } from './arrays.js';
import { sortColumns, sortRows, summed } from './canonical.js';
import { integer } from './checks.js';
import type { CsrMatrix } from './csr.js';
import { mismatch, type SparlaneError } from './errors.js';
import { discard, scratchBuffer } from './scratch.js';
import { trust } from './trusted.js';
import type { Field, Symmetry } from './types.js';

const MAX_NNZ = 0xffff_ffff;

/** Entries in order of arrival: the first `used` elements of arrays of equal length. */
export interface EntryChunk {
  /** Counted from 0, like the columns. */
  readonly rowIdx: Uint32Array;
  readonly colIdx: Uint32Array;
  /** Undefined in a pattern. */
  readonly values: Float64Array | undefined;
  used: number;
}

/**
 * Room for `capacity` entries. Rows and columns of a pattern have one buffer, as long as values of the entries would be.
 *
 * @param isCopied whether no array becomes one of the matrix; default: only the rows do not, except for those of a pattern
 */
export function entryChunk(field: Field, capacity: number, isCopied = false): EntryChunk {
  const bufferOf = (bytes: number) => (isCopied ? scratchBuffer(bytes) : new ArrayBuffer(bytes));
  if (field === 'pattern') {
    const buffer = bufferOf(8 * capacity);
    const rowIdx = new Uint32Array(buffer, 0, capacity);
    return { rowIdx, colIdx: new Uint32Array(buffer, 4 * capacity, capacity), values: undefined, used: 0 };
  }
  return {
    rowIdx: new Uint32Array(scratchBuffer(4 * capacity), 0, capacity),
    colIdx: new Uint32Array(bufferOf(4 * capacity), 0, capacity),
    values: new Float64Array(bufferOf(8 * capacity), 0, capacity),
    used: 0,
  };
}

/** Gives back the memory of a chunk's arrays, as far as it was not made for a matrix. */
export function discardChunk({ rowIdx, colIdx, values }: EntryChunk): void {
  discard(rowIdx.buffer, colIdx.buffer, ...(values === undefined ? [] : [values.buffer]));
}

/** The same entries with room for more; those given are discarded. */
export function grownChunk(entries: EntryChunk, field: Field, capacity: number, isCopied = false): EntryChunk {
  const { rowIdx, colIdx, values, used } = entries;
  const grown = entryChunk(field, capacity, isCopied);
  grown.rowIdx.set(rowIdx.subarray(0, used));
  grown.colIdx.set(colIdx.subarray(0, used));
  if (values !== undefined) grown.values?.set(values.subarray(0, used));
  grown.used = used;
  discardChunk(entries);
  return grown;
}

/** Checked entries as whole arrays. Arrays of the right type are not copied. */
export function checkEntries(
  { rows, cols }: Pick<CsrMatrix, 'rows' | 'cols'>,
  rowIdx: IndexArray,
  colIdx: IndexArray,
  values: NumberArray | undefined,
): EntryChunk {
  const checkedRows = asIndices('rowIdx', rowIdx);
  const checkedCols = asIndices('colIdx', colIdx);
  const used = integer('nnz', checkedRows.length);
  if (checkedCols.length !== used) throw lengthMismatch('colIdx', colIdx, used);
  checkRange('rowIdx', 'row', checkedRows, rows);
  checkRange('colIdx', 'column', checkedCols, cols);
  if (values === undefined) return { rowIdx: checkedRows, colIdx: checkedCols, values: undefined, used };
  const floats = asFloats('values', values);
  if (floats.length !== used) throw lengthMismatch('values', values, used);
  const doubles = floats instanceof Float64Array ? floats : Float64Array.from(floats);
  return { rowIdx: checkedRows, colIdx: checkedCols, values: doubles, used };
}

function lengthMismatch(name: string, got: unknown, expected: number): SparlaneError {
  return mismatch('shape', name, `the length of rowIdx = ${expected}`, got, { expected });
}

/**
 * The matrix of checked entries. Empties the list of chunks, and releases each chunk when its entries are placed.
 *
 * @param symmetry if not `general`, each entry off the diagonal also represents its mirror image
 * @throws SparlaneError `structure` for more than 2³² − 1 entries
 */
export function csrFromEntries(
  { rows, cols, field, symmetry }: Pick<CsrMatrix, 'rows' | 'cols' | 'field' | 'symmetry'>,
  chunks: EntryChunk[],
): CsrMatrix {
  const rowPtr = countRows(rows, symmetry, chunks);
  const nnz = rowPtr[rows]!;
  const colIdx = new Uint32Array(nnz);
  const values = new Float64Array(nnz);
  place(chunks, symmetry, rowPtr, colIdx, values);
  const matrix: CsrMatrix = { rows, cols, nnz, rowPtr, colIdx, values, field, symmetry };
  // All values of a pattern are 1, so they need not move; those of a skew-symmetric one are 1 and −1.
  const isOnes = field === 'pattern' && symmetry !== 'skew-symmetric';
  const isStrict = isOnes ? sortColumns(rowPtr, colIdx) : sortRows(rowPtr, colIdx, values);
  return trust(isStrict ? matrix : summed(matrix));
}

function countRows(rows: number, symmetry: Symmetry, chunks: readonly EntryChunk[]): Uint32Array {
  const mirrored = symmetry !== 'general';
  const rowPtr = new Uint32Array(rows + 1);
  let total = 0;
  for (const { rowIdx, colIdx, used } of chunks) {
    total += used;
    for (let k = 0; k < used; k++) {
      const row = rowIdx[k]!;
      rowPtr[row + 1]!++;
      if (mirrored && colIdx[k] !== row) {
        rowPtr[colIdx[k]! + 1]!++;
        total++;
      }
    }
  }
  if (total > MAX_NNZ) throw mismatch('structure', 'nnz', `at most ${MAX_NNZ}`, total, { nnz: total });
  for (let i = 0; i < rows; i++) rowPtr[i + 1]! += rowPtr[i]!;
  return rowPtr;
}

function place(
  chunks: EntryChunk[],
  symmetry: Symmetry,
  rowPtr: Uint32Array,
  colIdx: Uint32Array,
  values: Float64Array,
): void {
  const mirrored = symmetry !== 'general';
  const mirrorSign = symmetry === 'skew-symmetric' ? -1 : 1;
  const next = rowPtr;
  for (let index = 0; index < chunks.length; index++) {
    const chunk = chunks[index]!;
    for (let k = 0; k < chunk.used; k++) {
      const row = chunk.rowIdx[k]!;
      const col = chunk.colIdx[k]!;
      const value = chunk.values === undefined ? 1 : chunk.values[k]!;
      const at = next[row]!++;
      colIdx[at] = col;
      values[at] = value;
      if (mirrored && col !== row) {
        const mirror = next[col]!++;
        colIdx[mirror] = row;
        values[mirror] = mirrorSign * value;
      }
    }
    discardChunk(chunk);
    chunks[index] = EMPTY_CHUNK;
  }
  // Each pointer has come to the end of its row, the begin of the next one.
  rowPtr.copyWithin(1, 0, rowPtr.length - 1);
  rowPtr[0] = 0;
  chunks.length = 0;
}

const EMPTY_CHUNK: EntryChunk = entryChunk('pattern', 0);
