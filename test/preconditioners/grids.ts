/** Grids that the tests of multigrid share. */
import type { CsrMatrix } from '#dist/core/csr.js';
import { addMatrices, csrMatrix, gallery } from '#dist/index.node.js';

/** The 5-point Laplacian of n × n points with natural boundaries: its rows have the sum 0. */
export function neumannGrid(n: number): CsrMatrix {
  const grid = gallery('laplace2d5', { nx: n, ny: n });
  const sums = new Float64Array(grid.rows);
  for (let i = 0; i < grid.rows; i++)
    for (let k = grid.rowPtr[i]!; k < grid.rowPtr[i + 1]!; k++) sums[i]! += grid.values[k]!;
  const index = Uint32Array.from(sums.keys());
  const diagonal = csrMatrix({ rows: grid.rows, cols: grid.rows, rowIdx: index, colIdx: index, values: sums });
  return addMatrices(grid, diagonal, 1, -1);
}

/** Bilinear elements on n × n points for −∇·(K ∇u), u = 0 on the boundary: K conducts 1 in a direction, and `epsilon` across it. */
export function rotatedElements(n: number, epsilon: number, angle: number): CsrMatrix {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const [a, b] = [(c * c + epsilon * s * s) / 6, (s * s + epsilon * c * c) / 6];
  const mixed = ((1 - epsilon) * c * s) / 2;
  const weights = [
    [-a - b - mixed, 2 * a - 4 * b, -a - b + mixed],
    [-4 * a + 2 * b, 8 * a + 8 * b, -4 * a + 2 * b],
    [-a - b + mixed, 2 * a - 4 * b, -a - b - mixed],
  ];
  const [rowIdx, colIdx, values]: [number[], number[], number[]] = [[], [], []];
  for (let row = 0; row < n * n; row++) {
    for (const dy of [-1, 0, 1]) {
      for (const dx of [-1, 0, 1]) {
        const [x, y] = [(row % n) + dx, Math.floor(row / n) + dy];
        if (Math.min(x, y) < 0 || Math.max(x, y) >= n) continue;
        rowIdx.push(row);
        colIdx.push(y * n + x);
        values.push(weights[dy + 1]![dx + 1]!);
      }
    }
  }
  return csrMatrix({ rows: n * n, cols: n * n, rowIdx, colIdx, values });
}
