/**
 * Packs of super-rows for triangular solves: super-rows of one pack are independent of each other.
 *
 * Source: Kabir, Booth, Aupy, Benoit, Robert & Raghavan, "STS-k: a multilevel sparse triangular solution scheme for NUMA multicores",
 *   SC 2015: rows are coarsened to super-rows, the graph of the super-rows is coloured, and each colour is a pack.
 * Differs: super-rows are consecutive rows of a given order; in the source they are coarsened further. So a solve reads and writes its
 *   vectors in runs, and cg takes fewer iterations: with ic0, in super-rows of 80 rows of Band-k, 5-point 300² took 531 in place of 331, and
 *   7-point 40³ 84 in place of 59; a solve for 5-point 1000² took 3 × as long. Packs are in the order of the colours; the source sorts them by
 *   size.
 * Cost: O(rows + nnz).
 */
import type { CsrMatrix } from '../core/csr.js';
import { colorGreedily } from './color.js';
import { byAscendingKey } from './counting-sort.js';
import { type Graph, symmetricGraph } from './graph.js';

export interface Packs {
  /** `order[i]`: the row of the matrix that comes i-th. */
  readonly order: Uint32Array;
  /** The first row of each super-row, in this order; one more at the end. */
  readonly superRowPtr: Uint32Array;
  /** The first super-row of each pack; one more at the end. */
  readonly packPtr: Uint32Array;
}

/** @param superRowSize rows per super-row; the last one may have fewer @param base an order of the rows; undefined: that of the matrix */
export function packSuperRows(matrix: CsrMatrix, superRowSize: number, base?: Uint32Array): Packs {
  const { rows } = matrix;
  const rowOrder = base ?? Uint32Array.from({ length: rows }, (_, i) => i);
  const superRows = Math.ceil(rows / superRowSize);
  const ptr = Uint32Array.from({ length: superRows + 1 }, (_, s) => Math.min(s * superRowSize, rows));
  const { colors, colorOf } = colorGreedily(superRowGraph(symmetricGraph(matrix), rowOrder, ptr));
  const byColor = byAscendingKey(colorOf);
  const packPtr = new Uint32Array(colors + 1);
  for (let s = 0; s < colorOf.length; s++) packPtr[colorOf[s]! + 1]!++;
  for (let color = 0; color < colors; color++) packPtr[color + 1]! += packPtr[color]!;
  const order = new Uint32Array(rowOrder.length);
  const superRowPtr = new Uint32Array(ptr.length);
  for (let place = 0; place < byColor.length; place++) {
    const superRow = byColor[place]!;
    const rows = rowOrder.subarray(ptr[superRow], ptr[superRow + 1]);
    order.set(rows, superRowPtr[place]);
    superRowPtr[place + 1] = superRowPtr[place]! + rows.length;
  }
  return { order, superRowPtr, packPtr };
}

/** An edge between two super-rows for every edge between their rows. */
function superRowGraph({ edgePtr, neighbours }: Graph, rowOrder: Uint32Array, ptr: Uint32Array): Graph {
  const vertices = ptr.length - 1;
  const superRowOf = new Uint32Array(rowOrder.length);
  for (let s = 0; s < vertices; s++) for (let i = ptr[s]!; i < ptr[s + 1]!; i++) superRowOf[rowOrder[i]!] = s;
  const joinedPtr = new Uint32Array(vertices + 1);
  const joined = new Uint32Array(neighbours.length);
  /** 1 + the last super-row that met each super-row. */
  const metBy = new Uint32Array(vertices);
  let write = 0;
  for (let s = 0; s < vertices; s++) {
    metBy[s] = s + 1;
    for (let i = ptr[s]!; i < ptr[s + 1]!; i++) {
      const row = rowOrder[i]!;
      for (let k = edgePtr[row]!, end = edgePtr[row + 1]!; k < end; k++) {
        const other = superRowOf[neighbours[k]!]!;
        if (metBy[other] === s + 1) continue;
        metBy[other] = s + 1;
        joined[write++] = other;
      }
    }
    joinedPtr[s + 1] = write;
  }
  return { vertices, edgePtr: joinedPtr, neighbours: joined.subarray(0, write) };
}
