/** The ranks of `bench/cuda/ranks.mjs`, each on its device. */
import { checkRankVectors } from '../../../dist/conformance/rank-call-checks.js';
import { checkRankProducts, DEALS, dealt } from '../../../dist/conformance/rank-checks.js';
import { checkRankSolvers } from '../../../dist/conformance/rank-solver-checks.js';
import { cg, createEngine, partition, rowsOfRank } from '../../../dist/index.node.js';
import { benchVector } from '../../contenders.mjs';
import { median } from '../../times.mjs';

const TOLERANCE = 1e-12;
const WARM_UP_STEPS = 20;
const CHECKED_STEPS = 5;

export async function main(comm, { task, ...data }) {
  const done = await TASKS[task](comm, data);
  const { info, place, hasPeers } = comm.space;
  return { ...done, device: info?.name, place, hasPeers: hasPeers === true };
}

const TASKS = {
  vectors: (comm) => reportOf(checkRankVectors(comm)),
  products: (comm, { specs }) => reportOf(checkRankProducts(comm, specs)),
  async solvers(comm) {
    const alone = await createEngine({ threads: 1 });
    const report = reportOf(checkRankSolvers(comm, alone, 3));
    await alone.dispose();
    return report;
  },
  sequence,
  step,
  solve,
  multigrid,
};

function reportOf({ checks, failed, refused, failures }) {
  return { checks, failed, refused, failures: failures.slice(0, 5) };
}

function operatorOf(comm, matrix, format) {
  const rows = rowsOfRank(matrix, dealt(matrix, DEALS.even, comm.size), comm.rank);
  const A = comm.operator(rows, { ...(format === 'auto' ? { products: 'many' } : { format }) });
  return { A, rows };
}

/** ms of a step, the best and the median of `samples`, and of queueing it. */
function timeSteps(comm, steps, samples, step) {
  const times = Array.from({ length: samples }, () => {
    comm.space.synchronize();
    comm.barrier();
    const start = performance.now();
    for (let k = 0; k < steps; k++) step(k);
    const queued = performance.now();
    comm.space.synchronize();
    comm.barrier();
    return [performance.now() - start, queued - start].map((ms) => ms / steps);
  });
  const all = times.map(([ms]) => ms);
  return {
    us: 1e3 * Math.min(...all),
    medianUs: 1e3 * median(all),
    queueUs: 1e3 * Math.min(...times.map(([, ms]) => ms)),
  };
}

/** Products y ← α A x, x ← y, with x left where it is: checked first, then timed, and those of the own columns alone. */
function sequence(comm, { matrix, format, steps, samples }) {
  const { A, rows } = operatorOf(comm, matrix, format);
  const { firstRow } = A.explain();
  const whole = benchVector(matrix.cols);
  const [x, y] = [comm.vector(whole.subarray(firstRow, firstRow + A.cols)), comm.vector(A.rows).fill(Number.NaN)];
  A.apply(x, y);
  const wrong = wrongElements(rows, whole, y.toArray());
  // So that numbers neither grow nor vanish.
  const alpha = 1 / comm.allreduce(largestRowSum(rows), 'max');
  const swap = (operator) => (k) => (k % 2 === 0 ? operator.apply(x, y, alpha) : operator.apply(y, x, alpha));
  timeSteps(comm, WARM_UP_STEPS, 1, swap(A));
  const product = timeSteps(comm, steps, samples, swap(A));
  const own = timeSteps(comm, steps, samples, swap(A.own));
  const { own: ownPart, ghost, halo } = A.explain();
  return {
    product,
    own,
    wrong,
    format: ownPart.format,
    ghostFormat: ghost.format,
    halo: halo.most,
    ownNnz: ownPart.nnz,
  };
}

function wrongElements({ rows, rowPtr, colIdx, values }, x, y) {
  let wrong = 0;
  for (let i = 0; i < rows; i++) {
    let [sum, scale] = [0, 0];
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
      const product = values[k] * x[colIdx[k]];
      sum += product;
      scale += Math.abs(product);
    }
    if (!(Math.abs(sum - y[i]) <= TOLERANCE * scale)) wrong++;
  }
  return wrong;
}

