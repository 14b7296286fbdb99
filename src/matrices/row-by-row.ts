/** Matrices that are computed row by row in two passes: the first one counts entries, so that the second one writes them where they belong. */
import { integer } from '../core/checks.js';
import type { CompressedRows } from '../core/csr.js';
import type { Span } from '../core/span.js';
import type { FloatArray } from '../core/types.js';
import { READ_PAST } from '../formats/layout/read-past.js';
import type { HeapScope } from '../memory/heap.js';

/** A chunk has so many rows. Kernels know it. */
export const CHUNK_ROWS = 16;

/** The arrays of a result, in f64, each in a block in which `csr` can keep it. Only rowPtr[0] is written. */
export function emptyRows(scope: HeapScope, rows: number, cols: number, nnz: number): CompressedRows {
  const rowPtr = scope.array(Uint32Array, rows + 1);
  rowPtr[0] = 0;
  const colIdx = scope.array(Uint32Array, nnz + READ_PAST).subarray(0, nnz);
  const values = scope.array(Float64Array, nnz + READ_PAST).subarray(0, nnz);
  return { rows, cols, nnz, rowPtr, colIdx, values };
}

/**
 * @param work of the counts
 * @param count writes the number of entries of each chunk of rows to chunkPtr[chunk + 1]
 * @param fill writes the rows; chunkPtr has the place of the first entry of each chunk
 * @returns the matrix, its arrays in `scope`
 * @throws SparlaneError `argument` for more than 2³² − 1 entries; `heap` if there is no room
 */
export function countAndFill(
  scope: HeapScope,
  work: HeapScope,
  { rows, cols, name }: Pick<CompressedRows, 'rows' | 'cols'> & { readonly name: string },
  count: (chunkPtr: Uint32Array) => void,
  fill: (chunkPtr: Uint32Array, result: CompressedRows) => void,
): CompressedRows {
  const chunkPtr = work.array(Uint32Array, Math.ceil(rows / CHUNK_ROWS) + 1).fill(0);
  count(chunkPtr);
  const result = emptyRows(scope, rows, cols, addUpChunks(chunkPtr, name));
  fill(chunkPtr, result);
  return result;
}

/** Turns the numbers of entries of chunks into the places of their first entries. Returns the number of all. @throws SparlaneError `argument` for more than 2³² − 1 */
export function addUpChunks(chunkPtr: Uint32Array, name: string): number {
  let nnz = 0;
  for (let chunk = 1; chunk < chunkPtr.length; chunk++) {
    nnz = integer(`entries of the ${name}`, nnz + chunkPtr[chunk]!);
    chunkPtr[chunk] = nnz;
  }
  return nnz;
}

/** The chunks of some rows. @param workBefore the work of the rows before one, beside 1 for each row */
export function chunksOf(rows: number, workBefore: (row: number) => number): Span {
  return {
    units: Math.ceil(rows / CHUNK_ROWS),
    workBefore(chunk) {
      const row = Math.min(chunk * CHUNK_ROWS, rows);
      return workBefore(row) + row;
    },
  };
}

/** Both matrices in the heap, with values of one type: f64 unless both have f32. Arrays are copied unless they are there. */
export function placedPair(
  work: HeapScope,
  a: CompressedRows,
  b: CompressedRows,
): readonly [CompressedRows, CompressedRows] {
  const type = [a, b].every(({ values }) => values instanceof Float32Array) ? Float32Array : Float64Array;
  const left = placedRows(work, a, type);
  return [left, a === b ? left : placedRows(work, b, type)];
}

/** A matrix in the heap, with values of a type. */
export function placedRows(
  work: HeapScope,
  matrix: CompressedRows,
  type: typeof Float64Array | typeof Float32Array = matrix.values instanceof Float64Array ? Float64Array : Float32Array,
): CompressedRows {
  const { heap } = work;
  const indices = (array: Uint32Array) => (heap.owns(array) ? array : work.copy(Uint32Array, array));
  const { values } = matrix;
  return {
    ...matrix,
    rowPtr: indices(matrix.rowPtr),
    colIdx: indices(matrix.colIdx),
    values: heap.owns(values) && values instanceof type ? values : work.copy<FloatArray>(type, values),
  };
}
