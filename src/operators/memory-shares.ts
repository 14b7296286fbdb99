/**
 * How many memories a matrix needs. The layouts of its rows are made after they were dealt to memories, so their bytes are predicted: those of `csr`. A product
 * needs all of x and its rows of y in each memory, too.
 */
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { type Dtype, valueArray, vectorArray } from '../core/types.js';
import type { Heap } from '../memory/heap.js';

/** Rows as `csr` fill this share of a memory. Chosen: the rest is for the padding of other formats, and for what conversions need. */
const FILL = 0.75;

/** The first memory has room for so many vectors beside a matrix. Chosen: a solver has as many, but for `gmres` with long cycles. */
const VECTORS = 10;

type Shape = Pick<CsrMatrix, 'rows' | 'cols' | 'nnz'>;

/** Returns the bytes of a vector of so many elements. */
function bytesOfVector(length: number, dtype: Dtype): number {
  return length * vectorArray(dtype).BYTES_PER_ELEMENT;
}

/** Returns the bytes that rows take as `csr`, with as many elements of y. */
function bytesOfRows({ rows, nnz }: Shape, dtype: Dtype): number {
  const entry = Uint32Array.BYTES_PER_ELEMENT + valueArray(dtype).BYTES_PER_ELEMENT;
  return nnz * entry + rows * Uint32Array.BYTES_PER_ELEMENT + bytesOfVector(rows, dtype);
}

/** Returns the bytes that a layout in the first memory may have, so that vectors fit beside it. */
export function roomBesideVectors({ bytesFree }: Heap, { rows, cols }: Shape, dtype: Dtype): number {
  return bytesFree - VECTORS * bytesOfVector(Math.max(rows, cols), dtype);
}

/** Says whether rows are expected to fit into another memory as `csr`, with x and y of a product. */
export function fitsElsewhere({ bytesFree }: Heap, matrix: Shape, dtype: Dtype): boolean {
  return bytesOfRows(matrix, dtype) <= FILL * (bytesFree - bytesOfVector(matrix.cols, dtype));
}

/** Says whether rows are expected to fit into the first memory as `csr`, beside vectors. */
export function fitsHere(heap: Heap, matrix: Shape, dtype: Dtype): boolean {
  return bytesOfRows(matrix, dtype) <= roomBesideVectors(heap, matrix, dtype);
}

/**
 * Returns how many memories of `maximumBytes` the rows of a matrix need.
 *
 * @throws SparlaneError `heap` if x leaves no room for rows
 */
export function memoriesFor(maximumBytes: number, matrix: Shape, dtype: Dtype): number {
  const x = bytesOfVector(matrix.cols, dtype);
  if (x >= maximumBytes) {
    const expected = `less than ${maximumBytes} bytes, because each memory of the matrix holds all of x`;
    throw mismatch('heap', 'x', expected, x, { cols: matrix.cols });
  }
  return Math.max(1, Math.ceil(bytesOfRows(matrix, dtype) / (FILL * (maximumBytes - x))));
}
