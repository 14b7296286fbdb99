/**
 * BSR, blocked sparse rows: a grid of b × b blocks. Blocks that hold an entry are stored, their zeros included.
 *
 * Source: Abdelfattah, Ltaief, Keyes & Dongarra 2016, §5; balanced BSR §5.5, figure 8. Kernels: `assembly/bsr/bsr.ts` (K1: one
 *   for each size from 2 to 8, fully unrolled) and `assembly/bsr/panels.ts` (K2 and K3: any size).
 * Differs: K1 covers sizes up to 8. K2 and K3 are one kernel over panels of 4 to 8 rows, the most rows whose sums fit in
 *   registers. The panels of a block row are stored one behind the other, each column by column: a panel is read as one
 *   stream. There is no software prefetch (WebAssembly has none; the processor prefetches). Blocks at the right edge are
 *   moved left until they lie inside the matrix: x is never read past its end. b is at most the number of columns.
 * For: several unknowns per node, up to 1024. With 7 × 7 blocks an entry is 8.1 bytes, in CSR 12, and x is loaded once for 7 rows.
 * Layout: of [10 0 20; 0 0 0; 0 0 30; 40 50 60] in 2 × 2 blocks; the second block column begins at column 1, not 2:
 *
 *     blockRowPtr   0                          2                      4   u32, block rows + 1, in blocks
 *     blockColIdx   0            1             0           1              u32, first column of each block
 *     values        10 0 | 0 0   0 0 | 20 0    0 40 | 0 50   0 0 | 30 60  blocks · b², a block column by column
 *
 * Balanced (`maxRowBlocks` = λ > 0): block rows of more than λ blocks are cut into segments; `blockRowPtr` then points
 *   to segments, `segPtr` to the first segment of each block row, and a second stage adds the segments' sums (`partials`).
 * Cost: blocks (4 + V b²) + 4 (block rows + 1) + X (rows + cols) bytes for V bytes per value and X per element of x and y;
 *   balanced, also 4 (block rows + 1) + X b segments.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { formatSpec, resolveParameters } from '../../core/parameters.js';
import { rowSpan } from '../../core/span.js';
import { type Dtype, type FloatArray, valueArray, vectorArray } from '../../core/types.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { type Format, productAndBlocks, type Stage, type Stages } from '../format.js';
import { copied } from '../layout/copy-loop.js';
import { checkFill } from '../layout/fill.js';
import { type RunLoop, serially } from '../layout/loop.js';
import { READ_PAST } from '../layout/read-past.js';
import { areAllPredicted, rowEndsOf } from '../layout/row-loops.js';
import { waysOfWord } from '../layout/ways.js';
import { workspaceFor } from '../layout/workspace.js';
import { Stored } from '../stored.js';
import { findBlockSize } from './block-size.js';
import { type Blocks, countedBlocks, cutBlockRows } from './blocks.js';
import { placeBlocks } from './loops.js';
import { panelsOf, panelTop } from './panels.js';
import { LARGEST_UNROLLED, parameters, prospects } from './prospects.js';

/** Cost of a row in addition to its values, in values: y is read and written. */
const ROW_WORK = 1;

export const BSR_HEADER = {
  /** Rows of y, or of `partials` if there are any. */
  rows: 'u32',
  blockSize: 'u32',
  /** Panels per block row: ⌈blockSize / 8⌉; their heights differ by at most one row. */
  panels: 'u32',
  /** Start of each block row, in blocks. */
  blockRowPtr: 'usize',
  /** First column of each block. Readable, and valid columns, for 4 blocks past the last. */
  blockColIdx: 'usize',
  /** Readable for 4 values past the last. */
  values: 'usize',
  /** Balanced: address for the sums of the segments, to which `blockRowPtr` then refers; else 0. */
  partials: 'usize',
  /** Unrolled blocks are read from so many places of a part in turn: 1 or 2. */
  places: 'u32',
} as const;
export const REDUCTION_HEADER = {
  /** Rows of y. */
  rows: 'u32',
  blockSize: 'u32',
  /** First segment of each block row. */
  segPtr: 'usize',
  /** blockSize sums of each segment, in the type of y. */
  partials: 'usize',
} as const;

interface BsrOptions {
  readonly spec: string;
  readonly warnings: readonly string[];
  readonly runLoop: RunLoop;
}

