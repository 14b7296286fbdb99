/** Small matrices of every kind for preconditioners. */
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder, gallery, permuteMatrix } from '#dist/index.node.js';

/** A random permutation, the same every time. */
export function shuffled(n: number): Uint32Array {
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1, state = 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((state / 2 ** 32) * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/** Its rows and columns in another order: P A Pᵀ. */
export function shuffleRows(matrix: CsrMatrix): CsrMatrix {
  const order = shuffled(matrix.rows);
  return permuteMatrix(matrix, { rowOrder: order, colOrder: order });
}

/** Symmetric, and dominated by its diagonal, with rows of 1 to some 20 entries. */
export function ragged(n: number): CsrMatrix {
  const builder = new CsrBuilder(n, n);
  for (let i = 0; i < n; i++) {
    let sum = 1;
    const neighbours = new Set(Array.from({ length: (i * 5) % 11 }, (_, k) => (i * 3 + k * k + 1) % n));
    for (const j of neighbours) {
      if (j === i) continue;
      const value = -1 / (1 + ((i + j) % 4));
      builder.add(i, j, value);
      builder.add(j, i, value);
      builder.add(j, j, -value);
      sum -= value;
    }
    builder.add(i, i, sum);
  }
  return builder.build();
}

/** As `ragged`, but neither symmetric nor of a symmetric pattern. */
export function skewed(n: number): CsrMatrix {
  const builder = new CsrBuilder(n, n);
  for (let i = 0; i < n; i++) {
    builder.add(i, i, 9 + (i % 3));
    for (let k = 1; k < 9; k++) if ((i + k) % 3 !== 0) builder.add(i, (i + k * k) % n, ((i * k) % 5) / 4 - 0.6);
  }
  return builder.build();
}

export const SYMMETRIC: Record<string, CsrMatrix> = {
  'a Laplacian': gallery('laplace2d5', { nx: 8, ny: 6 }),
  'a Laplacian in random order': shuffleRows(gallery('laplace2d5', { nx: 8, ny: 6 })),
  'a Laplacian of 27 points': gallery('laplace3d27', { nx: 4, ny: 3, nz: 4 }),
  'ragged rows': ragged(53),
};
