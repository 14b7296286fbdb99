/**
 * Components: rows cut into pieces of 32, 16, 8, 4, 2 and 1 entries, pieces of one width side by side.
 *
 * Source: Jindal, "Sparse Matrix-Vector Multiplication on GPU", §3. Kernels: `assembly/components/components.ts`.
 * Differs: the paper reorders for warps. The threads of a warp add 32 entries by a segmented scan in shared memory;
 *   after reordering they find row ends at the same places and do not diverge. Rows shared by warps are added atomically.
 *   Here one thread computes a piece, a sum of fixed length, without a loop or a branch: this saves mispredictions.
 *   The paper lists the pieces of the whole matrix, widest first; here each slice of `sliceRows` rows has its own list:
 *   its part of y stays in L1 while its rows are summed piece by piece. One thread computes a slice: no atomic add, and a
 *   fixed order of sums. The paper stops at width 8 and scans the remaining entries; here the widths go down to 1.
 * For: rows of varying length that are mostly short: CSR mispredicts the end of every such row.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60] with two rows per slice:
 *
 *     slice           0        1
 *     component       2        2      1
 *     rowIdx          0        1      0  1     u16, pieces: rows from the slice's first one
 *     colIdx          0  2     0  1   2  2     u32, nnz
 *     values         10 20    40 50  30 60     nnz
 *     entryPtr        0        2           6   u32, slices + 1
 *     piecePtr    0 0 0 0 0 1 1 1 1 1 1 2 4    u32, 6 slices + 1: by slice, then by width 32, 16, 8, 4, 2, 1
 *
 * Cost: nnz (4 + V) + 2 pieces + 28 slices + 8 + X (rows + cols) bytes, for V bytes per value (8 or 4; a code 1, a
 *   pattern 0) and X per element of x and y. A row of n entries has ⌊n / 32⌋ pieces, and one for each bit of n mod 32.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { formatSpec, type ParametersOf, resolveParameters } from '../../core/parameters.js';
import { evenly } from '../../core/span.js';
import type { Dtype, FloatArray } from '../../core/types.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import {
  type Format,
  type Layout,
  layoutName,
  productAndBlocks,
  type Stages,
  stageOver,
  vectorBytes,
} from '../format.js';
import { heaviestGroup } from '../layout/heaviest.js';
import type { RunLoop } from '../layout/loop.js';
import { piecesOf } from '../layout/pieces.js';
import { type Counts, placePointers, summed } from '../layout/pointers.js';
import {
  asParameter,
  type EncodedValues,
  encodeValues,
  placeTable,
  type StoredValues,
  type ValueKind,
  valueAt,
  valueProspects,
  valueRoom,
  valuesParameter,
  warningsOf,
} from '../layout/values.js';
import { type ConversionWorkspace, workspaceFor } from '../layout/workspace.js';
import { Stored } from '../stored.js';
import { countPieces, placePieces, WIDTHS } from './loops.js';

/** Cost of a row in addition to its entries, in entries, as in CSR: its element of y. */
const ROW_WORK = 1;

export interface ComponentsOptions {
  readonly spec: string;
  readonly sliceRows: number;
  readonly values: EncodedValues;
  readonly workspace: ConversionWorkspace;
}

export const COMPONENTS_HEADER = {
  rows: 'u32',
  cols: 'u32',
  nnz: 'u32',
  sliceRows: 'u32',
  /** The first entry of every slice. */
  entryPtr: 'usize',
  /** The first piece of every component of every slice. */
  piecePtr: 'usize',
  /** The row of every piece, as u16 from the first one of its slice. */
  rowIdx: 'usize',
  colIdx: 'usize',
  /** 0 if all values are 1 and none is stored. */
  values: 'usize',
  /** If values are codes: the value of each code, in the type of the sums; else 0. */
  table: 'usize',
} as const;

