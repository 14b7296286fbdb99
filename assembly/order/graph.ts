/** Patterns of square matrices, and their graphs. A pattern of n rows has n + 1 pointers and the columns of each row; arrays are 32-bit integers. */
import { at, fill, put, reserve } from './words';

/** The pattern of the transpose; its columns ascend. A counting sort. O(n + nnz) */
export function transpose(n: i32, ptr: usize, idx: usize, newPtr: usize, newIdx: usize): void {
  fill(newPtr, n + 1, 0);
  const nnz = at(ptr, n);
  for (let k = 0; k < nnz; k++) put(newPtr, at(idx, k) + 1, at(newPtr, at(idx, k) + 1) + 1);
  for (let i = 0; i < n; i++) put(newPtr, i + 1, at(newPtr, i + 1) + at(newPtr, i));
  const next = reserve(n);
  memory.copy(next, newPtr, (<usize>n) << 2);
  for (let i = 0; i < n; i++) {
    for (let k = at(ptr, i), end = at(ptr, i + 1); k < end; k++) {
      const j = at(idx, k);
      const place = at(next, j);
      put(newIdx, place, i);
      put(next, j, place + 1);
    }
  }
}

/**
 * The pattern of A + Aᵀ without its diagonal; columns ascend.
 *
 * @param ptr, idx of A; its columns ascend
 * @param newIdx room for 2 nnz
 * @returns the number of entries
 */
export function symmetrize(n: i32, ptr: usize, idx: usize, newPtr: usize, newIdx: usize): i32 {
  const mirrorPtr = reserve(n + 1);
  const mirrorIdx = reserve(at(ptr, n));
  transpose(n, ptr, idx, mirrorPtr, mirrorIdx);
  let write = 0;
  put(newPtr, 0, 0);
  for (let i = 0; i < n; i++) {
    let k = at(ptr, i);
    let m = at(mirrorPtr, i);
    const end = at(ptr, i + 1);
    const mirrorEnd = at(mirrorPtr, i + 1);
    while (k < end || m < mirrorEnd) {
      const column = k < end ? at(idx, k) : n;
      const row = m < mirrorEnd ? at(mirrorIdx, m) : n;
      if (column <= row) k++;
      if (row <= column) m++;
      const neighbour = min(column, row);
      if (neighbour !== i) put(newIdx, write++, neighbour);
    }
    put(newPtr, i + 1, write);
  }
  return write;
}

/** Removes the entries of the diagonal from a pattern, in its place. @returns the number of entries that are left */
export function removeDiagonal(n: i32, ptr: usize, idx: usize): i32 {
  let write = 0;
  for (let i = 0, k = 0; i < n; i++) {
    for (const end = at(ptr, i + 1); k < end; k++) {
      const j = at(idx, k);
      if (j !== i) put(idx, write++, j);
    }
    put(ptr, i + 1, write);
  }
  return write;
}

/**
 * The pattern of the diagonal blocks of P A Q, transposed; columns ascend.
 *
 * @param ptr, idx of A by columns
 * @param rowOf the row of each column
 * @param order the columns in their new sequence
 * @param blockPtr the first place of each of the blocks; one more at the end
 * @param blockOf the block of each place is written there
 * @param newIdx room for nnz
 */
export function diagonalBlocks(
  n: i32,
  ptr: usize,
  idx: usize,
  rowOf: usize,
  order: usize,
  blocks: i32,
  blockPtr: usize,
  blockOf: usize,
  newPtr: usize,
  newIdx: usize,
): void {
  const placeOfRow = reserve(n);
  for (let b = 0; b < blocks; b++)
    for (let k = at(blockPtr, b), end = at(blockPtr, b + 1); k < end; k++) {
      put(blockOf, k, b);
      put(placeOfRow, at(rowOf, at(order, k)), k);
    }
  const byColumn = reserve(n + 1);
  const places = reserve(at(ptr, n));
  let write = 0;
  put(byColumn, 0, 0);
  for (let k = 0; k < n; k++) {
    const column = at(order, k);
    const block = at(blockOf, k);
    for (let p = at(ptr, column), end = at(ptr, column + 1); p < end; p++) {
      const place = at(placeOfRow, at(idx, p));
      if (at(blockOf, place) === block) put(places, write++, place);
    }
    put(byColumn, k + 1, write);
  }
  transpose(n, byColumn, places, newPtr, newIdx);
}
