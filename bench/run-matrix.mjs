/** One matrix, dtype and number of threads: our formats and the peers, verified, then timed in turn, with the bus among them. */
import { createReadStream, createTriadStream } from '../dist/cli/bandwidth.js';
import { compareProduct, expectedProduct } from '../dist/conformance/expected.js';
import { vectorArray } from '../dist/core/types.js';
import { isRefusal } from '../dist/formats/format.js';
import { createEngine } from '../dist/index.node.js';
import { benchVector } from './contenders.mjs';
import { quantile, runFor, takeTurns, time } from './times.mjs';

/**
 * Duration of the uncounted products at the begin of a turn: the caches are full of another contender's data, its
 * threads may still spin, and the system may have moved sleeping threads onto one core.
 */
const WARM_UP_MS = 30;
const WAKE_UP_MS = 150;
const PRODUCTS_PER_TURN = 5;
const COLD_PRODUCTS = 2;

/** A product of this duration needs no uncounted ones before it, and runs once per turn. */
const SLOW_MS = 50;

/** JavaScript libraries that keep entries in objects or maps. */
const MAX_ENTRIES = { mathjs: 3e6, 'ml-sparse-matrix': 5e5, numeric: 3e6 };

/** Part of the 4 GiB heap for layouts side by side; further formats are measured in another batch. */
const BATCH_BYTES = 2 ** 31;
const BYTES_PER_ENTRY = 16;
/** Of a matrix with more entries the heap has one layout at a time: CSR has 12 bytes for each. Chosen. */
const MAX_ENTRIES_OF_TWO = 1.5e8;

/** Lines of the results file: bus, product, failed. */
export async function* measureMatrix(request) {
  const { matrix, formats, threads, dtype } = request;
  const x = new (vectorArray(vectorType(dtype)))(benchVector(matrix.cols));
  const expected = expectedProduct(matrix, dtype, x, x, 1, 0);
  const engine = await createEngine({ threads });
  try {
    for (const [turn, batch] of batchesOf(formats, matrix.nnz).entries()) {
      const peers = turn === 0 ? request.peers : [];
      const lines = await measureBatch(engine, { ...request, formats: batch, peers }, x, expected);
      for (const line of lines) {
        if (turn === 0 || line.contender !== 'sparlane csr') yield { ...line, threads, dtype };
      }
    }
  } finally {
    await engine.dispose();
  }
}

/** The formats that are measured side by side, csr in each batch for comparison where two layouts fit. */
function batchesOf(formats, nnz) {
  const others = formats.filter((format) => format !== 'csr');
  if (nnz > MAX_ENTRIES_OF_TWO) return ['csr', ...others].map((format) => [format]);
  const size = Math.max(1, Math.floor(BATCH_BYTES / (BYTES_PER_ENTRY * nnz)) - 1);
  const begins = Array.from({ length: Math.max(1, Math.ceil(others.length / size)) }, (_, k) => k * size);
  return begins.map((begin) => ['csr', ...others.slice(begin, begin + size)]);
}

async function measureBatch(engine, request, values, expected) {
  const { matrix, rounds, cold } = request;
  const scope = engine.heap.scope();
  const contenders = [];
  try {
    const x = engine.vector(values);
    const failures = [];
    const bus = [
      busContender('read', createReadStream(engine, scope)),
      busContender('triad', createTriadStream(engine, scope)),
    ];
    for await (const one of candidates(engine, request, x)) {
      const fault = one.error ?? (await faultOf(one, expected));
      if (fault === undefined) contenders.push(one);
      else failures.push({ kind: 'failed', contender: one.name, error: fault, isRefusal: one.isRefusal ?? false });
    }
    await takeTurns(inOrder(contenders, bus), rounds);
    if (cold) for (const one of contenders) await one.coldTurns(rounds * COLD_PRODUCTS, bus[0].run);
    return [busLine(bus), ...productLines(contenders, matrix), ...failures];
  } finally {
    for (const one of contenders) await one.close();
    scope[Symbol.dispose]();
  }
}

/**
 * Contenders on our threads run one after the other, forward and backward. The threads slept during the turns of the
 * peers, so before the first contender they are kept busy until the system gives each its core again.
 */
function inOrder(contenders, bus) {
  const ours = contenders.filter(({ group }) => group === 'ours');
  const wake = { turn: () => ours[0]?.wake() };
  return [wake, ...ours, ...bus, wake, ...contenders.filter(({ group }) => group !== 'ours')];
}

function vectorType(dtype) {
  return dtype === 'f32' ? 'f32' : 'f64';
}

