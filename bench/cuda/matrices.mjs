/**
 * The matrices of the GPU's benchmark, from the gallery; ten of them have figures to beat.
 *
 * { name, title, block, isForClaims, differs, published: { rows, nnz }, figures: { f64, f32 }, make(scale) }
 *
 * `figures`: µs on one NVIDIA H200 (CUDA 13.0, cuSPARSE 12.6, November 2026), L2 cold, medians of 50: `csr` is
 * cuSPARSE's CSR ALG1 after preprocessing, `best` the best of its formats, `seen` the best measured of any code, `aim`
 * the target for ours. `differs`: the difference between the gallery's matrix and that of the figures. `block`: the
 * size of its dense blocks. `isForClaims`: whether it is measured in few formats, for the claims of papers alone, and is in no mean and no chart.
 *
 * Values are random numbers in full, like those of the figures, so every format stores the same number of them. The
 * matrices with few different values of their own come again at the end with those (`-own`): there formats may store
 * values as codes. The next matrix covers a case that the ten omit: blocks in rows of very different lengths. The last ones
 * have large blocks, some 60 million entries each. The list is in order of importance.
 */
import { gallery } from '../../dist/gallery/registry.js';

/** An edge of a grid with that number of dimensions, at a scale that is a share of the points. */
const edge = (length, scale, dimensions) => Math.max(2, Math.round(length * scale ** (1 / dimensions)));
const share = (count, scale) => Math.max(2, Math.round(count * scale));
const power = (exponent, scale) => Math.max(2, exponent + Math.round(Math.log2(scale)));

const square = (family, length, more) => (scale) => {
  const n = edge(length, scale, 2);
  return gallery(family, { nx: n, ny: n, ...more });
};

const cube = (family, length, more) => (scale) => {
  const n = edge(length, scale, 3);
  return gallery(family, { nx: n, ny: n, nz: n, ...more });
};

const REAL = { values: 'real' };

const TEN = [
  {
    name: '5-point',
    title: '5-point 2000²',
    published: { rows: 4_000_000, nnz: 19_992_000 },
    figures: {
      f64: { csr: 132, best: 88, bestFormat: 'SELL', seen: 56, seenFormat: 'DIA', aim: 56 },
      f32: { csr: 81, best: 57, seen: 35, aim: 35 },
    },
    make: square('laplace2d5', 2000, REAL),
  },
  {
    name: '27-point',
    title: '27-point 128³',
    published: { rows: 2_097_152, nnz: 55_742_968 },
    figures: {
      f64: { csr: 254, best: 167, bestFormat: 'SELL', seen: 115, seenFormat: 'DIA', aim: 115 },
      f32: { csr: 161, best: 109, seen: 66, aim: 66 },
    },
    make: cube('laplace3d27', 128, REAL),
  },
  {
    name: 'rmat',
    title: 'R-MAT 21 × 16',
    published: { rows: 2_097_152, nnz: 32_418_337 },
    differs: 'drawn with other random numbers: 32,417,020 entries',
    figures: {
      f64: {
        csr: 256,
        best: 256,
        bestFormat: 'CSR',
        seen: 256,
        seenFormat: 'CSR; its gathers alone take 224',
        aim: 235,
      },
      f32: { csr: 245, best: 245, seen: 245, aim: 225 },
    },
    make: (scale) => gallery('rmat', { scale: power(21, scale), edgeFactor: 16 }),
  },
  {
    name: 'circuit',
    title: 'circuit: 5/row + 4 rows and columns of 2 M',
    published: { rows: 4_000_000, nnz: 35_999_958 },
    differs: 'entries that are drawn twice are one: 35,926,914 entries',
    figures: {
      f64: { csr: 224, best: 224, bestFormat: 'CSR', seen: 174, seenFormat: 'equal-nonzeros split', aim: 150 },
      f32: { csr: 144, best: 144, seen: 114, aim: 105 },
    },
    make: (scale) =>
      gallery('circuit', {
        n: share(4e6, scale),
        perRow: 5,
        hubs: Math.min(4, share(4e6, scale)),
        hubLength: share(2e6, scale),
      }),
  },
  {
    name: 'blocks',
    title: '7×7 blocks on 700²',
    block: 7,
    published: { rows: 3_430_000, nnz: 119_912_800 },
    figures: {
      f64: { csr: 501, best: 359, bestFormat: 'SELL; BSR 488', seen: 274, seenFormat: 'BSR', aim: 255 },
      f32: { csr: 315, best: 234, seen: 139, aim: 135 },
    },
    make: square('laplace2d5', 700, { block: 7, ...REAL }),
  },
  {
    name: 'band',
    title: 'band, 13/row in ±2000',
    published: { rows: 2_097_152, nnz: 27_206_722 },
    differs: 'every row has 13 entries, one of them on the diagonal: 27,262,976 entries',
    figures: {
      f64: { csr: 141, best: 141, bestFormat: 'CSR', seen: 118, seenFormat: 'SELL', aim: 100 },
      f32: { csr: 89, best: 83, seen: 82, aim: 70 },
    },
    make: (scale) => gallery('banded', { rows: share(2 ** 21, scale), halfBandwidth: 2000, perRow: 13 }),
  },
  {
    name: 'debruijn',
    title: 'de Bruijn 2²²',
    published: { rows: 4_194_304, nnz: 16_777_216 },
    differs: 'what comes twice is one: 16,777,212 entries',
    figures: {
      f64: { csr: 133, best: 81, bestFormat: 'SELL', seen: 76, seenFormat: 'y permuted', aim: 75 },
      f32: { csr: 76, best: 52, seen: 52, aim: 48 },
    },
    make: (scale) => gallery('debruijn', { order: power(22, scale) }),
  },
  {
    name: 'road',
    title: 'road-like, 2–3/row',
    published: { rows: 4_000_000, nnz: 9_899_398 },
    differs: 'drawn with other random numbers: 9,898,926 entries',
    figures: {
      f64: { csr: 88, best: 75, bestFormat: 'SELL', seen: 61, seenFormat: 'y permuted', aim: 58 },
      f32: { csr: 56, best: 49, seen: 48, aim: 44 },
    },
    make: square('road', 2000, { extra: 0.2368 }),
  },
  {
    name: 'dense',
    title: 'dense 8000²',
    published: { rows: 8000, nnz: 64_000_000 },
    figures: {
      f64: { csr: 193, best: 193, bestFormat: 'CSR', seen: 130, seenFormat: '4-bit tile columns', aim: 125 },
      f32: { csr: 137, best: 137, seen: 124, aim: 110 },
    },
    make: (scale) => gallery('dense', { rows: edge(8000, scale, 2), cols: edge(8000, scale, 2) }),
  },
  {
    name: '7-point',
    title: '7-point 160³',
    published: { rows: 4_096_000, nnz: 28_518_400 },
    figures: {
      f64: { csr: 166, best: 114, bestFormat: 'SELL', seen: 74, seenFormat: 'DIA', aim: 74 },
      f32: { csr: 101, best: 67, seen: 50, aim: 48 },
    },
    make: cube('laplace3d7', 160, REAL),
  },
];

