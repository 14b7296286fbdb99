/** Symmetric positive definite systems for the benchmark of conjugate gradients. */
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { gallery } from '#dist/gallery/registry.js';
import { triangulation } from '../suites/rules.mjs';

const SEED = 1;

/** `scale`: of the unknowns. */
export const PROBLEMS = [
  {
    name: '5-point',
    make: (scale) => {
      const side = Math.round(1000 * Math.sqrt(scale));
      return gallery('laplace2d5', { nx: side, ny: side });
    },
  },
  { name: 'fem', make: (scale) => finiteElements(Math.round(200_000 * scale)) },
];

/**
 * −Δu + u with natural boundary, by linear elements on a Delaunay triangulation of n random points: stiffness and lumped
 * mass. Its entries sum up to the area of the triangulation.
 */
export function finiteElements(n) {
  const { points, triangles } = triangulation(n, SEED);
  const builder = new CsrBuilder(n, n, { symmetry: 'symmetric' });
  for (let first = 0; first < triangles.length; first += 3) {
    const corners = triangles.subarray(first, first + 3);
    const at = (k) => [points[2 * corners[k % 3]], points[2 * corners[k % 3] + 1]];
    // The side opposite of each corner, turned by a right angle: the gradient of its element, times twice the area.
    const gradients = [0, 1, 2].map((k) => {
      const [[x1, y1], [x2, y2]] = [at(k + 1), at(k + 2)];
      return [y1 - y2, x2 - x1];
    });
    const [[a, b], [c, d]] = gradients;
    const area = Math.abs(a * d - b * c) / 2;
    for (let i = 0; i < 3; i++) {
      for (let j = i; j < 3; j++) {
        const product = gradients[i][0] * gradients[j][0] + gradients[i][1] * gradients[j][1];
        builder.add(corners[i], corners[j], product / (4 * area) + (i === j ? area / 3 : 0));
      }
    }
  }
  return builder.build();
}

/** The diagonal of a matrix, inverted. */
export function inverseDiagonal({ rows, rowPtr, colIdx, values }) {
  const inverse = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) if (colIdx[k] === i) inverse[i] = 1 / values[k];
  }
  return inverse;
}
