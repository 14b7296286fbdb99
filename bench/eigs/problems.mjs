/** The problems of the suite `eigs`: ten eigenpairs of Laplacians and of pairs K, M, and fifty singular triplets. */

import { randomStream, unit } from '../../dist/gallery/draw.js';
import { CsrBuilder, gallery, laplacian } from '../../dist/index.node.js';
import { frame } from '../solve/choice-problems.mjs';
import { documents, scattered } from './documents.mjs';
import { blockMass, frameMass } from './masses.mjs';
import { neighbours } from './neighbours.mjs';

const START_SEED = 1;

const TRIPLETS = { k: 50, which: 'largest', isSingularValues: true };

/**
 * `make`: `{ matrix, B }` from functions that scale a number of unknowns or a side; in how many dimensions it shrinks follows from their names. `isFactored`: whether
 * peers are asked to factor it. The peers' shift is `SHIFT` below 0 where the matrix is singular, and 0 elsewhere.
 */
const LISTED = [
  { name: 'mesh', make: ({ plane }) => ({ matrix: gallery('delaunay', { n: plane(445) ** 2 }) }) },
  {
    ...{ name: 'mesh, largest', which: 'largest' },
    make: ({ plane }) => ({ matrix: gallery('delaunay', { n: plane(445) ** 2 }) }),
  },
  {
    ...{ name: 'road', isSingular: true },
    make: ({ plane }) => ({ matrix: laplacian(gallery('road', { nx: plane(450), ny: plane(450), values: 'ones' })) }),
  },
  {
    ...{ name: 'neighbours', isSingular: true, isFactored: false },
    make: ({ line }) => ({ matrix: laplacian(neighbours(line(70_000), 15), { normalized: true }) }),
  },
  {
    name: 'elasticity',
    make: ({ space }) => ({ matrix: gallery('elasticity3d', cube(space(20))), B: blockMass(space(20)) }),
  },
  {
    name: 'frame',
    make: ({ plane }) => ({ matrix: symmetric(frame(plane(125), plane(125))), B: frameMass(plane(125), plane(125)) }),
  },
  {
    ...{ name: 'svds: random', ...TRIPLETS },
    make: ({ line }) => ({ matrix: scattered(line(20_000), line(30_000), 50) }),
  },
  {
    ...{ name: 'svds: documents', ...TRIPLETS },
    make: ({ line }) => ({ matrix: documents(line(100_000), line(30_000)) }),
  },
];

const USUAL = { k: 10, which: 'smallest', isFactored: true, isSingular: false, isSingularValues: false };

export const PROBLEMS = LISTED.map((problem) => ({ ...USUAL, ...problem }));

/** The shift of the peers for a singular matrix, over its greatest row sum: that of `eigs`. */
const SHIFT = -1e-6;

/** @param scale of the unknowns. @returns `{ …problem, matrix, B, start, norms, sigma }` */
export function makeProblem({ make, k, ...problem }, scale) {
  const side = (least, points, dimensions) => Math.max(least, Math.round(points * scale ** (1 / dimensions)));
  const { matrix, B } = make({
    line: (points) => side(200, points, 1),
    plane: (points) => side(8, points, 2),
    space: (points) => side(4, points, 3),
  });
  const random = randomStream(START_SEED, 'values');
  const start = Float64Array.from({ length: matrix.cols }, () => 2 * unit(random) - 1);
  const norms = { A: boundOfNorm(matrix), B: B === undefined ? 1 : boundOfNorm(B) };
  const sigma = problem.isSingular ? (SHIFT * norms.A) / norms.B : 0;
  return { ...problem, k, matrix, B, start, norms, sigma };
}

/** √(‖A‖₁ ‖A‖∞), at least ‖A‖₂. */
function boundOfNorm({ rows, cols, rowPtr, colIdx, values }) {
  const [ofRows, ofCols] = [new Float64Array(rows), new Float64Array(cols)];
  for (let i = 0; i < rows; i++)
    for (let e = rowPtr[i]; e < rowPtr[i + 1]; e++) {
      ofRows[i] += Math.abs(values[e]);
      ofCols[colIdx[e]] += Math.abs(values[e]);
    }
  const greatest = (sums) => sums.reduce((most, sum) => Math.max(most, sum), 0);
  return Math.sqrt(greatest(ofRows) * greatest(ofCols));
}

function cube(n) {
  return { nx: n, ny: n, nz: n };
}

/** The same matrix with both triangles exactly alike: sums of elements differ by rounding errors. */
function symmetric({ rows, rowPtr, colIdx, values }) {
  const builder = new CsrBuilder(rows, rows, { symmetry: 'symmetric' });
  for (let i = 0; i < rows; i++)
    for (let e = rowPtr[i]; e < rowPtr[i + 1]; e++) if (colIdx[e] >= i) builder.add(i, colIdx[e], values[e]);
  return builder.build();
}
