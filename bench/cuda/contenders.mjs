/** The contenders: our formats, each by its default method or by the one that follows it, and products of cuSPARSE. In order of importance. */
import { K3_FROM, LAMBDA } from './papers/plans.mjs';
import { PREPROCESSED } from './results.mjs';

/** Formats with every value in full. A format that does not suit a matrix refuses it. */
const FORMATS = [
  'csr',
  'sell?index=16',
  'dia',
  'bsr',
  'auto',
  'sell',
  'csr?partition=merge',
  // Balanced CSR is the CSRI of Flegar & Anzt.
  'csr balanced',
  'csrk?k=3',
  'csr5',
  'coo',
  'hyb',
  'ell',
  'bsr?maxRowBlocks=8',
  'components',
  'inode',
  'csrk?index=16',
  'csrk',
  'coo?adds=atomic',
  'pkt',
  'sell?sortScope=64&index=16',
  'hyb?index=16',
  'ell?index=16',
  'sss',
  'coo?adds=atomic&order=column',
];

/** Formats with codes for values: for matrices with few different values. */
const CODED = [
  'sell?index=16&values=table',
  'csr?values=table',
  'csrk?index=16&values=table',
  'ell?index=16&values=table',
  'hyb?index=16&values=table',
  'coo?values=table',
  'components?values=table',
];

/** The other formats for matrices of blocks larger than those that `bsr` finds. */
const BESIDE_LARGE_BLOCKS = ['csr', 'bsr', 'auto', 'sell?index=16', 'csr balanced'];

/** `bsr` finds blocks up to this size, as `LARGEST` of `src/formats/bsr/block-size.ts` says. */
const FOUND = 16;

export function formatsFor({ name, block }) {
  if (block > FOUND) return [`bsr?blockSize=${block}`, ...blocksOf(block), ...BESIDE_LARGE_BLOCKS];
  const all = [...FORMATS, ...(block === undefined ? [] : blocksOf(block))];
  return name.endsWith('-own') ? [...CODED, ...all] : all;
}

/** The paper's kernel for a size of blocks, without our own cuts of long block rows; and balanced BSR. */
function blocksOf(block) {
  const kernel = block >= K3_FROM ? 'k3' : block > 8 ? 'k2' : 'k1';
  const size = block > FOUND ? `blockSize=${block}` : '';
  const format = (...parameters) => ['bsr', parameters.filter(Boolean).join('&')].filter(Boolean).join('?');
  return [`${format(size)} ${kernel}?maxRowBlocks=0`, format(size, `maxRowBlocks=${LAMBDA}`)];
}

const PRODUCTS = [
  PREPROCESSED,
  'sell 32',
  'csr ALG1',
  'csr ALG2 preprocess',
  'csr ALG2',
  'coo ALG1',
  'coo ALG2',
  'sell 16',
  'sell 64',
];

/** Products of cuSPARSE; those with blocks only if the matrix consists of blocks. */
export function cusparseProducts({ block }) {
  return block === undefined ? PRODUCTS : [...PRODUCTS, `bsr ${block}`, `bsrmv ${block}`];
}
