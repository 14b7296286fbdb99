/**
 * Panels: entries sorted by panels of columns, so narrow that their part of x stays in a cache.
 *
 * Source: Nishtala, Vuduc, Demmel, Yelick, "When cache blocking of sparse matrix vector multiply works and why", 2007, §2; pieces:
 *   Jindal, "Sparse Matrix-Vector Multiplication on GPU", §3. Kernels: `assembly/panels/panels.ts`.
 * Differs: the paper's blocks are CSR with all rows, and are chosen by their number of nonzero lines. Here a block, a tile, lists only
 *   rows with entries in it, and cuts them into pieces as `components` does: most rows have one or two entries in a tile, and
 *   a loop over them would mispredict its end. Multiples of 32 entries are a run, summed by CSR's loop. Pieces of one entry are in
 *   order of columns (by 32): x is then read as a stream, and y, the slice's part, from the L2. Rows and columns have 16 bits. One thread
 *   computes a slice of rows, panel by panel: no sum is shared.
 * For: matrices that gather from an x far larger than a cache, where CSR waits for every element.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60] with two rows per slice and two columns per panel:
 *
 *     tile            0        1        2        3
 *     component       1        1        2        1
 *     rowIdx          0        0        1        0  1     u16, pieces: rows from the slice's first one
 *     colIdx          0        0        0  1     0  0     u16, nnz: columns from the panel's first one
 *     values         10       20       40 50    30 60     nnz
 *     entryPtr        0        1        2        4      6 u32, tiles + 1
 *     piecePtr    0 0 0 0 0 0 1 1 1 1 1 1 2 …            u32, 6 tiles + 1: by tile, then runs and widths 16, 8, 4, 2, 1
 *
 *   A run has two words of rowIdx: its row, and its entries divided by 32.
 * Cost: nnz (2 + V) + 2 (pieces + 2 runs) + 28 tiles + 8 + X (rows + cols) bytes, for V bytes per value (8 or 4; a code 1, a pattern
 *   0) and X per element of x and y.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { formatSpec, resolveParameters } from '../../core/parameters.js';
import { rowSpan } from '../../core/span.js';
import { type Dtype, type FloatArray, valueArray } from '../../core/types.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { type Format, type Layout, productAndBlocks, type Stages, stageOver } from '../format.js';
import { COMPONENTS, WIDEST } from '../layout/pieces.js';
import { placePointers, summed } from '../layout/pointers.js';
import {
  asParameter,
  type EncodedValues,
  encodeValues,
  placeTable,
  type StoredValues,
  type ValueKind,
  valueAt,
  valueRoom,
  warningsOf,
} from '../layout/values.js';
import { type ConversionWorkspace, workspaceFor } from '../layout/workspace.js';
import { Stored } from '../stored.js';
import { BUCKET, countTiles, placeTiles } from './loops.js';
import { parameters, prospects, sliceRowsOf } from './prospects.js';

/** Cost of a row in addition to its entries, in entries. */
const ROW_WORK = 1;

export interface PanelsOptions {
  readonly spec: string;
  readonly sliceRows: number;
  readonly panelCols: number;
  readonly values: EncodedValues;
  readonly workspace: ConversionWorkspace;
}

export const PANELS_HEADER = {
  rows: 'u32',
  cols: 'u32',
  nnz: 'u32',
  sliceRows: 'u32',
  panelCols: 'u32',
  /** Panels: tiles of a slice. */
  panels: 'u32',
  /** The first entry of every tile. */
  entryPtr: 'usize',
  /** The first word of rowIdx of every component of every tile. */
  piecePtr: 'usize',
  /** u16: the row of every piece, from the first one of its slice; for runs also their number of 32 entries. */
  rowIdx: 'usize',
  /** u16, from the first column of the panel. */
  colIdx: 'usize',
  /** 0 if all values are 1 and none is stored. */
  values: 'usize',
  /** If values are codes: the value of each code, in the type of the sums; else 0. */
  table: 'usize',
} as const;

