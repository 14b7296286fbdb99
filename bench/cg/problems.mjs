/** Symmetric positive definite systems for the benchmark of conjugate gradients. */
import { gallery } from '../../dist/gallery/registry.js';

/** `scale`: of the unknowns. */
export const PROBLEMS = [
  {
    name: '5-point',
    make: (scale) => {
      const side = Math.round(1000 * Math.sqrt(scale));
      return gallery('laplace2d5', { nx: side, ny: side });
    },
  },
  { name: 'fem', make: (scale) => gallery('delaunay', { n: Math.round(200_000 * scale) }) },
];

/** The diagonal of a matrix, inverted. */
export function inverseDiagonal({ rows, rowPtr, colIdx, values }) {
  const inverse = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) if (colIdx[k] === i) inverse[i] = 1 / values[k];
  }
  return inverse;
}
