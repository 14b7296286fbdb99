/** Numbers of factors, from where they are to where they are read. Kernels: `assembly/triangular/gather.ts`. */

import type { TeamContext } from '../../backends/team/backend.js';
import { evenly } from '../../core/span.js';
import type { FloatArray } from '../../core/types.js';
import type { HeapScope } from '../../memory/heap.js';
import { runOver } from '../over-pieces.js';

export const GATHER_HEADER = {
  /** u32, by unit. */
  from: 'usize',
  /** f64. */
  values: 'usize',
  target: 'usize',
  /** u32: set if a negated number is not finite. */
  isBeyond: 'usize',
} as const;

export const PIVOTS_HEADER = {
  /** A: u32, rows + 1; f64, nnz. */
  rowPtr: 'usize',
  values: 'usize',
  /** u32, rows: the row of A; 0: its number. */
  order: 'usize',
  /** u32, rows: the entry of A, or NONE. */
  entries: 'usize',
  /** Of the type of x, rows. */
  diagonal: 'usize',
  sums: 'usize',
} as const;

/** Numbers as f64 in the heap: a copy, unless they are there. */
export function placedNumbers(scope: HeapScope, values: FloatArray): Float64Array {
  return values instanceof Float64Array && scope.heap.owns(values) ? values : scope.copy(Float64Array, values);
}

/** target ← values[from]. All in the heap. */
export function gather(context: TeamContext, from: Uint32Array, values: Float64Array, target: FloatArray): void {
  const words = { from, values, target, isBeyond: 0 };
  runOver(context, { kernel: `factors_gather_${typeOf(target)}`, layout: GATHER_HEADER, words }, evenly(from.length));
}

/** target ← −values[from − 1]; 0 where `from` is 0. All in the heap. @returns whether all of them are finite */
export function gatherNegated(
  context: TeamContext,
  from: Uint32Array,
  values: FloatArray,
  target: FloatArray,
): boolean {
  using work = context.heap.scope();
  const isBeyond = work.array(Uint32Array, 1).fill(0);
  const words = { from, values, target, isBeyond };
  runOver(context, { kernel: `factors_negate_${typeOf(target)}`, layout: GATHER_HEADER, words }, evenly(from.length));
  return isBeyond[0] === 0;
}

/** What pivots are computed from. */
interface PivotSource {
  readonly rows: number;
  readonly order: Uint32Array | undefined;
  readonly rowPtr: Uint32Array;
  /** For each row the entry on the diagonal, or NONE. */
  readonly diagonal: Uint32Array;
}

/** The diagonal and the sums of the moduli of the rows, in the order of the rows. In a row without entries the sum is 1. All in the heap. */
export function fillPivots(
  context: TeamContext,
  { rows, order, rowPtr, diagonal: entries }: PivotSource,
  values: Float64Array,
  { diagonal, sums }: { readonly diagonal: FloatArray; readonly sums: FloatArray },
): void {
  const words = { rowPtr, values, order, entries, diagonal, sums };
  const kernel = `factors_pivots_${typeOf(sums)}`;
  runOver(context, { kernel, layout: PIVOTS_HEADER, words }, evenly(rows, values.length / Math.max(rows, 1)));
}

function typeOf(array: FloatArray): 'f64' | 'f32' {
  return array instanceof Float64Array ? 'f64' : 'f32';
}