const OWN = { values: 'stencil' };

const OTHERS = [
  { name: '5-point-own', title: '5-point 2000², own values', make: square('laplace2d5', 2000, OWN) },
  { name: '27-point-own', title: '27-point 128³, own values', make: cube('laplace3d27', 128, OWN) },
  { name: '7-point-own', title: '7-point 160³, own values', make: cube('laplace3d7', 160, OWN) },
  {
    name: 'blocks-own',
    title: '7×7 blocks on 700², own values',
    block: 7,
    make: square('laplace2d5', 700, { block: 7, ...OWN }),
  },
  {
    name: 'circuit-blocks',
    title: 'circuit in 7×7 blocks: 5/row + 4 rows and columns of 50 k',
    block: 7,
    make: (scale) =>
      gallery('circuit', {
        n: share(1e5, scale),
        perRow: 5,
        hubs: Math.min(4, share(1e5, scale)),
        hubLength: share(5e4, scale),
        block: 7,
      }),
  },
];

/** A 5-point Laplacian on a grid of `length` × `length`, whose entries are blocks. */
const largeBlocks = (block, length) => ({
  name: `blocks-${block}`,
  title: `${block}×${block} blocks on ${length}²`,
  block,
  isForClaims: true,
  make(scale) {
    const n = Math.max(1, Math.round(length * Math.sqrt(scale)));
    return gallery('laplace2d5', { nx: n, ny: n, block, ...REAL });
  },
});

const LARGE_BLOCKS = [
  largeBlocks(32, 112),
  largeBlocks(48, 75),
  largeBlocks(64, 56),
  largeBlocks(96, 38),
  largeBlocks(100, 36),
  largeBlocks(128, 28),
  largeBlocks(256, 14),
  {
    name: 'circuit-blocks-64',
    title: 'circuit in 64×64 blocks: 5/row + 2 rows and columns of 1000',
    block: 64,
    isForClaims: true,
    make: (scale) =>
      gallery('circuit', {
        n: share(2000, scale),
        perRow: 5,
        hubs: 2,
        hubLength: share(1000, scale),
        block: 64,
        ...REAL,
      }),
  },
];

export const MATRICES = [...TEN, ...OTHERS, ...LARGE_BLOCKS];

export function matrixByName(name) {
  const found = MATRICES.find((matrix) => matrix.name === name);
  if (found === undefined)
    throw new Error(`matrix: expected ${MATRICES.map((one) => one.name).join(' | ')}, got ${name}`);
  return found;
}
