/**
 * The contenders of the suite `solve`. Each solves from the arrays of the matrix: layout, set-up of the preconditioner and
 * iterations are timed; of a direct solver order, factors and solution. A contender named `update` has the factors of the same pattern already, and
 * computes them anew. `solve()` resolves to `{ x, iterations, ms }`, or to `{ unfinished, ms }` if it took longer than it may.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { factor, precondition, solve } from '../../dist/index.node.js';
import { temporaryFolder, writeMatrixFile } from '../peers/index.mjs';
import { DIRECT_SOLVE, EIGEN_SOLVE, PETSC_SOLVE, SCIPY_SOLVE } from '../peers/native.mjs';
import { time } from '../times.mjs';
import { missingPackage, PACKAGES, solveInWorker } from './packages.mjs';

/** More is no use to anybody: the slowest peer of the suite needs some 15 000 on `jump`. */
export const MAX_ITERATIONS = 20_000;

/** Of a curve of residuals in the results. */
const CURVE_POINTS = 200;

/** By symmetry of the problem. Undefined options: what `solve` chooses. */
const OURS = {
  true: [
    undefined,
    ...['jacobi', 'ic0', 'amg', 'classical-amg'].map((preconditioner) => ({ method: 'cg', preconditioner })),
  ],
  false: [
    undefined,
    ...['ilu0', 'amg'].map((preconditioner) => ({ method: 'bicgstab', preconditioner })),
    { method: 'gmres', preconditioner: 'ilu0' },
  ],
};

/** PETSc's names; with several ranks, the incomplete factorizations are of each rank's rows. */
const PETSC = {
  true: [
    { name: 'cg+jacobi', options: '-ksp_type cg -pc_type jacobi' },
    { name: 'cg+icc', options: '-ksp_type cg -pc_type bjacobi -sub_pc_type icc' },
    { name: 'cg+gamg', options: '-ksp_type cg -pc_type gamg' },
    { name: 'cg+boomeramg', options: '-ksp_type cg -pc_type hypre -pc_hypre_type boomeramg' },
  ],
  false: [
    { name: 'bcgs+ilu', options: '-ksp_type bcgs -pc_type bjacobi -sub_pc_type ilu' },
    { name: 'gmres+ilu', options: '-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu' },
  ],
};

const SCIPY = { true: ['cg-jacobi', 'spsolve'], false: ['bicgstab-spilu', 'spsolve'] };

const EIGEN = { true: ['cg-jacobi', 'cg-ic0'], false: ['bicgstab-jacobi', 'bicgstab-ilut'] };

/** Direct solvers, by the name in their source. */
const DIRECT = {
  true: [
    { name: 'CHOLMOD', solver: 'cholmod' },
    { name: 'CHOLMOD update', solver: 'cholmod', isUpdate: true },
    { name: 'Eigen SimplicialLDLT', solver: 'eigen-ldlt' },
    { name: 'UMFPACK', solver: 'umfpack' },
  ],
  false: [
    { name: 'UMFPACK', solver: 'umfpack' },
    { name: 'KLU', solver: 'klu' },
    { name: 'KLU update', solver: 'klu', isUpdate: true },
    { name: 'Eigen SparseLU', solver: 'eigen-lu' },
  ],
};

/**
 * @param patienceMs of a solve
 * @param isAsked whether a contender is wanted, by its name; the others are not opened
 * @returns the contenders that are installed
 */
export async function openContenders(engine, { matrix, b, isSymmetric, isFactored }, { rtol, patienceMs, isAsked }) {
  const limits = { rtol, maxIterations: MAX_ITERATIONS };
  const listed = [
    ...OURS[isSymmetric].map((options) => ours(engine, matrix, b, { ...options, ...limits }, patienceMs)),
    ...(isFactored ? [false, true] : []).map((isUpdate) => ourFactors(engine, matrix, b, isUpdate, isAsked)),
    ...(engine.threads === 1 ? PACKAGES : [])
      .filter((one) => (isSymmetric || !one.isSymmetric) && missingPackage(one) === undefined)
      .map((one) => ({
        name: one.name,
        solve: () => solveInWorker(one, { matrix, b, ...limits }, patienceMs),
        close() {},
      })),
  ].filter(({ name }) => isAsked(name));
  const peers = nativeOf({ isSymmetric, isFactored }, engine.threads, limits).filter(({ name }) => isAsked(name));
  return [...listed, ...(await openPeers(peers, { matrix, b, threads: engine.threads }, patienceMs))];
}

/** @param peers `{ name, program, env }`; those that are not installed are left out */
export async function openPeers(peers, { matrix, b, threads }, patienceMs) {
  const matrixFile = join(temporaryFolder(), 'matrix');
  writeMatrixFile(matrix, matrixFile);
  const given = { matrixFile, dtype: 'f64', threads, x: b };
  const opened = [];
  for (const { name, program, env } of peers)
    if (!program.missing()) opened.push(await peer(name, program, { ...given, env }, b.length, patienceMs));
  rmSync(matrixFile);
  return opened;
}

