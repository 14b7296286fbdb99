/**
 * Laplacians on regular grids, and the dense matrix: structures without random numbers.
 *
 * Source: Bell & Garland, "Efficient Sparse Matrix-Vector Multiplication on CUDA", NVR-2008-004, Table 3 (the default
 * sizes and their entry counts). The centre has the number of its neighbours in the stencil as its value, each neighbour
 * −1. Neighbours beyond the boundary are omitted (Dirichlet): the matrices are symmetric positive definite. Points are
 * numbered with x fastest.
 */
import { family, type GalleryFamily, type GallerySize, integer, MAX_ROWS, type Structure } from './family.js';

interface Grid {
  readonly nx: number;
  readonly ny: number;
  readonly nz: number;
}

/** Star: neighbours along one axis. Box: along any of them, diagonals too. */
type Shape = 'star' | 'box';

const TABLE_3 = 'Bell & Garland 2008, Table 3';
const points = (byDefault: number, axis: string) => integer(byDefault, 1, MAX_ROWS, `grid points along ${axis}`);

export const LAPLACE_1D_3: GalleryFamily = family({
  name: 'laplace1d3',
  summary: 'Laplacian on a line, 3 points',
  source: TABLE_3,
  parameters: { nx: points(1_000_000, 'x') },
  ownValues: 'stencil',
  size: ({ nx }) => stencilSize({ nx, ny: 1, nz: 1 }, 'star'),
  structure: ({ nx }) => stencil({ nx, ny: 1, nz: 1 }, 1, 'star'),
});

export const LAPLACE_2D_5: GalleryFamily = family({
  name: 'laplace2d5',
  summary: 'Laplacian in the plane, 5 points',
  source: TABLE_3,
  parameters: { nx: points(1000, 'x'), ny: points(1000, 'y') },
  ownValues: 'stencil',
  size: ({ nx, ny }) => stencilSize({ nx, ny, nz: 1 }, 'star'),
  structure: ({ nx, ny }) => stencil({ nx, ny, nz: 1 }, 2, 'star'),
});

export const LAPLACE_2D_9: GalleryFamily = family({
  name: 'laplace2d9',
  summary: 'Laplacian in the plane, 9 points',
  source: TABLE_3,
  parameters: { nx: points(1000, 'x'), ny: points(1000, 'y') },
  ownValues: 'stencil',
  size: ({ nx, ny }) => stencilSize({ nx, ny, nz: 1 }, 'box'),
  structure: ({ nx, ny }) => stencil({ nx, ny, nz: 1 }, 2, 'box'),
});

export const LAPLACE_3D_7: GalleryFamily = family({
  name: 'laplace3d7',
  summary: 'Laplacian in space, 7 points',
  source: TABLE_3,
  parameters: { nx: points(100, 'x'), ny: points(100, 'y'), nz: points(100, 'z') },
  ownValues: 'stencil',
  size: (grid) => stencilSize(grid, 'star'),
  structure: (grid) => stencil(grid, 3, 'star'),
});

export const LAPLACE_3D_27: GalleryFamily = family({
  name: 'laplace3d27',
  summary: 'Laplacian in space, 27 points',
  source: TABLE_3,
  parameters: { nx: points(100, 'x'), ny: points(100, 'y'), nz: points(100, 'z') },
  ownValues: 'stencil',
  size: (grid) => stencilSize(grid, 'box'),
  structure: (grid) => stencil(grid, 3, 'box'),
});

export const DENSE: GalleryFamily = family({
  name: 'dense',
  summary: 'dense matrix, stored sparse',
  source: 'the upper end of every SpMV benchmark since Williams et al. 2007: no format can do better on it',
  parameters: { rows: integer(2000, 0, MAX_ROWS, 'rows'), cols: integer(2000, 0, MAX_ROWS, 'columns') },
  size: ({ rows, cols }) => ({ rows, cols, entries: rows * cols }),
  structure: ({ rows, cols }) => dense(rows, cols),
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

function stencil(grid: Grid, dimensions: number, shape: Shape): Structure {
  const { nx, ny, nz } = grid;
  const { rows, entries } = stencilSize(grid, shape);
  const rowPtr = new Uint32Array(rows + 1);
  const colIdx = new Uint32Array(entries);
  const values = new Float64Array(entries).fill(-1);
  const centre = shape === 'box' ? 3 ** dimensions - 1 : 2 * dimensions;
  const isStar = shape === 'star';
  let row = 0;
  let write = 0;
  for (let z = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      const lines = neighbourLines(grid, y, z, isStar);
      for (let x = 0; x < nx; x++) {
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
        rowPtr[++row] = write;
      }
    }
  }
  return { rows, cols: rows, rowPtr, colIdx, values, symmetric: true };
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
