/**
 * Operations on matrices: the function of `algebra/` on arrays of the caller, on one thread; a `HeapMatrix` with its result in the heap; and
 * from arrays to arrays through the heap, both copies included. Every contender takes its turn in every round. The table has the median
 * over rounds, in ms, and in brackets the function's time relative to it.
 *
 * usage: node bench/algebra.mjs [--threads 1,2] [--rounds 7] [--scale 1] [--cases 5-point,fem,rmat]     (after `npm run build`)
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import {
  addMatrices,
  createEngine,
  diagonalOf,
  gallery,
  kroneckerProduct,
  normsOf,
  scaleMatrix,
  sliceRows,
  sumsOf,
  transposeMatrix,
} from '#dist/index.node.js';
import { print, time } from './contenders.mjs';

const side = (scale, full) => Math.max(4, Math.round(full * scale));
const CASES = {
  '5-point': (scale) => gallery('laplace2d5', { nx: side(scale, 1000), ny: side(scale, 1000) }),
  fem: (scale) => gallery('laplace3d27', { nx: side(scale, 30), ny: side(scale, 30), nz: side(scale, 30), block: 3 }),
  rmat: (scale) => gallery('rmat', { scale: Math.round(18 + 2 * Math.log2(scale)) }),
};

const { values: flags } = parseArgs({
  options: {
    threads: { type: 'string', default: `1,${availableParallelism()}` },
    rounds: { type: 'string', default: '7' },
    scale: { type: 'string', default: '1' },
    cases: { type: 'string', default: Object.keys(CASES).join() },
  },
});
const WARM_UP_ROUNDS = 2;

/** Name, the function, the method. */
function operationsOn(factors) {
  const two = gallery('laplace1d3', { nx: 2 });
  return [
    ['2 A − A', (a) => addMatrices(a, a, 2, -1), (a) => a.add(a, 2, -1)],
    ['D A D', (a) => scaleMatrix(a, factors), (a) => a.scaled(factors)],
    ['slice', (a) => sliceRows(a, 1), (a) => a.slice(1)],
    ['Aᵀ', transposeMatrix, (a) => a.transposed()],
    ['A ⊗ T', (a) => kroneckerProduct(a, two), (a) => a.kronecker(two)],
    ['diagonal', diagonalOf, (a) => a.diagonal()],
    ['sums of rows', (a) => sumsOf(a, 'rows'), (a) => a.sums('rows')],
    ['sums of columns', (a) => sumsOf(a, 'columns'), (a) => a.sums('columns')],
    ['norms of rows', (a) => normsOf(a, 'rows'), (a) => a.norms('rows')],
    ['norms of columns', (a) => normsOf(a, 'columns'), (a) => a.norms('columns')],
  ];
}

print(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}`);
print(['case', 'threads', 'operation', 'function', 'in the heap', 'in and out'].map(column).join(' '));
for (const name of flags.cases.split(',')) {
  // As a matrix that is not known to be symmetric.
  const matrix = { ...CASES[name](Number(flags.scale)), symmetry: 'general' };
  for (const threads of new Set(flags.threads.split(',').map(Number))) await compare(name, matrix, threads);
}

function column(text) {
  return String(text).padEnd(18);
}

async function compare(name, matrix, threads) {
  const engine = await createEngine({ threads });
  const inHeap = engine.matrix(matrix);
  const ones = new Float64Array(matrix.rows).fill(1);
  for (const [operation, call, method] of operationsOn({ rows: ones, cols: ones })) {
    const contenders = [
      () => call(matrix),
      () => method(inHeap).dispose(),
      () => {
        const copy = engine.matrix(matrix);
        const result = method(copy);
        if ('toCsr' in result) result.toCsr();
        else result.toArray();
        for (const one of [copy, result]) one.dispose();
      },
    ];
    const times = contenders.map(() => []);
    for (let round = -WARM_UP_ROUNDS; round < Number(flags.rounds); round++)
      for (const [place, run] of contenders.entries()) {
        const ms = time(run);
        if (round >= 0) times[place].push(ms);
      }
    const [own, ...others] = times.map(median);
    const cells = others.map((ms) => `${ms.toFixed(1)} (${(own / ms).toFixed(1)})`);
    print([name, threads, operation, own.toFixed(1), ...cells].map(column).join(' '));
  }
  inHeap.dispose();
  await engine.dispose();
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}
