/**
 * Chunks of C rows side by side in the shared heap: the storage of `sell`, `ell` and the first part of `hyb`. Inside a
 * chunk entries lie column after column, C per column. A row that is shorter than its chunk is padded with zeros in its own
 * last column: padding reads only elements of x that the row reads anyway. A row without entries has no such column; its
 * padding reads element 0 of x, or, with a base, the one at the base of its chunk.
 *
 * Kernels: `assembly/sell/sell.ts`. `chunks.ts` determines the rows and the width of each chunk; the formats draw the layouts.
 */
import type { CsrMatrix } from '../../core/csr.js';
import type { Dtype, FloatArray } from '../../core/types.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { type KernelId, type Layout, productAndBlocks, type Stages, stageOver } from '../format.js';
import { copied } from '../layout/copy-loop.js';
import type { RunLoop } from '../layout/loop.js';
import { placePointers } from '../layout/pointers.js';
import { type PaddedValues, placeTable, type StoredValues, valueAt, valueRoom } from '../layout/values.js';
import { Stored } from '../stored.js';
import type { RowChunks } from './chunks.js';
import { placeChunks } from './loops.js';

/** Cost of a row in addition to its entries, in entries: its place in y, and its share of its chunk's end. */
const ROW_WORK = 1;

export interface ChunkOptions {
  readonly spec: string;
  readonly chunks: RowChunks;
  readonly values: PaddedValues;
  /** For 16-bit columns: what `basesOf` returns. */
  readonly bases: Uint32Array | undefined;
  readonly warnings: readonly string[];
  readonly runLoop: RunLoop;
}

export const SELL_HEADER = {
  rows: 'u32',
  cols: 'u32',
  nnz: 'u32',
  /** C: 4 or 8. */
  chunkHeight: 'u32',
  /** Start of each chunk, in entries. */
  chunkPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  /** If values are codes: the value of each code, in the type of the sums; else 0. */
  table: 'usize',
  /** The row of each lane; 0 if rows are in order. */
  rowOf: 'usize',
  /** With 16-bit columns: the base column of each chunk; else 0. */
  chunkBase: 'usize',
} as const;

/** Stores the first `chunks.rowLength` entries of each row. */
export class StoredChunks extends Stored implements Layout {
  readonly header: number;
  readonly chunkHeight: number;
  /** Length chunks + 1: the start of each chunk, in entries. */
  readonly chunkPtr: Uint32Array;
  /** Columns; if 16 bits, offsets from `chunkBase`. */
  readonly colIdx: Uint32Array | Uint16Array;
  /** Values, or codes of values. */
  readonly values: StoredValues;
  /** The value of each code; empty without codes. */
  readonly table: FloatArray;
  /** Length rows: the row of each lane, chunk after chunk; undefined if rows are in order. */
  readonly rowOf: Uint32Array | undefined;
  /** Only with 16-bit columns: the base column of each chunk. */
  readonly chunkBase: Uint32Array | undefined;
  /** Length rows: entries of each row, without padding. No kernel reads it. */
  readonly rowLength: Uint32Array | Uint16Array | Uint8Array;
  readonly #kernel: KernelId;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, options: ChunkOptions) {
    const { spec, chunks, values, bases, warnings, runLoop } = options;
    const { storedEntries, chunkHeight } = chunks;
    super(scope, { spec, dtype, rows: csr.rows, cols: csr.cols, nnz: chunks.inside, warnings });
    this.#kernel = { base: 'sell', columns: bases === undefined ? 32 : 16, values: values.kind, verb: 'spmv' };
    this.chunkHeight = chunkHeight;
    this.colIdx = scope.array<Uint32Array | Uint16Array>(
      bases === undefined ? Uint32Array : Uint16Array,
      storedEntries,
    );
    this.values = valueRoom(scope, values, dtype, storedEntries);
    this.table = placeTable(scope, values);
    const { widths } = chunks;
    const chunkPtr = scope.array(Uint32Array, widths.counts.length + 1);
    this.chunkPtr = placePointers(chunkPtr, widths, runLoop, chunkHeight);
    this.rowOf = chunks.rowOf && copied(scope, chunks.rowOf, Uint32Array, runLoop);
    this.chunkBase = bases && copied(scope, bases, Uint32Array, runLoop);
    this.rowLength = copied<IndexArray>(scope, chunks.rowLength, smallestFor(chunks.longest), runLoop);
    this.#lay(csr, values, runLoop);
    this.header = placeHeader(scope, SELL_HEADER, this);
  }

  override get storedEntries(): number {
    return this.colIdx.length;
  }

  get stages(): Stages {
    const scattering = stageOver(this, { ...this.#kernel, verb: 'spmv_t' }, { scatters: true });
    return { ...productAndBlocks(stageOver(this, this.#kernel)), spmv_t: [scattering] };
  }

  /** Chunks. */
  get units(): number {
    return this.chunkPtr.length - 1;
  }

  workBefore(unit: number): number {
    return this.chunkPtr[unit]! + ROW_WORK * this.chunkHeight * unit;
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { rows, chunkHeight, chunkPtr, colIdx, values, table, rowOf, chunkBase, rowLength } = this;
    for (let place = 0; place < rows; place++) {
      const chunk = Math.floor(place / chunkHeight);
      const row = rowOf?.[place] ?? place;
      const base = chunkBase?.[chunk] ?? 0;
      let at = chunkPtr[chunk]! + (place % chunkHeight);
      for (let k = 0; k < rowLength[row]!; k++, at += chunkHeight)
        visit(row, base + colIdx[at]!, valueAt(values, table, at));
    }
  }

  get arrays(): readonly (ArrayBufferView | undefined)[] {
    return [this.chunkPtr, this.colIdx, this.values, this.table, this.rowOf, this.chunkBase];
  }

  #lay(csr: CsrMatrix, { entries, zero }: PaddedValues, runLoop: RunLoop): void {
    const { rows, chunkHeight, chunkPtr, colIdx, values, rowOf = NONE, chunkBase = NONE, rowLength } = this;
    const source = { rowPtr: csr.rowPtr, columns: csr.colIdx, entries };
    const lengths = { lengthBytes: rowLength.BYTES_PER_ELEMENT, rowLength };
    const layout = { rows, chunkHeight, zero, ...lengths, rowOf, chunkBase, chunkPtr, colIdx, values };
    runLoop(placeChunks, { ...source, ...layout }, this);
  }
}

const NONE = new Uint32Array(0);

type IndexArray = Uint32Array | Uint16Array | Uint8Array;
type IndexArrayConstructor = Uint32ArrayConstructor | Uint16ArrayConstructor | Uint8ArrayConstructor;

/** The narrowest type that holds a number and all smaller ones. */
function smallestFor(greatest: number): IndexArrayConstructor {
  return greatest < 2 ** 8 ? Uint8Array : greatest < 2 ** 16 ? Uint16Array : Uint32Array;
}
