/** The matrices of the suite `cores`: large ones, and small ones of the same kinds for `--quick`. */
import { gallery, parseGalleryUrl } from '../../dist/gallery/registry.js';

export const MATRICES = [
  {
    name: '5-point',
    url: 'gallery:laplace2d5?nx=2000&ny=2000',
    quick: 'gallery:laplace2d5?nx=400&ny=400',
  },
  {
    name: '27-point',
    url: 'gallery:laplace3d27?nx=128&ny=128&nz=128',
    quick: 'gallery:laplace3d27?nx=32&ny=32&nz=32',
  },
  {
    name: 'R-MAT',
    url: 'gallery:rmat?scale=20&edgeFactor=16',
    quick: 'gallery:rmat?scale=15&edgeFactor=16',
  },
  {
    // Coefficients that differ everywhere: constant ones, as above, fit a table.
    name: '27-point-real',
    url: 'gallery:laplace3d27?nx=100&ny=100&nz=100&values=real',
    quick: 'gallery:laplace3d27?nx=32&ny=32&nz=32&values=real',
  },
  {
    // Points in random order: every entry is a gather from an x of 8 MB.
    name: 'mesh',
    url: 'gallery:delaunay?n=1000000',
    quick: 'gallery:delaunay?n=60000',
  },
  {
    // The pattern of elasticity by trilinear hexahedra: 3 unknowns per node. The values are seeded.
    name: 'elasticity',
    url: 'gallery:laplace3d27?nx=48&ny=48&nz=48&block=3&values=real',
    quick: 'gallery:laplace3d27?nx=12&ny=12&nz=12&block=3&values=real',
  },
];

export function makeMatrix(url) {
  const { name, given } = parseGalleryUrl(url);
  return gallery(name, given);
}
