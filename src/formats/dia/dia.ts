/**
 * DIA, diagonals: the values of every diagonal with an entry, and its offset from the main diagonal; no column indices.
 *
 * Source: Bell & Garland 2008, §3.1. Kernels: `assembly/dia/dia.ts`.
 * Differs: the paper stores one long array per diagonal. Here the diagonals of a chunk of rows lie one after the other:
 *   a product reads one stream instead of one per diagonal, which are too many for a prefetcher. Places of a diagonal
 *   outside the matrix are stored only in the chunks in which the diagonal enters or leaves the matrix.
 * For: stencils on regular grids, narrow bands.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60], in chunks of 4 rows (the real chunks have 8, in f32 16: 64 bytes of y):
 *
 *     offsets    −3 −2 −1 0 2          i32, ascending: column − row
 *     chunkPtr    0 5                  u32, chunks + 1, in diagonals of a chunk
 *     data        0  0  0 40           values, for each chunk by diagonals; padding is +0
 *                 0  0  0 50
 *                 0  0  0 60
 *                10  0 30  0
 *                20  0  0  0
 *
 * A nonzero is never padding. `zeros` lists the zeros that are entries: their places in `data`, row by row.
 *   `values=table`: chunks of the same entries are stored once, and share a pointer: a grid with constant coefficients has some ten
 *   different ones, which stay in the nearest cache. y has the same bits.
 * Cost: V · stored + 4 (diagonals + chunks + 1) + X (rows + cols) bytes, for V bytes per value and X per element of x and
 *   y; f64 at fill-in 1.5 moves as much as CSR. 5-point 2000² with and without shared chunks, in times of csr: f64 2.9 and 1.2, f32
 *   4.4 and 1.8. (AMD EPYC Zen 4, one thread, 22 November 2026.)
 */
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import { formatSpec, resolveParameters } from '../../core/parameters.js';
import { type Dtype, type FloatArray, valueArray, vectorArray } from '../../core/types.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { type Format, type Layout, productAndBlocks, type Stages, stageOver } from '../format.js';
import { checkFill } from '../layout/fill.js';
import { type RunLoop, serially } from '../layout/loop.js';
import { placePointers } from '../layout/pointers.js';
import { workspaceFor } from '../layout/workspace.js';
import { Stored } from '../stored.js';
import { type Diagonals, diagonalsOf, firstDiagonal, offsetsBelow } from './diagonals.js';
import { placeDiagonals } from './loops.js';
import { CHUNK_BYTES, MAX_DIAGONALS, parameters, prospects } from './prospects.js';
import { type Repeats, repeatsOf } from './repeats.js';

/** Cost of a row in addition to its entries, in entries: its elements of x and y. */
const ROW_WORK = 1;

/** If less than this share of the diagonals is stored, the caller's thread places them, and reads no other entries. Chosen. */
const FEW = 1 / 64;

export const DIA_HEADER = {
  rows: 'u32',
  cols: 'u32',
  diagonals: 'u32',
  /** For GPUs: chunks [insideBegin, insideEnd) are complete, and in their rows every diagonal lies inside the matrix. */
  insideBegin: 'u32',
  insideEnd: 'u32',
  /** i32, ascending. */
  offsets: 'usize',
  /** u32, in diagonals of a chunk. */
  chunkPtr: 'usize',
  data: 'usize',
} as const;

interface DiaOptions {
  readonly spec: string;
  readonly diagonals: Diagonals;
  /** If chunks are shared. */
  readonly repeats: Repeats | undefined;
  readonly warnings: readonly string[];
  readonly runLoop: RunLoop;
}

export class StoredDia extends Stored implements Layout {
  readonly header: number;
  readonly chunkHeight: number;
  readonly offsets: Int32Array;
  /** Length chunks + 1, in diagonals of a chunk: where each chunk begins, which ascends unless chunks are shared; the end of the data. */
  readonly chunkPtr: Uint32Array;
  readonly data: FloatArray;
  /** Places in `data` of the entries that are zero, row by row. */
  readonly zeros: Uint32Array;
  readonly #storedEntries: number;
  readonly #isShared: boolean;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, options: DiaOptions) {
    const { spec, diagonals, repeats, warnings, runLoop } = options;
    const { rows, cols, nnz } = csr;
    super(scope, { spec, dtype, rows, cols, nnz, warnings });
    const { chunkHeight, offsets, counts } = diagonals;
    const stored = repeats?.stored ?? counts;
    this.#isShared = repeats !== undefined;
    this.chunkHeight = chunkHeight;
    this.offsets = scope.copy(Int32Array, offsets);
    this.#storedEntries = chunkHeight * counts.total;
    this.chunkPtr = placePointers(scope.array(Uint32Array, counts.counts.length + 1), stored, runLoop);
    this.data = scope.array<FloatArray>(valueArray(dtype), chunkHeight * stored.total);
    const isFew = stored.total < FEW * counts.total;
    this.zeros = scope.array(Uint32Array, this.#place(csr, stored.counts, isFew ? serially : runLoop));
    if (this.zeros.length > 0) this.#findZeros(csr, stored.counts);
    repeats?.owner.forEach((owner, chunk) => {
      this.chunkPtr[chunk] = this.chunkPtr[owner]!;
    });
    const [insideBegin, insideEnd] = this.#insideChunks();
    const { chunkPtr, data } = this;
    const words = {
      rows,
      cols,
      diagonals: offsets.length,
      insideBegin,
      insideEnd,
      offsets: this.offsets,
      chunkPtr,
      data,
    };
    this.header = placeHeader(scope, DIA_HEADER, words);
  }

