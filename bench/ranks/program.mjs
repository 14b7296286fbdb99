/** The ranks of `bench/ranks.mjs`: they sleep between turns, in which they multiply and take steps of cg. */
import { conjugateGradients, spaceOf } from '../cg/solver.mjs';
import { benchVector } from '../contenders.mjs';
import { median, time } from '../times.mjs';

/** Words that the starter shares with the ranks: the number of the turn, −1 for the end; turns that ranks have finished. */
export const TURN = 0;
export const DONE = 1;

/** What rank 0 measures in a turn, as places of numbers: ms, but µs of an allreduce of one number. */
export const MEASURED = ['product', 'step', 'own', 'halo', 'allreduceUs'];

const WARM_UP_MS = 100;
const SAMPLES = 20;
const SOLVES = 3;
const ALLREDUCES = 5000;

/**
 * `rows`: of each rank; `b`, `d`, `iterations`: of a solve by cg; `words`, `numbers`: shared. Returns this rank's part of y, its format and
 * the ghosts of all ranks.
 *
 * `own`: products of the ranks' own columns, without an exchange. `halo`: products of the other columns alone, in the rows that have any,
 * with the exchange. All end with a barrier.
 */
export function main(comm, { rows, b, d, iterations, words, numbers }) {
  const mine = rows[comm.rank];
  const A = comm.operator(mine, { products: 'many' });
  const halo = comm.operator(ghostRows(comm, mine), { format: 'csr', ghostFormat: A.explain().ghost.format });
  const part = (all) => all.slice(mine.firstRow, mine.firstRow + mine.rows);
  const [x, y] = [comm.vector(part(benchVector(b.length))), comm.vector(mine.rows)];
  const [haloX, haloY] = [comm.vector(halo.cols).fill(1), comm.vector(halo.rows)];
  const { solve } = conjugateGradients(spaceOf(comm.engine), A, { b: part(b), d: part(d), iterations });
  const measure = {
    product: () => sample(comm, () => A.apply(x, y)),
    step: () => median(Array.from({ length: SOLVES }, () => timeTogether(comm, solve))) / iterations,
    own: () => sample(comm, () => A.own.apply(x, y)),
    halo: () => sample(comm, () => halo.apply(haloX, haloY)),
    allreduceUs: () => (1e3 * sample(comm, () => reduceOften(comm))) / ALLREDUCES,
  };
  for (let last = 0; ; ) {
    Atomics.wait(words, TURN, last);
    last = Atomics.load(words, TURN);
    if (last < 0) break;
    solve();
    MEASURED.forEach((name, k) => {
      const measured = measure[name]();
      if (comm.rank === 0) numbers[k] = measured;
    });
    Atomics.add(words, DONE, 1);
    Atomics.notify(words, DONE);
  }
  A.apply(x, y);
  return { y: y.toArray(), format: A.own.format, ghosts: A.explain().halo.total };
}

/** The median of calls that begin and end on all ranks together, after calls that are not counted: as many on every rank. */
function sample(comm, run) {
  for (const end = performance.now() + WARM_UP_MS; comm.allreduce(performance.now() < end ? 1 : 0, 'max') > 0; ) run();
  return median(Array.from({ length: SAMPLES }, () => timeTogether(comm, run)));
}

function timeTogether(comm, run) {
  comm.barrier();
  return time(() => {
    run();
    comm.barrier();
  });
}

function reduceOften(comm) {
  for (let i = 0; i < ALLREDUCES; i++) comm.allreduce(1);
}

/** The rows that have entries in columns of other ranks, with these entries only. */
function ghostRows(comm, { firstRow, rows, cols, rowPtr, colIdx, values }) {
  const isGhost = (k) => colIdx[k] < firstRow || colIdx[k] >= firstRow + rows;
  const ptr = [0];
  const kept = [];
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) if (isGhost(k)) kept.push(k);
    if (kept.length > ptr.at(-1)) ptr.push(kept.length);
  }
  const counts = comm.allgather(Uint32Array.of(ptr.length - 1));
  const before = counts.subarray(0, comm.rank).reduce((sum, count) => sum + count, 0);
  const of = (array) => array.constructor.from(kept, (k) => array[k]);
  return { firstRow: before, rows: ptr.length - 1, cols, rowPtr: ptr, colIdx: of(colIdx), values: of(values) };
}
