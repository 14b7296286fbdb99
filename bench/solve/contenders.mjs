/**
 * The contenders of the suite `solve`. Each solves from the arrays of the matrix: layout, set-up of the preconditioner and
 * iterations are timed. `solve()` resolves to `{ x, iterations, ms }`.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { solve } from '#dist/index.node.js';
import { time } from '../contenders.mjs';
import { temporaryFolder, writeMatrixFile } from '../peers/index.mjs';
import { EIGEN_SOLVE, PETSC_SOLVE } from '../peers/native.mjs';
import { jacobiCg } from './loops.mjs';

/** More is no use to anybody: the slowest peer of the suite needs some 15 000 on `jump`. */
const MAX_ITERATIONS = 20_000;

/** Of a curve of residuals in the results. */
const CURVE_POINTS = 200;

/** By symmetry of the problem. Undefined options: what `solve` chooses. */
const OURS = {
  true: [undefined, { method: 'cg', preconditioner: 'jacobi' }, { method: 'cg', preconditioner: 'ic0' }],
  false: [undefined, { method: 'bicgstab', preconditioner: 'ilu0' }, { method: 'gmres', preconditioner: 'ilu0' }],
};

/** PETSc's names; with several ranks, the incomplete factorizations are of each rank's rows. */
const PETSC = {
  true: [
    { name: 'cg+jacobi', options: '-ksp_type cg -pc_type jacobi' },
    { name: 'cg+icc', options: '-ksp_type cg -pc_type bjacobi -sub_pc_type icc' },
    { name: 'cg+gamg', options: '-ksp_type cg -pc_type gamg' },
  ],
  false: [
    { name: 'bcgs+ilu', options: '-ksp_type bcgs -pc_type bjacobi -sub_pc_type ilu' },
    { name: 'gmres+ilu', options: '-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu' },
  ],
};

const EIGEN = { true: ['cg-jacobi', 'cg-ic0'], false: ['bicgstab-jacobi', 'bicgstab-ilut'] };

/** @returns the names of all contenders, those that are missing with a reason */
export async function openContenders(engine, { matrix, b, isSymmetric }, rtol) {
  const opened = [
    ...OURS[isSymmetric].map((options) => ours(engine, matrix, b, { ...options, rtol, maxIterations: MAX_ITERATIONS })),
    ...(isSymmetric && engine.threads === 1 ? [javascript(matrix, b, rtol)] : []),
  ];
  const matrixFile = join(temporaryFolder(), 'matrix');
  writeMatrixFile(matrix, matrixFile);
  const given = { matrixFile, dtype: 'f64', threads: engine.threads, x: b };
  const limits = `-ksp_rtol ${rtol} -ksp_max_it ${MAX_ITERATIONS}`;
  for (const { name, options } of PETSC_SOLVE.missing() ? [] : PETSC[isSymmetric])
    opened.push(
      await peer(`PETSc ${name}`, PETSC_SOLVE, { ...given, env: { PETSC_OPTIONS: `${options} ${limits}` } }, b.length),
    );
  for (const name of EIGEN_SOLVE.missing() ? [] : EIGEN[isSymmetric]) {
    const env = { SOLVER: name, RTOL: `${rtol}`, MAX_ITERATIONS: `${MAX_ITERATIONS}` };
    opened.push(await peer(`Eigen ${name.replace('-', '+')}`, EIGEN_SOLVE, { ...given, env }, b.length));
  }
  rmSync(matrixFile);
  return opened;
}

function ours(engine, matrix, b, options) {
  const { method, preconditioner } = options;
  return {
    name: method === undefined ? 'sparlane' : `sparlane ${method}+${preconditioner}`,
    solve() {
      let solution;
      const ms = time(() => {
        solution = solve(engine, matrix, b, options);
      });
      return { ...numbersOf(solution), ms };
    },
    /** A solve more, whose parts are timed: they take more time than a solve in one piece. */
    details() {
      const solution = solve(engine, matrix, b, { ...options, timing: true });
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

function numbersOf({ x, iterations, decision }) {
  const numbers = x.toArray();
  x.dispose();
  return { x: numbers, iterations, decision: `${decision.method}+${decision.preconditioner}` };
}

function javascript(matrix, b, rtol) {
  return {
    name: 'JavaScript cg+jacobi',
    solve() {
      let solution;
      const ms = time(() => {
        solution = jacobiCg(matrix, b, { rtol, maxIterations: MAX_ITERATIONS });
      });
      return { ...solution, ms };
    },
    close() {},
  };
}

async function peer(name, program, given, rows) {
  const process = await program.open(given);
  return {
    name,
    async solve() {
      const [ms] = await process.time(1);
      return { iterations: await process.count(), ms };
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
