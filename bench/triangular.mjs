/**
 * Triangular solves with the factors of ic0, by the order of the rows, the way to solve, and threads: the time of one solve, forward and
 * backward, and the iterations of cg on a smaller matrix of the same kind, which do not depend on threads. The ways of one order take
 * turns. f64. Appends JSON lines, of which `bench/triangular/table.mjs` makes tables.
 *
 * usage: npx bench triangular [--threads 1,2] [--matrices 5-point,27-point,mesh,elasticity] [--rounds 3] [--out FILE]
 *        [--only times | iterations] [--seconds 900] [--commit ID]       (after `npm run build`)
 */
import { appendFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { randomStream, unit } from '../dist/gallery/draw.js';
import { cg, createEngine, permuteVector, precondition } from '../dist/index.node.js';
import { benchVector, print } from './contenders.mjs';
import { describeMachine } from './machine.mjs';
import { median, takeTurns, time } from './times.mjs';
import { contendersOf, MATRICES, makeMatrix, ORDERS } from './triangular/matrices.mjs';

const { values: flags } = parseArgs({
  options: {
    threads: { type: 'string', default: `1,${availableParallelism()}` },
    matrices: { type: 'string', default: MATRICES.map(({ name }) => name).join() },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '900' },
    commit: { type: 'string' },
    out: { type: 'string' },
  },
});
const threadCounts = [...new Set(flags.threads.split(',').map(Number))];

/** Of a turn: uncounted solves first, because the caches are full of another way's factors. */
const WARM_UP_MS = 15;
const SOLVES_PER_TURN = 5;
const SEED = 1;
const RTOL = 1e-8;

print(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}`);
const machine = await describeMachine();
save({ kind: 'machine', ...machine, commit: flags.commit ?? machine.commit });
for (const { name, url, counted } of MATRICES) {
  if (!flags.matrices.split(',').includes(name)) continue;
  if (flags.only !== 'times') await countIterations(name, counted);
  if (flags.only !== 'iterations') await timeSolves(name, url);
}

async function countIterations(name, url) {
  const matrix = makeMatrix(url);
  print(`${url}: ${matrix.rows} rows, ${matrix.nnz} entries; iterations of cg`);
  const random = randomStream(SEED, 'values');
  const natural = Float64Array.from({ length: matrix.rows }, () => 0.5 + unit(random));
  const engine = await createEngine({ threads: Math.max(...threadCounts), onHint: () => {} });
  for (const order of ORDERS) {
    for (const contender of contendersOf(matrix, order)) {
      const A = engine.operator(contender.matrix, { format: 'csr' });
      const M = precondition(engine, contender.matrix, contender.spec(contender.matrix));
      const b = contender.order === undefined ? natural : permuteVector(natural, contender.order);
      const { x, iterations, converged } = cg(A, b, { preconditioner: M, rtol: RTOL });
      for (const each of [x, M, A]) each.dispose();
      report('iterations', name, order, contender, { source: url, iterations, converged }, `${iterations} iterations`);
    }
  }
  await engine.dispose();
}

async function timeSolves(name, url) {
  const matrix = makeMatrix(url);
  print(`${url}: ${matrix.rows} rows, ${matrix.nnz} entries; times of a solve`);
  for (const order of ORDERS) {
    const ways = contendersOf(matrix, order);
    for (const threads of threadCounts) {
      if (performance.now() > 1000 * Number(flags.seconds)) {
        print(`no time for ${name}, ${order.name}, ${threads} threads`);
        continue;
      }
      const engine = await createEngine({ threads, onHint: () => {} });
      const opened = ways
        .filter((one) => (one.threads ?? threads) === threads)
        .map((way) => ({ ...way, ...solver(engine, way) }));
      await takeTurns(opened, Number(flags.rounds));
      for (const way of opened) {
        const { stages, setupMs } = way.M.explain();
        const medianMs = median(way.times);
        const line = { source: url, threads, medianMs, minMs: Math.min(...way.times), stages, setupMs };
        report('solve', name, order, way, line, `${`${threads}`.padStart(3)} ${medianMs.toFixed(2).padStart(8)} ms`);
        way.M.dispose();
      }
      await engine.dispose();
    }
  }
}

function solver(engine, { matrix, spec }) {
  const M = precondition(engine, matrix, spec(matrix));
  const [r, z] = [engine.vector(benchVector(matrix.rows)), engine.vector(matrix.rows)];
  const times = [];
  const turn = () => {
    for (const end = performance.now() + WARM_UP_MS; performance.now() < end; ) M.apply(r, z);
    for (let k = 0; k < SOLVES_PER_TURN; k++) times.push(time(() => M.apply(r, z)));
  };
  return { M, times, turn };
}

function report(kind, matrix, order, way, line, text) {
  save({ kind, matrix, order: order.name, solve: way.name, ...line });
  print(`  ${order.name.padEnd(9)} ${way.name.padEnd(14)} ${text}`);
}

function save(line) {
  if (flags.out) appendFileSync(flags.out, `${JSON.stringify(line)}\n`);
}
