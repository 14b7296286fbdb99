/**
 * Laplacians on regular grids, and the dense matrix: structures without random numbers.
 *
 * Source: Bell & Garland, "Efficient Sparse Matrix-Vector Multiplication on CUDA", NVR-2008-004, Table 3 (the default
 * sizes and their entry counts). The centre has the number of its neighbours in the stencil as its value, each neighbour
 * −1. Neighbours beyond the boundary are omitted (Dirichlet): the matrices are symmetric positive definite. Points are
 * numbered with x fastest.
 */
import type { NumberParameter } from '../core/parameters.js';
import { family, type GalleryFamily, type GallerySize, integer, MAX_ROWS, type Structure } from './family.js';

interface Grid {
  readonly nx: number;
  readonly ny: number;
  readonly nz: number;
}

/** Star: neighbours along one axis. Box: along any of them, diagonals too. */
type Shape = 'star' | 'box';

const TABLE_3 = 'Bell & Garland 2008, Table 3';
const AXES = ['nx', 'ny', 'nz'] as const;

export const LAPLACE_1D_3: GalleryFamily = laplacian(
  'laplace1d3',
  'Laplacian on a line, 3 points',
  1,
  1_000_000,
  'star',
);
export const LAPLACE_2D_5: GalleryFamily = laplacian('laplace2d5', 'Laplacian in the plane, 5 points', 2, 1000, 'star');
export const LAPLACE_2D_9: GalleryFamily = laplacian('laplace2d9', 'Laplacian in the plane, 9 points', 2, 1000, 'box');
export const LAPLACE_3D_7: GalleryFamily = laplacian('laplace3d7', 'Laplacian in space, 7 points', 3, 100, 'star');
export const LAPLACE_3D_27: GalleryFamily = laplacian('laplace3d27', 'Laplacian in space, 27 points', 3, 100, 'box');

/** @param points along each axis, by default */
function laplacian(name: string, summary: string, axes: number, points: number, shape: Shape): GalleryFamily {
  const extents = AXES.slice(0, axes).map((axis) => [
    axis,
    integer(points, 1, MAX_ROWS, `grid points along ${axis.at(1)}`),
  ]);
  // An axis that the family does not have is one point long.
  const gridOf = (given: Readonly<Record<string, number>>): Grid => ({ nx: 1, ny: 1, nz: 1, ...given });
  return family({
    name,
    summary,
    source: TABLE_3,
    parameters: Object.fromEntries(extents) as Record<string, NumberParameter>,
    ownValues: 'stencil',
    size: (given) => stencilSize(gridOf(given), shape),
    structure: (given) => stencil(gridOf(given), axes, shape),
    rowRange: (given, first, end) => stencil(gridOf(given), axes, shape, first, end),
  });
}

export const DENSE: GalleryFamily = family({
  name: 'dense',
  summary: 'dense matrix, stored sparse',
  source: 'the upper end of every SpMV benchmark since Williams et al. 2007: no format can do better on it',
  parameters: { rows: integer(2000, 0, MAX_ROWS, 'rows'), cols: integer(2000, 0, MAX_ROWS, 'columns') },
  size: ({ rows, cols }) => ({ rows, cols, entries: rows * cols }),
  structure: ({ rows, cols }) => dense(rows, cols),
  rowRange: ({ rows, cols }, first, end) => ({ ...dense(end - first, cols), symmetric: rows === cols }),
});

/**
 * Exact. An axis of n points has 3n − 2 pairs of neighbours, each point with itself included. Box: the axes multiply.
 * Star: they add.
 */
function stencilSize({ nx, ny, nz }: Grid, shape: Shape): GallerySize {
  const rows = nx * ny * nz;
  const pairs = (n: number) => 3 * n - 2;
  const star = rows + (2 * nx - 2) * ny * nz + (2 * ny - 2) * nx * nz + (2 * nz - 2) * nx * ny;
  return { rows, cols: rows, entries: shape === 'box' ? pairs(nx) * pairs(ny) * pairs(nz) : star };
}

/** Rows first … end − 1; default: all. */
function stencil(grid: Grid, dimensions: number, shape: Shape, first = 0, end: number = pointsOf(grid)): Structure {
  const { nx } = grid;
  const rowPtr = new Uint32Array(end - first + 1);
  const entries = stencilEntries(grid, shape, first, end);
  const colIdx = new Uint32Array(entries);
  const values = new Float64Array(entries).fill(-1);
  const centre = shape === 'box' ? 3 ** dimensions - 1 : 2 * dimensions;
  const isStar = shape === 'star';
  let row = first;
  let write = 0;
  for (const { lines, begin, stop } of gridLines(grid, shape, first, end)) {
    for (let x = begin; x < stop; x++) {
      for (let k = 0; k < lines.length; k++) {
        const line = lines[k]!;
        const column = row + line;
        if (isStar && line !== 0) {
          colIdx[write++] = column;
          continue;
        }
        if (x > 0) colIdx[write++] = column - 1;
        if (line === 0) values[write] = centre;
        colIdx[write++] = column;
        if (x + 1 < nx) colIdx[write++] = column + 1;
      }
      rowPtr[++row - first] = write;
    }
  }
  return { rows: end - first, cols: pointsOf(grid), rowPtr, colIdx, values, symmetric: true };
}

function pointsOf({ nx, ny, nz }: Grid): number {
  return nx * ny * nz;
}

function stencilEntries(grid: Grid, shape: Shape, first: number, end: number): number {
  let entries = 0;
  for (const { lines, begin, stop } of gridLines(grid, shape, first, end)) {
    const alongX = 3 * (stop - begin) - (begin === 0 ? 1 : 0) - (stop === grid.nx ? 1 : 0);
    entries += shape === 'box' ? lines.length * alongX : alongX + (lines.length - 1) * (stop - begin);
  }
  return entries;
}

interface GridLine {
  /** Distances in the numbering to itself (0) and to its neighbours, ascending. */
  readonly lines: readonly number[];
  /** The points from x = begin to stop − 1. */
  readonly begin: number;
  readonly stop: number;
}

/** The lines along x with the points first … end − 1. */
function* gridLines(grid: Grid, shape: Shape, first: number, end: number): Generator<GridLine> {
  const { nx, ny } = grid;
  for (let row = first; row < end; ) {
    const line = Math.floor(row / nx);
    const begin = row - line * nx;
    const stop = Math.min(nx, begin + end - row);
    yield { lines: neighbourLines(grid, line % ny, Math.floor(line / ny), shape === 'star'), begin, stop };
    row += stop - begin;
  }
}

/** Distances in the numbering from a grid line along x to itself (0) and to its neighbours, ascending. */
function neighbourLines({ nx, ny, nz }: Grid, y: number, z: number, isStar: boolean): number[] {
  const lines: number[] = [];
  for (let dz = z > 0 ? -1 : 0; dz <= (z + 1 < nz ? 1 : 0); dz++) {
    for (let dy = y > 0 ? -1 : 0; dy <= (y + 1 < ny ? 1 : 0); dy++) {
      if (!(isStar && dy !== 0 && dz !== 0)) lines.push((dz * ny + dy) * nx);
    }
  }
  return lines;
}

function dense(rows: number, cols: number): Structure {
  const rowPtr = new Uint32Array(rows + 1);
  const colIdx = new Uint32Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    rowPtr[i + 1] = (i + 1) * cols;
    for (let j = 0; j < cols; j++) colIdx[i * cols + j] = j;
  }
  return { rows, cols, rowPtr, colIdx, symmetric: rows === cols };
}