function largestRowSum({ rows, rowPtr, values }) {
  let most = 0;
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) sum += Math.abs(values[k]);
    most = Math.max(most, sum);
  }
  return most;
}

/** Returns (r, z) after some steps of cg with jacobi, recorded as `solvers/cg.ts` does, and their times. The matrix need not be definite. */
function step(comm, { matrix, format, steps, samples }) {
  const { A, rows } = operatorOf(comm, matrix, format);
  const M = comm.precondition(A, 'jacobi');
  const b = benchVector(matrix.rows).subarray(rows.firstRow, rows.firstRow + A.rows);
  const [x, r, z, p, q] = Array.from({ length: 5 }, () => comm.vector(A.rows).fill(0));
  const [rz, before, pq, alpha, beta] = Array.from({ length: 5 }, () => comm.scalar());
  r.set(b);
  M.apply(r, z);
  z.dot(r, rz);
  beta.set(0);
  const recording = comm.space.record(() => {
    p.axpby(1, z, beta);
    A.apply(p, q);
    p.dot(q, pq);
    alpha.setQuotient(rz, pq);
    x.axpy(alpha, p);
    r.axpy(alpha.times(-1), q);
    M.apply(r, z);
    before.setSum(rz, 0);
    r.dots([r, z], [pq, rz]);
    beta.setQuotient(rz, before);
  });
  for (let k = 0; k < CHECKED_STEPS; k++) recording.launch();
  const residual = rz.value;
  timeSteps(comm, WARM_UP_STEPS, 1, () => recording.launch());
  const time = timeSteps(comm, steps, samples, () => recording.launch());
  return { time, residual, format: A.own.format };
}

/** Conjugate gradients: iterations to a tolerance, alone and by jacobi, and the time of an iteration of a fixed number. */
function solve(comm, { matrix, format, iterations, samples }) {
  const { A } = operatorOf(comm, matrix, format);
  const M = comm.precondition(A, 'jacobi');
  const b = comm.vector(A.rows).fill(1);
  const counted = (options) => {
    const { x, iterations: count, converged } = cg(A, b, options);
    x.dispose();
    return { count, converged };
  };
  const plain = counted({ checkEvery: 1 });
  const jacobi = counted({ checkEvery: 1, preconditioner: M });
  const times = Array.from({ length: samples }, () => {
    comm.barrier();
    const { x, iterations: count, solveMs } = cg(A, b, { rtol: 0, maxIterations: iterations });
    x.dispose();
    return solveMs / count;
  });
  return { plain, jacobi, us: 1e3 * Math.min(...times), medianUs: 1e3 * median(times), format: A.own.format };
}

/** Conjugate gradients with multigrid of the whole matrix: its set-up, and the time to the solution, the least of the samples. */
function multigrid(comm, { matrix, spec, block, near, dtype, samples }) {
  const dealtRows = partition(matrix, comm.size, { order: 'natural', ...(block && { block }) });
  const A = comm.operator(rowsOfRank(matrix, dealtRows, comm.rank), { products: 'many' });
  const { firstRow } = A.explain();
  const nearNullSpace = near?.map((mode) => mode.subarray(firstRow, firstRow + A.rows));
  const begin = performance.now();
  const M = comm.precondition(A, spec, { dtype, ...(nearNullSpace && { nearNullSpace }) });
  const setupMs = performance.now() - begin;
  const b = comm.vector(benchVector(matrix.rows).subarray(firstRow, firstRow + A.rows));
  const solves = Array.from({ length: samples }, () => {
    comm.barrier();
    const { x, iterations, solveMs, relativeResidual, reason } = cg(A, b, { preconditioner: M, checkEvery: 1 });
    x.dispose();
    return { iterations, solveMs, relativeResidual, reason };
  });
  const least = solves.reduce((best, one) => (one.solveMs < best.solveMs ? one : best));
  return { ...least, setupMs, levels: M.explain().levels };
}
