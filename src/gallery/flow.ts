/**
 * Diffusion and convection in the unit square, by finite volumes: nx × ny cells, numbered with x fastest, and the flux through each
 * face by its two cells. The boundary value is fixed (Dirichlet), half a cell away from the centres.
 */
import { family, type GalleryFamily, integer, number, type Structure } from './family.js';

interface Grid {
  readonly nx: number;
  readonly ny: number;
}

/** The neighbours of a cell in the order of their numbers: below, left, right, above. */
const FACES = [
  { dx: 0, dy: -1 },
  { dx: -1, dy: 0 },
  { dx: 1, dy: 0 },
  { dx: 0, dy: 1 },
] as const;
type Face = (typeof FACES)[number];

const cells = (axis: string) => integer(500, 1, 65_535, `cells along ${axis}`);
const size = ({ nx, ny }: Grid) => ({ rows: nx * ny, cols: nx * ny, entries: 5 * nx * ny - 2 * (nx + ny) });

export const DIFFUSION_2D: GalleryFamily = family({
  name: 'diffusion2d',
  summary: 'diffusion through a checkerboard of two materials, which conduct less along y',
  source: 'finite volumes with harmonic means (Patankar 1980, section 4.2-3); −∇·(k ∇u) = 1, u = 0 on the boundary',
  parameters: {
    nx: cells('x'),
    ny: cells('y'),
    jump: number(1e4, 1e-9, 1e9, 'conductivity of every other square; 1 in the others'),
    anisotropy: number(0.01, 1e-9, 1e9, 'factor of the conductivity along y'),
    squares: integer(8, 1, 65_535, 'squares of the checkerboard along each axis'),
  },
  ownValues: 'stencil',
  size,
  structure: (given) => diffusion(given),
  rowRange: (given, first, end) => diffusion(given, [first, end]),
  rightHandSide: ({ nx, ny }, first, end) => new Float64Array(end - first).fill(1 / (nx * ny)),
});

export const CONVECTION_2D: GalleryFamily = family({
  name: 'convection2d',
  summary: 'convection by a wind that circulates, and diffusion: not symmetric',
  source:
    'Elman, Silvester & Wathen 2014, example 6.1.4 (double glazing), by upwind finite volumes; u = 1 on the side x = 1',
  parameters: {
    nx: cells('x'),
    ny: cells('y'),
    epsilon: number(1e-3, 1e-9, 1e9, 'diffusion, relative to the wind'),
  },
  ownValues: 'stencil',
  size,
  structure: (given) => convection(given),
  rowRange: (given, first, end) => convection(given, [first, end]),
  rightHandSide: ({ nx, ny, epsilon }, first, end) =>
    Float64Array.from({ length: end - first }, (_, i) => ((first + i + 1) % nx === 0 ? (2 * epsilon * nx) / ny : 0)),
});

/** The flux out of a cell through a face: `own` times the value of the cell, plus `other` times that behind the face. */
interface Flux {
  readonly own: number;
  readonly other: number;
}

/** Rows from the first one to the one before the second. */
type RowRange = readonly [first: number, end: number];

function diffusion(
  { nx, ny, jump, anisotropy, squares: count }: Grid & Record<'jump' | 'anisotropy' | 'squares', number>,
  range?: RowRange,
): Structure {
  const conductivity = (x: number, y: number) =>
    (Math.floor((x * count) / nx) + Math.floor((y * count) / ny)) % 2 === 0 ? 1 : jump;
  const fluxOf = (x: number, y: number, { dx, dy }: Face, isBoundary: boolean) => {
    const shape = dx === 0 ? (anisotropy * ny) / nx : nx / ny;
    const here = conductivity(x, y);
    if (isBoundary) return { own: 2 * here * shape, other: 0 };
    const there = conductivity(x + dx, y + dy);
    const between = ((2 * here * there) / (here + there)) * shape;
    return { own: between, other: -between };
  };
  return matrixOf({ nx, ny }, true, fluxOf, range);
}

function convection({ nx, ny, epsilon }: Grid & { readonly epsilon: number }, range?: RowRange): Structure {
  const fluxOf = (x: number, y: number, { dx, dy }: Face, isBoundary: boolean) => {
    const conduction = epsilon * (dx === 0 ? ny / nx : nx / ny);
    // No wind blows through the boundary.
    if (isBoundary) return { own: 2 * conduction, other: 0 };
    // The middle of the face, in a square from −1 to 1; the wind there, times the length of the face.
    const [atX, atY] = [(2 * x + 1 + dx) / nx - 1, (2 * y + 1 + dy) / ny - 1];
    const wind = dx === 0 ? (-2 * atX * (1 - atY ** 2) * dy) / nx : (2 * atY * (1 - atX ** 2) * dx) / ny;
    return { own: conduction + Math.max(wind, 0), other: -conduction + Math.min(wind, 0) };
  };
  return matrixOf({ nx, ny }, false, fluxOf, range);
}

function matrixOf(
  grid: Grid,
  symmetricValues: boolean,
  fluxOf: (x: number, y: number, face: Face, isBoundary: boolean) => Flux,
  [first, end]: RowRange = [0, grid.nx * grid.ny],
): Structure {
  const { nx, ny } = grid;
  const entries = entriesBefore(grid, end) - entriesBefore(grid, first);
  const rowPtr = new Uint32Array(end - first + 1);
  const colIdx = new Uint32Array(entries);
  const values = new Float64Array(entries);
  let write = 0;
  for (let row = first; row < end; row++) {
    const [x, y] = [row % nx, Math.floor(row / nx)];
    const isOutside = ({ dx, dy }: Face) => x + dx < 0 || x + dx >= nx || y + dy < 0 || y + dy >= ny;
    // The entries of the faces before the cell itself, its own, and those of the faces after it.
    const diagonal = write + FACES.slice(0, 2).filter((face) => !isOutside(face)).length;
    colIdx[diagonal] = row;
    for (const face of FACES) {
      const isBoundary = isOutside(face);
      const { own, other } = fluxOf(x, y, face, isBoundary);
      values[diagonal]! += own;
      if (isBoundary) continue;
      if (write === diagonal) write++;
      colIdx[write] = row + face.dx + face.dy * nx;
      values[write++] = other;
    }
    write = Math.max(write, diagonal + 1);
    rowPtr[row + 1 - first] = write;
  }
  return { rows: end - first, cols: nx * ny, rowPtr, colIdx, values, field: 'real', symmetric: true, symmetricValues };
}

/** Entries of the rows before `row`: five for each, without the faces of the boundary. */
function entriesBefore({ nx, ny }: Grid, row: number): number {
  const [left, right] = [Math.ceil(row / nx), Math.floor(row / nx)];
  const [below, above] = [Math.min(row, nx), Math.max(row - nx * (ny - 1), 0)];
  return 5 * row - left - right - below - above;
}
