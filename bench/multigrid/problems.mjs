/** The systems of the suite `multigrid`: elliptic ones, scalar ones and those with several unknowns for each node. */
import { gallery, rigidBodyModes } from '../../dist/index.node.js';
import { frame, layers, plate, tetrahedra } from '../solve/choice-problems.mjs';
import { rightHandSideOf } from '../solve/problems.mjs';
import { quadraticTriangles } from './quadratic-triangles.mjs';

/** The time of our best multigrid over that of the best peer's that is asked for. */
const AIM = 1;

/**
 * `make`: the matrix, from a function that gives the points of a side; in how many dimensions it shrinks follows from its name, `plane` or `space`. `modes`, of the
 * same function: vectors that the matrix maps to almost 0, apart from clamped sides. `block`: unknowns of a node. `isFactored`: whether a direct
 * solver is asked as well. `isClassical`: whether levels by interpolation are tried. `smoother`: AMGCL's with aggregates; with spai0 it takes more than 500 iterations of
 * a fifth of the elasticity, with ilu0 13.
 */
const LISTED = [
  { name: '5-point 300²', make: ({ plane }) => gallery('laplace2d5', { nx: plane(300), ny: plane(300) }) },
  { name: '5-point 1000²', make: ({ plane }) => gallery('laplace2d5', { nx: plane(1000), ny: plane(1000) }) },
  { name: 'P1 mesh', make: ({ plane }) => gallery('delaunay', { n: plane(445) ** 2 }) },
  { name: 'P2 mesh', make: ({ plane }) => quadraticTriangles(plane(158)) },
  { name: '7-point 100³', make: ({ space }) => gallery('laplace3d7', cube(space(100))), isFactored: false },
  { name: 'tetrahedra', make: ({ space }) => tetrahedra(space(39)) },
  {
    ...{ name: 'elasticity', block: 3, make: ({ space }) => gallery('elasticity3d', cube(space(29))) },
    ...{ modes: ({ space }) => blockModes(cube(space(29))), isClassical: false, smoother: 'ilu0' },
  },
  { name: 'jumps 10⁴', make: ({ plane }) => checkerboard(plane(500), 1e4) },
  { name: 'jumps 10⁶', make: ({ plane }) => checkerboard(plane(500), 1e6) },
  {
    ...{ name: 'beams', block: 3, make: ({ plane }) => frame(plane(125), plane(125)) },
    modes: ({ plane }) => frameModes(plane(125), plane(125)),
  },
  { name: 'plate', make: ({ plane }) => plate(plane(150)), modes: ({ plane }) => linearFunctions(plane(150)) },
  { name: 'layers', make: ({ space }) => layers(space(52)) },
  {
    ...{ name: 'convection', isSymmetric: false, isClassical: false, smoother: 'ilu0' },
    make: ({ plane }) => gallery('convection2d', { nx: plane(500), ny: plane(500) }),
  },
];

const USUAL = { block: 1, aim: AIM, isSymmetric: true, isFactored: true, isClassical: true, smoother: 'spai0' };

export const PROBLEMS = LISTED.map((problem) => ({ ...USUAL, ...problem }));

/** @param scale of the unknowns. @returns `{ …problem, matrix, b, modes }`; `modes` is undefined for one whose near-null space are constants */
export function makeProblem({ make, modes, ...problem }, scale) {
  const side = (points, dimensions) => Math.max(4, Math.round(points * scale ** (1 / dimensions)));
  const sides = { plane: (points) => side(points, 2), space: (points) => side(points, 3) };
  const matrix = make(sides);
  return { ...problem, matrix, b: rightHandSideOf(matrix), modes: modes?.(sides) };
}

export function cube(n) {
  return { nx: n, ny: n, nz: n };
}

function checkerboard(n, jump) {
  return gallery('diffusion2d', { nx: n, ny: n, jump, anisotropy: 0.01 });
}

/** The nodes of `elasticity3d`; those with x = 0 are clamped, and not among the unknowns. */
export function blockModes({ nx, ny, nz }) {
  const coordinates = [];
  for (let z = 0; z <= nz; z++) for (let y = 0; y <= ny; y++) for (let x = 1; x <= nx; x++) coordinates.push(x, y, z);
  return rigidBodyModes(coordinates, 3);
}

/** Two translations and the rotation of a frame of beams, as `frame` numbers its nodes: two displacements and an angle each. */
function frameModes(storeys, bays) {
  const modes = Array.from({ length: 3 }, () => new Float64Array(3 * storeys * (bays + 1)));
  let at = 0;
  for (let storey = 1; storey <= storeys; storey++)
    for (let k = 0; k <= bays; k++, at += 3) {
      const [x, y] = [5 * k, 3 * storey];
      modes[0][at] = 1;
      modes[1][at + 1] = 1;
      modes[2].set([-y, x, 1], at);
    }
  return modes;
}

/** What a plate does without bending: 1, x and y on a grid of n² points, from −1 to 1. */
function linearFunctions(n) {
  const at = (k) => (2 * k + 1) / n - 1;
  return [() => 1, (i) => at(i % n), (i) => at(Math.floor(i / n))].map((value) =>
    Float64Array.from({ length: n * n }, (_, i) => value(i)),
  );
}
