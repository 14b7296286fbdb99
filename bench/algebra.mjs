/**
 * Operations on matrices: the function of `algebra/` on arrays of the caller, on one thread; a `HeapMatrix` with its result in the heap; and
 * from arrays to arrays through the heap, both copies included. Every contender takes its turn in every round. The table has the median
 * over rounds, in ms, and in brackets the function's time relative to it.
 *
 * usage: npx bench algebra [--threads 1,2] [--rounds 7] [--scale 1] [--cases 5-point,fem,rmat]     (after `npm run build`)
 */
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
} from '../dist/index.node.js';
import { CASES, forEachCase, printMachine, printRow, readFlags } from './operations.mjs';
import { median, time } from './times.mjs';

const flags = readFlags(CASES, { rounds: '7' });
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

const WIDTH = 18;

printMachine();
printRow(['case', 'threads', 'operation', 'function', 'in the heap', 'in and out'], WIDTH);
await forEachCase(CASES, flags, compare);

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
    printRow([name, threads, operation, own.toFixed(1), ...cells], WIDTH);
  }
  inHeap.dispose();
  await engine.dispose();
}
