/**
 * How many memories a matrix needs. The layouts of its rows are made after they were dealt to memories, so their bytes are predicted: those of `csr`. A product
 * needs all of x and its rows of y in each memory, too.
 */
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { type Dtype, valueArray, vectorArray } from '../core/types.js';
import type { Heap } from '../memory/heap.js';

/** The share of a memory that the rows fill as `csr`. Chosen: the rest is for the padding of other formats, and for what conversions need. */
const FILL = 0.75;

type Shape = Pick<CsrMatrix, 'rows' | 'cols' | 'nnz'>;

/** Bytes of x of one product. */
function bytesOfX({ cols }: Shape, dtype: Dtype): number {
  return cols * vectorArray(dtype).BYTES_PER_ELEMENT;
}

/** Bytes of rows as `csr`, and of as many elements of y. */
function bytesOfRows({ rows, nnz }: Shape, dtype: Dtype): number {
  const entry = Uint32Array.BYTES_PER_ELEMENT + valueArray(dtype).BYTES_PER_ELEMENT;
  return nnz * entry + rows * (Uint32Array.BYTES_PER_ELEMENT + vectorArray(dtype).BYTES_PER_ELEMENT);
}

/** Whether rows are expected to fit into a heap as `csr`, with x and y of a product. */
export function fitsInto({ bytesFree }: Heap, matrix: Shape, dtype: Dtype): boolean {
  return bytesOfRows(matrix, dtype) + bytesOfX(matrix, dtype) <= bytesFree;
}

/**
 * The number of memories of `maximumBytes` for the rows of a matrix.
 *
 * @throws SparlaneError `heap` if x leaves no room for rows
 */
export function memoriesFor(maximumBytes: number, matrix: Shape, dtype: Dtype): number {
  const x = bytesOfX(matrix, dtype);
  if (x >= maximumBytes) {
    const expected = `at most ${maximumBytes} bytes, because each memory of the matrix holds all of x`;
    throw mismatch('heap', 'x', expected, x, { cols: matrix.cols });
  }
  return Math.ceil(bytesOfRows(matrix, dtype) / (FILL * (maximumBytes - x)));
}
