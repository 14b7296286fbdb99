/**
 * The time from CSR arrays to the first product of `format: 'auto'`, in milliseconds: in a new process (`cold`), and of
 * later operators in it (`warm`, the best). Engines of several builds take turns.
 *
 *     copy+layout   operator() without the columns after it: check of the arrays, their copy into the heap, the layout
 *     examine       features of the matrix, and the choice
 *     plan          partition, warm-up of the kernel
 *     first, second products
 *     total         operator() and the first product
 *
 * usage: npx bench setup [--threads 1,2] [--rounds 3] [--scale 1] [--matrices 5-point,rmat] [--format auto]
 *        [--engines dist/index.node.js,../other/dist/index.node.js]        (after `npm run build`)
 *        scale 1: 5-point 2000², 27-point 128³, R-MAT 2²⁰ × 16, elasticity 60³ × 3; the cores share their memory
 */
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { print } from './contenders.mjs';

const { values: flags } = parseArgs({
  options: {
    threads: { type: 'string', default: `1,${availableParallelism()}` },
    rounds: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
    matrices: { type: 'string' },
    format: { type: 'string', default: 'auto' },
    engines: { type: 'string', default: fileURLToPath(new URL('../dist/index.node.js', import.meta.url)) },
    child: { type: 'string' },
  },
});

/** By name, with about `scale` times the entries. */
const MATRICES = {
  '5-point': (scale) => ['laplace2d5', { nx: edge(2000, scale, 2), ny: edge(2000, scale, 2) }],
  '27-point': (scale) => ['laplace3d27', cube(128, scale)],
  rmat: (scale) => ['rmat', { scale: 20 + Math.round(Math.log2(scale)), edgeFactor: 16 }],
  elasticity: (scale) => ['laplace3d27', { ...cube(60, scale), block: 3, values: 'real' }],
};

function edge(length, scale, dimensions) {
  return Math.round(length * scale ** (1 / dimensions));
}

function cube(length, scale) {
  const n = edge(length, scale, 3);
  return { nx: n, ny: n, nz: n };
}

const WARM = 3;

if (flags.child !== undefined) await measure(JSON.parse(flags.child));
else compare();

function compare() {
  const names = flags.matrices?.split(',') ?? Object.keys(MATRICES);
  const columns = ['copy+layout', 'examine', 'plan', 'first', 'second', 'total'];
  for (const name of names) {
    for (const threads of new Set(flags.threads.split(',').map(Number))) {
      const engines = flags.engines.split(',').map((path) => ({ path, cold: undefined, warm: undefined }));
      for (let round = 0; round < Number(flags.rounds); round++) {
        for (const engine of engines) {
          const order = JSON.stringify({ name, threads, path: pathToFileURL(resolve(engine.path)).href });
          const args = [
            fileURLToPath(import.meta.url),
            '--child',
            order,
            '--scale',
            flags.scale,
            '--format',
            flags.format,
          ];
          const { format, nnz, runs } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
          engine.format = format;
          engine.nnz = nnz;
          engine.cold = better(engine.cold, runs[0]);
          engine.warm = runs.slice(1).reduce(better, engine.warm);
        }
      }
      for (const { path, format, nnz, ...times } of engines) {
        print(`${name}, ${nnz} entries, ${format}, ${threads} threads: ${path}`);
        for (const state of ['cold', 'warm']) {
          const cells = columns.map((column) => `${column} ${times[state][column].toFixed(1)}`);
          const ratio = times[state].total / engines[0][state].total;
          print(`  ${state}  ${cells.join('  ')}${engines.length > 1 ? `  ratio ${ratio.toFixed(2)}` : ''}`);
        }
      }
    }
  }
}

function better(a, b) {
  return a === undefined || b.total < a.total ? b : a;
}

/** Prints the times of the operators of one process. */
async function measure({ name, threads, path }) {
  const { createEngine, gallery } = await import(path);
  const matrix = gallery(...MATRICES[name](Number(flags.scale)));
  const { rows, cols, nnz, rowPtr, colIdx, values } = matrix;
  const arrays = { rows, cols, rowPtr, colIdx, values };
  const engine = await createEngine({ threads });
  const runs = [];
  let format = '';
  for (let run = 0; run <= WARM; run++) {
    const start = performance.now();
    const operator = engine.operator(arrays, { format: flags.format });
    const built = performance.now();
    const x = engine.vector(cols).fill(1);
    const y = engine.vector(rows);
    const ready = performance.now();
    operator.apply(x, y);
    const first = performance.now() - ready;
    operator.apply(x, y);
    const second = performance.now() - ready - first;
    const { examineMs = 0, chooseMs = 0, tuneMs = 0 } = operator.decision ?? {};
    const [examine, plan, total] = [examineMs + chooseMs + tuneMs, operator.plan.setupMs, built - start + first];
    runs.push({ 'copy+layout': built - start - examine - plan, examine, plan, first, second, total });
    format = operator.format;
    for (const one of [operator, x, y]) one.dispose();
  }
  await engine.dispose();
  print(JSON.stringify({ format, nnz, runs }));
}
