/** The sections of the suite `multigrid` beside its table: growth with the size, bits by threads, updates, npm packages. Each returns its lines of results. */
import { createHash } from 'node:crypto';
import { createEngine, gallery, precondition, solve } from '../../dist/index.node.js';
import { MAX_ITERATIONS, ours } from '../solve/contenders.mjs';
import { leastOf, lineOf, solveInTurn } from '../solve/in-turn.mjs';
import { missingPackage, PACKAGES, solveInWorker } from '../solve/packages.mjs';
import { rightHandSideOf } from '../solve/problems.mjs';
import { fastest, isOurs, isPackage, judged } from '../solve/results.mjs';
import { time } from '../times.mjs';
import { multigridsOf } from './contenders.mjs';
import { cube } from './problems.mjs';
import { markdown, ratio } from './table.mjs';

const NO_HINTS = { onHint: () => {} };

/** Iterations on a grid over those on one of half the side. */
const GROWTH_AIM = 1.15;
/** Grids of so many points of a side, at scale 1. */
const GRIDS = [
  {
    problem: '5-point',
    dimensions: 2,
    sides: [125, 250, 500, 1000],
    make: (n) => gallery('laplace2d5', { nx: n, ny: n }),
  },
  { problem: '7-point', dimensions: 3, sides: [25, 50, 100], make: (n) => gallery('laplace3d7', cube(n)) },
];

/** Iterations and time as the side of a grid doubles. */
export async function growth({ scale, threads, rounds, rtol, patienceMs, print }) {
  const engine = await createEngine({ threads, ...NO_HINTS });
  const lines = [];
  for (const { problem, dimensions, sides, make } of GRIDS) {
    for (const listed of sides) {
      const side = Math.max(4, Math.round(listed * scale ** (1 / dimensions)));
      const matrix = make(side);
      const options = { method: 'cg', preconditioner: 'amg', rtol, maxIterations: MAX_ITERATIONS };
      const contender = ours(engine, matrix, rightHandSideOf(matrix), options, patienceMs);
      const [results] = await solveInTurn([contender], { rounds, hasTime: () => true });
      const ms = Math.min(...results.map((one) => one.ms));
      const { iterations } = results[0];
      const before = lines.findLast((line) => line.problem === problem);
      lines.push({
        ...{ kind: 'growth', problem, side, rows: matrix.rows, threads, ms, iterations },
        growth: before === undefined ? undefined : iterations / before.iterations,
        // Of the time of an unknown: the caches count, too.
        growthOfTime: before === undefined ? undefined : ms / matrix.rows / (before.ms / before.rows),
      });
    }
  }
  await engine.dispose();
  const head = ['grid', 'side', 'rows', 'iterations', 'growth', 'aim', 'ms', 'growth per unknown'];
  const rows = lines.map((line) => [
    ...[
      line.problem,
      line.side,
      line.rows.toLocaleString('en'),
      line.iterations,
      ratio(line.growth),
      `≤ ${GROWTH_AIM}`,
    ],
    ...[line.ms.toFixed(0), ratio(line.growthOfTime)],
  ]);
  print(markdown(head, rows));
  return lines;
}

const MOST_THREADS = 8;

/** The bits of the solution by the number of threads, of each way of ours to make levels. A difference is an exit code of 1. */
export async function bits({ problems, rtol, print }) {
  const lines = [];
  const rows = [];
  for (const problem of problems) {
    const ways = multigridsOf(problem).map((way) => ({ way, solves: [] }));
    for (let threads = 1; threads <= MOST_THREADS; threads++) {
      const engine = await createEngine({ threads, ...NO_HINTS });
      for (const { way, solves } of ways) solves.push({ threads, ...hashedSolve(engine, problem, way, rtol) });
      await engine.dispose();
    }
    for (const { way, solves } of ways) {
      const [{ iterations, hash }] = solves;
      const others = solves.filter((one) => one.hash !== hash).map(({ threads }) => threads);
      if (others.length > 0) process.exitCode = 1;
      const verdict = others.length === 0 ? 'the same' : `others on ${others.join(', ')} threads`;
      rows.push([problem.name, titleOf(way), iterations, hash, verdict]);
      lines.push(
        ...solves.map((one) => ({ kind: 'bits', problem: problem.name, preconditioner: titleOf(way), ...one })),
      );
    }
  }
  print(markdown(['problem', 'preconditioner', 'iterations', 'hash', `bits on 1 … ${MOST_THREADS} threads`], rows));
  return lines;
}

