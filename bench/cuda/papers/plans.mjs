/**
 * What is measured on a paper's matrices: our kernels that carry the paper's name, the paper's kernels as printed (`*.cu` of this folder),
 * and cuSPARSE. By `contendersOf(paper, matrix)`:
 *
 * { library: 'sparlane', order, format, methods, groups }: a layout, and its products
 * { library: 'paper' | 'cuSPARSE', order, program, products }: a native program
 *
 * `order`: of rows and columns: natural, rcm, bandk; with `groups`, the sizes of CSR-k that bandk makes.
 */
import { gpuSizes } from '../../../dist/formats/csrk/sizes.js';
import { PREPROCESSED, requestOf } from '../results.mjs';

const ours = (format, ...methods) => ({ library: 'sparlane', order: 'natural', format, methods });
const theirs = (...products) => ({ library: 'cuSPARSE', order: 'natural', program: 'cusparse', products });
const printed = (program, products) => ({ library: 'paper', order: 'natural', program, products });

/** The ways in which Bell & Garland's kernels read x: §4.7, and past L1. */
const CACHES = ['texture', 'plain', 'bypass'];

const BELL_GARLAND = ['dia', 'ell', 'csr-scalar', 'csr-vector', 'coo', 'hyb'];

/** The launches of Jindal's tables, as blocks and threads. */
export const LAUNCHES = ['512 32', '512 64', '512 128', '256 256'];

/** A launch that fills a GPU of today: as many threads as there are entries, or pieces of them. */
export const FILLING = '0 256';

/** Jindal, §3, of the entries of a warp: "varied it from 32 to 4096". */
export const ENTRIES_PER_WARP = [32, 64, 128, 256, 512, 1024, 2048, 4096];

/** The entries of a warp that Jindal chooses, §3. */
export const HIS_ENTRIES = 64;

/** How `jindal.cu` is asked for his methods in a launch. The entries of a warp matter for the last one alone. */
export const JINDAL_PRODUCTS = {
  column: (launch) => `column ${launch} ${HIS_ENTRIES}`,
  row: (launch) => `row ${launch} ${HIS_ENTRIES}`,
  scan: (launch) => `scan ${launch} 32`,
  reordered: (launch, entries = HIS_ENTRIES) => `reordered ${launch} ${entries}`,
};

/** The products of Jindal's kernels. The entries of a warp vary in his last launch, and in one that fills the GPU. */
function jindal() {
  const { column, row, scan, reordered } = JINDAL_PRODUCTS;
  return [
    ...[column, row, scan].flatMap((product) => [...LAUNCHES, FILLING].map((launch) => product(launch))),
    ...LAUNCHES.slice(0, -1).map((launch) => reordered(launch)),
    ...[LAUNCHES.at(-1), FILLING].flatMap((launch) => ENTRIES_PER_WARP.map((entries) => reordered(launch, entries))),
  ];
}

/** The format CSR-3 with the sizes for a GPU and a number of entries in the mean row. */
export function csr3For(gpu, density) {
  const { superRowSize, superSuperRowSize } = gpuSizes(gpu, density);
  return `csrk?k=3&superRowSize=${superRowSize}&superSuperRowSize=${superSuperRowSize}`;
}

/** Lane & Booth: CSR-3 with the paper's sizes for Ampere, with those re-derived for Hopper, and CSR-2; then by Band-k, as in its Fig 7. */
function laneBooth({ rows, nnz }) {
  const density = nnz / Math.max(rows, 1);
  const both = ['gpuspmv3', 'gpuspmv3_5'];
  return [
    ours('csr', ''),
    theirs(PREPROCESSED),
    ours('csr5', 'tiles'),
    ours(csr3For('hopper', density), ...both),
    ours(csr3For('ampere', density), 'gpuspmv'),
    ours('csrk', 'gpuspmv'),
    ours('auto', ''),
    { ...theirs(PREPROCESSED), order: 'rcm' },
    { ...ours('csrk', ...both), order: 'bandk', groups: gpuSizes('hopper', density) },
  ];
}

/** λ of Abdelfattah et al., §6.3: a block row is cut into pieces of at most so many blocks. */
export const LAMBDA = 16;

/** The size of blocks at which K3 of Abdelfattah et al. takes over from K2, §5.1. */
export const K3_FROM = 45;

/** The sizes of blocks that each of their kernels is measured with. */
const RANGES = { k1: [2, 8], k2: [5, 64], k3: [9, 64] };

/** Abdelfattah et al.: `maxRowBlocks=0` switches our own cuts of long block rows off. */
function abdelfattah(_, { block }) {
  const kernels = Object.entries(RANGES).flatMap(([name, [from, to]]) => (block >= from && block <= to ? [name] : []));
  const uncut = kernels.map((name) => `${name}?maxRowBlocks=0`);
  return [
    ours(`bsr?blockSize=${block}`, ...uncut, ''),
    ours(`bsr?blockSize=${block}&maxRowBlocks=${LAMBDA}`, ...kernels),
    theirs(`bsr ${block}`, `bsrmv ${block}`, PREPROCESSED, 'sell 32'),
    ours('hyb', 'row'),
    ours('sell', 'row'),
    ours('auto', ''),
  ];
}

/** These are the values of ω in Flegar & Anzt's figure 5, and larger ones, since GPUs of today have more cores. */
export const OMEGAS = [2, 4, 8, 16, 32, 64, 128, 256, 512];

const FLEGAR = [
  ours('coo', 'flegar', ...OMEGAS.map((omega) => `flegar?omega=${omega}`), ''),
  ours('csr', 'balanced', ''),
  ours('csr5', 'tiles'),
  ours('sell', 'row', ''),
  ours('hyb', 'row', ''),
  theirs(PREPROCESSED, 'csr ALG1'),
];

const PLANS = {
  'bell-garland': () => [
    ours('csr', '', 'scalar', 'vector?width=32', 'vector'),
    theirs(PREPROCESSED, 'sell 32', 'coo ALG1'),
    printed(
      'bell-garland',
      BELL_GARLAND.flatMap((format) => CACHES.map((how) => `${format} ${how}`)),
    ),
    ours('dia', 'row'),
    ours('ell', 'row'),
    ours('coo', 'segmented', ''),
    ours('hyb', 'segmented', 'row', ''),
    ours('pkt', 'segmented', 'packets'),
    ours('auto', ''),
  ],
  'lane-booth': laneBooth,
  abdelfattah,
  jindal: () => [
    ours('csr', ''),
    theirs(PREPROCESSED),
    printed('jindal', jindal()),
    ours('coo', ''),
    ours('components', ''),
  ],
  flegar: () => FLEGAR,
  lp: () => [
    ours('auto', ''),
    theirs(PREPROCESSED, 'csr ALG1', 'csr ALG2 preprocess', 'coo ALG1', 'sell 32'),
    ours('csr', '', 'windows', 'hubs', 'stream', 'packed', 'vector', 'balanced'),
    ours('csr?partition=merge', ''),
    ours('coo', ''),
    ours('sell', ''),
    ours('csrk?index=16', ''),
  ],
};

/** The contenders on a matrix of a case. */
export const contendersOf = (paper, matrix, one) => PLANS[paper](matrix, one);

/** The products of a contender, by their names in results. */
export const requestsOf = ({ format, methods, products }) =>
  products ?? methods.map((method) => requestOf(format, method));
