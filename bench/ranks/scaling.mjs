/**
 * Strong scaling on one machine: the same matrix over more and more rank threads, and over fewer ranks of several threads, beside one
 * process. Each rank makes its rows. A product and a step of cg with Jacobi's preconditioner; the result of a product is checked.
 */
import { galleryRows, runRanks } from '../../dist/index.node.js';
import { conjugateGradients, spaceOf } from '../cg/solver.mjs';
import { print } from '../contenders.mjs';
import { median, time } from '../times.mjs';
import { lacking } from './large.mjs';

/** 27 points: 110 million entries, more than the caches of a socket. */
const GRID = { nx: 160, ny: 160, nz: 160 };
const DIAGONAL = 26;
const PRODUCTS = 20;
const ITERATIONS = 30;
const SAMPLES = 3;
const WARM_UP_MS = 300;

/** Returns ms of a product, of that of the rank's own columns alone, and of a step of cg, wrong elements of y, and the formats. */
export function main(comm, { grid, format }) {
  const A = comm.operator(
    galleryRows(comm, 'laplace3d27', grid),
    format === 'auto' ? { products: 'many' } : { format },
  );
  const { firstRow, own, ghost, nnz } = A.explain();
  const x = comm.vector(A.cols).fill(1);
  const y = comm.vector(A.rows);
  const together = (run) => {
    comm.barrier();
    return time(() => {
      run();
      comm.barrier();
    });
  };
  const multiply = () => A.apply(x, y);
  const until = performance.now() + WARM_UP_MS;
  while (comm.allreduce(performance.now() < until ? 1 : 0, 'max') > 0) multiply();
  const begun = (run) => {
    comm.barrier();
    return time(run);
  };
  const sample = (timed, run) => median(Array.from({ length: PRODUCTS }, () => timed(run)));
  const ownMs = sample(begun, () => A.own.apply(x, y));
  const productMs = sample(together, multiply);
  let wrong = 0;
  for (let i = 0; i < A.rows; i++) if (y.data[i] !== lacking(grid, firstRow + i)) wrong++;
  const b = new Float64Array(A.rows).fill(1);
  const d = new Float64Array(A.rows).fill(1 / DIAGONAL);
  const { solve } = conjugateGradients(spaceOf(comm.engine), A, { b, d, iterations: ITERATIONS });
  solve();
  const stepMs = median(Array.from({ length: SAMPLES }, () => together(solve))) / ITERATIONS;
  return { productMs, ownMs, stepMs, wrong, formats: [own.format, ghost.format], nnz };
}

/**
 * @param configurations of ranks × threads: `[[1, 1], [4, 8]]`
 * @param minutes no configuration is begun later
 */
export async function compareScaling(configurations, format, minutes) {
  const end = performance.now() + 60_000 * minutes;
  let alone;
  for (const [ranks, threads] of configurations) {
    const label = `${ranks} ranks × ${threads} threads`;
    if (performance.now() > end) {
      print(`${label}: left out, the time is over`);
      continue;
    }
    const all = await runRanks(import.meta.url, { ranks, threads, data: { grid: GRID, format } });
    const wrong = all.reduce((sum, rank) => sum + rank.wrong, 0);
    if (wrong > 0) throw new Error(`${label}: expected the row sums of the Laplacian, got ${wrong} others`);
    const [{ productMs, stepMs, nnz, formats }] = all;
    const own = all.map(({ ownMs }) => ownMs).sort((a, b) => a - b);
    alone ??= { productMs, stepMs };
    const gflops = (2 * nnz) / productMs / 1e6;
    print(
      `${label}: product ${productMs.toFixed(2)} ms, ${gflops.toFixed(1)} GFLOP/s, ${(alone.productMs / productMs).toFixed(2)} × the first, ` +
        `of own columns ${own[0].toFixed(2)} to ${own.at(-1).toFixed(2)} ms; cg step ${stepMs.toFixed(2)} ms, ${(alone.stepMs / stepMs).toFixed(2)} ×; ${formats.join(' and ')}`,
    );
  }
}
