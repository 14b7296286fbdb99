/**
 * Entries in any order → canonical CSR: the one way in for readers, generators and callers with triplets.
 *
 * Entries are kept in chunks as they arrive, so nothing has to be known or allocated ahead and no array is ever copied
 * to grow. `build` counts and places them by row (a counting sort, stable), then sorts the rows that need it and sums
 * duplicates in order of arrival. Peak memory: the CSR arrays and one copy of the entries (16 bytes each, 8 for a
 * pattern); the chunks are released while they are placed.
 */
import { integer } from './checks.js';
import { type CsrMatrix, sortRow, sumDuplicates } from './csr.js';
import { mismatch } from './errors.js';
import type { Field, Symmetry } from './types.js';

const CHUNK_ENTRIES = 1 << 18;
const MAX_NNZ = 0xffff_ffff;

/** Entries in order of arrival: the first `used` places of arrays of one length. */
export interface EntryChunk {
  /** From 0, as are the columns. */
  readonly rowIdx: Uint32Array;
  readonly colIdx: Uint32Array;
  /** None in a pattern. */
  readonly values: Float64Array | undefined;
  used: number;
}

/** Room for `capacity` entries. */
export function entryChunk(field: Field, capacity: number): EntryChunk {
  return {
    rowIdx: new Uint32Array(capacity),
    colIdx: new Uint32Array(capacity),
    values: field === 'pattern' ? undefined : new Float64Array(capacity),
    used: 0,
  };
}

export interface BuilderOptions {
  /** Default `real`. A `pattern` stores no values until it is built; then all are 1, duplicates too. */
  field?: Field;
  /** Other than `general`: each entry off the diagonal that is added stands for its mirror image too. */
  symmetry?: Symmetry;
}

export class CsrBuilder {
  readonly rows: number;
  readonly cols: number;
  readonly #field: Field;
  readonly #symmetry: Symmetry;
  readonly #chunks: EntryChunk[] = [];
  #tail: EntryChunk | undefined;

  constructor(rows: number, cols: number, options: BuilderOptions = {}) {
    this.rows = integer('rows', rows);
    this.cols = integer('cols', cols);
    this.#field = options.field ?? 'real';
    this.#symmetry = options.symmetry ?? 'general';
  }

  /** Adds A[row, col] += value. Rows and columns count from 0 and are trusted: the caller has checked them. */
  add(row: number, col: number, value: number): void {
    let tail = this.#tail;
    if (tail === undefined || tail.used === CHUNK_ENTRIES) tail = this.#grow();
    const k = tail.used++;
    tail.rowIdx[k] = row;
    tail.colIdx[k] = col;
    if (tail.values !== undefined) tail.values[k] = value;
  }

  /** Adds all entries of a chunk, without a copy: the builder owns the chunk from now on. */
  addChunk(chunk: EntryChunk): void {
    this.#chunks.push(chunk);
    this.#tail = undefined;
  }

  /** Builds the matrix and leaves the builder empty. */
  build(): CsrMatrix {
    const { rows, cols } = this;
    const field = this.#field;
    const symmetry = this.#symmetry;
    const rowPtr = this.#countRows();
    const placed = rowPtr[rows]!;
    const colIdx = new Uint32Array(placed);
    const values = new Float64Array(placed);
    this.#place(rowPtr, colIdx, values);
    for (let i = 0; i < rows; i++) sortRow(colIdx, values, rowPtr[i]!, rowPtr[i + 1]!);
    const nnz = sumDuplicates(rowPtr, colIdx, values);
    if (field === 'pattern') values.fill(1);
    const trimmed =
      nnz === placed ? { colIdx, values } : { colIdx: colIdx.slice(0, nnz), values: values.slice(0, nnz) };
    return { rows, cols, nnz, rowPtr, ...trimmed, field, symmetry };
  }

  #grow(): EntryChunk {
    const tail = entryChunk(this.#field, CHUNK_ENTRIES);
    this.#chunks.push(tail);
    this.#tail = tail;
    return tail;
  }

  #countRows(): Uint32Array {
    const mirrored = this.#symmetry !== 'general';
    const rowPtr = new Uint32Array(this.rows + 1);
    let total = 0;
    for (const { rowIdx, colIdx, used } of this.#chunks) {
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
    for (let i = 0; i < this.rows; i++) rowPtr[i + 1]! += rowPtr[i]!;
    return rowPtr;
  }

  #place(rowPtr: Uint32Array, colIdx: Uint32Array, values: Float64Array): void {
    const mirrored = this.#symmetry !== 'general';
    const mirrorSign = this.#symmetry === 'skew-symmetric' ? -1 : 1;
    const next = rowPtr.slice(0, this.rows);
    for (let index = 0; index < this.#chunks.length; index++) {
      const chunk = this.#chunks[index]!;
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
      this.#chunks[index] = EMPTY_CHUNK;
    }
    this.#chunks.length = 0;
    this.#tail = undefined;
  }
}

const EMPTY_CHUNK: EntryChunk = entryChunk('pattern', 0);
