/**
 * A step of conjugate gradients with Jacobi's preconditioner beside PETSc's KSPCG with PCJACOBI: the same matrix and
 * right-hand side, the same number of iterations, no test of convergence; as many MPI ranks as threads. The solutions
 * after a few iterations are compared first. Then solves take turns, with a dot product of 10⁶ f64 and a read of memory
 * among them.
 *
 * The time of a step is that of a solve over its iterations.
 *
 * usage: npx bench cg [--threads 1,2] [--rounds 7] [--iterations 50] [--scale 1] [--problems 5-point,fem] [--json FILE]
 *        (after `npm run build`; PETSc: bench/peers/setup)
 */
import { appendFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEngine } from '../dist/index.node.js';
import { cgFigures, cgLine, heading } from './cg/figures.mjs';
import { inverseDiagonal, PROBLEMS } from './cg/problems.mjs';
import { conjugateGradients, residualNorm, spaceOf } from './cg/solver.mjs';
import { benchVector, bus, print } from './contenders.mjs';
import { temporaryFolder, writeMatrixFile } from './peers/index.mjs';
import { PETSC_CG } from './peers/native.mjs';
import { takeTurns, time } from './times.mjs';

const { values: flags } = parseArgs({
  options: {
    threads: { type: 'string', default: `1,${availableParallelism()}` },
    rounds: { type: 'string', default: '7' },
    iterations: { type: 'string', default: '50' },
    scale: { type: 'string', default: '1' },
    problems: { type: 'string', default: PROBLEMS.map(({ name }) => name).join() },
    json: { type: 'string' },
  },
});
const rounds = Number(flags.rounds);
const iterations = Number(flags.iterations);
const missing = PETSC_CG.missing();

/**
 * The iterations after which solutions are compared, and their greatest difference, relative to the largest element. The
 * orders of summation differ, and in the mesh every ten iterations make the differences a thousand times as large.
 */
const COMPARED = 10;
const TOLERANCE = 1e-10;

const DOT_LENGTH = 1e6;
const WARM_UP_DOTS = 20;
const DOTS_PER_TURN = 10;
const SOLVES_PER_TURN = 2;

print(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}`);
print(missing === undefined ? 'PETSc: KSPCG, PCJACOBI, natural norm' : `without PETSc: ${missing}`);
print(heading);
for (const { name, make } of PROBLEMS) {
  if (!flags.problems.split(',').includes(name)) continue;
  const matrix = make(Number(flags.scale));
  const problem = { name, matrix, b: benchVector(matrix.rows), d: inverseDiagonal(matrix) };
  for (const threads of new Set(flags.threads.split(',').map(Number))) await compare(problem, threads);
}

async function compare(problem, threads) {
  const engine = await createEngine({ threads });
  try {
    const A = engine.operator(problem.matrix, { products: 'many' });
    await verify(engine, A, problem);
    const ours = ourContender(engine, A, problem);
    const peer = missing === undefined ? await peerContender(problem, threads) : undefined;
    const dot = dotContender(engine);
    const stream = bus(engine);
    const contenders = [ours, dot, stream, ...(peer === undefined ? [] : [peer])];
    await takeTurns(contenders, rounds);
    await peer?.close();
    const times = { ours: ours.times, peer: peer?.times, dots: dot.times, reads: stream.times };
    const figures = cgFigures({ ...times, iterations, dotLength: DOT_LENGTH, readBytes: stream.bytes });
    const line = { problem: problem.name, threads, format: A.format, forkJoins: ours.forkJoins, ...figures };
    print(cgLine(line));
    if (flags.json) appendFileSync(flags.json, `${JSON.stringify({ ...line, iterations })}\n`);
  } finally {
    await engine.dispose();
  }
}

function ourContender(engine, A, { b, d }) {
  const { solve, step } = conjugateGradients(spaceOf(engine), A, { b, d, iterations });
  const times = [];
  return {
    times,
    forkJoins: forkJoinsOf(engine, step),
    /** The first solve calls the threads back, and fills the caches. */
    turn() {
      solve();
      for (let k = 0; k < SOLVES_PER_TURN; k++) times.push(time(solve));
    },
  };
}

/** The number of tasks that a step gives to the team. */
function forkJoinsOf({ team }, step) {
  const run = team.run;
  let count = 0;
  team.run = (...given) => {
    count++;
    return run.apply(team, given);
  };
  step();
  delete team.run;
  return count;
}

function openPeer({ matrix, b }, threads, iterations) {
  const matrixFile = join(temporaryFolder(), 'matrix');
  writeMatrixFile(matrix, matrixFile);
  const opening = PETSC_CG.open({
    ...{ matrixFile, dtype: 'f64', threads, x: b },
    env: { CG_ITERATIONS: String(iterations) },
  });
  return opening.finally(() => rmSync(matrixFile));
}

async function peerContender(problem, threads) {
  const opened = await openPeer(problem, threads, iterations);
  const times = [];
  return {
    times,
    turn: async () => void times.push(...(await opened.time(1 + SOLVES_PER_TURN)).slice(1)),
    close: opened.close,
  };
}

function dotContender(engine) {
  const { vector, scalar } = spaceOf(engine);
  const x = vector(benchVector(DOT_LENGTH));
  const y = vector(benchVector(DOT_LENGTH));
  const result = scalar();
  const dot = () => x.dot(y, result);
  const times = [];
  return {
    times,
    turn() {
      for (let k = 0; k < WARM_UP_DOTS; k++) dot();
      for (let k = 0; k < DOTS_PER_TURN; k++) times.push(time(dot));
    },
  };
}

/** @throws if the residual of our recurrence is not that of our solution, or PETSc has another solution */
async function verify(engine, A, problem) {
  const { name, matrix, b, d } = problem;
  const { solve, solution, residual } = conjugateGradients(spaceOf(engine), A, { b, d, iterations: COMPARED });
  solve();
  const x = solution();
  expectClose(`${name}: residual`, residual() / residualNorm(matrix, b, x) - 1);
  if (missing !== undefined) return;
  const peer = await openPeer(problem, engine.threads, COMPARED);
  const difference = new Float64Array(matrix.rows);
  await peer.product(difference);
  await peer.close();
  for (let i = 0; i < x.length; i++) difference[i] -= x[i];
  expectClose(`${name}: difference to PETSc's solution`, largest(difference) / largest(x));
}

function largest(vector) {
  return vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

function expectClose(what, difference) {
  if (!(Math.abs(difference) <= TOLERANCE))
    throw new Error(`${what}: expected at most ${TOLERANCE}, got ${difference}`);
}
