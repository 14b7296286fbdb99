/**
 * Matrices defined by a rule, which need no stand-in: those of the gallery, and these. If the published matrix has
 * values that the rule does not define, they are seeded, and symmetric if the matrix was.
 */
import Delaunator from 'delaunator';
import { randomStream, unit } from '../../../dist/gallery/draw.js';
import { gallery } from '../../../dist/gallery/registry.js';
import { permuteMatrix } from '../../../dist/reorder/permutation.js';
import { byPairs, eachEntry, shuffledWithin } from '../patterns.mjs';
import { weighted } from '../values.mjs';

/** De Bruijn graph of 2^order words without loops: AG-Monien/debr has 20 letters. */
export function deBruijn(order) {
  return weighted(gallery('debruijn', { order, loops: 'drop', values: 'ones' }));
}

/**
 * Random geometric graph in the unit square, radius 0.55 √(ln n / n): DIMACS10/rgg_n_2_X_s0. Numbered by cells, but in
 * random order within every 128, as the published ones are.
 */
export function randomGeometric(n, seed) {
  const degree = Math.PI * 0.55 ** 2 * Math.log(n);
  const byCells = gallery('rgg', { n, degree, order: 'grid', values: 'ones', seed });
  const order = shuffledWithin(128, n, randomStream(seed, 'values'));
  return weighted(permuteMatrix(byCells, { rowOrder: order, colOrder: order }));
}

/** The edges of `triangulation`: DIMACS10/delaunay_nX. */
export function delaunay(n, seed) {
  const { triangles, halfedges } = triangulation(n, seed);
  const pattern = byPairs(n, true, (pairs) => {
    for (let edge = 0; edge < triangles.length; edge++) {
      if (halfedges[edge] > edge) continue;
      pairs.add(triangles[edge], triangles[edge % 3 === 2 ? edge - 2 : edge + 1]);
    }
  });
  return weighted(pattern);
}

/**
 * Delaunay triangulation of random points in the unit square. The first quarter of the points, within it the first
 * quarter of these, and so on, are numbered before the others, each group along a Hilbert curve.
 * The published ones have this order too: node i lies near 4 i (CGAL's order of insertion).
 */
function triangulation(n, seed) {
  const random = randomStream(seed, 'structure');
  const points = Float64Array.from({ length: 2 * n }, () => unit(random));
  for (let end = n; end > 64; end = Math.floor(end / 4)) {
    alongHilbert(points.subarray(2 * Math.floor(end / 4), 2 * end));
  }
  return new Delaunator(points);
}

/** Cells of the curve along a side: a position on it and an index of at most 2²³ fit into one exact number. */
const HILBERT_ORDER = 15;
const PLACES = 2 ** 23;

function alongHilbert(points) {
  const copy = points.slice();
  const keys = new Float64Array(points.length / 2);
  for (let k = 0; k < keys.length; k++) keys[k] = placeOnHilbert(points[2 * k], points[2 * k + 1]) * PLACES + k;
  keys.sort();
  keys.forEach((key, place) => {
    const k = key % PLACES;
    points[2 * place] = copy[2 * k];
    points[2 * place + 1] = copy[2 * k + 1];
  });
}

/** The position of a point of the unit square on the curve: by quarters, turned so that one ends where the next begins. */
function placeOnHilbert(x, y) {
  let place = 0;
  for (let level = 0; level < HILBERT_ORDER; level++) {
    const [right, upper] = [x >= 0.5, y >= 0.5];
    place = 4 * place + (right ? (upper ? 2 : 3) : upper ? 1 : 0);
    [x, y] = [2 * x - (right ? 1 : 0), 2 * y - (upper ? 1 : 0)];
    if (!upper) [x, y] = right ? [1 - y, 1 - x] : [y, x];
  }
  return place;
}

/**
 * Boundary control of a partial differential equation on n³ points (Schenk/nlpkktX): states y, controls u on the six
 * faces, multipliers λ: [I 0 Aᵀ; 0 I Bᵀ; A B 0], where A is the 27-point stencil and B couples the controls of a face
 * with the nine points next to each. n = 80: as many rows and entries, and the same least and greatest row length.
 */
export function nlpkkt(n) {
  const size = n ** 3;
  const multipliers = size + 6 * n * n;
  const stencil = gallery('laplace3d27', { nx: n, ny: n, nz: n });
  const face = gallery('laplace2d9', { nx: n, ny: n });
  const pattern = byPairs(multipliers + size, true, (pairs) => {
    for (let i = 0; i < multipliers; i++) pairs.add(i, i);
    eachEntry(stencil, (i, j) => pairs.add(j, multipliers + i));
    for (let side = 0; side < 6; side++) {
      const layer = side % 2 === 0 ? 0 : n - 1;
      const pointAt = [
        (a, b) => layer + n * (a + n * b),
        (a, b) => a + n * (layer + n * b),
        (a, b) => a + n * (b + n * layer),
      ][side >> 1];
      eachEntry(face, (i, j) => pairs.add(size + side * n * n + i, multipliers + pointAt(j % n, Math.floor(j / n))));
    }
  });
  return weighted(pattern);
}

/**
 * A Markov chain in two dimensions, an epidemic: i healthy and j ill of at most m; births (i + 1), infections
 * (i − 1, j + 1), deaths (j − 1). The generator has as many rows and entries as Williams/mc2depi for m = 1024, and its
 * row lengths.
 */
export function epidemic(m) {
  const rows = ((m + 1) * (m + 2)) / 2;
  const nnz = 4 * rows - 3 * (m + 1);
  const rowPtr = new Uint32Array(rows + 1);
  const colIdx = new Uint32Array(nnz);
  const values = new Float64Array(nnz);
  let row = 0;
  let write = 0;
  const add = (column, value) => {
    colIdx[write] = column;
    values[write++] = value;
  };
  for (let j = 0; j <= m; j++) {
    for (let i = 0; i + j <= m; i++) {
      const [births, infections, deaths] = [i + j < m ? 1 : 0, (2 * i * (j + 1)) / m, j];
      if (j > 0) add(row - (m + 2 - j), deaths);
      add(row, -(births + infections + deaths));
      if (i + j < m) add(row + 1, births);
      if (i > 0) add(row + (m - j), infections);
      rowPtr[++row] = write;
    }
  }
  return { rows, cols: rows, nnz, rowPtr, colIdx, values, field: 'real', symmetry: 'general' };
}

/**
 * Two continua, rock and fractures, on one grid: seven points in each, and each coupled with the other in its cell, seven
 * unknowns in both. 70 × 70 × 30 has as many rows and entries as spe5Ref_dpdp, the SPE5 problem (7 × 7 × 3) refined ten times.
 */
export function dualContinua(nx, ny, nz) {
  const grid = gallery('laplace3d7', { nx, ny, nz });
  return byPairs(2 * grid.rows, true, (pairs) => {
    for (let cell = 0; cell < grid.rows; cell++) pairs.add(2 * cell, 2 * cell + 1);
    eachEntry(grid, (cell, other) => {
      if (other > cell) return;
      pairs.add(2 * cell, 2 * other);
      pairs.add(2 * cell + 1, 2 * other + 1);
    });
  });
}
