/** Builds canonical CSR from entries in any order, added one at a time or as whole arrays. */
import { checkOnes, type IndexArray, type NumberArray, notAnIndex, ONES, outOfRange, type Side } from './arrays.js';
import { checkSymmetry, integer, knownKeys, oneOf } from './checks.js';
import type { CsrMatrix } from './csr.js';
import { checkEntries, csrFromEntries, type EntryChunk, entryChunk } from './entries.js';
import { mismatch, type SparlaneError } from './errors.js';
import { FIELDS, type Field, type Symmetry } from './types.js';

/**
 * The first chunk is small, since many matrices are. Each later chunk holds as many entries as all chunks before it.
 */
const MIN_CHUNK_ENTRIES = 1 << 8;
const MAX_CHUNK_ENTRIES = 1 << 18;

/** A `CsrBuilder` takes these options. */
export interface BuilderOptions {
  /**
   * Default `real`. A `pattern` stores no values until `build`, which sets all of them to 1, those of duplicates too.
   */
  field?: Field;
  /** If not `general`, each added entry off the diagonal also represents its mirror image. For square matrices only. */
  symmetry?: Symmetry;
}

/** Builds a matrix from entries in any order. Duplicates are summed. */
export class CsrBuilder {
  readonly rows: number;
  readonly cols: number;
  readonly #field: Field;
  readonly #symmetry: Symmetry;
  readonly #chunks: EntryChunk[] = [];
  #tail: EntryChunk | undefined;

  /**
   * @param rows from 0 to 2³² − 1, as `cols`
   * @throws SparlaneError `argument` for an invalid size, field or symmetry; `shape` for a symmetric matrix that is not
   *   square
   */
  constructor(rows: number, cols: number, options: BuilderOptions = {}) {
    this.rows = integer('rows', rows);
    this.cols = integer('cols', cols);
    knownKeys('options', options, { field: true, symmetry: true });
    this.#field = oneOf('field', options.field ?? 'real', FIELDS);
    this.#symmetry = checkSymmetry(options.symmetry ?? 'general', rows, cols);
  }

  /** Number of entries added since the last `build`, duplicates included. */
  get count(): number {
    return this.#chunks.reduce((sum, { used }) => sum + used, 0);
  }

  /**
   * Adds A[row, col] += value.
   *
   * @param row from 0 to rows − 1
   * @param col from 0 to cols − 1
   * @param value any number. In a pattern: 1 or omitted
   * @throws SparlaneError `argument` or `structure`, with the number of the entry (from 0). The entry is not added
   */
  add(row: number, col: number, value?: number): void {
    if (!isIndex(row) || row >= this.rows) throw this.#refusedIndex('row', row, this.rows);
    if (!isIndex(col) || col >= this.cols) throw this.#refusedIndex('column', col, this.cols);
    if (this.#field === 'pattern' ? value !== undefined && value !== 1 : typeof value !== 'number') {
      throw mismatch('argument', `value of entry ${this.count}`, this.#field === 'pattern' ? ONES : 'a number', value);
    }
    this.#push(row, col, value);
  }

  /**
   * Adds A[rowIdx[k], colIdx[k]] += values[k] for every k. If one entry is invalid, none is added.
   *
   * @param rowIdx from 0 to rows − 1
   * @param colIdx of the same length, from 0 to cols − 1
   * @param values of the same length. In a pattern: ones or omitted
   * @throws SparlaneError `shape` if lengths differ; `argument` or `structure` for an invalid entry, which the error
   *   names
   */
  addAll(rowIdx: IndexArray, colIdx: IndexArray, values?: NumberArray): void {
    const field = this.#field;
    if (values === undefined && field !== 'pattern')
      throw mismatch('argument', 'values', 'an array of numbers', values);
    const entries = checkEntries(this, rowIdx, colIdx, values);
    if (field === 'pattern' && entries.values !== undefined) checkOnes(entries.values);
    for (let k = 0; k < entries.used; k++) this.#push(entries.rowIdx[k]!, entries.colIdx[k]!, entries.values?.[k]);
  }

  /**
   * Builds the matrix and leaves the builder empty.
   *
   * @throws SparlaneError `structure` for more than 2³² − 1 entries
   */
  build(): CsrMatrix {
    const { rows, cols } = this;
    this.#tail = undefined;
    return csrFromEntries({ rows, cols, field: this.#field, symmetry: this.#symmetry }, this.#chunks);
  }

  #push(row: number, col: number, value: number | undefined): void {
    let tail = this.#tail;
    if (tail === undefined || tail.used === tail.rowIdx.length) tail = this.#grow();
    const k = tail.used++;
    tail.rowIdx[k] = row;
    tail.colIdx[k] = col;
    if (tail.values !== undefined) tail.values[k] = value!;
  }

  #grow(): EntryChunk {
    const capacity = Math.min(Math.max(this.count, MIN_CHUNK_ENTRIES), MAX_CHUNK_ENTRIES);
    const tail = entryChunk(this.#field, capacity, true);
    this.#chunks.push(tail);
    this.#tail = tail;
    return tail;
  }

  #refusedIndex(side: Side, index: number, limit: number): SparlaneError {
    const { count } = this;
    const name = `${side} of entry ${count}`;
    return isIndex(index) ? outOfRange(name, side, index, limit, count) : notAnIndex(name, index, count);
  }
}

/** The type is checked first, because bitwise operators convert other types or throw: texts, BigInts, objects. */
function isIndex(value: number): boolean {
  return typeof value === 'number' && value >>> 0 === value;
}