/** Our formats, then the peers; one that cannot run comes with an `error`. */
async function* candidates(engine, { matrix, matrixFile, dtype, threads, formats, peers }, x) {
  const y = engine.vector(matrix.rows, { dtype: vectorType(dtype) });
  for (const format of formats) yield ourContender(engine, matrix, format, dtype, x, y);
  for (const peer of peers) {
    if (!peer.dtypes.includes(dtype) || (peer.threads === 'one' && threads > 1)) continue;
    if (matrix.nnz > (MAX_ENTRIES[peer.name] ?? Infinity)) {
      yield { name: peer.name, error: `more than ${MAX_ENTRIES[peer.name]} entries take it minutes`, isRefusal: true };
      continue;
    }
    try {
      yield peerContender(peer, await peer.open({ matrix, matrixFile, dtype, threads, x: x.data }), matrix, dtype);
    } catch (error) {
      yield { name: peer.name, error: error.message };
    }
  }
}

function ourContender(engine, matrix, format, dtype, x, y) {
  const name = `sparlane ${format}`;
  try {
    // The first use of memory doubles the time of a layout, so the second layout is timed.
    engine.operator(matrix, { format, dtype }).dispose();
    const operator = engine.operator(matrix, { format, dtype });
    const run = () => operator.apply(x, y);
    return {
      ...{ name, group: 'ours', requested: format, format: operator.matrix.spec, setupMs: operator.setupMs },
      ...{ bytes: operator.matrix.cost().bytes, hot: [], cold: [] },
      product: async () => {
        run();
        return y.data;
      },
      /** Each after a read of more memory than the caches hold. */
      async coldTurns(products, evict) {
        for (let k = 0; k < products; k++) {
          evict();
          this.cold.push(time(run));
        }
      },
      wake: () => runFor(run, WAKE_UP_MS),
      turn() {
        runFor(run, WARM_UP_MS);
        for (let k = 0; k < PRODUCTS_PER_TURN; k++) this.hot.push(time(run));
      },
      close: () => operator.dispose(),
    };
  } catch (error) {
    return { name, error: error.message, isRefusal: isRefusal(error) };
  }
}

function peerContender({ name, language }, opened, { rows, cols, nnz }, dtype) {
  const { BYTES_PER_ELEMENT: width } = vectorArray(dtype);
  const bytes = nnz * (4 + (dtype === 'f64' ? 8 : 4)) + 4 * (rows + 1) + width * (rows + cols);
  return {
    ...{ name, group: language, requested: name, format: name, setupMs: opened.setupMs, bytes, hot: [], cold: [] },
    product: async () => {
      const y = new (vectorArray(dtype))(rows);
      await opened.product(y);
      return y;
    },
    async coldTurns(products) {
      this.cold.push(...(await opened.time(products, { cold: true })));
    },
    async turn() {
      const [once] = await opened.time(1);
      if (once > SLOW_MS) {
        this.hot.push(once);
        return;
      }
      const warmUp = Math.ceil(WARM_UP_MS / Math.max(once, 0.01));
      this.hot.push(...(await opened.time(warmUp + PRODUCTS_PER_TURN)).slice(-PRODUCTS_PER_TURN));
    },
    close: () => opened.close(),
  };
}

async function faultOf(contender, expected) {
  const y = await contender.product();
  const { maxError, firstWrong } = compareProduct(expected, y);
  contender.maxError = maxError;
  if (firstWrong < 0) return undefined;
  await contender.close();
  return `y[${firstWrong}]: expected ${expected.y[firstWrong]} ± ${expected.tolerance[firstWrong]}, got ${y[firstWrong]}`;
}

function busContender(name, { bytes, run }) {
  const times = [];
  return { name, bytes, times, run, turn: () => void times.push(time(run), time(run)) };
}

function busLine([read, triad]) {
  const gbps = ({ bytes, times }) => bytes / quantile(times, 0.5) / 1e6;
  return { kind: 'bus', readGbps: gbps(read), triadGbps: gbps(triad) };
}

function* productLines(contenders, { nnz }) {
  const csr = contenders.find(({ name }) => name === 'sparlane csr');
  const csrMs = csr && quantile(csr.hot, 0.5);
  for (const { name, group, format, requested, bytes, setupMs, maxError, ...times } of contenders) {
    for (const cache of ['hot', 'cold']) {
      if (times[cache].length === 0) continue;
      const medianMs = quantile(times[cache], 0.5);
      yield {
        ...{
          kind: 'product',
          contender: name,
          group,
          format,
          requested,
          cache,
          medianMs,
          minMs: quantile(times[cache], 0),
        },
        spreadPercent: (100 * (quantile(times[cache], 0.75) - quantile(times[cache], 0.25))) / medianMs,
        samples: times[cache].length,
        ...{ gflops: (2 * nnz) / medianMs / 1e6, bytes, gbps: bytes / medianMs / 1e6, setupMs },
        setupProducts: csrMs === undefined || setupMs === undefined ? null : setupMs / csrMs,
        maxError,
      };
    }
  }
}
