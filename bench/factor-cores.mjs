/**
 * How factorizations scale with threads: for each matrix and number of threads one line with the times of the order, of the rest of the analysis,
 * of the numeric factorization (`update`, the best of the rounds) and of a solve, in ms; the rate of the factorization; and how many times as fast
 * it is as on the fewest threads. The bits of x are the same on any number of threads, or the line says so and the exit code is 1.
 *
 * usage: npx bench factor-cores [--threads 1,2,4,8,16] [--matrices NAME,…] [--rounds 2] [--quick]
 *
 * Needs Node, this file, package.json and `dist`.
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createEngine, factor, gallery } from '../dist/index.node.js';

const MATRICES = [
  { name: '7-point 60³', family: 'laplace3d7', given: cube(60), quick: cube(24) },
  { name: 'mesh 500 k', family: 'delaunay', given: { n: 500_000 }, quick: { n: 20_000 } },
];

const { values: flags } = parseArgs({
  options: {
    threads: { type: 'string', default: '1,2,4,8,16' },
    matrices: { type: 'string', default: MATRICES.map(({ name }) => name).join() },
    rounds: { type: 'string', default: '2' },
    quick: { type: 'boolean', default: false },
  },
});

const COLUMNS = [
  'matrix',
  'threads',
  'order',
  'analysis',
  'factor',
  'Gflop/s',
  'speed-up',
  'solve',
  'residual',
  'bits',
];
const WIDTHS = [12, 7, 8, 8, 8, 8, 8, 8, 9, 6];

const print = (cells) =>
  void process.stdout.write(`${cells.map((cell, k) => `${cell}`.padStart(WIDTHS[k])).join(' ')}\n`);

process.stdout.write(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}\n`);
print(COLUMNS);
for (const { name, family, given, quick } of MATRICES) {
  if (!flags.matrices.split(',').includes(name)) continue;
  const matrix = gallery(family, flags.quick ? quick : given);
  const b = Float64Array.from({ length: matrix.rows }, (_, i) => 0.5 + ((i * 7919) % 1000) / 1000);
  let first;
  for (const threads of flags.threads.split(',').map(Number)) {
    const line = await measure(matrix, b, threads);
    first ??= line;
    const isEqual = line.x.every((value, i) => Object.is(value, first.x[i]));
    if (!isEqual) process.exitCode = 1;
    print([
      ...[name, threads, line.orderMs.toFixed(0), line.analysisMs.toFixed(0), line.factorMs.toFixed(0)],
      ...[(line.flops / line.factorMs / 1e6).toFixed(1), (first.factorMs / line.factorMs).toFixed(2)],
      ...[line.solveMs.toFixed(1), line.residual.toExponential(1), isEqual ? 'equal' : 'DIFFER'],
    ]);
  }
}

function cube(side) {
  return { nx: side, ny: side, nz: side };
}

async function measure(matrix, b, threads) {
  const engine = await createEngine({ threads, onHint: () => {} });
  const F = factor(engine, matrix);
  const { times, flops } = F.explain();
  const rounds = Array.from({ length: Number(flags.rounds) });
  const factorMs = Math.min(...rounds.map(() => time(() => F.update(matrix.values))));
  let x;
  const solveMs = Math.min(
    ...rounds.map(() =>
      time(() => {
        x = F.solve(b);
      }),
    ),
  );
  const residual = F.lastSolve.relativeResidual;
  F.dispose();
  await engine.dispose();
  return { orderMs: times.order, analysisMs: times.analysis, factorMs, solveMs, flops, residual, x };
}

function time(call) {
  const start = performance.now();
  call();
  return performance.now() - start;
}