function titleOf({ preconditioner, note }) {
  return note === undefined ? preconditioner : `${preconditioner} ${note}`;
}

function hashedSolve(engine, { matrix, b }, { method, preconditioner, making }, rtol) {
  const M = precondition(engine, matrix, preconditioner, making);
  const limits = { rtol, maxIterations: MAX_ITERATIONS };
  const { x, iterations } = solve(engine, matrix, b, { method, preconditioner: M, ...limits });
  const numbers = x.toArray();
  x.dispose();
  M.dispose();
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  return { iterations, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 12) };
}

/** The time of an update over that of the set-up that is asked for. */
const UPDATE_AIM = 0.3;

/** The time of `update` over that of the set-up, in rounds. It does the same for any numbers: it gets those of the set-up. */
export async function update({ problems, threads, rounds, print }) {
  const engine = await createEngine({ threads, ...NO_HINTS });
  const lines = [];
  for (const problem of problems) {
    for (const way of multigridsOf(problem)) {
      const { matrix } = problem;
      const times = Array.from({ length: rounds }, () => {
        let M;
        const setupMs = time(() => {
          M = precondition(engine, matrix, way.preconditioner, way.making);
        });
        const updateMs = time(() => M.update(matrix.values));
        M.dispose();
        return { setupMs, updateMs };
      });
      const [setupMs, updateMs] = ['setupMs', 'updateMs'].map((part) => Math.min(...times.map((one) => one[part])));
      lines.push({ kind: 'update', problem: problem.name, preconditioner: titleOf(way), threads, setupMs, updateMs });
    }
  }
  await engine.dispose();
  const rows = lines.map(({ problem, preconditioner, setupMs, updateMs }) => {
    const [setup, another] = [setupMs, updateMs].map((ms) => ms.toFixed(0));
    return [problem, preconditioner, setup, another, ratio(updateMs / setupMs), `≤ ${UPDATE_AIM}`];
  });
  print(markdown(['problem', 'preconditioner', 'set-up, ms', 'update, ms', 'update / set-up', 'aim'], rows));
  return lines;
}

/** The time of the fastest npm package that finishes over that of our best multigrid that is asked for. */
const PACKAGES_AIM = 20;

/** Ours and the npm packages, one thread, as lines of kind `solve`. */
export async function packages({ problems, scale, rounds, rtol, patienceMs, print }) {
  const engine = await createEngine({ threads: 1, ...NO_HINTS });
  const lines = [];
  const limits = { rtol, maxIterations: MAX_ITERATIONS };
  for (const { name, matrix, b, ...problem } of problems) {
    const asked = [
      ...multigridsOf(problem).map((way) => ours(engine, matrix, b, { ...way, ...limits }, patienceMs)),
      ...PACKAGES.filter((one) => one.package !== undefined && missingPackage(one) === undefined).map((one) => ({
        name: one.name,
        solve: () => solveInWorker(one, { matrix, b, ...limits }, patienceMs),
      })),
    ];
    const results = await solveInTurn(asked, { rounds, hasTime: () => true });
    for (const [place, contender] of asked.entries())
      lines.push({
        ...{ kind: 'solve', rtol, scale },
        ...(await lineOf({ name, matrix, b }, 1, contender, results[place], leastOf)),
      });
  }
  await engine.dispose();
  const names = [...new Set(lines.map(({ problem }) => problem))];
  const rows = names.map((name) => {
    const solved = lines.filter(({ problem }) => problem === name).map((line) => judged(line));
    const [best, other] = [fastest(solved, isOurs), fastest(solved, isPackage)];
    const lead = best === undefined || other === undefined ? undefined : other.ms / best.ms;
    const cell = (line) =>
      line === undefined ? 'none solved it' : `${line.contender}: ${line.ms.toFixed(0)} ms (${line.iterations})`;
    return [name, cell(best), cell(other), ratio(lead), `≥ ${PACKAGES_AIM}`];
  });
  print(markdown(['problem', 'ours', 'fastest npm package', 'package / ours', 'aim'], rows));
  return lines;
}
