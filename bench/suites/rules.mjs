/**
 * Matrices defined by a rule, which need no stand-in: those of the gallery, and these. If the published matrix has
 * values that the rule does not define, they are seeded, and symmetric if the matrix was.
 */
import Delaunator from 'delaunator';
import { permutation, randomStream, unit } from '../../dist/gallery/draw.js';
import { gallery } from '../../dist/gallery/registry.js';
import { permuteMatrix } from '../../dist/reorder/permutation.js';
import { Links } from './links.mjs';
import { withValues } from './values.mjs';

const SEED = 1;

/** A pattern with seeded values, the same for (i, j) and (j, i). */
export const weighted = (pattern) => withValues(pattern, true, SEED);

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
  const order = shuffledLots(n, 128, randomStream(seed, 'values'));
  return weighted(permuteMatrix(byCells, { rowOrder: order, colOrder: order }));
}

function shuffledLots(n, lot, random) {
  const order = new Uint32Array(n);
  for (let begin = 0; begin < n; begin += lot) {
    permutation(random, Math.min(lot, n - begin)).forEach((place, k) => {
      order[begin + k] = begin + place;
    });
  }
  return order;
}

/** The edges of `triangulation`: DIMACS10/delaunay_nX. */
export function delaunay(n, seed) {
  const { triangles, halfedges } = triangulation(n, seed);
  const links = new Links(triangles.length);
  for (let edge = 0; edge < triangles.length; edge++) {
    if (halfedges[edge] > edge) continue;
    links.add(triangles[edge], triangles[edge % 3 === 2 ? edge - 2 : edge + 1]);
  }
  return weighted(links.pattern(n, () => false));
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
  const { triangles, halfedges } = new Delaunator(points);
  return { points, triangles, halfedges };
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
  const links = new Links(stencil.nnz + 54 * n * n);
  for (let i = 0; i < size; i++) {
    for (let k = stencil.rowPtr[i]; k < stencil.rowPtr[i + 1]; k++) links.add(stencil.colIdx[k], multipliers + i);
  }
  for (let face = 0; face < 6; face++) {
    const layer = face % 2 === 0 ? 0 : n - 1;
    const point = [
      (a, b) => layer + n * (a + n * b),
      (a, b) => a + n * (layer + n * b),
      (a, b) => a + n * (b + n * layer),
    ];
    eachNeighbour(n, (a, b, aa, bb) => {
      links.add(size + face * n * n + a + n * b, multipliers + point[face >> 1](aa, bb));
    });
  }
  return weighted(links.pattern(multipliers + size, (i) => i < multipliers));
}

/** The points of an n × n face, each with itself and its neighbours, including diagonal ones. */
function eachNeighbour(n, visit) {
  for (let a = 0; a < n; a++) {
    for (let b = 0; b < n; b++) {
      for (let aa = Math.max(0, a - 1); aa <= Math.min(n - 1, a + 1); aa++) {
        for (let bb = Math.max(0, b - 1); bb <= Math.min(n - 1, b + 1); bb++) visit(a, b, aa, bb);
      }
    }
  }
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
  const links = new Links(grid.nnz + grid.rows);
  for (let cell = 0; cell < grid.rows; cell++) {
    links.add(2 * cell, 2 * cell + 1);
    for (let k = grid.rowPtr[cell]; grid.colIdx[k] < cell; k++) {
      links.add(2 * cell, 2 * grid.colIdx[k]);
      links.add(2 * cell + 1, 2 * grid.colIdx[k] + 1);
    }
  }
  return links.pattern(2 * grid.rows, () => true);
}