export class StoredBsr extends Stored {
  readonly stages: Stages;
  readonly blockSize: number;
  /** Start of each block row, or of each segment, in blocks. */
  readonly blockRowPtr: Uint32Array;
  /** First column of each block. */
  readonly blockColIdx: Uint32Array;
  readonly values: FloatArray;
  /** Start of each block row, in segments; only if block rows are cut. */
  readonly segPtr: Uint32Array | undefined;
  /** Places of zeros that are entries, ascending; all other zeros are padding. Empty if there is no padding. */
  readonly #zeros: Uint32Array;
  readonly #partials: FloatArray | undefined;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, blocks: Blocks, options: BsrOptions) {
    const { blockSize, segPtr } = blocks;
    const { spec, warnings } = options;
    super(scope, { spec, dtype, rows: csr.rows, cols: csr.cols, nnz: csr.nnz, warnings });
    const count = blocks.blockRowPtr.at(-1)!;
    const stored = count * blockSize ** 2;
    this.blockSize = blockSize;
    this.blockRowPtr = copied(scope, blocks.blockRowPtr, Uint32Array, options.runLoop);
    const blockColIdx = scope.array(Uint32Array, count + READ_PAST);
    const values = scope.array<FloatArray>(valueArray(dtype), stored + READ_PAST);
    this.blockColIdx = blockColIdx.fill(0, count).subarray(0, count);
    this.values = values.fill(0, stored).subarray(0, stored);
    if (segPtr !== undefined) {
      this.segPtr = scope.copy(Uint32Array, segPtr);
      this.#partials = scope.array<FloatArray>(vectorArray(dtype), segPtr.at(-1)! * blockSize);
    }
    this.#zeros = this.#place(csr, options.runLoop);
    const stages = this.#makeStages(options.runLoop);
    // The rows of a segment of a cut block row are not those of its place.
    this.stages = segPtr === undefined ? { ...stages, spmv_t: [scattering(stages.spmv[0]!)] } : stages;
  }

  /** Writes the blocks. Returns the places of zeros that are entries, ascending; none if there is no padding. */
  #place(csr: CsrMatrix, runLoop: RunLoop): Uint32Array {
    const { rows, cols, blockSize, blockRowPtr, blockColIdx, values: blocks } = this;
    const { rowPtr, colIdx, values } = csr;
    using scope = this.scope.heap.scope();
    const zeroCount = scope.array(Uint32Array, 1);
    const cursors = scope.array(Uint32Array, rows);
    const segPtr = this.segPtr ?? new Uint32Array(0);
    const isFull = Number(!this.multipliesPadding);
    const source = { rows, cols, blockSize, rowPtr, colIdx, values };
    const layout = { ...source, isFull, cursors, blockRowPtr, segPtr, blockColIdx, blocks, zeroCount };
    const place = (zeros: Uint32Array): Uint32Array => {
      zeroCount[0] = 0;
      runLoop(placeBlocks, { ...layout, zeroRoom: zeros.length, zeros }, rowSpan(csr, blockSize));
      return zeros;
    };
    const none = place(new Uint32Array(0));
    if (zeroCount[0] === 0) return none;
    return place(scope.array(Uint32Array, zeroCount[0]!)).slice().sort();
  }

  #makeStages(runLoop: RunLoop): Stages {
    const { rows, blockSize: b, blockRowPtr, blockColIdx, values, segPtr } = this;
    const partials = this.#partials;
    const panels = panelsOf(b);
    const sizes = { rows: partials?.length ?? rows, blockSize: b, panels };
    const blockRows = blockRowPtr.length - 1;
    const { predicted } = rowEndsOf(this.scope.heap, { rows: blockRows, rowPtr: blockRowPtr }, runLoop);
    const places = areAllPredicted(predicted, blockRows, blockColIdx.length) ? 2 : 1;
    const arrays = { blockRowPtr, blockColIdx, values, partials };
    const header = placeHeader(this.scope, BSR_HEADER, { ...sizes, ...arrays, places });
    const product: Stage = {
      kernel: { base: b > 1 && b <= LARGEST_UNROLLED ? `bsr${b}` : 'bsr', verb: 'spmv' },
      header,
      units: blockRows * panels,
      workBefore(unit) {
        const blockRow = Math.floor(unit / panels);
        const blocksBefore = blockRowPtr[blockRow]!;
        const top = panelTop(b, unit % panels);
        const blocks = top === 0 ? 0 : blockRowPtr[blockRow + 1]! - blocksBefore;
        return b * (b * blocksBefore + top * blocks) + ROW_WORK * (b * blockRow + top);
      },
    };
    // One kernel multiplies blocks of vectors, for every size of the matrix's blocks.
    if (partials === undefined || segPtr === undefined) return productAndBlocks(product, 'bsr');
    const reduction: Stage = {
      kernel: { base: 'bsr', verb: 'reduce' },
      header: placeHeader(this.scope, REDUCTION_HEADER, { rows, blockSize: b, segPtr, partials }),
      units: segPtr.length - 1,
      workBefore: (unit) => b * segPtr[unit]!,
    };
    return { spmv: [product, reduction] };
  }

  /** Block rows are read from two places of a part in turn, or one after the other. */
  get ways(): readonly (() => void)[] {
    const [product] = this.stages.spmv!;
    return product!.kernel.base === 'bsr'
      ? []
      : waysOfWord(this.scope.heap, product!.header, BSR_HEADER, 'places', [1, 2]);
  }

  override get storedEntries(): number {
    return this.values.length;
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { blockSize: b, blockRowPtr, blockColIdx, values, segPtr } = this;
    const zeros = this.#zeros;
    const padded = values.length > this.nnz;
    let nextZero = 0;
    let place = 0;
    let blockRow = 0;
    for (let i = 0; i + 1 < blockRowPtr.length; i++) {
      if (segPtr === undefined) blockRow = i;
      else if (segPtr[blockRow + 1] === i) blockRow++;
      for (let panel = 0; panel < panelsOf(b); panel++) {
        const top = panelTop(b, panel);
        const height = panelTop(b, panel + 1) - top;
        for (let k = blockRowPtr[i]!; k < blockRowPtr[i + 1]!; k++) {
          for (let at = 0; at < b * height; at++, place++) {
            const value = values[place]!;
            if (zeros[nextZero] === place) nextZero++;
            else if (padded && value === 0) continue;
            visit(b * blockRow + top + (at % height), blockColIdx[k]! + Math.floor(at / height), value);
          }
        }
      }
    }
  }

  get arrays(): readonly (ArrayBufferView | undefined)[] {
    return [this.blockRowPtr, this.blockColIdx, this.values, this.segPtr, this.#partials];
  }
}

