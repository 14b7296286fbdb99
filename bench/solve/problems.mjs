/** The systems of the suite `solve`, and a right-hand side for each: uniform in (0.5, 1.5), seeded. */
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { randomStream, unit } from '../../dist/gallery/draw.js';
import { gallery, parseGalleryUrl } from '../../dist/gallery/registry.js';
import { readMatrixMarket } from '../../dist/index.node.js';
import { interiorPoint, planeStrain, plate, rotatedAnisotropy, stokes } from './choice-problems.mjs';

const SEED = 1;

/**
 * `url` or `make` gives the matrix; `quick` or `make(true)` a small one of the same kind. `file` is a matrix of the SuiteSparse collection, from a folder of the
 * user. `isFactored` says whether direct solvers are asked; default true.
 */
export const PROBLEMS = [
  { name: '5-point 300²', url: 'laplace2d5?nx=300&ny=300', quick: 'laplace2d5?nx=60&ny=60' },
  { name: '5-point 1000²', url: 'laplace2d5?nx=1000&ny=1000', quick: 'laplace2d5?nx=80&ny=80' },
  { name: 'mesh', url: 'delaunay?n=198000', quick: 'delaunay?n=4000' },
  {
    name: 'jump',
    url: 'diffusion2d?nx=500&ny=500&jump=1e4&anisotropy=0.01',
    quick: 'diffusion2d?nx=40&ny=40&jump=1e4&anisotropy=0.01',
  },
  {
    name: '7-point 100³',
    url: 'laplace3d7?nx=100&ny=100&nz=100',
    quick: 'laplace3d7?nx=14&ny=14&nz=14',
    isFactored: false,
  },
  { name: 'elasticity', url: 'elasticity3d?nx=28&ny=28&nz=28', quick: 'elasticity3d?nx=6&ny=6&nz=6' },
  { name: 'convection', url: 'convection2d?nx=500&ny=500', quick: 'convection2d?nx=50&ny=50', isSymmetric: false },
  { name: '7-point 40³', url: 'laplace3d7?nx=40&ny=40&nz=40', quick: 'laplace3d7?nx=12&ny=12&nz=12' },
  { name: 'plate', make: (isQuick) => plate(isQuick ? 30 : 150) },
  { name: 'rotated', make: (isQuick) => rotatedAnisotropy(isQuick ? 40 : 350) },
  { name: 'plane strain', make: (isQuick) => planeStrain(isQuick ? 20 : 200) },
  { name: 'interior point', make: (isQuick) => (isQuick ? interiorPoint(200, 600) : interiorPoint(3136, 9408)) },
  { name: 'Stokes', make: (isQuick) => stokes(isQuick ? 12 : 96), isSymmetric: false },
  ...['bayer10', 'memplus', 'add32', 'rajat19', 'rajat11', 'cage8'].map((name) => ({
    name,
    file: name,
    isSymmetric: false,
  })),
  { name: 'bcsstk29', file: 'bcsstk29', values: 'laplacian' },
  { name: 'bcsstk13', file: 'bcsstk13' },
].map(({ isSymmetric = true, isFactored = true, ...problem }) => ({ ...problem, isSymmetric, isFactored }));

/** @returns why it cannot be made, if it cannot. @param folders of the matrices of the collection, as NAME.mtx or NAME.mtx.gz */
export function missingProblem({ file }, folders) {
  if (file === undefined || pathOf(file, folders) !== undefined) return undefined;
  return `no ${file}.mtx or ${file}.mtx.gz: pass --folder`;
}

function pathOf(file, folders) {
  const names = [`${file}.mtx`, `${file}.mtx.gz`];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync);
}

/** Resolves to `{ name, isSymmetric, isFactored, matrix, b }`. */
export async function makeProblem(problem, isQuick, folders) {
  const matrix = await makeMatrix(problem, isQuick, folders);
  const { name, isSymmetric, isFactored } = problem;
  return { name, isSymmetric, isFactored, matrix, b: rightHandSideOf(matrix) };
}

export function rightHandSideOf({ rows }) {
  const random = randomStream(SEED, 'values');
  return Float64Array.from({ length: rows }, () => 0.5 + unit(random));
}

async function makeMatrix({ url, quick, make, file, values }, isQuick, folders) {
  if (make !== undefined) return make(isQuick);
  if (file !== undefined) {
    const matrix = await readMatrixMarket(createReadStream(pathOf(file, folders)), { name: file });
    return values === 'laplacian' ? laplacianOf(matrix) : matrix;
  }
  const { name, given } = parseGalleryUrl(`gallery:${isQuick ? quick : url}`);
  return gallery(name, given);
}

/** Beside the degrees, on the diagonal: Jacobi then takes some 225 iterations on bcsstk29. */
const SHIFT = 1e-4;

/** The Laplacian of the graph of a pattern, shifted: positive definite. */
function laplacianOf(matrix) {
  const { rows, rowPtr, colIdx } = matrix;
  const values = new Float64Array(colIdx.length).fill(-1);
  for (let i = 0; i < rows; i++) {
    const degree = rowPtr[i + 1] - rowPtr[i];
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) if (colIdx[k] === i) values[k] = degree - 1 + SHIFT;
  }
  return { ...matrix, values, field: 'real' };
}
