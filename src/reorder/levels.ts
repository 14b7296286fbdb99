/**
 * Level sets of a triangular solve: rows of one level depend only on rows of earlier levels. Rows sorted by level keep their
 * dependencies, so incomplete factors are the same.
 *
 * Source: Anderson & Saad 1989; Saltz 1990.
 * Differs: dependencies are those of A + Aᵀ, so that the levels, backwards, are those of the other triangle too.
 */
import type { CsrMatrix } from '../core/csr.js';
import { byAscendingKey } from './counting-sort.js';
import { inversePermutation } from './permutation.js';

export interface Levels {
  /** `order[i]`: the row of the matrix that comes i-th. */
  readonly order: Uint32Array;
  /** The first row of each level, in this order; one more at the end. */
  readonly levelPtr: Uint32Array;
}

/** @param base an order of the rows; undefined: that of the matrix */
export function levelSets({ rows, rowPtr, colIdx }: CsrMatrix, base: Uint32Array | undefined): Levels {
  const place = base && inversePermutation(base);
  const level = new Uint32Array(rows);
  let levels = 0;
  for (let i = 0; i < rows; i++) {
    const row = base === undefined ? i : base[i]!;
    const begin = rowPtr[row]!;
    const end = rowPtr[row + 1]!;
    let own = level[i]!;
    for (let k = begin; k < end; k++) {
      const j = place === undefined ? colIdx[k]! : place[colIdx[k]!]!;
      if (j < i) own = Math.max(own, level[j]! + 1);
    }
    level[i] = own;
    levels = Math.max(levels, own + 1);
    for (let k = begin; k < end; k++) {
      const j = place === undefined ? colIdx[k]! : place[colIdx[k]!]!;
      if (j > i) level[j] = Math.max(level[j]!, own + 1);
    }
  }
  const levelPtr = new Uint32Array(levels + 1);
  for (let i = 0; i < rows; i++) levelPtr[level[i]! + 1]!++;
  for (let l = 0; l < levels; l++) levelPtr[l + 1]! += levelPtr[l]!;
  const byLevel = byAscendingKey(level);
  return { order: base === undefined ? byLevel : byLevel.map((i) => base[i]!), levelPtr };
}
