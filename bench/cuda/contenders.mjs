/** Who is measured: formats of ours, and products of cuSPARSE. In order of importance. */

/** Formats with every value in full. What does not fit a matrix refuses it. */
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

/** Formats with codes for values: for matrices that have few different ones. */
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

/** Of cuSPARSE; with blocks only where the matrix consists of them. */
export function cusparseProducts({ block }) {
  return block === undefined ? PRODUCTS : [...PRODUCTS, `bsr ${block}`, `bsrmv ${block}`];
}
