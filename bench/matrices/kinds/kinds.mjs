/**
 * Random kinds of matrices, for fitting and judging the choice of a format: structure × unknowns × symmetry × missing entries × hubs ×
 * order × empty rows × shape × values × size. A seed gives the same matrix everywhere.
 *
 * Even seeds are for fitting the cost model; odd seeds are only for judging it, and nobody looks at them while fitting.
 */
import { VALUES, withDrawnValues } from '../values.mjs';
import { arrow, blockDiagonal, diagonals, lengths, profile, selection } from './artificial.mjs';
import { Draws } from './draws.mjs';
import { blockModel, nearest, smallWorld, social, sparse, web } from './graphs.mjs';
import { convection, heisenberg, network, stencil, stokes } from './grids.mjs';
import { delaunay, hexahedra, taylorHood, tetrahedra, triangles } from './meshes.mjs';
import { categories, constraints, documents, interpolation, ratings, rays, rectangle } from './tables.mjs';
import { TRANSFORMS } from './transforms.mjs';

/** By name: (entries, draws) → [pattern, words]. With weights. */
export const STRUCTURES = {
  stencil: [stencil, 3],
  convection: [convection, 1.5],
  stokes: [stokes, 1.2],
  taylorHood: [taylorHood, 0.8],
  triangles: [triangles, 1.5],
  delaunay: [delaunay, 1],
  tetrahedra: [tetrahedra, 2],
  hexahedra: [hexahedra, 2],
  heisenberg: [heisenberg, 0.8],
  network: [network, 0.7],
  nearest: [nearest, 1.8],
  blockModel: [blockModel, 1.5],
  social: [social, 2],
  smallWorld: [smallWorld, 0.8],
  sparse: [sparse, 1.2],
  web: [web, 1],
  documents: [documents, 1.8],
  ratings: [ratings, 1],
  categories: [categories, 1],
  rectangle: [rectangle, 2],
  constraints: [constraints, 1.3],
  rays: [rays, 0.8],
  interpolation: [interpolation, 1],
  lengths: [lengths, 4],
  diagonals: [diagonals, 1.2],
  blockDiagonal: [blockDiagonal, 1],
  arrow: [arrow, 1.3],
  profile: [profile, 0.8],
  selection: [selection, 0.6],
};

/**
 * Wanted entries for a CPU and for a GPU: ranges with weights, evenly spread logarithms in each. Transforms may multiply them; structures
 * that take long to make (`nearest`, `delaunay`, `social`) end at one to eight million.
 */
export const SIZES = {
  cpu: [
    [[5e6, 8e6], 0.05],
    [[2e4, 5e6], 0.95],
  ],
  gpu: [
    [[2e4, 1e6], 1],
    [[1e6, 1e7], 1],
    [[1e7, 5e7], 1],
  ],
};

/** A matrix of fewer entries is drawn again. */
const FEWEST = 8000;

/** Above this number of entries no transform is applied: it would take seconds. Several unknowns: up to a part of it. */
const TRANSFORMED = { cpu: 4e6, gpu: 1.2e7 };
const MULTIPLIED = { cpu: 3e5, gpu: 4e5 };

/** The matrix of a seed: { seed, sizes, structure, transforms, values, description, matrix }. `sizes`: cpu or gpu. */
export function kind(seed, sizes = 'cpu') {
  const draws = new Draws(seed);
  for (;;) {
    const made = draw(draws, sizes);
    if (made.matrix.nnz >= FEWEST) return { seed, sizes, ...made };
  }
}

function draw(draws, sizes) {
  const structure = draws.weighted(Object.entries(STRUCTURES).map(([name, [, weight]]) => [name, weight]));
  const size = draws.logarithmic(...draws.weighted(SIZES[sizes]));
  const wished = TRANSFORMS.filter(({ probability }) => draws.chance(probability));
  const multiplies = wished.some(({ name }) => name === 'unknowns');
  // Blocks of unknowns are left out above a limit, so that a matrix is not much larger than wished.
  const nodes = sizes === 'gpu' ? Math.min(size / 12, MULTIPLIED.gpu) : size / 12;
  let [pattern, words] = STRUCTURES[structure][0](multiplies ? Math.max(5000, nodes) : size, draws);
  const transforms = [];
  const described = [`${structure}: ${words}`];
  for (const { name, apply } of wished) {
    if (pattern.colIdx.length > (name === 'unknowns' ? MULTIPLIED : TRANSFORMED)[sizes]) continue;
    const result = apply(pattern, draws);
    if (result === undefined) continue;
    [pattern, words] = result;
    transforms.push(name);
    described.push(words);
  }
  const { matrix, values } = withDrawnValues(pattern, draws.weighted(VALUES), draws);
  const description = [...described, `values ${values}`, matrix.symmetry].join('; ');
  return { structure, transforms, values, description, matrix };
}
