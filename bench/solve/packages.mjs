/**
 * What is written in JavaScript and solves, each solve in a worker of its own, which is stopped after some time: a program without a library, and
 * npm packages that have a solver for sparse matrices. Others were looked at: ml-matrix has dense solvers only, ml-sparse-matrix and @thi.ng/sparse
 * have products only, cholesky-solve and lscg-solver need longer than those here.
 *
 * conjugate-gradient  `pcg` with Jacobi, in loops over typed arrays; it takes any object that multiplies. It stops by the greatest element of the
 *                     residual: that of the tolerance over √rows.
 * mathjs              `slu` with the minimum degree of A + Aᵀ, `lusolve`.
 * numeric             `ccsLUP`, `ccsLUPSolve`, in the order of the matrix.
 */
import { Worker } from 'node:worker_threads';
import { versionOf } from '../peers/javascript.mjs';

/** By the symmetry that they need. */
export const PACKAGES = [
  { name: 'JavaScript cg+jacobi', solver: 'loops', isSymmetric: true },
  {
    name: 'npm conjugate-gradient',
    solver: 'conjugate-gradient',
    package: 'conjugate-gradient',
    isSymmetric: true,
  },
  { name: 'npm mathjs slu', solver: 'mathjs', package: 'mathjs', isSymmetric: false },
  { name: 'npm numeric ccsLUP', solver: 'numeric', package: 'numeric', isSymmetric: false },
];

/** @returns why it cannot run, if it cannot */
export function missingPackage({ package: needed }) {
  return needed && versionOf(needed) === undefined ? `no ${needed}: run npm install` : undefined;
}

/** Memory for the objects of a package. */
const MEGABYTES = 4096;

/**
 * A solve from the arrays of the matrix; loading the package is not timed.
 *
 * @returns `{ x, iterations, ms }`, or `{ unfinished, ms }` with the reason if it took longer than `patienceMs`, or failed
 */
export function solveInWorker({ solver }, given, patienceMs) {
  const worker = new Worker(new URL('package-worker.mjs', import.meta.url), {
    workerData: { solver, ...given },
    resourceLimits: { maxOldGenerationSizeMb: MEGABYTES },
  });
  const begin = performance.now();
  const seconds = Math.round(patienceMs / 1000);
  return new Promise((resolve) => {
    const end = (result) => {
      clearTimeout(timer);
      resolve(worker.terminate().then(() => ({ ms: performance.now() - begin, ...result })));
    };
    const timer = setTimeout(() => end({ unfinished: `did not finish in ${seconds} s` }), patienceMs);
    worker.on('message', end);
    worker.on('error', ({ message }) => end({ unfinished: `failed: ${message}` }));
  });
}
