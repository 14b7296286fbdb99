/**
 * The layout of a triangular solve in groups: up to four consecutive rows that have the same columns outside of the group, and all entries
 * within it, as the unknowns of a node have. Kernels: `assembly/triangular/slice-groups.ts`.
 *
 * Layout of a group of rows 2 and 3 with column 0 outside: one step with one column, then the three columns within the group; lanes
 * without a row repeat the first one
 *
 *     rowOf    2 3 2 2
 *     idx      0
 *     from     l₂₀ l₃₀ l₂₀ l₂₀   0 l₃₂ 0 0   0 0 0 0   0 0 0 0
 *
 * Cost: per step of a group 2 + 4 V bytes, so in groups of three rows as many per entry as slices of one row, and a third of the reads of w.
 */

import type { TeamContext } from '../../backends/team/backend.js';
import { sum } from '../../core/sum.js';
import type { HeapScope } from '../../memory/heap.js';
import { pieceSpan, runOver } from '../over-pieces.js';
import { layOut, SLICE_LANES, type Slices, type SlicesPattern } from './slice-layout.js';

export const FIND_HEADER = {
  /** u32, pieces + 1. */
  piecePtr: 'usize',
  lowerPtr: 'usize',
  lowerIdx: 'usize',
  upperPtr: 'usize',
  upperIdx: 'usize',
  /** More groups of a piece are not looked for. */
  most: 'u32',
  /** u32, 4 rows: by piece the rows of the lanes. */
  rowOf: 'usize',
  /** u32, pieces: the groups of each, at most `most` + 1. */
  groups: 'usize',
} as const;

/** Groups of fewer rows on average are slower than slices of one row: four values are read where fewer are needed. */
const LEAST_ROWS = 2.5;

/** @returns undefined if too few rows have the columns of their neighbours; otherwise arrays in `scope` */
export function groupTriangles(context: TeamContext, scope: HeapScope, pattern: SlicesPattern): Slices | undefined {
  const { rows, lower, upper, piecePtr } = pattern;
  using work = context.heap.scope();
  const most = Math.floor(rows / LEAST_ROWS);
  const rowOf = work.array(Uint32Array, SLICE_LANES * rows);
  const groups = work.array(Uint32Array, piecePtr.length - 1);
  const words = {
    ...{ piecePtr: work.copy(Uint32Array, piecePtr), most, rowOf, groups },
    ...{ lowerPtr: lower.ptr, lowerIdx: lower.idx, upperPtr: upper.ptr, upperIdx: upper.idx },
  };
  const span = pieceSpan(piecePtr, lower.idx.length + upper.idx.length + rows);
  runOver(context, { kernel: 'groups_find', layout: FIND_HEADER, words }, span);
  if (sum(groups) > most) return undefined;
  return layOut(context, scope, pattern, { kind: 'groups', scheduled: rowOf, slices: groups });
}
