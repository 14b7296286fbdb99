/**
 * Ranks of one thread beside one process of as many threads, and PETSc under mpirun with as many ranks, in turn in one run: a product, and a
 * step of cg with Jacobi's preconditioner. Results are compared first. Ranks are threads; products of ranks and of PETSc include the
 * exchange of the halo and a barrier.
 *
 * usage: npx bench ranks [--ranks 2] [--rounds 4] [--problems 5-point-300,fem-rcm]
 *        npx bench ranks --large [--ranks 2] [--entries 374e6]    a matrix beyond one memory, beside one that fits: see bench/ranks/large.mjs
 *        npx bench ranks --scaling [--teams 1x1,2x1,4x8] [--format auto] [--minutes 5]    more and more ranks × threads: see bench/ranks/scaling.mjs
 *        npx bench ranks --messages             time of an exchange by its length: see bench/ranks/messages.mjs
 */
import { rmSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEngine, gallery, partition, permuteMatrix, rowsOfRank, runRanks } from '../dist/index.node.js';
import { inverseDiagonal } from './cg/problems.mjs';
import { conjugateGradients, spaceOf } from './cg/solver.mjs';
import { benchVector, print } from './contenders.mjs';
import { PEERS, temporaryFolder, writeMatrixFile } from './peers/index.mjs';
import { PETSC_CG } from './peers/native.mjs';
import { compareLarge } from './ranks/large.mjs';
import { timeMessages } from './ranks/messages.mjs';
import { DONE, MEASURED, TURN } from './ranks/program.mjs';
import { compareScaling } from './ranks/scaling.mjs';
import { median, runFor, takeTurns, time } from './times.mjs';

const PETSC = PEERS.find(({ name }) => name === 'PETSc');
const PRODUCTS = 20;
const ITERATIONS = 50;
const WARM_UP_MS = 100;
const TOLERANCE = 1e-12;

/** Of an order of the rows that makes halos small. */
const reordered = (order) => () => {
  const matrix = gallery('delaunay', { n: 200_000 });
  const rowOrder = partition(matrix, 2, { order }).order;
  return permuteMatrix(matrix, { rowOrder, colOrder: rowOrder });
};

const PROBLEMS = {
  '5-point-300': () => gallery('laplace2d5', { nx: 300, ny: 300 }),
  '5-point-2000': () => gallery('laplace2d5', { nx: 2000, ny: 2000 }),
  '27-point-100': () => gallery('laplace3d27', { nx: 100, ny: 100, nz: 100 }),
  'fem-random': () => gallery('delaunay', { n: 200_000 }),
  'fem-rcm': reordered('rcm'),
  'fem-bandk': reordered('bandk'),
  'fem-kway': reordered('kway'),
};

const { values: flags } = parseArgs({
  options: {
    ranks: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '4' },
    problems: { type: 'string', default: Object.keys(PROBLEMS).join() },
    large: { type: 'boolean', default: false },
    entries: { type: 'string', default: '374e6' },
    scaling: { type: 'boolean', default: false },
    teams: { type: 'string', default: '1x1,2x1,4x1,8x1,16x1,32x1,4x8,1x32' },
    format: { type: 'string', default: 'auto' },
    minutes: { type: 'string', default: '5' },
    messages: { type: 'boolean', default: false },
  },
});
const ranks = Number(flags.ranks);

