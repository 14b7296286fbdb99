/**
 * Slow flow in the unit square, by finite volumes on a staggered grid of nx × ny cells: pressures in the cells, velocities on the faces between them. Unknowns are
 * the velocities along x, those along y, then the pressures, each with x fastest. No fluid passes the boundary, where velocities are given.
 *
 * Source: Harlow & Welch 1965 (the grid); Elman, Silvester & Wathen 2014, §3.1 (the cavity).
 */
import { family, type GalleryFamily, type GallerySize, integer, type Structure } from './family.js';

interface Grid {
  readonly nx: number;
  readonly ny: number;
}

const cells = (axis: string) => integer(96, 2, 32_767, `cells along ${axis}`);

export const STOKES_2D: GalleryFamily = family({
  name: 'stokes2d',
  summary: 'slow flow in a cavity below a moving lid: a saddle point, whose null space is a constant pressure',
  source:
    'staggered grid (Harlow & Welch 1965); −Δu + ∇p = 0, −∇·u = 0, u = (1, 0) on the side y = 1 and 0 on the others',
  parameters: { nx: cells('x'), ny: cells('y') },
  ownValues: 'stencil',
  size: (grid) => size(grid),
  structure: (grid) => stokes(grid, 0, size(grid).rows),
  rowRange: (grid, first, end) => stokes(grid, first, end),
  rightHandSide(grid, first, end) {
    const { along, lid } = layoutOf(grid);
    return Float64Array.from({ length: end - first }, (_, i) =>
      first + i >= lid && first + i < along ? (2 * grid.ny) / grid.nx : 0,
    );
  },
});

function size(grid: Grid): GallerySize {
  const { nx, ny } = grid;
  const { rows, pressures } = layoutOf(grid);
  const stencil = (a: number, b: number) => 5 * a * b - 2 * a - 2 * b;
  return { rows, cols: rows, entries: stencil(nx - 1, ny) + stencil(nx, ny - 1) + 4 * pressures };
}

/** The first velocity below the lid, the first along y, the first pressure, and the end. */
function layoutOf({ nx, ny }: Grid) {
  const along = (nx - 1) * ny;
  const pressures = along + nx * (ny - 1);
  return { lid: along - (nx - 1), along, pressures, rows: pressures + nx * ny };
}

/** Rows first … end − 1. */
function stokes(grid: Grid, first: number, end: number): Structure {
  const { nx, ny } = grid;
  const { along, pressures, rows } = layoutOf(grid);
  const colIdx: number[] = [];
  const values: number[] = [];
  const rowPtr = new Uint32Array(end - first + 1);
  const add = (col: number, value: number) => {
    colIdx.push(col);
    values.push(value);
  };
  /** Velocities on a grid of `width` × `height` faces, the first of which is `offset`; a wall beside them is half a cell away, one before them a whole one. */
  const diffusion = (offset: number, width: number, height: number, place: number, isAlongX: boolean) => {
    const [x, y] = [place % width, Math.floor(place / width)];
    const [acrossX, acrossY] = [nx / ny, ny / nx];
    const ends = (at: number, length: number, wall: number) => (at === 0 ? wall : 1) + (at === length - 1 ? wall : 1);
    if (y > 0) add(offset + place - width, -acrossY);
    if (x > 0) add(offset + place - 1, -acrossX);
    add(offset + place, acrossX * ends(x, width, isAlongX ? 1 : 2) + acrossY * ends(y, height, isAlongX ? 2 : 1));
    if (x < width - 1) add(offset + place + 1, -acrossX);
    if (y < height - 1) add(offset + place + width, -acrossY);
  };
  for (let row = first; row < end; row++) {
    if (row < along) {
      const [x, y] = [row % (nx - 1), Math.floor(row / (nx - 1))];
      diffusion(0, nx - 1, ny, row, true);
      add(pressures + y * nx + x, -1 / ny);
      add(pressures + y * nx + x + 1, 1 / ny);
    } else if (row < pressures) {
      diffusion(along, nx, ny - 1, row - along, false);
      add(pressures + row - along, -1 / nx);
      add(pressures + row - along + nx, 1 / nx);
    } else {
      const [x, y] = [(row - pressures) % nx, Math.floor((row - pressures) / nx)];
      if (x > 0) add(y * (nx - 1) + x - 1, 1 / ny);
      if (x < nx - 1) add(y * (nx - 1) + x, -1 / ny);
      if (y > 0) add(along + (y - 1) * nx + x, 1 / nx);
      if (y < ny - 1) add(along + y * nx + x, -1 / nx);
    }
    rowPtr[row + 1 - first] = colIdx.length;
  }
  const arrays = { rowPtr, colIdx: Uint32Array.from(colIdx), values: Float64Array.from(values) };
  return { rows: end - first, cols: rows, ...arrays, field: 'real', symmetric: true, symmetricValues: true };
}
