/**
 * A matrix beyond one memory over rank threads, beside one of the same kind that fits: time of a product per entry. The result is checked:
 * rows of a Laplacian with x = 1 sum to the neighbours that they lack.
 */
import { galleryRows, runRanks } from '#dist/index.node.js';
import { median, print, time } from '../contenders.mjs';

/** 27 entries of 8 + 4 bytes for each of nx² nz rows, as CSR: 4.5 GB, and 0.9 GB; planes of x alike, so that caches help alike. */
const LARGE = { nx: 140, ny: 140, nz: 715 };
const SMALL = { nx: 140, ny: 140, nz: 142 };
const PRODUCTS = 7;
const WARM_UP = 3;

/** Returns the median time of a product, the entries, the bytes of this rank's memory in use, and wrong elements of y. */
export function main(comm, { grid, format }) {
  const A = comm.operator(galleryRows(comm, 'laplace3d27', grid), { format });
  const { firstRow, nnz } = A.explain();
  const x = comm.vector(A.cols).fill(1);
  const y = comm.vector(A.rows);
  const multiply = () => {
    A.apply(x, y);
    comm.barrier();
  };
  for (let k = 0; k < WARM_UP; k++) multiply();
  const ms = median(Array.from({ length: PRODUCTS }, () => time(multiply)));
  let wrong = 0;
  for (let i = 0; i < A.rows; i++) if (y.data[i] !== lacking(grid, firstRow + i)) wrong++;
  return { ms, nnz, bytes: comm.engine.heap.bytesInUse, wrong, format: A.own.format };
}

/** 26 less the neighbours that a point has. */
function lacking({ nx, ny, nz }, point) {
  const near = (at, n) => 1 + (at > 0) + (at + 1 < n);
  const line = Math.floor(point / nx);
  return 27 - near(point % nx, nx) * near(line % ny, ny) * near(Math.floor(line / ny), nz);
}

export async function compareLarge(ranks) {
  const [small, large] = [await measure(SMALL, ranks), await measure(LARGE, ranks)];
  print(`speed per entry: ${(small.ns / large.ns).toFixed(2)} × that of the matrix that fits`);
}

async function measure(grid, ranks) {
  const all = await runRanks(import.meta.url, { ranks, threads: 1, data: { grid, format: 'csr' } });
  const wrong = all.reduce((sum, rank) => sum + rank.wrong, 0);
  if (wrong > 0) throw new Error(`large: expected the row sums of the Laplacian, got ${wrong} others`);
  const bytes = all.reduce((sum, rank) => sum + rank.bytes, 0);
  const [{ ms, nnz, format }] = all;
  const ns = (1e6 * ms) / nnz;
  print(
    `${nnz} entries, ${format}, ${(bytes / 1e9).toFixed(2)} GB in ${ranks} ranks: ${ms.toFixed(1)} ms, ${ns.toFixed(4)} ns per entry`,
  );
  return { ns };
}
