/**
 * Inodes: consecutive rows with the same columns form a group, whose columns are stored once.
 *
 * Source: PETSc's `MatInode` (Balay et al., PETSc/TAO Users Manual, "Matrices": SeqAIJ searches for identical nodes).
 *   Kernels: `assembly/inode/inode.ts`.
 * Differs: groups have up to 8 rows, in PETSc up to 5; longer runs are divided evenly. The values of a group lie column by
 *   column, not row by row: a SIMD vector holds rows, and no sum crosses lanes.
 * For: several unknowns per node in blocks that do not align with the grid of BSR, or differ in size. There is never
 *   padding. If no two neighbours have the same columns, it is CSR with three pointers per row instead of one.
 * Layout: in [10 0 20; 0 0 0; 0 0 30; 40 50 60] every row is a group; in [1 0 2; 3 0 4; 0 5 6], rows 0 and 1 form one:
 *
 *     groupPtr   0            2         3      u32, groups + 1, in rows
 *     colPtr     0            2         4      u32, groups + 1, in columns
 *     valuePtr   0            4         6      u32, groups + 1, in values; a kernel reads it where a part begins
 *     colIdx     0      2     1    2           u32, one for each column of a group
 *     values     1  3   2  4  5    6           nnz, a group column by column
 *
 * Cost: V nnz + 4 columns + 12 (groups + 1) + X (rows + cols) bytes for V bytes per value and X per element of x and y. On
 *   `gallery:qcd`, in groups of 3, it is 9.4 bytes per entry, in CSR 12.1.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { resolveParameters } from '../../core/parameters.js';
import { evenly, rowSpan } from '../../core/span.js';
import { type Dtype, type FloatArray, valueArray } from '../../core/types.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { PANEL_ROWS } from '../bsr/panels.js';
import { type Format, type Layout, productAndBlocks, type Stages, stageOver, vectorBytes } from '../format.js';
import { copied } from '../layout/copy-loop.js';
import type { RunLoop } from '../layout/loop.js';
import { type Counts, placePointers, summed } from '../layout/pointers.js';
import { READ_PAST } from '../layout/read-past.js';
import { ALONE, type ConversionWorkspace, workspaceFor } from '../layout/workspace.js';
import { Stored } from '../stored.js';
import { countColumns, markRepeated, placeGroups } from './loops.js';

/** Cost of a row, and of a group, in addition to its entries, in entries. */
const ROW_WORK = 1;
const GROUP_WORK = 1;

export const INODE_HEADER = {
  /** First row of each group. */
  groupPtr: 'usize',
  /** First column of each group, in columns. */
  colPtr: 'usize',
  /** First value of each group, in values. Read only at the start of a part. */
  valuePtr: 'usize',
  /** Readable, and valid columns, for 4 columns past the last. */
  colIdx: 'usize',
  /** Readable for 4 values past the last. */
  values: 'usize',
  /** Read by `cuda/inode/inode.cu` only. */
  groups: 'u32',
} as const;

export class StoredInode extends Stored implements Layout {
  readonly header: number;
  /** Start of each group, in rows. */
  readonly groupPtr: Uint32Array;
  /** Start of each group, in columns. */
  readonly colPtr: Uint32Array;
  /** Start of each group, in values. */
  readonly valuePtr: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: FloatArray;

  /** Takes ownership of the scope. */
  constructor(scope: HeapScope, csr: CsrMatrix, dtype: Dtype, workspace: ConversionWorkspace) {
    const { rows, cols, nnz } = csr;
    super(scope, { spec: 'inode', dtype, rows, cols, nnz });
    const { runLoop } = workspace;
    const grouped = groupsOf(csr, workspace);
    const groups = grouped.length - 1;
    this.groupPtr = copied(scope, grouped, Uint32Array, runLoop);
    this.valuePtr = scope.array(Uint32Array, groups + 1);
    this.valuePtr[groups] = nnz;
    const counts = columnsOf(csr, this.groupPtr, this.valuePtr, workspace);
    this.colPtr = placePointers(scope.array(Uint32Array, groups + 1), counts, runLoop);
    const columns = counts.total;
    const colIdx = scope.array(Uint32Array, columns + READ_PAST);
    const values = scope.array<FloatArray>(valueArray(dtype), nnz + READ_PAST);
    this.colIdx = colIdx.fill(0, columns).subarray(0, columns);
    this.values = values.fill(0, nnz).subarray(0, nnz);
    this.#fill(csr, runLoop);
    const pointers = { groupPtr: this.groupPtr, colPtr: this.colPtr, valuePtr: this.valuePtr };
    this.header = placeHeader(scope, INODE_HEADER, { ...pointers, colIdx, values, groups });
  }

