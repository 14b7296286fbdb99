/** The systems of the suite `solve`, and a right-hand side for each: uniform in (0.5, 1.5), seeded. */
import { randomStream, unit } from '#dist/gallery/draw.js';
import { gallery, parseGalleryUrl } from '#dist/gallery/registry.js';

const SEED = 1;

/** `quick`: of the same kind, small. */
export const PROBLEMS = [
  { name: '5-point 300²', url: 'laplace2d5?nx=300&ny=300', quick: 'laplace2d5?nx=60&ny=60' },
  { name: '5-point 1000²', url: 'laplace2d5?nx=1000&ny=1000', quick: 'laplace2d5?nx=80&ny=80' },
  { name: 'mesh', url: 'delaunay?n=198000', quick: 'delaunay?n=4000' },
  {
    name: 'jump',
    url: 'diffusion2d?nx=500&ny=500&jump=1e4&anisotropy=0.01',
    quick: 'diffusion2d?nx=40&ny=40&jump=1e4&anisotropy=0.01',
  },
  { name: '7-point 100³', url: 'laplace3d7?nx=100&ny=100&nz=100', quick: 'laplace3d7?nx=14&ny=14&nz=14' },
  { name: 'elasticity', url: 'elasticity3d?nx=28&ny=28&nz=28', quick: 'elasticity3d?nx=6&ny=6&nz=6' },
  { name: 'convection', url: 'convection2d?nx=500&ny=500', quick: 'convection2d?nx=50&ny=50', isSymmetric: false },
].map(({ isSymmetric = true, ...problem }) => ({ ...problem, isSymmetric }));

/** @returns `{ name, isSymmetric, matrix, b }` */
export function makeProblem({ name, isSymmetric, url, quick }, isQuick) {
  const { name: family, given } = parseGalleryUrl(`gallery:${isQuick ? quick : url}`);
  const matrix = gallery(family, given);
  const random = randomStream(SEED, 'values');
  return { name, isSymmetric, matrix, b: Float64Array.from({ length: matrix.rows }, () => 0.5 + unit(random)) };
}
