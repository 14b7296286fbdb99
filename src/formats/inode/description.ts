/** What a choice of the format needs to know of inodes, without the conversion: `inode.ts`. */
import type { CsrMatrix } from '../../core/csr.js';
import { rowSpan } from '../../core/span.js';
import { valueArray } from '../../core/types.js';
import { PANEL_ROWS } from '../bsr/panels.js';
import { type FormatDescription, vectorBytes } from '../format.js';
import { ALONE, type ConversionWorkspace } from '../layout/workspace.js';
import { markRepeated } from './loops.js';

export const parameters = {} as const;

/** Least share of rows with the same columns as the row before for which the format is offered. */
const WORTH_GROUPING = 0.2;

export const inodeDescription: FormatDescription = {
  name: 'inode',
  parameters,
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
        indivisible: PANEL_ROWS * features.longestRow,
      },
    ];
  },
};

/**
 * First row of each group, in the workspace. Runs of rows with the same columns are divided evenly: 9 rows are 5 and 4, not 8
 * and 1.
 */
export function groupsOf(matrix: CsrMatrix, { runLoop, array }: ConversionWorkspace = ALONE): Uint32Array {
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