print(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}`);
if (flags.large) await compareLarge(ranks, Number(flags.entries));
else if (flags.scaling) await scale();
else if (flags.messages) await timeMessages();
else for (const name of flags.problems.split(',')) await compare(name);

function scale() {
  const teams = flags.teams.split(',').map((team) => team.split('x').map(Number));
  return compareScaling(teams, flags.format, Number(flags.minutes));
}

async function compare(name) {
  const matrix = PROBLEMS[name]();
  const problem = { matrix, b: benchVector(matrix.rows), d: inverseDiagonal(matrix) };
  const contenders = [await oneProcess(problem), rankThreads(problem), await petsc(problem)].filter(Boolean);
  await takeTurns(contenders, Number(flags.rounds));
  const ends = [];
  for (const { close } of contenders) ends.push(await close());
  const [alone, together, peer] = contenders.map(({ figures }, k) => ({ ...mediansOf(figures), ...ends[k] }));
  expectSame(name, alone.y, together.y);
  const { product, step, own, halo, allreduceUs } = together;
  const ratio = (of, to) => (of === undefined ? '–' : `${(of / to).toFixed(2)} ×`);
  print(
    `${name}: product ${product.toFixed(3)} ms (${together.format}), ${ratio(alone.product, product)} of one process (${alone.format}), ${ratio(peer?.product, product)} of PETSc; ` +
      `cg step ${step.toFixed(3)} ms, ${ratio(alone.step, step)}, ${ratio(peer?.step, step)}`,
  );
  const us = (1e3 * halo).toFixed(1);
  print(
    `  own columns alone ${own.toFixed(3)} ms, exchange and other columns alone ${us} µs (${together.ghosts} ghosts), allreduce ${allreduceUs.toFixed(1)} µs`,
  );
}

function mediansOf(figures) {
  return Object.fromEntries(Object.entries(figures).map(([name, times]) => [name, median(times)]));
}

function expectSame(name, y, other) {
  const scale = y.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const wrong = y.findIndex((value, i) => !(Math.abs(value - other[i]) <= TOLERANCE * scale));
  if (wrong >= 0) throw new Error(`${name}: expected y[${wrong}] = ${y[wrong]}, got ${other[wrong]}`);
}

async function oneProcess({ matrix, b, d }) {
  const engine = await createEngine({ threads: ranks });
  const A = engine.operator(matrix, { products: 'many' });
  const [x, y] = [engine.vector(benchVector(A.cols)), engine.vector(A.rows)];
  const { solve } = conjugateGradients(spaceOf(engine), A, { b, d, iterations: ITERATIONS });
  const figures = { product: [], step: [] };
  const multiply = () => A.apply(x, y);
  return {
    figures,
    turn() {
      solve();
      runFor(multiply, WARM_UP_MS);
      figures.product.push(median(Array.from({ length: PRODUCTS }, () => time(multiply))));
      figures.step.push(median(Array.from({ length: 3 }, () => time(solve))) / ITERATIONS);
    },
    async close() {
      multiply();
      const end = { y: y.toArray(), format: A.format };
      await engine.dispose();
      return end;
    },
  };
}

/** Ranks that run all the time, and sleep while others have their turn. */
function rankThreads({ matrix, b, d }) {
  const dealt = partition(matrix, ranks, { order: 'natural' });
  const words = new Int32Array(new SharedArrayBuffer(8));
  const numbers = new Float64Array(new SharedArrayBuffer(8 * MEASURED.length));
  const rows = Array.from({ length: ranks }, (_, rank) => rowsOfRank(matrix, dealt, rank));
  const data = { rows, b, d, iterations: ITERATIONS, words, numbers };
  const ending = runRanks(new URL('./ranks/program.mjs', import.meta.url), { ranks, threads: 1, data });
  const figures = Object.fromEntries(MEASURED.map((name) => [name, []]));
  const tell = (turn) => {
    Atomics.store(words, TURN, turn);
    Atomics.notify(words, TURN);
  };
  return {
    figures,
    async turn() {
      const all = Atomics.load(words, DONE) + ranks;
      tell(Atomics.load(words, TURN) + 1);
      for (let done = Atomics.load(words, DONE); done < all; done = Atomics.load(words, DONE))
        await Promise.race([Atomics.waitAsync(words, DONE, done).value, ending]);
      MEASURED.forEach((name, k) => void figures[name].push(numbers[k]));
    },
    async close() {
      tell(-1);
      const ends = await ending;
      return { ...ends[0], y: ends.flatMap(({ y }) => [...y]) };
    },
  };
}

async function petsc({ matrix, b }) {
  const missing = PETSC.missing() ?? PETSC_CG.missing();
  if (missing !== undefined) return void print(`without PETSc: ${missing}`);
  const matrixFile = join(temporaryFolder(), 'matrix');
  writeMatrixFile(matrix, matrixFile);
  const given = { matrixFile, dtype: 'f64', threads: ranks };
  const product = await PETSC.open({ ...given, x: benchVector(matrix.cols) });
  const solver = await PETSC_CG.open({ ...given, x: b, env: { CG_ITERATIONS: String(ITERATIONS) } });
  rmSync(matrixFile);
  const figures = { product: [], step: [] };
  return {
    figures,
    async turn() {
      const [early] = await product.time(1);
      const all = await product.time(PRODUCTS + Math.ceil(WARM_UP_MS / early));
      figures.product.push(median(all.slice(-PRODUCTS)));
      figures.step.push(median((await solver.time(4)).slice(1)) / ITERATIONS);
    },
    async close() {
      await product.close();
      await solver.close();
    },
  };
}
