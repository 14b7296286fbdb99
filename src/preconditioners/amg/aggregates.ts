/** Aggregates of rows, and their tentative prolongation. Kernels: `assembly/multigrid/aggregate.ts`, `tentative.ts`. */
import type { TeamContext } from '../../backends/team/backend.js';
import type { CompressedRows } from '../../core/csr.js';
import { evenly } from '../../core/span.js';
import { kernelIndex } from '../../kernels/module.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { runOver } from '../over-pieces.js';
import type { NearNullSpace } from '../preconditioner.js';
import type { Strong } from './strength.js';

export const AGGREGATE_HEADER = {
  rows: 'u32',
  /** The rows of a graph: their pointers, u32, rows + 1, and the neighbours, u32. */
  ptr: 'usize',
  idx: 'usize',
  /** u32, one per row: its aggregate, or `NEVER` of `assembly/multigrid/aggregate.ts`. */
  owner: 'usize',
  /** u32, rows + 2: the members of each aggregate, which are in `members`, u32, one per row. */
  memberPtr: 'usize',
  members: 'usize',
  /** u32: the number of aggregates. */
  count: 'usize',
} as const;

export const TENTATIVE_HEADER = {
  nodes: 'u32',
  /** Unknowns of a node, and columns of the near-null space. */
  block: 'u32',
  modes: 'u32',
  /** These three arrays are those of `AGGREGATE_HEADER`, whose rows are the nodes here. */
  owner: 'usize',
  memberPtr: 'usize',
  members: 'usize',
  /** f64, unknowns × modes, row by row. */
  near: 'usize',
  /** The prolongation. */
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  /** f64, aggregates × modes × modes: the near-null space of the coarse level. */
  coarseNear: 'usize',
} as const;

/** Disjoint sets of rows. */
export interface Aggregates {
  readonly count: number;
  /** Element i is the aggregate of row i, or `NEVER` of `assembly/multigrid/aggregate.ts`. */
  readonly owner: Uint32Array;
  /** Has count + 1 places in `members`: the rows of aggregate a are those from memberPtr[a] to memberPtr[a + 1] − 1. */
  readonly memberPtr: Uint32Array;
  readonly members: Uint32Array;
}

/** Divides the rows of a graph into aggregates. @param scope gets the result */
export function aggregate({ heap, own, kernels }: TeamContext, scope: HeapScope, { ptr, idx }: Strong): Aggregates {
  const rows = ptr.length - 1;
  const owner = scope.array(Uint32Array, rows);
  const memberPtr = scope.array(Uint32Array, rows + 2);
  const members = scope.array(Uint32Array, rows);
  using work = heap.scope();
  const count = work.array(Uint32Array, 1);
  const header = placeHeader(work, AGGREGATE_HEADER, { rows, ptr, idx, owner, memberPtr, members, count });
  own[kernelIndex(kernels, 'aggregate_rows')]!(header, 0, 0, 1);
  return { count: count[0]!, owner, memberPtr: memberPtr.subarray(0, count[0]! + 1), members };
}

export interface Tentative {
  readonly prolongation: CompressedRows;
  /** Of the coarse level. */
  readonly near: NearNullSpace;
}

/**
 * Makes the prolongation whose columns are orthogonal and zero outside of an aggregate, and whose range has the near-null space.
 *
 * @param scope gets the prolongation
 * @param coarseScope gets the near-null space of the coarse level
 * @param block unknowns of a node; aggregates are of nodes
 */
export function tentativeProlongation(
  context: TeamContext,
  scope: HeapScope,
  coarseScope: HeapScope,
  { count, owner, memberPtr, members }: Aggregates,
  block: number,
  { modes, numbers: near }: NearNullSpace,
): Tentative {
  const nodes = owner.length;
  const rows = nodes * block;
  const nnz = memberPtr[count]! * block * modes;
  const rowPtr = scope.array(Uint32Array, rows + 1);
  const colIdx = scope.array(Uint32Array, nnz);
  const values = scope.array(Float64Array, nnz);
  const coarseNear = coarseScope.array(Float64Array, count * modes * modes);
  const words = { nodes, block, modes, owner, memberPtr, members, near, rowPtr, colIdx, values, coarseNear };
  runOver(context, { kernel: 'tentative_rows', layout: TENTATIVE_HEADER, words }, evenly(1, nodes));
  const workOfRow = block * modes ** 2;
  const span = { units: count, workBefore: (unit: number) => workOfRow * memberPtr[unit]! + unit };
  runOver(context, { kernel: 'tentative_fill', layout: TENTATIVE_HEADER, words }, span);
  const prolongation = { rows, cols: count * modes, nnz, rowPtr, colIdx, values };
  return { prolongation, near: { modes, numbers: coarseNear } };
}
