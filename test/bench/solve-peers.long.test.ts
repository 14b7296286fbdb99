/** What the suite `solve` compares with: native peers, which are skipped where they are not installed, and packages of npm. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gallery } from '#dist/gallery/registry.js';
import { residualNorm } from '../../bench/cg/solver.mjs';
import { makeProblem, PROBLEMS } from '../../bench/multigrid/problems.mjs';
import { temporaryFolder, writeMatrixFile } from '../../bench/peers/index.mjs';
import { writeVectorsFile } from '../../bench/peers/matrix-file.mjs';
import { AMGCL_SOLVE, EIGEN_SOLVE, PETSC_SOLVE, SCIPY_SOLVE } from '../../bench/peers/native.mjs';
import { missingPackage, PACKAGES, solveInWorker } from '../../bench/solve/packages.mjs';

const MATRIX = gallery('laplace2d5', { nx: 20, ny: 30 });
const B = Float64Array.from({ length: 600 }, (_, i) => 1 + (i % 7));
const RTOL = 1e-9;
/** Of a slightly wrong recurrence. */
const SLACK = 1.1;

const ELASTICITY = PROBLEMS.find(({ name }: { name: string }) => name === 'elasticity');

const residualOf = (x: Float64Array) => residualNorm(MATRIX, B, x) / Math.hypot(...B);

describe.each([
  [PETSC_SOLVE, { PETSC_OPTIONS: `-ksp_type cg -pc_type icc -ksp_rtol ${RTOL}` }],
  [EIGEN_SOLVE, { SOLVER: 'cg-ic0', RTOL: `${RTOL}`, MAX_ITERATIONS: '1000' }],
  [SCIPY_SOLVE, { SOLVER: 'cg-jacobi', RTOL: `${RTOL}`, MAX_ITERATIONS: '1000' }],
])('a native peer', (peer, env) => {
  const missing = peer.missing();
  if (missing !== undefined) process.emitWarning(`the test of a peer that solves is skipped: ${missing}`);

  test.skipIf(missing !== undefined)(`${peer.name} solves${missing ? ` — SKIPPED: ${missing}` : ''}`, async () => {
    const matrixFile = join(temporaryFolder(), 'solve');
    writeMatrixFile(MATRIX, matrixFile);
    const opened = await peer.open({ matrixFile, dtype: 'f64', threads: 1, x: B, env });
    try {
      const x = new Float64Array(600);
      await opened.product(x);
      expect(residualOf(x)).toBeLessThan(SLACK * RTOL);
      expect(await opened.count()).toBeGreaterThan(10);
      for (const ms of await opened.time(1)) expect(ms).toBeGreaterThan(0);
    } finally {
      await opened.close();
    }
  });
});

describe.each([
  [PETSC_SOLVE, { PETSC_OPTIONS: `-ksp_type cg -pc_type gamg -ksp_rtol ${RTOL}` }],
  [AMGCL_SOLVE, { SOLVER: 'sa+ilu0+cg', RTOL: `${RTOL}`, MAX_ITERATIONS: '1000' }],
])('the multigrid of a native peer', (peer, env) => {
  const missing = peer.missing();
  if (missing !== undefined) process.emitWarning(`a test of multigrid of a peer is skipped: ${missing}`);
  const note = missing === undefined ? '' : ` — SKIPPED: ${missing}`;

  test.skipIf(missing !== undefined)(`${peer.name} takes modes and nodes, and tells its set-up${note}`, async () => {
    const { matrix, b, modes, block } = makeProblem(ELASTICITY, 0.05);
    const [matrixFile, modesFile] = ['elastic', 'elastic-modes'].map((name) => join(temporaryFolder(), name));
    writeMatrixFile(matrix, matrixFile);
    writeVectorsFile(modes, modesFile);
    const iterationsWith = async (more: object, threads: number) => {
      const opened = await peer.open({ matrixFile, dtype: 'f64', threads, x: b, env: { ...env, ...more } });
      try {
        const x = new Float64Array(matrix.rows);
        await opened.product(x);
        expect(residualNorm(matrix, b, x) / Math.hypot(...b)).toBeLessThan(SLACK * RTOL);
        const [ms] = await opened.time(1);
        const setupMs = await opened.setup();
        expect(setupMs).toBeGreaterThan(0);
        expect(setupMs).toBeLessThan(ms);
        return await opened.count();
      } finally {
        await opened.close();
      }
    };
    const given = { BLOCK: `${block}`, NEAR_NULL_SPACE: modesFile };
    const without = await iterationsWith({}, 1);
    for (const threads of [1, 2]) expect(await iterationsWith(given, threads)).toBeLessThan(0.7 * without);
  });
});

interface Package {
  readonly name: string;
  readonly solver: string;
  readonly isSymmetric: boolean;
}

describe.each(PACKAGES as readonly Package[])('$name', (one) => {
  const limits = { rtol: RTOL, maxIterations: 1000 };

  test('is installed, and solves in a worker', async () => {
    expect(missingPackage(one)).toBeUndefined();
    const { x, iterations, ms } = await solveInWorker(one, { matrix: MATRIX, b: B, ...limits }, 20_000);
    expect(residualOf(x)).toBeLessThan(SLACK * RTOL);
    expect(iterations).toBeGreaterThan(0);
    expect(ms).toBeGreaterThan(0);
    if (one.isSymmetric) return;
    const general = gallery('convection2d', { nx: 12, ny: 10 });
    const b = new Float64Array(120).fill(1);
    const { x: y } = await solveInWorker(one, { matrix: general, b, ...limits }, 20_000);
    expect(residualNorm(general, b, y) / Math.hypot(...b)).toBeLessThan(SLACK * RTOL);
  });

  test('is stopped when it takes too long', async () => {
    const matrix = gallery('laplace2d5', { nx: 1000, ny: 1000 });
    const b = new Float64Array(matrix.rows).fill(1);
    const { unfinished, ms } = await solveInWorker(one, { matrix, b, rtol: 0, maxIterations: 1e6 }, 1000);
    expect(unfinished).toMatch(/^did not finish in 1 s|^failed: .*memory/);
    expect(ms).toBeGreaterThan(500);
  });
});
