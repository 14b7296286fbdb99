/** The matrices on which the methods of kernels are timed, by names that a record has: `seed 12`, `27-point 0.1`, `blocks of 7, 300000`. */
import { gallery } from '../../dist/gallery/registry.js';
import { kind } from '../matrices/kinds/kinds.mjs';
import { matrixByName } from './matrices.mjs';

/** All methods of SELL, with every parameter that it may choose. Empty: its own choice. */
const SELL = [
  '',
  ...['row', 'slices'].flatMap((name) => [5, 7, 14].map((unroll) => `${name}?unroll=${unroll}`)),
  ...[2, 4, 8, 16, 32].map((width) => `split?width=${width}`),
];
const ENTRIES = 5;

/** Chunks alone: a second stage would be timed with each of the methods. */
export const METHODS = {
  sell: { formats: ['', '&index=16', '&chunkHeight=4'].map((more) => `sell?hubs=keep${more}`), methods: SELL },
  bsr: { formats: ['bsr'], methods: ['', 'k1', 'k2', 'k3'] },
  csr: { formats: ['csr'], methods: ['', 'packed', 'stream', 'windows', 'hubs'] },
};

const GRIDS = [
  '5-point 0.05',
  '7-point 0.1',
  '27-point 0.02',
  '27-point 0.1',
  'band 0.2',
  'debruijn 0.3',
  'road 0.2',
  'dense 0.01',
  'dense 0.1',
];
/** The methods of csr are timed on these, whose sizes are others than those of `cuda/run`. */
const LARGE_GRIDS = [
  'dense 0.5',
  'dense 0.2',
  ...['blocks-32', 'blocks-64', 'blocks-256', 'circuit-blocks'].map((name) => `${name} 0.4`),
  ...['27-point', 'band', 'rmat', 'circuit'].map((name) => `${name} 0.3`),
];
const BLOCK_SIZES = [2, 4, 5, 7, 8, 12, 16, 20, 24, 28, 32, 48];
const BLOCK_ENTRIES = [1e5, 1e6, 1e7];

/** Returns the names of cases: for sell and csr random kinds of matrices and grids, for bsr grids of blocks. @param last the seeds are 1 … last */
export function caseNames(kernel, last) {
  const seeds = Array.from({ length: last }, (_, i) => `seed ${i + 1}`);
  if (kernel === 'sell') return [...GRIDS, ...seeds];
  if (kernel === 'csr') return [...LARGE_GRIDS, ...seeds];
  return BLOCK_ENTRIES.flatMap((entries) => BLOCK_SIZES.map((block) => `blocks of ${block}, ${entries}`));
}

/** Returns the matrix of a name, and the formats to be timed for it. */
export function caseOf(name, kernel) {
  const [, block, entries] = /^blocks of (\d+), (\d+)$/.exec(name) ?? [];
  if (block !== undefined) {
    const n = Math.max(2, Math.round(Math.sqrt(entries / ENTRIES) / block));
    const matrix = gallery('laplace2d5', { nx: n, ny: n, block: Number(block), values: 'real' });
    return { matrix, formats: [`bsr?blockSize=${block}`] };
  }
  const [first, second] = name.split(' ');
  const matrix = first === 'seed' ? kind(Number(second)).matrix : matrixByName(first).make(Number(second));
  return { matrix, formats: METHODS[kernel].formats };
}