  #fill({ rowPtr, colIdx: columns, values: reals }: CsrMatrix, runLoop: RunLoop): void {
    const { groupPtr, colPtr, valuePtr, colIdx, values } = this;
    runLoop(placeGroups, { rowPtr, columns, reals, groupPtr, colPtr, valuePtr, colIdx, values }, this);
  }

  get stages(): Stages {
    return productAndBlocks(stageOver(this, { base: 'inode', verb: 'spmv' }));
  }

  /** Groups. */
  get units(): number {
    return this.groupPtr.length - 1;
  }

  workBefore(group: number): number {
    return this.valuePtr[group]! + ROW_WORK * this.groupPtr[group]! + GROUP_WORK * group;
  }

  forEachEntry(visit: (row: number, col: number, value: number) => void): void {
    const { groupPtr, colPtr, valuePtr, colIdx, values } = this;
    for (let group = 0; group < this.units; group++) {
      let place = valuePtr[group]!;
      for (let k = colPtr[group]!; k < colPtr[group + 1]!; k++) {
        for (let row = groupPtr[group]!; row < groupPtr[group + 1]!; row++) visit(row, colIdx[k]!, values[place++]!);
      }
    }
  }

  get arrays(): readonly (ArrayBufferView | undefined)[] {
    return [this.groupPtr, this.colPtr, this.valuePtr, this.colIdx, this.values];
  }
}

/** The number of columns of each group. Writes the start of each group in values. */
function columnsOf(
  { rowPtr }: CsrMatrix,
  groupPtr: Uint32Array,
  valuePtr: Uint32Array,
  workspace: ConversionWorkspace,
): Counts {
  const counts = workspace.array(Uint32Array, groupPtr.length - 1);
  workspace.runLoop(countColumns, { rowPtr, groupPtr, counts, valuePtr }, evenly(counts.length, GROUP_WORK));
  return summed(counts, workspace);
}

const parameters = {} as const;

/** Least share of rows with the same columns as the row before for which the format is offered. */
const WORTH_GROUPING = 0.2;

export const inode: Format = {
  name: 'inode',
  parameters,
  summary: 'consecutive rows with the same columns, which share the indices',
  source: 'PETSc, MatInode',
  suits: 'several unknowns per node, aligned or not',
  variants: ['inode'],
  prospects({ features, sample }, dtype, onDevice) {
    // On a device a team of lanes for each row is fast even if no two rows have the same columns.
    if (!onDevice && features.repeated < WORTH_GROUPING) return [];
    const { nnz } = features;
    const { rowPtr, nnz: sampled } = sample.matrix;
    const groupPtr = groupsOf(sample.matrix);
    let columns = 0;
    for (const first of groupPtr.subarray(0, -1)) columns += rowPtr[first + 1]! - rowPtr[first]!;
    const steps = (columns / Math.max(sampled, 1)) * nnz;
    const groups = (groupPtr.length - 1) * sample.rowScale;
    const unsteady = changesOf(groupPtr, rowPtr) / Math.max(groupPtr.length - 1, 1);
    const values = nnz * valueArray(dtype).BYTES_PER_ELEMENT;
    const bytes = values + 4 * steps + 12 * (groups + 1) + vectorBytes(features, dtype);
    return [
      {
        ...{ spec: 'inode', kernel: 'inode', bytes, entries: nnz, steps, groups, unsteady },
        together: features.rows / Math.max(groups, 1),
        indivisible: PANEL_ROWS * features.longestRow,
      },
    ];
  },
  fromCsr(heap, matrix, dtype, given, { runLoop } = {}) {
    resolveParameters('inode', parameters, given);
    using workspace = workspaceFor(heap, matrix, runLoop);
    return heap.build((scope) => new StoredInode(scope, matrix, dtype, workspace));
  },
};

/**
 * First row of each group, in the workspace. Runs of rows with the same columns are divided evenly: 9 rows are 5 and 4, not 8
 * and 1.
 */
function groupsOf(matrix: CsrMatrix, { runLoop, array }: ConversionWorkspace = ALONE): Uint32Array {
  const { rows, rowPtr, colIdx } = matrix;
  const repeated = array(Uint8Array, rows);
  runLoop(markRepeated, { rowPtr, colIdx, repeated }, rowSpan(matrix));
  const groupPtr = array(Uint32Array, rows + 1);
  let groups = 0;
  for (let first = 0, end = 0; first < rows; first = end) {
    end = first + 1;
    while (end < rows && repeated[end] === 1) end++;
    const parts = Math.ceil((end - first) / PANEL_ROWS);
    for (let part = 0; part < parts; part++) groupPtr[groups++] = first + Math.floor((part * (end - first)) / parts);
  }
  groupPtr[groups] = rows;
  return groupPtr.subarray(0, groups + 1);
}

/** The number of groups that differ from the one before in rows or in columns. */
function changesOf(groupPtr: Uint32Array, rowPtr: Uint32Array): number {
  let changes = 0;
  for (let group = 1; group + 1 < groupPtr.length; group++) {
    const [before, first, end] = [groupPtr[group - 1]!, groupPtr[group]!, groupPtr[group + 1]!];
    const width = rowPtr[first + 1]! - rowPtr[first]!;
    if (end - first !== first - before || width !== rowPtr[before + 1]! - rowPtr[before]!) changes++;
  }
  return changes;
}