export class StoredPanels extends Stored implements Layout {
  readonly sliceRows: number;
  readonly panelCols: number;
  /** Tiles of a slice. */
  readonly panels: number;
  readonly header: number;
  /** The first entry of every tile. */
  readonly entryPtr: Uint32Array;
  /** The first word of rowIdx of every component of every tile. */
  readonly piecePtr: Uint32Array;
  /** The row of every piece, from the first one of its slice; for runs also their length divided by 32. */
  readonly rowIdx: Uint16Array;
  /** Columns from the first one of the panel. */
  readonly colIdx: Uint16Array;
  /** Values, or codes of values; empty for a pattern. */
  readonly values: StoredValues;
  /** The value of each code; empty without codes. */
  readonly table: FloatArray;
  readonly #values: ValueKind;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, options: PanelsOptions) {
    const { spec, sliceRows, panelCols, values, workspace } = options;
    const { rows, cols, nnz, rowPtr, colIdx: columns } = csr;
    super(scope, { spec, dtype, rows, cols, nnz, warnings: warningsOf(values) });
    this.#values = values.kind;
    this.sliceRows = sliceRows;
    this.panelCols = panelCols;
    this.panels = Math.ceil(cols / panelCols);
    const { panels, units } = this;
    const { runLoop } = workspace;
    const tiles = { rows, sliceRows, panelCols, panels, rowPtr, columns };
    const slices = rowSpan(csr, sliceRows);
    const lengths = workspace.array(Uint32Array, panels * units);
    const words = workspace.array(Uint32Array, COMPONENTS * panels * units);
    runLoop(countTiles, { ...tiles, lengths, words }, slices);
    const wordCounts = summed(words, workspace);
    this.entryPtr = placePointers(scope.array(Uint32Array, lengths.length + 1), summed(lengths, workspace), runLoop);
    this.piecePtr = placePointers(scope.array(Uint32Array, words.length + 1), wordCounts, runLoop);
    this.rowIdx = scope.array(Uint16Array, wordCounts.total);
    this.colIdx = scope.array(Uint16Array, nnz);
    this.values = valueRoom(scope, values, dtype, nnz);
    this.table = placeTable(scope, values);
    const { entryPtr, piecePtr, rowIdx, colIdx, table } = this;
    const arrays = { entryPtr, piecePtr, rowIdx, colIdx, values: this.values };
    const nextEntry = workspace.array(Uint32Array, words.length);
    const job = { ...tiles, entries: values.entries, ...arrays, nextWord: words, nextEntry };
    runLoop(placeTiles, { ...job, ...this.#roomToOrder(workspace) }, slices);
    const sizes = { rows, cols, nnz, sliceRows, panelCols, panels };
    this.header = placeHeader(scope, PANELS_HEADER, { ...sizes, ...arrays, table });
  }

  /** For each slice, room for the pieces of one entry of a tile, and for the numbers of them in buckets of columns. */
  #roomToOrder({ array }: ConversionWorkspace) {
    const bucketCount = Math.ceil(this.panelCols / BUCKET);
    const held = this.sliceRows * this.units;
    return {
      bucketCount,
      buckets: array(Uint32Array, bucketCount * this.units),
      heldRows: array(Uint16Array, held),
      heldCols: array(Uint16Array, held),
      heldValues: array<StoredValues>(this.values instanceof Uint8Array ? Uint8Array : valueArray(this.dtype), held),
    };
  }

  get stages(): Stages {
    return productAndBlocks(stageOver(this, { base: 'panels', values: this.#values, verb: 'spmv' }));
  }

  /** Slices. */
  get units(): number {
    return Math.ceil(this.rows / this.sliceRows);
  }

  workBefore(unit: number): number {
    return this.entryPtr[unit * this.panels]! + ROW_WORK * Math.min(unit * this.sliceRows, this.rows);
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { piecePtr, rowIdx, colIdx, values, table, sliceRows, panelCols, panels } = this;
    let k = 0;
    for (let component = 0; component + 1 < piecePtr.length; component++) {
      const tile = Math.floor(component / COMPONENTS);
      const firstRow = sliceRows * Math.floor(tile / panels);
      const firstCol = panelCols * (tile % panels);
      const shift = COMPONENTS - 1 - (component % COMPONENTS);
      const isRun = 2 ** shift === WIDEST;
      for (let at = piecePtr[component]!; at < piecePtr[component + 1]!; at += isRun ? 2 : 1) {
        const width = isRun ? WIDEST * rowIdx[at + 1]! : 2 ** shift;
        for (const end = k + width; k < end; k++)
          visit(firstRow + rowIdx[at]!, firstCol + colIdx[k]!, valueAt(values, table, k));
      }
    }
  }

  get arrays(): readonly (ArrayBufferView | undefined)[] {
    const { entryPtr, piecePtr, rowIdx, colIdx, values, table } = this;
    return [entryPtr, piecePtr, rowIdx, colIdx, values, table];
  }
}

export const panels: Format = {
  name: 'panels',
  parameters,
  prospects,
  summary: 'tiles of panels of columns, whose part of x stays in a cache',
  source: 'Nishtala, Vuduc, Demmel, Yelick 2007',
  suits: 'scattered columns, x larger than a cache',
  variants: ['panels', 'panels?sliceRows=50&panelCols=40', 'panels?values=table'],
  fromCsr(heap, matrix, dtype, given, { runLoop } = {}) {
    const resolved = resolveParameters('panels', parameters, given);
    const { panelCols } = resolved;
    using workspace = workspaceFor(heap, matrix, runLoop);
    const values = encodeValues(matrix, dtype, resolved.values, workspace);
    const spec = formatSpec('panels', parameters, { ...resolved, values: asParameter(values) });
    const sliceRows = resolved.sliceRows || sliceRowsOf(matrix);
    const options = { spec, sliceRows, panelCols, values, workspace };
    return heap.build((scope) => new StoredPanels(scope, matrix, dtype, options));
  },
};
