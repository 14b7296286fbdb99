/**
 * SSS, symmetric sparse skyline: the diagonal, and the lower triangle as CSR. Each entry below the diagonal also represents
 * its mirror image above. The lower triangle is read once; CSR reads both triangles.
 *
 * Source: Saad, "SPARSKIT: a basic tool kit for sparse matrix computations", version 2, 1994 (`csrsss`). Kernels:
 *   `assembly/sss/sss.ts`.
 * Differs: designed for threads. An entry (i, j) adds to yᵢ and yⱼ, and yⱼ may belong to another thread. Rows are therefore
 *   cut into blocks of equal work, at conversion. Each block has a halo: private memory for its sums of rows before its own.
 *   When all blocks are done, halos are added to y in order. No atomic adds; the same bits on any number of threads.
 * For: symmetric matrices ordered for a small bandwidth. A matrix is refused if its values are not symmetric up to rounding
 *   (`structure`) or if its halos would be too large (`fill-in`). Skew-symmetric matrices, if the source marks them so.
 * Layout: of [10 0 0 40; 0 0 0 50; 0 0 30 60; 40 50 60 0] in two blocks:
 *
 *     diagonal  10  0 30  0          values, rows; absent (rows 1 and 3, in `absent`) or not
 *     rowPtr     0  0  0  0  3       u32, rows + 1
 *     colIdx    −3 −2 −1             u16, entries below the diagonal: column − row + 2¹⁶; with `index=32` u32, the column
 *     values    40 50 60
 *     blockPtr   0        3  4       u32, blocks + 1, in rows
 *     haloBegin  0        0          u32, blocks: the least row that a block adds to
 *     haloPtr    0        0  3       u32, blocks + 1: a halo holds the rows from haloBegin to the block
 *     halos      ·  ·  ·             elements of y
 *
 * Cost: (nnz − rows) / 2 · (I + V) + rows (4 + V) + X (rows + cols + halos) bytes and 12 per block, for I bytes per
 *   column, V per value, X per element of x and y. Halos count once: they are read again soon after they are written.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import { formatSpec, type ParametersOf, resolveParameters } from '../../core/parameters.js';
import { rowSpan } from '../../core/span.js';
import { type Dtype, type FloatArray, type Symmetry, valueArray, vectorArray } from '../../core/types.js';
import type { Sample } from '../../features/sample.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { ALONE_BELOW, type Format, layoutName, type Stage, type Stages, vectorBytes } from '../format.js';
import { SPAN } from '../layout/column-bases.js';
import { copied } from '../layout/copy-loop.js';
import { type RunLoop, serially } from '../layout/loop.js';
import { workspaceFor } from '../layout/workspace.js';
import { Stored } from '../stored.js';
import { cutBlocks, type HaloBlocks, haloWork, workBeforeRow } from './halos.js';
import { placeTriangle } from './loops.js';
import { type LowerTriangle, lowerTriangle } from './triangle.js';

interface SssOptions {
  readonly spec: string;
  readonly index: '16' | '32';
  readonly warnings: readonly string[];
  readonly triangle: LowerTriangle;
  readonly blocks: HaloBlocks;
  readonly runLoop: RunLoop;
}

export const SSS_HEADER = {
  rows: 'u32',
  blocks: 'u32',
  /** The factor of a mirror image: 1 or −1. */
  sign: 'i32',
  /** rowPtr, colIdx and values have only the entries below the diagonal. */
  rowPtr: 'usize',
  /** u32: columns; u16: column − row + 2¹⁶. */
  colIdx: 'usize',
  values: 'usize',
  diagonal: 'usize',
  /** u32, in rows, blocks + 1. */
  blockPtr: 'usize',
  /** u32: the first row of a block's halo, which ends before the block. */
  haloBegin: 'usize',
  /** u32, in elements of y, blocks + 1. */
  haloPtr: 'usize',
  halos: 'usize',
} as const;

