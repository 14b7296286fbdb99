/** Symmetric matrices for direct methods, small and large, and what they are compared with. */
import fc from 'fast-check';
import type { CsrMatrix } from '#dist/core/csr.js';
import { addMatrices, CsrBuilder, csrMatrix, gallery } from '#dist/index.node.js';
import { drawFrom } from '../../bench/draw.mjs';
import { type Dense, dense } from '../preconditioners/dense.js';
import { ragged, shuffleRows } from '../preconditioners/matrices.js';

/** An entry of a symmetric matrix, on either side of its diagonal. */
export type Entry = readonly [row: number, column: number, value: number];

/** The matrix with these entries on both sides; every diagonal entry is stored, as 0 if it has no other. */
export function symmetric(n: number, entries: readonly Entry[]): CsrMatrix {
  const builder = new CsrBuilder(n, n);
  for (let i = 0; i < n; i++) builder.add(i, i, 0);
  for (const [i, j, value] of entries) {
    builder.add(i, j, value);
    if (i !== j) builder.add(j, i, value);
  }
  return builder.build();
}

/** Random patterns of up to 200 rows, with values from −1 to 1; `dominance` is added to the diagonal, times the sums of the rows. */
export function randomSymmetric(dominance: number): fc.Arbitrary<CsrMatrix> {
  return fc.integer({ min: 1, max: 200 }).chain((n) => {
    const index = fc.nat({ max: n - 1 });
    const value = fc.double({ min: -1, max: 1, noNaN: true });
    return fc.array(fc.tuple(index, index, value), { maxLength: 4 * n }).map((entries) => {
      const sums = new Float64Array(n).fill(0.5);
      for (const [i, j, entry] of entries) {
        sums[i]! += Math.abs(entry);
        sums[j]! += Math.abs(entry);
      }
      return symmetric(n, [...entries, ...Array.from(sums, (sum, i): Entry => [i, i, dominance * sum])]);
    });
  });
}

/** [ H Bᵀ; B 0 ]: a saddle point of a path of `n` unknowns with `m` constraints. @param size of the entries of H in every fourth row */
export function saddlePoint(n: number, m: number, size = 1): CsrMatrix {
  const entries: Entry[] = [];
  for (let i = 0; i < n; i++)
    entries.push([i, i, (2 + (i % 3)) * (i % 4 === 0 ? size : 1)], ...(i > 0 ? [[i, i - 1, -1] as const] : []));
  for (let c = 0; c < m; c++) for (let k = 0; k < 3; k++) entries.push([n + c, (c * 7 + k * k) % n, 1 + ((c + k) % 2)]);
  return symmetric(n + m, entries);
}

/** Random symmetric, about `perRow` entries a row beside zeros on the diagonal, values over 2^±octaves. */
export function hollow(n: number, perRow: number, octaves: number, seed: number): CsrMatrix {
  const draw = drawFrom(seed * 7919);
  const entries = new Map<number, Entry>();
  for (let k = 0; k < perRow * n; k++) {
    const [i, j] = [Math.floor(draw() * n), Math.floor(draw() * n)];
    const key = Math.min(i, j) * n + Math.max(i, j);
    if (i === j || entries.has(key)) continue;
    entries.set(key, [i, j, (2 * draw() - 1) * 2 ** Math.round((2 * draw() - 1) * octaves)]);
  }
  return symmetric(n, [...entries.values()]);
}

/** ‖b − A x‖ ÷ (‖A‖ ‖x‖ + ‖b‖) in the greatest norm. */
export function backwardError(
  { rows, rowPtr, colIdx, values }: CsrMatrix,
  x: ArrayLike<number>,
  b: ArrayLike<number>,
): number {
  let [error, scale, sizeX, sizeB] = [0, 0, 0, 0];
  for (let i = 0; i < rows; i++) {
    let [sum, row] = [b[i]!, 0];
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      sum -= values[k]! * x[colIdx[k]!]!;
      row += Math.abs(values[k]!);
    }
    if (!(Math.abs(sum) <= error)) error = Math.abs(sum);
    scale = Math.max(scale, row);
    sizeX = Math.max(sizeX, Math.abs(x[i]!));
    sizeB = Math.max(sizeB, Math.abs(b[i]!));
  }
  return error / (scale * sizeX + sizeB || 1);
}

/** log |det A|, its sign, and the numbers of eigenvalues by sign, by symmetric elimination with pivots on the diagonal of a dense matrix. */
export function determinant(matrix: CsrMatrix): { readonly log: number; readonly sign: number } {
  const rows: Dense = dense(matrix);
  let [log, sign] = [0, 1];
  for (let j = 0; j < rows.length; j++) {
    let pivot = j;
    for (let i = j; i < rows.length; i++) if (Math.abs(rows[i]![j]!) > Math.abs(rows[pivot]![j]!)) pivot = i;
    if (pivot !== j) sign = -sign;
    [rows[j], rows[pivot]] = [rows[pivot]!, rows[j]!];
    const own = rows[j]![j]!;
    log += Math.log(Math.abs(own));
    if (own < 0) sign = -sign;
    for (let i = j + 1; i < rows.length; i++) {
      const factor = rows[i]![j]! / own;
      for (let m = j; m < rows.length; m++) rows[i]![m]! -= factor * rows[j]![m]!;
    }
  }
  return { log, sign };
}

export function rightSide(n: number, seed = 1): Float64Array {
  return Float64Array.from({ length: n }, (_, i) => 0.5 + (((i + seed) * 7919) % 1000) / 1000);
}

export const identity = (n: number): CsrMatrix =>
  symmetric(
    n,
    Array.from({ length: n }, (_, i) => [i, i, 1] as const),
  );

export const DEFINITE = {
  'a Laplacian': gallery('laplace2d5', { nx: 14, ny: 13 }),
  'a Laplacian of 27 points': gallery('laplace3d27', { nx: 6, ny: 5, nz: 6 }),
  'ragged rows in random order': shuffleRows(ragged(150)),
  'one supernode of more than 64 columns': symmetric(
    150,
    Array.from({ length: 150 }, (_, i) =>
      Array.from({ length: i + 1 }, (_, j) => [i, j, i === j ? 150 : 1 / (1 + i + j)] as const),
    ).flat(),
  ),
  'a diagonal': identity(7),
  'one row': symmetric(1, [[0, 0, 4]]),
};

export const shift = (matrix: Parameters<typeof addMatrices>[0], by: number): CsrMatrix =>
  addMatrices(csrMatrix(matrix), identity(csrMatrix(matrix).rows), 1, -by);

export const INDEFINITE = {
  'a shifted Laplacian': shift(gallery('laplace2d5', { nx: 14, ny: 13 }), 3.1),
  'a saddle point': saddlePoint(60, 25),
  'a saddle point in random order': shuffleRows(saddlePoint(90, 40)),
  'a saddle point whose first block is nearly singular': saddlePoint(80, 36, 1e-7),
  'a diagonal of zeros': symmetric(
    8,
    Array.from({ length: 4 }, (_, i) => [2 * i, 2 * i + 1, 1 + i] as const),
  ),
  'a dense one': symmetric(
    100,
    Array.from({ length: 100 }, (_, i) =>
      Array.from({ length: i + 1 }, (_, j) => [i, j, Math.cos(7 * i * j + i + j)] as const),
    ).flat(),
  ),
  'a negative row': symmetric(1, [[0, 0, -4]]),
};
