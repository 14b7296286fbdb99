/** The matrices of the suite `triangular`, their orders, and the ways to solve with their factors. */
import { gallery, parseGalleryUrl } from '../../dist/gallery/registry.js';
import { bandk, permuteMatrix, rcm } from '../../dist/index.node.js';
import { chooseOrder } from '../../dist/preconditioners/triangular/order.js';
import { packSuperRows } from '../../dist/reorder/packs.js';

/** `url`: for times; `counted`: of the same kind, smaller, for iterations. */
export const MATRICES = [
  { name: '5-point', url: 'laplace2d5?nx=1000&ny=1000', counted: 'laplace2d5?nx=300&ny=300' },
  { name: 'mesh', url: 'delaunay?n=198000', counted: 'delaunay?n=20000' },
  { name: 'elasticity', url: 'elasticity3d?nx=24&ny=24&nz=24', counted: 'elasticity3d?nx=14&ny=14&nz=14' },
  { name: '27-point', url: 'laplace3d27?nx=50&ny=50&nz=50', counted: 'laplace3d27?nx=30&ny=30&nz=30' },
];

export function makeMatrix(url) {
  const { name, given } = parseGalleryUrl(`gallery:${url}`);
  return gallery(name, given);
}

/** Rows of a super-row, as in the paper. */
const SUPER_ROW_SIZE = 80;

/** Orders of the rows, each `order[new] = old`. */
export const ORDERS = [
  { name: 'natural', orderOf: () => undefined },
  { name: 'RCM', orderOf: (matrix) => rcm(matrix).rowOrder },
  { name: 'Band-k', orderOf: (matrix) => bandk(matrix).rowOrder },
  { name: 'coloured', orderOf: (matrix) => packsOf(matrix, 1) },
  { name: 'STS', orderOf: (matrix) => packsOf(matrix, SUPER_ROW_SIZE) },
];

function packsOf(matrix, superRowSize) {
  return packSuperRows(matrix, superRowSize, chooseOrder(matrix, 'auto').order).order;
}

/** The ways that solve in the given order. `one block`: a sweep over all rows, one after the other, on one thread. */
export const SOLVES = [
  { name: 'one block', spec: ({ rows }) => `ic0?order=natural&blocks=${rows}`, threads: 1 },
  { name: 'blocks', spec: () => 'ic0?order=natural&solve=blocks' },
  { name: 'levels', spec: () => 'ic0?order=natural&solve=levels' },
  { name: 'sweeps', spec: () => 'ic0?order=natural&solve=sweeps' },
];

/** STS-k, of the matrix as it is: super-rows of one row, which is a colouring of the rows, and of more. */
export const PACKS = [
  { name: 'sts3, 320 rows', spec: () => 'ic0?solve=sts3&superRowSize=320', order: 'STS' },
  { name: 'sts3', spec: () => `ic0?solve=sts3&superRowSize=${SUPER_ROW_SIZE}`, order: 'STS' },
  { name: 'sts3', spec: () => 'ic0?solve=sts3&superRowSize=1', order: 'coloured' },
];

/** What is measured of a matrix in an order: the way, and the matrix and the order of its rows that it begins with. */
export function contendersOf(matrix, { name, orderOf }) {
  const order = orderOf(matrix);
  const permuted = order === undefined ? matrix : permuteMatrix(matrix, { rowOrder: order, colOrder: order });
  const packs = PACKS.filter((one) => one.order === name);
  return [
    ...SOLVES.map((one) => ({ ...one, matrix: permuted, order })),
    ...packs.map((one) => ({ ...one, matrix, order: undefined })),
  ];
}
