/** Loops over a matrix that has just entered the heap. */
import { isAscending } from '../../core/csr.js';
import { entriesOfRows, type Loop } from './loop.js';

export const DISORDER_HEADER = {
  cols: 'u32',
  nnz: 'u32',
  rowPtr: 'usize',
  colIdx: 'usize',
  found: 'usize',
} as const;

type FindDisorder = {
  readonly cols: number;
  readonly nnz: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  /** One element: set to 1 if a row is not known to ascend strictly within the range of columns. */
  readonly found: Uint32Array;
};

/** Units: rows. */
export const findDisorder: Loop<FindDisorder> = {
  header: DISORDER_HEADER,
  kernel: () => 'rows_disorder',
  reads: { fields: ['colIdx'], range: ({ rowPtr }, begin, end) => entriesOfRows(rowPtr, begin, end) },
  run({ cols, rowPtr, colIdx, found }, begin, end) {
    if (!isAscending(cols, rowPtr, colIdx, begin, end)) Atomics.store(found, 0, 1);
  },
};