export class StoredSss extends Stored {
  readonly stages: Stages;
  /** −1 if the matrix is skew-symmetric. */
  readonly sign: 1 | -1;
  readonly diagonal: FloatArray;
  /** Rows without a diagonal entry. */
  readonly absent: Uint32Array;
  readonly rowPtr: Uint32Array;
  /** Columns; those of 16 bits count from 2¹⁶ before the row. */
  readonly colIdx: Uint32Array | Uint16Array;
  readonly values: FloatArray;
  readonly blockPtr: Uint32Array;
  readonly haloBegin: Uint32Array;
  readonly haloPtr: Uint32Array;
  readonly halos: FloatArray;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, options: SssOptions) {
    const { spec, index, warnings, triangle, blocks, runLoop } = options;
    const { rows, cols, nnz } = csr;
    super(scope, { spec, dtype, rows, cols, nnz, warnings });
    const valueType = valueArray(dtype);
    const below = triangle.rowPtr[rows]!;
    this.sign = triangle.sign;
    this.rowPtr = copied(scope, triangle.rowPtr, Uint32Array, runLoop);
    this.colIdx = scope.array<Uint32Array | Uint16Array>(index === '16' ? Uint16Array : Uint32Array, below);
    this.values = scope.array<FloatArray>(valueType, below);
    this.diagonal = scope.array<FloatArray>(valueType, rows);
    this.absent = scope.array(Uint32Array, rows + 2 * below - nnz);
    this.blockPtr = scope.copy(Uint32Array, blocks.blockPtr);
    this.haloBegin = scope.copy(Uint32Array, blocks.haloBegin);
    this.haloPtr = scope.copy(Uint32Array, blocks.haloPtr);
    this.halos = scope.array<FloatArray>(vectorArray(dtype), this.haloPtr.at(-1)!);
    this.#place(csr, runLoop);
    const { rowPtr, colIdx, values, diagonal, blockPtr, haloBegin, haloPtr, halos } = this;
    const arrays = { rowPtr, colIdx, values, diagonal, blockPtr, haloBegin, haloPtr, halos };
    const header = placeHeader(scope, SSS_HEADER, { rows, blocks: haloBegin.length, sign: this.sign, ...arrays });
    const spmv = this.#stages(header);
    this.stages = this.symmetry === 'symmetric' ? { spmv, spmv_t: spmv } : { spmv };
  }

  get symmetry(): Symmetry {
    return this.sign === 1 ? 'symmetric' : 'skew-symmetric';
  }

  #place(csr: CsrMatrix, runLoop: RunLoop): void {
    const { rowPtr, colIdx: columns, values: reals } = csr;
    const { rowPtr: lowerPtr, colIdx, values, diagonal } = this;
    const isNear = colIdx instanceof Uint16Array ? 1 : 0;
    runLoop(placeTriangle, { isNear, rowPtr, columns, reals, lowerPtr, colIdx, values, diagonal }, rowSpan(csr));
    for (let i = 0, absent = 0; absent < this.absent.length; i++) {
      const k = rowPtr[i]! + lowerPtr[i + 1]! - lowerPtr[i]!;
      if (k === rowPtr[i + 1] || columns[k] !== i) this.absent[absent++] = i;
    }
  }

  #stages(header: number): Stage[] {
    const { rowPtr, colIdx, blockPtr, haloBegin } = this;
    const columns = colIdx instanceof Uint16Array ? 16 : 32;
    const units = haloBegin.length;
    const halved = haloWork(this);
    const workBefore = (block: number) => workBeforeRow(rowPtr, blockPtr[block]!);
    const triangle: Stage = { kernel: { base: 'sss', columns, verb: 'spmv' }, header, units, workBefore };
    if (halved[units] === 0) return [triangle];
    const kernel = { base: 'sss', verb: 'add_halos' } as const;
    return [triangle, { kernel, header, units, workBefore: (block) => halved[block]!, adds: true }];
  }

  /** Counts each mirror image; absent entries of the diagonal are stored as zeros, and multiplied. */
  override get storedEntries(): number {
    return this.rows + 2 * this.values.length;
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { rows, sign, rowPtr, colIdx, values, diagonal, absent } = this;
    const near = colIdx instanceof Uint16Array;
    let next = 0;
    for (let i = 0; i < rows; i++) {
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
        const j = colIdx[k]! + (near ? i - SPAN : 0);
        visit(i, j, values[k]!);
        visit(j, i, sign * values[k]!);
      }
      if (absent[next] === i) next++;
      else visit(i, i, diagonal[i]!);
    }
  }

  get arrays(): readonly (ArrayBufferView | undefined)[] {
    const { rowPtr, colIdx, values, diagonal, blockPtr, haloBegin, haloPtr, halos } = this;
    return [rowPtr, colIdx, values, diagonal, blockPtr, haloBegin, haloPtr, halos];
  }
}

function checkHalos(elements: number, nnz: number, maxHalo: number): void {
  if (elements < SMALL || elements <= maxHalo * nnz) return;
  const halo = elements / nnz;
  const expected = `halos of at most ${maxHalo} elements per entry`;
  throw mismatch('fill-in', 'sss', expected, Number(halo.toPrecision(3)), { halo, maxHalo, elements, nnz });
}

