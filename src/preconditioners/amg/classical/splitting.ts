/** Coarse and fine rows. Kernel: `assembly/multigrid/splitting.ts`. */
import type { TeamContext } from '../../../backends/team/backend.js';
import { kernelIndex } from '../../../kernels/module.js';
import { placeHeader } from '../../../memory/header.js';
import type { HeapScope } from '../../../memory/heap.js';
import type { Strong } from '../strength.js';

export const SPLITTING_HEADER = {
  rows: 'u32',
  /** What each row depends on: pointers, u32, rows + 1, and rows, u32. */
  ptr: 'usize',
  idx: 'usize',
  /** The transpose: u32, rows + 2, and u32. */
  ptrT: 'usize',
  idxT: 'usize',
  /** u32, rows. */
  list: 'usize',
  /** u32, one per row: its number among the coarse rows; of another row FINE or ALONE. */
  coarse: 'usize',
  /** u32: the number of coarse rows. */
  count: 'usize',
} as const;

export interface Splitting {
  /** The number of coarse rows. */
  readonly count: number;
  /** Has the number of each coarse row, in the order of the rows; of another row FINE or ALONE, as in the kernel. */
  readonly coarse: Uint32Array;
}

/** Divides rows into coarse and fine ones. @param scope gets the result */
export function split({ heap, own, kernels }: TeamContext, scope: HeapScope, { ptr, idx }: Strong): Splitting {
  const rows = ptr.length - 1;
  const coarse = scope.array(Uint32Array, rows);
  using work = heap.scope();
  const count = work.array(Uint32Array, 1);
  const transpose = { ptrT: work.array(Uint32Array, rows + 2), idxT: work.array(Uint32Array, idx.length) };
  const words = { rows, ptr, idx, ...transpose, list: work.array(Uint32Array, rows), coarse, count };
  own[kernelIndex(kernels, 'splitting_decide')]!(placeHeader(work, SPLITTING_HEADER, words), 0, 0, 1);
  return { count: count[0]!, coarse };
}
