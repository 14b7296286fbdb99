/**
 * A matrix beyond one memory over rank threads, beside one of the same kind that fits: time of a product per entry. The result is checked:
 * rows of a Laplacian with x = 1 sum to the neighbours that they lack.
 */
import { galleryRows, runRanks } from '../../dist/index.node.js';
import { print } from '../contenders.mjs';
import { median, time } from '../times.mjs';

/** 27 entries of 8 + 4 bytes for each row, as CSR; the one that fits: 0.9 GB. Planes of x are alike, so that caches help alike. */
const PLANE = { nx: 140, ny: 140 };
const SMALL = { ...PLANE, nz: 142 };
const ENTRIES_OF_A_PLANE = 27 * PLANE.nx * PLANE.ny;
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
export function lacking({ nx, ny, nz }, point) {
  const near = (at, n) => 1 + (at > 0) + (at + 1 < n);
  const line = Math.floor(point / nx);
  return 27 - near(point % nx, nx) * near(line % ny, ny) * near(Math.floor(line / ny), nz);
}

/** @param entries of the large matrix, about */
export async function compareLarge(ranks, entries) {
  const large = await measure({ ...PLANE, nz: Math.round(entries / ENTRIES_OF_A_PLANE) }, ranks);
  const small = await measure(SMALL, ranks);
  print(`speed per entry: ${(small.ns / large.ns).toFixed(2)} × that of the matrix that fits`);
}

async function measure(grid, ranks) {
  const start = performance.now();
  const all = await runRanks(import.meta.url, { ranks, threads: 1, data: { grid, format: 'csr' } });
  const wrong = all.reduce((sum, rank) => sum + rank.wrong, 0);
  if (wrong > 0) throw new Error(`large: expected the row sums of the Laplacian, got ${wrong} others`);
  const bytes = all.reduce((sum, rank) => sum + rank.bytes, 0);
  const [{ ms, nnz, format }] = all;
  const ns = (1e6 * ms) / nnz;
  print(
    `${nnz} entries, ${format}, ${(bytes / 1e9).toFixed(2)} GB in ${ranks} ranks: ${ms.toFixed(1)} ms, ${ns.toFixed(4)} ns per entry; ${((performance.now() - start) / 1000).toFixed(0)} s in all`,
  );
  return { ns };
}
