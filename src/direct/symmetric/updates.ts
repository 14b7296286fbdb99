/** What supernodes need of each other and of A: the updates of each, and the places of the entries of A. Lists by supernode. */
import type { CsrMatrix } from '../../core/csr.js';
import { inverted } from '../../reorder/permutation.js';
import type { Supernodes } from './supernodes.js';

/** Updates of each supernode by earlier ones, ascending. */
export interface Updates {
  /** count + 1 */
  readonly ptr: Uint32Array;
  /** For each update the earlier supernode, the first of its rows that is a column of this one, and the number of such rows. */
  readonly words: Uint32Array;
}

export function updatesOf({ count, columnPtr, nodeOf, rowBegin, rowCount, rows }: Supernodes): Updates {
  const ptr = new Uint32Array(count + 1);
  const eachRun = (found: (d: number, target: number, row: number, length: number) => void) => {
    for (let d = 0; d < count; d++) {
      const begin = rowBegin[d]!;
      const end = rowCount[d]!;
      for (let row = columnPtr[d + 1]! - columnPtr[d]!; row < end; ) {
        const target = nodeOf[rows[begin + row]!]!;
        const last = columnPtr[target + 1]!;
        let next = row + 1;
        while (next < end && rows[begin + next]! < last) next++;
        found(d, target, row, next - row);
        row = next;
      }
    }
  };
  eachRun((_d, target) => ptr[target + 1]!++);
  for (let s = 0; s < count; s++) ptr[s + 1]! += ptr[s]!;
  const words = new Uint32Array(3 * ptr[count]!);
  const next = ptr.slice(0, count);
  eachRun((d, target, row, length) => {
    const at = 3 * next[target]!++;
    words[at] = d;
    words[at + 1] = row;
    words[at + 2] = length;
  });
  return { ptr, words };
}

/** The dense columns of all supernodes. */
export interface DenseColumns {
  /** Where those of each supernode begin, in elements. */
  readonly begin: Uint32Array;
  /** Elements between two columns: even, and such that columns do not fall on the same lines of a cache. */
  readonly stride: Uint32Array;
  /** All elements. */
  readonly length: number;
}

/** Strides that are multiples of this many elements get two more. */
const BAD_STRIDE = 32;

export function denseColumnsOf({ count, columnPtr, rowCount }: Supernodes): DenseColumns {
  const begin = new Uint32Array(count);
  const stride = new Uint32Array(count);
  let length = 0;
  for (let s = 0; s < count; s++) {
    const even = rowCount[s]! + (rowCount[s]! & 1);
    stride[s] = even % BAD_STRIDE === 0 ? even + 2 : even;
    begin[s] = length;
    length += stride[s]! * (columnPtr[s + 1]! - columnPtr[s]!);
  }
  return { begin, stride, length };
}

/** The entries of A on and below its diagonal. */
export interface PlacedEntries {
  /** count + 1: those of each supernode. */
  readonly ptr: Uint32Array;
  /** The place of each in the dense columns. */
  readonly at: Uint32Array;
  /** Its number in A. */
  readonly from: Uint32Array;
}

export function placedEntries(
  { rows: n, rowPtr, colIdx }: CsrMatrix,
  { order, count, columnPtr, nodeOf, rowBegin, rowCount, rows }: Supernodes,
  { begin, stride }: DenseColumns,
): PlacedEntries {
  const place = inverted(order);
  const ptr = new Uint32Array(count + 1);
  for (let row = 0; row < n; row++)
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!; k < end && colIdx[k]! <= row; k++)
      ptr[nodeOf[Math.min(place[row]!, place[colIdx[k]!]!)]! + 1]!++;
  for (let s = 0; s < count; s++) ptr[s + 1]! += ptr[s]!;
  const total = ptr[count]!;
  const from = new Uint32Array(total);
  const rowOf = new Uint32Array(total);
  const columnOf = new Uint32Array(total);
  const next = ptr.slice(0, count);
  for (let row = 0; row < n; row++) {
    const i = place[row]!;
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!; k < end && colIdx[k]! <= row; k++) {
      const j = place[colIdx[k]!]!;
      const e = next[nodeOf[Math.min(i, j)]!]!++;
      from[e] = k;
      rowOf[e] = Math.max(i, j);
      columnOf[e] = Math.min(i, j);
    }
  }
  const inNode = new Uint32Array(n);
  const at = rowOf;
  for (let s = 0; s < count; s++) {
    for (let i = 0; i < rowCount[s]!; i++) inNode[rows[rowBegin[s]! + i]!] = i;
    for (let e = ptr[s]!; e < ptr[s + 1]!; e++)
      at[e] = begin[s]! + (columnOf[e]! - columnPtr[s]!) * stride[s]! + inNode[rowOf[e]!]!;
  }
  return { ptr, at, from };
}