function scattering(product: Stage): Stage {
  return { ...product, kernel: { base: 'bsr', verb: 'spmv_t' }, scatters: true };
}

export const bsr: Format = {
  name: 'bsr',
  mayPad: true,
  parameters,
  prospects,
  summary: 'dense b × b blocks in rows of blocks; long block rows cut on demand',
  source: 'Abdelfattah et al. 2016, §5',
  suits: 'several unknowns per node, in aligned blocks',
  variants: ['bsr', 'bsr?blockSize=3', 'bsr?blockSize=2&maxRowBlocks=8'],
  fromCsr(heap, matrix, dtype, given, { runLoop = serially } = {}) {
    const resolved = resolveParameters('bsr', parameters, given);
    const { blockSize, warnings } = resolveBlockSize(matrix, dtype, resolved.blockSize);
    using workspace = workspaceFor(heap, matrix, runLoop);
    const blockRowPtr = countedBlocks(matrix, blockSize, workspace);
    checkFill('bsr', blockRowPtr.at(-1)! * blockSize ** 2, matrix.nnz, resolved.maxFill);
    const spec = formatSpec('bsr', parameters, { ...resolved, blockSize });
    const blocks = cutBlockRows(blockSize, blockRowPtr, resolved.maxRowBlocks);
    return heap.build((scope) => new StoredBsr(scope, matrix, dtype, blocks, { spec, warnings, runLoop }));
  },
};

function resolveBlockSize(matrix: CsrMatrix, dtype: Dtype, wanted: number): { blockSize: number; warnings: string[] } {
  if (wanted === 0) {
    const { blockSize } = findBlockSize(matrix, valueArray(dtype).BYTES_PER_ELEMENT);
    return { blockSize, warnings: [] };
  }
  const blockSize = Math.min(wanted, Math.max(matrix.cols, 1));
  if (blockSize === wanted) return { blockSize, warnings: [] };
  const warning = `blockSize=${wanted}: expected at most the number of columns; used ${blockSize}`;
  return { blockSize, warnings: [warning] };
}
