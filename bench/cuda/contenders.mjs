/** The contenders: our formats, and products of cuSPARSE. In order of importance. */

/** Formats with every value in full. A format that does not suit a matrix refuses it. */
const FORMATS = [
  'csr',
  'sell?index=16',
  'dia',
  'bsr',
  'auto',
  'sell',
  'csr?partition=merge',
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

export function formatsFor({ name }) {
  return name.endsWith('-own') ? [...CODED, ...FORMATS] : FORMATS;
}

const PRODUCTS = [
  'csr ALG1 preprocess',
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
