/** The contenders in the benchmarks of this folder: our product, a plain C loop, a plain JavaScript loop; and the bus. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createReadStream } from '../dist/cli/bandwidth.js';
import { vectorArray } from '../dist/core/types.js';
import { PEERS, temporaryFolder, writeMatrixFile } from './peers/index.mjs';
import { median, runFor, time } from './times.mjs';

/**
 * Duration of the uncounted products at the begin of a turn. The caches are full of another contender's data, its
 * threads may still spin, and the system may have moved sleeping threads onto one core, which it undoes only under load
 * (`sched_vcpu_pack` of the machine of the README's figures: bursts of 5 ms after a pause ran on one of two cores).
 */
const WARM_UP_MS = 40;
const PRODUCTS_PER_TURN = 5;

/** The C loop as it is usually compiled, and with sums in any order. */
export const C_LOOPS = ['gcc -O3 -march=native', 'gcc -Ofast -march=native'];
const [C, FAST_C] = C_LOOPS.map((loop) => PEERS.find(({ name }) => name === loop));
const JAVASCRIPT = PEERS.find(({ name }) => name === 'typed-array loop');

/** Whether a C compiler is installed. */
export const hasPeer = () => C.missing() === undefined;

export const print = (line) => void process.stdout.write(`${line}\n`);

/** x for every contender, including the C loop. */
export function benchVector(cols) {
  return Float64Array.from({ length: cols }, (_, j) => 1 / (1 + (j % 7)));
}

/** Our product; its first ten calls are timed separately. */
export function product(name, operator, x, y) {
  const early = Array.from({ length: 10 }, () => time(() => operator.apply(x, y)));
  const times = [];
  return {
    name,
    spec: operator.matrix.spec,
    times,
    firstToTenth: early[0] / median(early.slice(5)),
    sum: y.data.reduce((sum, value) => sum + value, 0),
    turn: () => void times.push(...turnOf(() => operator.apply(x, y))),
    close: () => operator.dispose(),
  };
}

/** The bandwidth of the memory bus for the engine's threads. */
export function bus(engine) {
  const scope = engine.heap.scope();
  const { bytes, run } = createReadStream(engine, scope);
  const times = [];
  return {
    name: 'bus',
    bytes,
    times,
    turn: () => void times.push(...turnOf(run)),
    close: () => scope[Symbol.dispose](),
  };
}

/** A JavaScript loop without a library, with its own arrays. */
export async function javascript(matrix) {
  const options = { matrix, dtype: 'f64', threads: 1, x: benchVector(matrix.cols) };
  return peer('js', await JAVASCRIPT.open(options), matrix.rows);
}

/** The C loop in a separate process. */
export function native(matrix, threads) {
  return loopInC('C', C, matrix, 'f64', threads);
}

/** Both C loops, named after their compilers' flags. */
export async function nativeLoops(matrix, dtype, threads) {
  const loops = [];
  for (const loop of [C, FAST_C]) loops.push(await loopInC(loop.name, loop, matrix, dtype, threads));
  return loops;
}

async function loopInC(name, loop, matrix, dtype, threads) {
  const matrixFile = join(temporaryFolder(), 'matrix');
  writeMatrixFile(matrix, matrixFile);
  const x = vectorArray(dtype).from(benchVector(matrix.cols));
  const opened = await loop.open({ matrix, matrixFile, dtype, threads, x });
  rmSync(matrixFile);
  return peer(name, opened, matrix.rows, dtype);
}

async function peer(name, opened, rows, dtype = 'f64') {
  const y = new (vectorArray(dtype))(rows);
  await opened.product(y);
  const early = await opened.time(10);
  const products = Math.ceil(WARM_UP_MS / Math.max(early.at(-1), 0.01)) + PRODUCTS_PER_TURN;
  const times = [];
  return {
    name,
    version: opened.version,
    times,
    sum: y.reduce((total, value) => total + value, 0),
    turn: async () => void times.push(...(await opened.time(products)).slice(-PRODUCTS_PER_TURN)),
    close: opened.close,
  };
}

function turnOf(run) {
  runFor(run, WARM_UP_MS);
  return Array.from({ length: PRODUCTS_PER_TURN }, () => time(run));
}
