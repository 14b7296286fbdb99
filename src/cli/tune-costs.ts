/**
 * Measures what the cost model must know of a machine (`src/choice/model.ts`) in some ten seconds: reads in order and gathers at random over
 * 128 KiB to 256 MiB, reads by all threads, and products of almost nothing.
 *
 * A gather is an entry of a `csr` product with random columns; the time of the same product with columns in the nearest cache is
 * subtracted. Gathers are independent, as in every product: several misses are under way at once.
 */
import type { CsrInput } from '../core/csr.js';
import type { CostTuning } from '../core/tuning.js';
import type { Engine } from '../engine/engine.js';
import { permutation, randomStream } from '../gallery/draw.js';
import { createEngine } from '../index.node.js';
import type { HeapScope } from '../memory/heap.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import { createReadStream, readStreamOf } from './bandwidth.js';
import { type CurvePoint, fitCaches } from './cache-curves.js';
import { type Contender, type SampleTimes, timeInTurn } from './timing.js';

const CURVE_MS = 60;
const BUS_MS = 700;
const START_MS = 400;

/** Powers of two, and 1.5 times these. The greatest exceeds the last cache of most machines. */
const LEAST_BYTES = 2 ** 17;
const SIZES = Array.from({ length: 23 }, (_, k) => LEAST_BYTES * 2 ** (k >> 1) * (k % 2 === 0 ? 1 : 1.5));
const LARGEST_BYTES = SIZES.at(-1)!;

/** One gather for each cache line; of few lines several. */
const LINE_BYTES = 64;
const LEAST_GATHERS = 2 ** 14;
const PER_ROW = 16;

/** Calls are timed in batches of at least this duration, since a clock takes time too. */
const BATCH_MS = 0.1;
const START_BATCH = 20;

/** Threads are awake when so many products in a row take less than this share of the time on one; they are given so long. */
const AWAKE = 0.8;
const AWAKE_PRODUCTS = 10;
const WAKE_UP_MS = 1000;
const WAKE_UP_GATHERS = 2 ** 20;

/** @param engine with all threads; `say` is called with the current step */
export async function measureCosts(engine: Engine, say: (text: string) => void): Promise<CostTuning> {
  await using alone = await createEngine({ threads: 1, binary: engine.binary, tuning: 'built-in' });
  say('measuring caches');
  const caches = await measureCaches(alone);
  say('measuring all threads');
  return { ...caches, ...measureTogether(alone, engine) };
}

/** A contender that calls `run` so often that the clock does not matter, and the number of calls. */
function batched(run: () => void, timeMs: number): { contender: Contender; calls: number } {
  run();
  const begin = performance.now();
  run();
  const calls = Math.ceil(BATCH_MS / Math.max(performance.now() - begin, 1e-4));
  return { calls, contender: { run: () => repeat(run, calls), timeMs } };
}

function repeat(run: () => void, calls: number): void {
  for (let k = 0; k < calls; k++) run();
}

/** Nanoseconds of one call: the least, since disturbances only make a batch longer. */
function callNs({ minMs }: SampleTimes, calls: number): number {
  return (1e6 * minMs) / calls;
}

async function measureCaches(engine: Engine) {
  using scope = engine.heap.scope();
  const memory = scope.array(Float64Array, LARGEST_BYTES / 8).fill(1);
  const reads = SIZES.map((bytes) => readStreamOf(engine, scope, memory.subarray(0, bytes / 8)));
  const counts = [...new Set(SIZES.map(gathersOf))];
  const near = counts.map((count) => gather(engine, scope, memory, LINE_BYTES, count));
  const far = SIZES.map((bytes) => gather(engine, scope, memory, bytes, gathersOf(bytes)));
  try {
    const all = [...reads, ...near, ...far].map(({ run }) => batched(run, CURVE_MS));
    const timings = await timeInTurn(all.map(({ contender }) => contender));
    const times = timings.map((timing, k) => callNs(timing, all[k]!.calls));
    const byteNs = SIZES.map((bytes, k): CurvePoint => ({ bytes, ns: times[k]! / bytes }));
    const nearNs = new Map(counts.map((count, k) => [count, times[SIZES.length + k]! / count]));
    const missNs = SIZES.map((bytes, k): CurvePoint => {
      const count = gathersOf(bytes);
      const total = times[SIZES.length + counts.length + k]! / count;
      return { bytes, ns: total - nearNs.get(count)!, of: total };
    });
    return { ...fitCaches(byteNs, missNs), entryNs: nearNs.get(LEAST_GATHERS)! };
  } finally {
    for (const { dispose } of [...near, ...far]) dispose();
  }
}

function gathersOf(bytes: number): number {
  return Math.max(LEAST_GATHERS, bytes / LINE_BYTES);
}

/** A product whose entries read lines of the first `bytes` of x in random order. */
function gather(engine: Engine, scope: HeapScope, x: Float64Array, bytes: number, count: number) {
  const operator = engine.operator(gathering(bytes / LINE_BYTES, count), { format: 'csr', parts: 1 });
  const y = scope.array(Float64Array, operator.rows);
  const from = x.subarray(0, operator.cols);
  return { run: () => operator.apply(from, y), dispose: () => operator.dispose() };
}