  /** Counts shared chunks as often as they are read. */
  override get storedEntries(): number {
    return this.#storedEntries;
  }

  get stages(): Stages {
    return productAndBlocks(stageOver(this, { base: 'dia', verb: 'spmv' }));
  }

  /** Chunks. */
  get units(): number {
    return this.chunkPtr.length - 1;
  }

  workBefore(unit: number): number {
    if (this.#isShared) return this.chunkHeight * (this.offsets.length + ROW_WORK) * unit;
    return this.chunkHeight * (this.chunkPtr[unit]! + ROW_WORK * unit);
  }

  /** The place in `data` of row i on a diagonal; on the previous diagonal it is `chunkHeight` less. */
  #placeOf(i: number, diagonal: number): number {
    const { chunkHeight, offsets, chunkPtr } = this;
    const row = i % chunkHeight;
    const chunk = (i - row) / chunkHeight;
    const first = firstDiagonal(offsets, chunkHeight, i - row);
    return chunkHeight * (chunkPtr[chunk]! + diagonal - first) + row;
  }

  /** Writes the data of chunks that have a count, and returns the number of their entries that are zero as stored. */
  #place({ rows, rowPtr, colIdx, values }: CsrMatrix, counts: Uint32Array, runLoop: RunLoop): number {
    const { chunkHeight, offsets, chunkPtr, data } = this;
    using scope = this.scope.heap.scope();
    const zeroCount = scope.array(Uint32Array, 1).fill(0);
    const diagonals = offsets.length;
    const job = { rows, chunkHeight, diagonals, rowPtr, colIdx, values, offsets, counts, chunkPtr, data, zeroCount };
    runLoop(placeDiagonals, job, this);
    return zeroCount[0]!;
  }

  #findZeros({ rows, rowPtr, colIdx }: CsrMatrix, counts: Uint32Array): void {
    const { chunkHeight, offsets, data, zeros } = this;
    for (let i = 0, zero = 0; i < rows; i++) {
      if (counts[Math.floor(i / chunkHeight)] === 0) continue;
      const toFirst = this.#placeOf(i, 0);
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
        const place = toFirst + chunkHeight * offsetsBelow(offsets, colIdx[k]! - i);
        if (data[place] === 0) zeros[zero++] = place;
      }
    }
  }

  /** The range of chunks that are complete and in whose rows every diagonal lies inside the matrix. */
  #insideChunks(): [begin: number, end: number] {
    const { rows, cols, offsets, chunkHeight } = this;
    const begin = Math.ceil(Math.max(-(offsets[0] ?? 0), 0) / chunkHeight);
    const end = Math.floor(Math.min(cols - (offsets.at(-1) ?? cols - rows), rows) / chunkHeight);
    return [begin, Math.max(begin, end)];
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { rows, cols, chunkHeight, offsets, data } = this;
    const zeros = new Set(this.zeros);
    for (let i = 0; i < rows; i++) {
      const toFirst = this.#placeOf(i, 0);
      const end = offsetsBelow(offsets, cols - i);
      for (let diagonal = offsetsBelow(offsets, -i); diagonal < end; diagonal++) {
        const place = toFirst + chunkHeight * diagonal;
        const value = data[place]!;
        if (value === 0 && !zeros.has(place)) continue;
        visit(i, i + offsets[diagonal]!, value);
      }
    }
  }

  get arrays(): readonly (ArrayBufferView | undefined)[] {
    return [this.offsets, this.chunkPtr, this.data];
  }
}

export const dia: Format = {
  name: 'dia',
  mayPad: true,
  parameters,
  prospects,
  summary: 'diagonals, in chunks of rows; no column indices',
  source: 'Bell & Garland 2008, §3.1',
  suits: 'stencils on regular grids, narrow bands',
  variants: ['dia', 'dia?values=table'],
  fromCsr(heap, matrix, dtype, given, { runLoop = serially } = {}) {
    const resolved = resolveParameters('dia', parameters, given);
    const { rows, cols, nnz } = matrix;
    if (rows + cols > MAX_DIAGONALS) {
      throw mismatch('shape', 'dia rows + cols', `at most ${MAX_DIAGONALS}`, rows + cols, { rows, cols });
    }
    using workspace = workspaceFor(heap, matrix, runLoop);
    const diagonals = diagonalsOf(heap, matrix, CHUNK_BYTES / vectorArray(dtype).BYTES_PER_ELEMENT, workspace);
    const { counts, total } = diagonals.counts;
    checkFill('dia', diagonals.chunkHeight * total, nnz, resolved.maxFill);
    const found = resolved.values === 'table' ? repeatsOf(matrix, diagonals, workspace) : undefined;
    const repeats = found !== undefined && found.stored.total < total ? found : undefined;
    const warnings =
      found === repeats
        ? []
        : [`values=table: expected chunks with the same entries, got ${counts.length} different ones; stored in full`];
    const spec = formatSpec('dia', parameters, { ...resolved, values: repeats === undefined ? 'full' : 'table' });
    return heap.build((scope) => new StoredDia(scope, matrix, dtype, { spec, diagonals, repeats, warnings, runLoop }));
  },
};