/**
 * Blocks of a matrix that threads share: enough for 16 threads, or, for two threads, sixteenths to balance the load. Halos
 * grow with it: 16 blocks of the 27-point Laplacian on a 100³ grid have 0.16 elements per row, next to its 13 entries.
 */
const BLOCKS = 16;

/**
 * A matrix with more halo elements per entry than this is refused. Half of the entries are not read, which saves some 6
 * bytes per entry of f64; a halo element is written, read and added to y, 32 bytes: at 0.2 the gain is zero.
 */
const MAX_HALO = 0.5;

/** Below this many halo elements no matrix is refused. */
const SMALL: number = 2 ** 16;

const parameters: ParametersOf<'blocks' | 'maxHalo', 'index'> = {
  blocks: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 1024,
    doc: 'blocks of rows, each with a halo; 0: 16, or 1 if the matrix is too small for threads',
  },
  index: {
    kind: 'word',
    default: '16',
    allowed: ['16', '32'],
    doc: 'bits per column: 16, relative to the diagonal, if the bandwidth allows it; or 32',
  },
  maxHalo: {
    kind: 'number',
    default: MAX_HALO,
    min: 0,
    max: 2 ** 32,
    doc: 'halo elements per entry above which a matrix is refused',
  },
};

export const sss: Format = {
  name: 'sss',
  mayPad: true,
  parameters,
  summary: 'symmetric: the diagonal and the lower triangle only',
  source: 'Saad 1994 (SPARSKIT 2)',
  suits: 'symmetric matrices of small bandwidth',
  variants: ['sss', 'sss?blocks=7&index=32'],
  prospects({ features, sample }, dtype) {
    const { rows, nnz, symmetry } = features;
    if (symmetry === 'general') return [];
    const bandwidth = sampledBandwidth(sample);
    const isSmall = (nnz + rows) / 2 + rows < ALONE_BELOW;
    const halos = isSmall ? 0 : BLOCKS * bandwidth;
    if (halos >= SMALL && halos > MAX_HALO * nnz) return [];
    const below = Math.max(0, (nnz - rows) / 2);
    const valueBytes = valueArray(dtype).BYTES_PER_ELEMENT;
    const columns = below * (bandwidth <= SPAN ? 2 : 4);
    const vectors = vectorBytes(features, dtype) + halos * vectorArray(dtype).BYTES_PER_ELEMENT;
    const bytes = columns + valueBytes * (below + rows) + 4 * rows + vectors;
    return [
      {
        spec: 'sss',
        kernel: layoutName({ base: 'sss', columns: bandwidth <= SPAN ? 16 : 32 }),
        bytes,
        entries: below,
        steps: halos,
        // A block is computed by one thread.
        units: isSmall ? 1 : BLOCKS,
      },
    ];
  },
  fromCsr(heap, matrix, dtype, given, { runLoop = serially } = {}) {
    const resolved = resolveParameters('sss', parameters, given);
    using workspace = workspaceFor(heap, matrix, runLoop);
    const triangle = lowerTriangle(matrix, dtype, workspace);
    const small = workBeforeRow(triangle.rowPtr, matrix.rows) < ALONE_BELOW;
    const count = resolved.blocks === 0 ? (small ? 1 : BLOCKS) : resolved.blocks;
    const blocks = cutBlocks(triangle, matrix, count);
    checkHalos(blocks.haloPtr.at(-1)!, matrix.nnz, resolved.maxHalo);
    const near = triangle.bandwidth <= SPAN;
    const index = near && resolved.index === '16' ? '16' : '32';
    const warnings = near || resolved.index === '32' ? [] : [tooFar(triangle.bandwidth)];
    if (triangle.isRounded) warnings.push(ROUNDED);
    const spec = formatSpec('sss', parameters, { ...resolved, blocks: count, index });
    const options = { spec, index, warnings, triangle, blocks, runLoop } as const;
    return heap.build((scope) => new StoredSss(scope, matrix, dtype, options));
  },
};

const ROUNDED = 'symmetric up to rounding: the numbers below the diagonal stand for those above it';

function tooFar(bandwidth: number): string {
  return `index=16: expected a bandwidth of at most ${SPAN}, got ${bandwidth}; kept 32 bits`;
}

/** Greatest |i − j| in the sample. */
function sampledBandwidth({ matrix: { rows, rowPtr, colIdx }, rowOf }: Sample): number {
  let bandwidth = 0;
  for (let i = 0; i < rows; i++) {
    if (rowPtr[i] !== rowPtr[i + 1]) bandwidth = Math.max(bandwidth, rowOf[i]! - colIdx[rowPtr[i]!]!);
  }
  return bandwidth;
}