function nativeOf({ isSymmetric, isFactored }, threads, { rtol, maxIterations }) {
  const named = (library, program) => (name) => ({
    name: `${library} ${name.replace('-', '+')}`,
    program,
    env: solverEnvironment(name, { rtol, maxIterations }),
  });
  return [
    ...PETSC[isSymmetric].map((one) => petscPeer(one, { rtol, maxIterations })),
    ...EIGEN[isSymmetric].map(named('Eigen', EIGEN_SOLVE)),
    ...(threads === 1 ? SCIPY[isSymmetric] : [])
      .filter((name) => isFactored || name !== 'spsolve')
      .map(named('SciPy', SCIPY_SOLVE)),
    ...(isFactored ? DIRECT[isSymmetric] : []).map(({ name, solver, isUpdate }) => ({
      name,
      program: DIRECT_SOLVE,
      env: { SOLVER: solver, ...(isUpdate && { UPDATE: '1' }) },
    })),
  ];
}

/** @param name `cg+gamg`, as the results have it; `options`: PETSc's own */
export function petscPeer({ name, options }, { rtol, maxIterations }) {
  const all = `${options} -ksp_rtol ${rtol} -ksp_max_it ${maxIterations}`;
  return { name: `PETSc ${name}`, program: PETSC_SOLVE, env: { PETSC_OPTIONS: all } };
}

/** The environment of the peers that have several solvers. */
export function solverEnvironment(name, { rtol, maxIterations }) {
  return { SOLVER: name, RTOL: `${rtol}`, MAX_ITERATIONS: `${maxIterations}` };
}

/**
 * @param options of `solve`; without a method, all is chosen. `making`: options of `precondition`, where the preconditioner needs more than a name; `note`: what
 *   they are, in the name of the contender
 */
export function ours(engine, matrix, b, { making, note, ...options }, patienceMs) {
  const { method, preconditioner } = options;
  const run = (more) => {
    const end = performance.now() + patienceMs;
    const M = making === undefined ? undefined : precondition(engine, matrix, preconditioner, making);
    const given = M === undefined ? {} : { preconditioner: M };
    const onStep = () => performance.now() < end;
    const solution = solve(engine, matrix, b, { ...options, ...given, ...more, onStep });
    M?.dispose();
    return { ...solution, setupMs: solution.setupMs + (M?.setupMs ?? 0) };
  };
  return {
    name:
      method === undefined ? 'sparlane' : ['sparlane', `${method}+${preconditioner}`, note].filter(Boolean).join(' '),
    solve() {
      let solution;
      const ms = time(() => {
        solution = run();
      });
      const numbers = numbersOf(solution);
      return solution.reason === 'stopped' ? { ...unfinished(patienceMs), ms } : { ...numbers, ms };
    },
    /** A solve more, whose parts are timed: they take more time than a solve in one piece. */
    details() {
      const solution = run({ timing: true });
      const { setupMs, timing, residualNorms, checkEvery } = solution;
      numbersOf(solution);
      const curve = [...residualNorms].map((norm, k) => ({
        iteration: k * checkEvery,
        residual: norm / residualNorms[0],
      }));
      const stride = Math.ceil(curve.length / CURVE_POINTS);
      return {
        parts: { setupMs, ...timing },
        curve: curve.filter((_, k) => k % stride === 0 || k + 1 === curve.length),
      };
    },
    close() {},
  };
}

/** @param isUpdate whether the factors are there, and get the values anew */
function ourFactors(engine, { ...matrix }, b, isUpdate, isAsked) {
  const name = isUpdate ? 'sparlane factor update' : 'sparlane factor';
  let kept = isUpdate && isAsked(name) ? factor(engine, matrix) : undefined;
  const solved = (F, ms, x) => ({ x, iterations: 0, ms, decision: `${F.method}, ${F.explain().order}` });
  return {
    name,
    solve() {
      let x;
      const begin = performance.now();
      try {
        if (isUpdate) kept.update(matrix.values);
        else kept = factor(engine, matrix);
        x = kept.solve(b);
      } catch ({ message }) {
        return { unfinished: message, ms: performance.now() - begin };
      }
      const result = solved(kept, performance.now() - begin, x);
      if (!isUpdate) kept.dispose();
      return result;
    },
    close() {
      if (isUpdate) kept?.dispose();
    },
  };
}

/** Of a solve that was given up. */
export function unfinished(patienceMs) {
  return { unfinished: `did not finish in ${Math.round(patienceMs / 1000)} s` };
}

function numbersOf({ x, iterations, setupMs, decision }) {
  const numbers = x.toArray();
  x.dispose();
  return { x: numbers, iterations, setupMs, decision: `${decision.method}+${decision.preconditioner}` };
}

async function peer(name, program, given, rows, patienceMs) {
  const process = await program.open(given);
  return {
    name,
    async solve() {
      try {
        const times = await within(process.time(1), patienceMs);
        if (times === undefined) {
          // It would go on beside the others.
          await process.close();
          return { ...unfinished(patienceMs), ms: patienceMs };
        }
        const setupMs = program.tellsSetup ? await process.setup() : undefined;
        return { iterations: await process.count(), setupMs, ms: times[0] };
      } catch ({ message }) {
        // A process that has ended, with its reason.
        return { unfinished: message, ms: patienceMs };
      }
    },
    /** Runs a solve of its own, since times come without the solution. */
    async solution() {
      const x = new Float64Array(rows);
      await process.product(x);
      return x;
    },
    close: process.close,
  };
}

/** What a promise resolves to; undefined if that takes longer than `ms`. It may then still be rejected, when its process ends. */
export function within(promise, ms) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