/** Rows of 16 ones, each in a line of its own sixteenth of the lines; of fewer than 16 lines, in adjacent columns. */
function gathering(lines: number, count: number): CsrInput {
  const rows = count / PER_ROW;
  const rowPtr = Uint32Array.from({ length: rows + 1 }, (_, i) => PER_ROW * i);
  const colIdx = new Uint32Array(count);
  const share = Math.floor(lines / PER_ROW);
  const order = permutation(randomStream(1, 'structure'), share);
  for (const k of colIdx.keys()) {
    const place = k % PER_ROW;
    const turn = (k - place) / PER_ROW + place * ROWS_APART;
    colIdx[k] = share === 0 ? place : (place * share + order[turn % share]!) * (LINE_BYTES / 8);
  }
  const cols = Math.max(PER_ROW, lines * (LINE_BYTES / 8));
  return { rows, cols, rowPtr, colIdx };
}

/** The sixteenths are visited in the same random order, but not at the same time: distances between lines of a row vary. */
const ROWS_APART = 37;

/**
 * How many times as fast as one thread all of them read, products of one entry on one thread, and of one on each, and the time of an entry while all compute. Nothing of
 * several threads is known if they did not get a core each.
 */
function measureTogether(alone: Engine, engine: Engine): Pick<CostTuning, 'startNs'> & Partial<CostTuning> {
  using ownScope = alone.heap.scope();
  using scope = engine.heap.scope();
  const readMs = leastMs(createReadStream(alone, ownScope, LARGEST_BYTES).run, BUS_MS);
  const indices = Uint32Array.from({ length: engine.threads + 1 }, (_, i) => i);
  const rows = engine.threads;
  const matrix = { rows, cols: rows, rowPtr: indices, colIdx: indices.subarray(0, rows) };
  using x = engine.vector(rows);
  using y = engine.vector(rows);
  using one = engine.operator(matrix, { format: 'csr', parts: 1 });
  using all = engine.operator(matrix, { format: 'csr', parts: rows });
  const productNs = (operator: MatrixOperator) =>
    (1e6 * leastMs(() => repeat(() => operator.apply(x, y), START_BATCH), START_MS)) / START_BATCH;
  const startNs = productNs(one);
  if (rows === 1) return { startNs };
  const read = createReadStream(engine, scope, LARGEST_BYTES);
  if (!wakeUp(engine, scope)) return { startNs, entryNs: nearEntryNs(engine, scope, startNs) };
  const forkJoinNs = Math.max(1, productNs(all) - startNs);
  if (!wakeUp(engine, scope)) return { startNs };
  const busSpeedup = Math.max(1, readMs / leastMs(read.run, BUS_MS));
  if (!wakeUp(engine, scope)) return { startNs };
  return { startNs, forkJoinNs, busSpeedup, entryNs: nearEntryNs(engine, scope, startNs + forkJoinNs) };
}

/** The time of an entry whose data are in the nearest cache of each thread, while all of them compute. @param besideNs what a product takes beside its entries */
function nearEntryNs(engine: Engine, scope: HeapScope, besideNs: number): number {
  using all = engine.operator(gathering(1, LEAST_GATHERS * engine.threads), { format: 'csr', parts: engine.threads });
  const x = scope.array(Float64Array, all.cols).fill(1);
  const y = scope.array(Float64Array, all.rows);
  const productNs = (1e6 * leastMs(() => repeat(() => all.apply(x, y), START_BATCH), START_MS)) / START_BATCH;
  return Math.max(1, productNs - besideNs) / LEAST_GATHERS;
}

/**
 * Threads that slept may share a core until they have been busy for a while: products run until several in a row are faster than on one
 * thread. Returns false if that takes too long: there are not so many cores.
 */
function wakeUp(engine: Engine, scope: HeapScope): boolean {
  const matrix = gathering(1, WAKE_UP_GATHERS);
  using one = engine.operator(matrix, { format: 'csr', parts: 1 });
  using all = engine.operator(matrix, { format: 'csr', parts: engine.threads });
  const x = scope.array(Float64Array, all.cols).fill(1);
  const y = scope.array(Float64Array, all.rows);
  const awakeMs = AWAKE * leastMs(() => one.apply(x, y), WAKE_UP_MS / 20);
  let inRow = 0;
  for (const end = performance.now() + WAKE_UP_MS; inRow < AWAKE_PRODUCTS && performance.now() < end; ) {
    const begin = performance.now();
    all.apply(x, y);
    inRow = performance.now() - begin < awakeMs ? inRow + 1 : 0;
  }
  return inRow === AWAKE_PRODUCTS;
}

/** The least milliseconds of a call over a while without pauses. */
function leastMs(run: () => void, whileMs: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const end = performance.now() + whileMs; performance.now() < end; ) {
    const begin = performance.now();
    run();
    least = Math.min(least, performance.now() - begin);
  }
  return least;
}
