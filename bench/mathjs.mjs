/**
 * Functions of mathjs beside @sparlane/mathjs, in turn in one process: a SparseMatrix times a dense vector, accelerated with the copies that its
 * result needs, with vectors of the engine, and with these and a frozen matrix, which the engine multiplies; `lusolve`, of a matrix that is new and
 * of one whose factors are kept; `inv` and `eigs`. Results are compared before they are timed. Ratios: times of mathjs / ours, medians of the rounds.
 *
 * usage: npx bench mathjs [--small] [--threads 2] [--rounds 5]      (after `npm run build`)
 */
import { parseArgs } from 'node:util';
import { accelerate, freeze, matrixInput, sparseMatrix } from '@sparlane/mathjs';
import { all, create } from 'mathjs';
import { createEngine, gallery } from 'sparlane';
import { describeMachine } from './machine.mjs';
import { median } from './times.mjs';

const { values: flags } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    threads: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
  },
});
const ROUNDS = Number(flags.rounds);
/** Time for each contender and round. */
const TURN_MS = flags.small ? 20 : 300;

const MATRICES = flags.small
  ? [['laplace2d5', { nx: 40, ny: 40 }]]
  : [
      ['laplace2d5', { nx: 14, ny: 14 }],
      ['laplace2d5', { nx: 100, ny: 100 }],
      ['laplace2d5', { nx: 500, ny: 500 }],
      ['rmat', { scale: 15 }],
      ['laplace3d27', { nx: 30, ny: 30, nz: 30 }],
    ];
/** Of `lusolve`. */
const SYSTEMS = flags.small
  ? [['convection2d', { nx: 10, ny: 10 }]]
  : [
      ['convection2d', { nx: 30, ny: 30 }],
      ['laplace2d5', { nx: 60, ny: 60 }],
      ['convection2d', { nx: 60, ny: 60 }],
    ];

/** The results of these functions are dense. With 200 to 400 rows each takes mathjs some seconds. */
const WHOLE = flags.small
  ? [['inv', 'laplace2d5', { nx: 8, ny: 8 }]]
  : [
      ['inv', 'laplace2d5', { nx: 14, ny: 14 }],
      ['inv', 'convection2d', { nx: 20, ny: 20 }],
      ['eigs', 'laplace2d5', { nx: 10, ny: 10 }],
      ['eigs', 'laplace2d5', { nx: 14, ny: 14 }],
    ];

const print = (line) => void process.stdout.write(`${line}\n`);

/** Milliseconds of one call: the mean over a turn. */
function timed(call) {
  const start = performance.now();
  let calls = 0;
  do {
    call();
    calls++;
  } while (performance.now() - start < TURN_MS);
  return (performance.now() - start) / calls;
}

/** Medians, in turn. */
function compare(contenders) {
  const times = contenders.map(() => []);
  for (let round = 0; round < ROUNDS; round++) for (const [c, call] of contenders.entries()) times[c].push(timed(call));
  return times.map(median);
}

function checkEqual(what, got, expected) {
  const scale = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-300);
  const wrong = expected.findIndex((value, i) => !(Math.abs(got[i] - value) <= 1e-9 * scale));
  if (wrong >= 0) throw new Error(`${what}: element ${wrong} is ${got[wrong]}, not ${expected[wrong]}`);
}

const plain = create(all);
const math = create(all);
const engine = await createEngine({ threads: Number(flags.threads) });
const acceleration = accelerate(math, engine, { minEntries: 0 });
print(JSON.stringify({ ...(await describeMachine()), threads: engine.threads }));

for (const [name, size] of MATRICES) {
  const matrix = gallery(name, size);
  const S = sparseMatrix(plain, matrix);
  const numbers = Array.from({ length: matrix.cols }, (_, i) => 1 + (i % 7));
  const dense = math.matrix(numbers);
  const x = engine.vector(numbers);
  const frozen = freeze(sparseMatrix(math, matrix));
  const A = engine.operator(matrixInput(S));
  const y = engine.vector(A.rows);

  const expected = plain.multiply(S, dense).toArray().flat();
  checkEqual('copies', math.multiply(S, dense).toArray().flat(), expected);
  const product = math.multiply(S, x);
  checkEqual('vectors', product.toArray(), expected);
  product.dispose();
  const again = math.multiply(frozen, x);
  checkEqual('frozen', again.toArray(), expected);
  again.dispose();

  const [theirs, copies, vectors, unsearched, operator] = compare([
    () => plain.multiply(S, dense),
    () => math.multiply(S, dense),
    () => math.multiply(S, x).dispose(),
    () => math.multiply(frozen, x).dispose(),
    () => A.apply(x, y),
  ]);
  const ratio = (ours) => `${(theirs / ours).toFixed(1)} ×`;
  print(
    `${name} ${Object.values(size).join(' × ')}, ${matrix.nnz} entries: mathjs ${theirs.toFixed(3)} ms; with copies ${ratio(copies)}, ` +
      `vectors of the engine ${ratio(vectors)}, matrix frozen ${ratio(unsearched)}, operator ${ratio(operator)}`,
  );
  for (const one of [A, x, y]) one.dispose();
}

for (const [name, size] of SYSTEMS) {
  const matrix = gallery(name, size);
  const S = sparseMatrix(plain, matrix);
  const b = Array.from({ length: matrix.rows }, () => 1);
  checkEqual('lusolve', math.lusolve(S, b).toArray().flat(), plain.lusolve(S, b).toArray().flat());
  const [theirs, fresh, kept] = compare([
    () => plain.lusolve(S, b),
    () => math.lusolve(S.clone(), b),
    () => math.lusolve(S, b),
  ]);
  const ratio = (ours) => `${(theirs / ours).toFixed(0)} ×`;
  print(
    `lusolve, ${name} ${Object.values(size).join(' × ')}, ${matrix.rows} rows: mathjs ${theirs.toFixed(1)} ms; ${ratio(fresh)}, with factors that are kept ${ratio(kept)}`,
  );
}
for (const [name, matrixName, size] of WHOLE) {
  const matrix = gallery(matrixName, size);
  const S = sparseMatrix(plain, matrix);
  const numbersOf = (result) => (name === 'eigs' ? result.values : result).toArray().flat();
  checkEqual(name, numbersOf(math[name](S)), numbersOf(plain[name](S)));
  const [theirs, ours] = compare([() => plain[name](S), () => math[name](S.clone())]);
  print(
    `${name}, ${matrixName} ${Object.values(size).join(' × ')}, ${matrix.rows} rows: mathjs ${theirs.toFixed(0)} ms; ${(theirs / ours).toFixed(0)} ×`,
  );
}
acceleration[Symbol.dispose]();
await engine.dispose();
