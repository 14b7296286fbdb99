/**
 * DIA: the occupied diagonals, each stored for all rows; no column indices at all.
 *
 * Source: Bell & Garland 2008, §3.1. Kernels: `assembly/dia.ts`.
 * Differs: the paper stores one diagonal after the other, which on a CPU reads as many places at once as there are diagonals;
 *   here come eight rows of every diagonal, then the next eight: one place.
 * For: stencils on grids, and other matrices with few diagonals that are nearly full. Refused (`fill-in`) beyond `maxFill`
 *   stored values per entry.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60]; rows 4 … 7 of the only chunk are padding, as is every dot:
 *
 *     offsets  values, rows 0 … 7
 *       −3      .  .  . 40  .  .  .  .      i32, column − row, ascending
 *       −2      .  .  . 50  .  .  .  .
 *       −1      .  .  . 60  .  .  .  .
 *        0     10  . 30  .  .  .  .  .
 *        2     20  .  .  .  .  .  .  .
 *
 * Padding holds zeros, which are multiplied.
 * Cost: 8 ⌈rows / 8⌉ D V + 4 D + X (rows + cols) bytes for D diagonals, V bytes per value, X per element of x and y.
 */
import type { CsrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import { formatSpec, resolveParameters } from '../core/parameters.js';
import { type Dtype, type FloatArray, valueArray, vectorArray } from '../core/types.js';
import type { HeapScope } from '../memory/heap.js';
import type { Cost, Format, Stage, StoredMatrix } from './format.js';

/** Rows of a chunk: four f64 vectors, so that four sums are under way. */
const CHUNK = 8;

/** Up to so many stored values a matrix is too small for its padding to matter. */
const SMALL = 2 ** 16;

/** Diagonal by diagonal: which there are, and their places in `offsets` by row-count − 1 + column − row. */
interface Diagonals {
  readonly offsets: Int32Array;
  readonly places: Int32Array;
}

export class StoredDia implements StoredMatrix, Stage {
  readonly spec: string;
  readonly kernel = 'dia';
  readonly dtype: Dtype;
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly header: number;
  readonly multipliesPadding: boolean;
  /** Ascending. */
  readonly offsets: Int32Array;
  readonly values: FloatArray;
  /** Places in `values` of zeros that are entries, ascending: all other zeros are padding. */
  readonly #zeros: Uint32Array;
  readonly #scope: HeapScope;

  /** The scope is the matrix's from here on. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, spec: string, { offsets, places }: Diagonals) {
    const { rows, cols, nnz } = csr;
    this.#scope = scope;
    this.spec = spec;
    this.dtype = dtype;
    this.rows = rows;
    this.cols = cols;
    this.nnz = nnz;
    this.offsets = scope.array(Int32Array, offsets.length);
    this.offsets.set(offsets);
    this.values = scope.array<FloatArray>(valueArray(dtype), storedEntries(rows, offsets.length)).fill(0);
    this.#zeros = place(csr, this.values, offsets.length, places);
    this.multipliesPadding = this.values.length > nnz;
    this.header = scope.header([rows, cols, offsets.length, this.offsets.byteOffset, this.values.byteOffset]); // DiaHeader
  }

  get stages(): readonly Stage[] {
    return [this];
  }

  get storedEntries(): number {
    return this.values.length;
  }

  get bytes(): number {
    return this.#scope.bytes;
  }

  /** Chunks of eight rows. */
  get units(): number {
    return Math.ceil(this.rows / CHUNK);
  }

  workBefore(unit: number): number {
    return unit * CHUNK * (this.offsets.length + 1);
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { rows, offsets, values } = this;
    for (let i = 0; i < rows; i++) {
      for (let d = 0; d < offsets.length; d++) {
        const k = placeOf(i, d, offsets.length);
        if (values[k] !== 0 || isIn(this.#zeros, k)) visit(i, i + offsets[d]!, values[k]!);
      }
    }
  }

  cost(): Cost {
    const vectors = vectorArray(this.dtype).BYTES_PER_ELEMENT * (this.rows + this.cols);
    return { bytes: this.values.byteLength + this.offsets.byteLength + vectors, flops: 2 * this.nnz };
  }

  [Symbol.dispose](): void {
    this.#scope[Symbol.dispose]();
  }
}

function storedEntries(rows: number, diagonals: number): number {
  return Math.ceil(rows / CHUNK) * CHUNK * diagonals;
}

/** Where the value of row i in the d-th diagonal lies. */
function placeOf(i: number, d: number, diagonals: number): number {
  return ((i >>> 3) * diagonals + d) * CHUNK + (i & 7);
}

/** Puts the entries in their places; returns those of zeros, rounding to zero included. */
function place(csr: CsrMatrix, values: FloatArray, diagonals: number, places: Int32Array): Uint32Array {
  const { rows, rowPtr, colIdx } = csr;
  const zeros: number[] = [];
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const at = placeOf(i, places[rows - 1 + colIdx[k]! - i]!, diagonals);
      values[at] = csr.values[k]!;
      if (values[at] === 0) zeros.push(at);
    }
  }
  return Uint32Array.from(zeros).sort();
}

function isIn(sorted: Uint32Array, wanted: number): boolean {
  let low = 0;
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted;
}

function findDiagonals({ rows, cols, rowPtr, colIdx }: CsrMatrix): Diagonals {
  const places = new Int32Array(Math.max(rows + cols - 1, 0)).fill(-1);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) places[rows - 1 + colIdx[k]! - i] = 0;
  }
  let count = 0;
  for (let d = 0; d < places.length; d++) if (places[d] === 0) places[d] = count++;
  const offsets = new Int32Array(count);
  for (let d = 0; d < places.length; d++) if (places[d]! >= 0) offsets[places[d]!] = d - rows + 1;
  return { offsets, places };
}

const parameters = {
  maxFill: { kind: 'number', default: 3, min: 1, max: 1e6, doc: 'most stored values per entry' },
} as const;

export const dia: Format = {
  name: 'dia',
  summary: 'occupied diagonals, no column indices',
  source: 'Bell & Garland 2008, §3.1',
  suits: 'stencils on grids',
  parameters,
  variants: ['dia'],
  fromCsr(heap, matrix, dtype, given) {
    const resolved = resolveParameters('dia', parameters, given);
    const diagonals = findDiagonals(matrix);
    const stored = storedEntries(matrix.rows, diagonals.offsets.length);
    if (stored > SMALL && stored > resolved.maxFill * matrix.nnz)
      throw tooMuchFill(matrix, diagonals, stored, resolved.maxFill);
    const spec = formatSpec('dia', parameters, resolved);
    return heap.build((scope) => new StoredDia(scope, matrix, dtype, spec, diagonals));
  },
};

function tooMuchFill({ nnz }: CsrMatrix, { offsets }: Diagonals, stored: number, maxFill: number): SparlaneError {
  const factor = stored / nnz;
  const text = `dia: expected at most maxFill = ${maxFill} stored values per entry, got ${factor.toPrecision(3)} on ${offsets.length} diagonals`;
  return new SparlaneError('fill-in', text, { factor, maxFill, diagonals: offsets.length });
}