export class StoredComponents extends Stored implements Layout {
  readonly sliceRows: number;
  readonly header: number;
  /** The first entry of every slice. */
  readonly entryPtr: Uint32Array;
  /** The first piece of every component of every slice. */
  readonly piecePtr: Uint32Array;
  /** The row of every piece, from the first one of its slice. */
  readonly rowIdx: Uint16Array;
  readonly colIdx: Uint32Array;
  /** Values, or codes of values; empty for a pattern. */
  readonly values: StoredValues;
  /** The value of each code; empty without codes. */
  readonly table: FloatArray;
  readonly #values: ValueKind;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, options: ComponentsOptions) {
    const { spec, sliceRows, values } = options;
    const { rows, cols, nnz } = csr;
    super(scope, { spec, dtype, rows, cols, nnz, warnings: warningsOf(values) });
    this.#values = values.kind;
    this.sliceRows = sliceRows;
    this.entryPtr = scope.array(Uint32Array, this.units + 1);
    const { counts, piecePtr } = this.#countPieces(csr, options.workspace);
    this.piecePtr = piecePtr;
    this.rowIdx = scope.array(Uint16Array, counts.total);
    this.colIdx = scope.array(Uint32Array, nnz);
    this.values = valueRoom(scope, values, dtype, nnz);
    this.table = placeTable(scope, values);
    this.#place(csr, values.entries, options.workspace.runLoop);
    const { entryPtr, rowIdx, colIdx, table } = this;
    const arrays = { entryPtr, piecePtr, rowIdx, colIdx, values: this.values, table };
    this.header = placeHeader(scope, COMPONENTS_HEADER, { rows, cols, nnz, sliceRows, ...arrays });
  }

  /** The pieces, counted by component, and the pointers to them. Writes the entries before each slice. */
  #countPieces(
    { rows, nnz, rowPtr }: CsrMatrix,
    workspace: ConversionWorkspace,
  ): { counts: Counts; piecePtr: Uint32Array } {
    const { sliceRows, entryPtr, units } = this;
    const { runLoop } = workspace;
    const pieces = workspace.array(Uint32Array, WIDTHS.length * units);
    runLoop(countPieces, { rows, sliceRows, rowPtr, counts: pieces, entryPtr }, evenly(units, sliceRows));
    entryPtr[units] = nnz;
    const counts = summed(pieces, workspace);
    const piecePtr = placePointers(this.scope.array(Uint32Array, pieces.length + 1), counts, runLoop);
    return { counts, piecePtr };
  }

  #place({ rows, rowPtr, colIdx: columns }: CsrMatrix, entries: StoredValues, runLoop: RunLoop): void {
    const { sliceRows, entryPtr, piecePtr, rowIdx, colIdx, values } = this;
    const layout = { entryPtr, piecePtr, rowIdx, colIdx, values };
    runLoop(placePieces, { rows, sliceRows, rowPtr, columns, entries, ...layout }, this);
  }

  get stages(): Stages {
    return productAndBlocks(stageOver(this, { base: 'components', values: this.#values, verb: 'spmv' }));
  }

  /** Slices. */
  get units(): number {
    return Math.ceil(this.rows / this.sliceRows);
  }

  workBefore(unit: number): number {
    return this.entryPtr[unit]! + ROW_WORK * Math.min(unit * this.sliceRows, this.rows);
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { piecePtr, rowIdx, colIdx, values, table, sliceRows } = this;
    let k = 0;
    for (let component = 0; component + 1 < piecePtr.length; component++) {
      const first = sliceRows * Math.floor(component / WIDTHS.length);
      const width = WIDTHS[component % WIDTHS.length]!;
      for (let piece = piecePtr[component]!; piece < piecePtr[component + 1]!; piece++) {
        for (const end = k + width; k < end; k++) visit(first + rowIdx[piece]!, colIdx[k]!, valueAt(values, table, k));
      }
    }
  }

  get arrays(): readonly (ArrayBufferView | undefined)[] {
    const { entryPtr, piecePtr, rowIdx, colIdx, values, table } = this;
    return [entryPtr, piecePtr, rowIdx, colIdx, values, table];
  }
}

/**
 * The best of 16, 32, 64 … 65 536 rows. One thread, f64: 5-point Laplacian 1000 × 1000 3.4 ms (512: 3.8, CSR 3.3), road
 * network of 10⁶ rows 2.5 (3.3, 3.1), de Bruijn 2²⁰ 2.7 (3.1, 2.9); R-MAT 2¹⁸ is best from 512 on, 2.4 instead of 2.6
 * (CSR 3.3). (AMD EPYC Zen 4, Node 20, November 2026, the other core not quite idle: `sparlane bench`.)
 */
const SLICE_ROWS = 128;

/** 10 to 15 % faster than 128 for longer rows (NVIDIA H200, f64). */
const DEVICE_SLICE_ROWS = 512;

const parameters: ParametersOf<'sliceRows', 'values'> = {
  sliceRows: {
    kind: 'integer',
    default: SLICE_ROWS,
    min: 1,
    max: 2 ** 16,
    tuned: true,
    doc: `rows whose pieces are listed together; on a device ${DEVICE_SLICE_ROWS}`,
  },
  values: valuesParameter,
};

export const components: Format = {
  name: 'components',
  parameters,
  summary: 'rows cut into pieces of 32, 16, 8 … 1 entries, sorted by width',
  source: 'Jindal, §3',
  suits: 'rows of varying length: graphs, meshes',
  variants: ['components', 'components?values=table'],
  onDevice: () => ({ sliceRows: DEVICE_SLICE_ROWS }),
  prospects({ matrix, features, sample }, dtype) {
    const { rows, nnz } = features;
    const pieces = (piecesIn(sample.matrix) / Math.max(sample.matrix.nnz, 1)) * nnz;
    const slices = Math.ceil(rows / SLICE_ROWS);
    return valueProspects(features, dtype).map(({ values, kind, bytes }) => ({
      spec: formatSpec('components', parameters, { values }),
      kernel: layoutName({ base: 'components', values: kind }),
      bytes: nnz * (4 + bytes) + 2 * pieces + 28 * slices + 8 + vectorBytes(features, dtype),
      entries: nnz,
      steps: pieces,
      units: slices,
      unsteady: 0,
      indivisible: heaviestGroup(matrix, SLICE_ROWS),
    }));
  },
  fromCsr(heap, matrix, dtype, given, { runLoop } = {}) {
    const resolved = resolveParameters('components', parameters, given);
    const { sliceRows } = resolved;
    using workspace = workspaceFor(heap, matrix, runLoop);
    const values = encodeValues(matrix, dtype, resolved.values, workspace);
    const spec = formatSpec('components', parameters, { ...resolved, values: asParameter(values) }, given);
    return heap.build((scope) => new StoredComponents(scope, matrix, dtype, { spec, sliceRows, values, workspace }));
  },
};

/** Pieces of all rows. */
function piecesIn({ rows, rowPtr }: CsrMatrix): number {
  let pieces = 0;
  for (let i = 0; i < rows; i++) pieces += piecesOf(rowPtr[i + 1]! - rowPtr[i]!);
  return pieces;
}
