/** One matrix on the device: our formats and cuSPARSE's, each verified, then timed alone by the device's clock, L2 cold and warm. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compareProduct, expectedProduct } from '../../dist/conformance/expected.js';
import { vectorArray } from '../../dist/core/types.js';
import { examine } from '../../dist/features/features.js';
import { rowLengthStatistics } from '../../dist/features/statistics.js';
import { isRefusal } from '../../dist/formats/format.js';
import { benchVector } from '../contenders.mjs';
import { temporaryFolder, writeMatrixFile } from '../peers/index.mjs';
import { openProcess } from '../peers/process.mjs';
import { quantile } from '../times.mjs';
import { openProduct, vectorsOf } from './library.mjs';
import { requestOf } from './results.mjs';
import { alone } from './turn.mjs';

/** Uncounted products: the device's clock frequency rises under load. */
const WARM_UP = 20;

/** A product of SLOW_MS is repeated less often, e.g. if one thread has a row of millions; a very slow one is not repeated. Chosen. */
const SLOW_MS = 5;
const SLOW_REPETITIONS = 5;
const VERY_SLOW_MS = 50;

/** What a native program says of a format that does not suit a matrix. */
const REFUSED = 'refused: ';

/** Lane & Booth 2022: a matrix is regular if the variance of its row lengths is at most this. */
const REGULAR = 10;

/** The line of a matrix. `scattered`: gathers per entry of elements of x that were not read shortly before. */
export function describeMatrix({ title }, matrix) {
  return { kind: 'matrix', title, ...shapeOf(matrix), scattered: examine(matrix).features.scattered };
}

/** The sizes of a matrix, and statistics of the lengths of its rows. */
export function shapeOf(matrix) {
  const { rows, cols, nnz } = matrix;
  const { mean, max, variance } = rowLengthStatistics(matrix);
  return { rows, cols, nnz, mean, max, variance, regular: variance <= REGULAR };
}

/**
 * Lines: product, failed, and stopped after the time limit. `formats`: ours, each by its default method or by the one that is
 * named after it (`csr balanced`), and with `everyMethod`, after all formats, by the others; `products`: cuSPARSE's, of the programs in the folder `cusparse`.
 * The first of ours comes first, then the products to beat: these two are present even if the time ends early.
 */
export async function* measureMatrix(request) {
  const { engine, matrix, dtypes, formats, everyMethod, cusparse, products, repetitions, isOver } = request;
  const cases = dtypes.map((dtype) => caseOf(engine, matrix, dtype));
  const matrixFile = join(temporaryFolder(), 'matrix');
  if (products.length > 0) writeMatrixFile(matrix, matrixFile);
  const [first, ...others] = formats.map((one) => ourContender(engine, matrix, ...one.split(' ')));
  const peers = products.map((product) => cusparseContender(cusparse, matrix, matrixFile, product));
  const queue = [first, ...peers, ...others];
  for (const contender of queue) {
    for (const one of cases) {
      if (isOver()) {
        yield { kind: 'stopped', library: contender.library, requested: contender.requested, dtype: one.dtype };
        return;
      }
      if (!contender.dtypes.includes(one.dtype)) continue;
      const { line, more } = await measure(contender, one, matrix, repetitions);
      yield { ...line, dtype: one.dtype };
      if (everyMethod && one === cases[0])
        queue.push(...more.filter(({ requested }) => queue.every((known) => known.requested !== requested)));
    }
  }
}

/** x and y of a matrix, here and on the device, and the expected y. */
export function caseOf(engine, matrix, dtype) {
  const x = new (vectorArray(dtype))(benchVector(matrix.cols));
  const expected = expectedProduct(matrix, dtype, x, x, 1, 0);
  return { dtype, x, expected, onDevice: vectorsOf(engine, matrix, x, dtype) };
}

function ourContender(engine, matrix, format, method = '') {
  return {
    ...{
      library: 'sparlane',
      requested: requestOf(format, method),
      dtypes: ['f64', 'f32', 'mixed'],
    },
    async open({ dtype, onDevice }) {
      const { others, ...opened } = openProduct(engine, matrix, { format, method, dtype }, onDevice);
      const more = method === '' ? others.map((other) => ourContender(engine, matrix, format, other)) : [];
      return { ...opened, more };
    },
  };
}

/** `product`: of cusparse.cu. The bytes are those of CSR. */
export function cusparseContender(folder, { rows, cols, nnz }, matrixFile, product) {
  const [format, ...how] = product.split(' ');
  return {
    ...{ library: 'cuSPARSE', requested: product, dtypes: ['f64', 'f32'] },
    async open({ dtype, x }) {
      const program = join(folder, `cusparse-${dtype}`);
      if (!existsSync(program)) throw new Error(`no program ${program}`);
      const { BYTES_PER_ELEMENT: width } = vectorArray(dtype);
      const command = (vectorFile) => [program, matrixFile, vectorFile, '1', product];
      const opened = await openProcess({ name: 'cuSPARSE', command, dtype, threads: 1, x });
      return {
        ...{ format, method: how.join(' '), setupMs: opened.setupMs },
        bytes: nnz * (4 + width) + 4 * (rows + 1) + width * (rows + cols),
        async product() {
          const y = new (vectorArray(dtype))(rows);
          await opened.product(y);
          return y;
        },
        ...{ time: opened.time, again: opened.again, close: opened.close },
      };
    },
  };
}

/** `more`: contenders that are added during the run. */
async function measure({ library, requested, open }, one, { nnz }, repetitions) {
  let opened;
  try {
    opened = await open(one);
    const { time, close, product, more = [], ...about } = opened;
    const maxError = verify(await alone(product), one.expected);
    const times = await alone(() => timesOf(time, repetitions));
    const line = { kind: 'product', library, requested, ...about, ...figures(times, about.bytes, nnz), maxError };
    return { line, more };
  } catch (error) {
    return { line: { library, ...failure(requested, error) }, more: [] };
  } finally {
    await opened?.close();
  }
}

/** The line of a product that failed. `isRefusal`: its format does not suit the matrix. */
export function failure(requested, error) {
  const isRefused = isRefusal(error) || error.message.includes(REFUSED);
  return { kind: 'failed', requested, error: error.message, isRefusal: isRefused };
}

/** @throws where an element of y is off by more than its tolerance */
export function verify(y, expected) {
  const { maxError, firstWrong } = compareProduct(expected, y);
  if (firstWrong < 0) return maxError;
  const [wanted, tolerance] = [expected.y[firstWrong], expected.tolerance[firstWrong]];
  throw new Error(`y[${firstWrong}]: expected ${wanted} ± ${tolerance}, got ${y[firstWrong]}`);
}

async function timesOf(time, repetitions) {
  const cold = await timeCold(time, repetitions);
  const warm = await time(cold.length);
  return { cold, warm: Float64Array.from(warm).sort() };
}

/** Milliseconds in order; fewer than asked for if a product takes long. */
export async function timeCold(time, repetitions) {
  const [first] = await time(1, { cold: true });
  const isSlow = first > SLOW_MS;
  if (!isSlow) await time(WARM_UP);
  const count = first > VERY_SLOW_MS ? 1 : isSlow ? Math.min(SLOW_REPETITIONS, repetitions) : repetitions;
  return Float64Array.from(await time(count, { cold: true })).sort();
}

function figures({ cold, warm }, bytes, nnz) {
  const us = (times, share) => Number((1000 * quantile(times, share)).toFixed(2));
  const coldUs = us(cold, 0.5);
  const spread = (100 * (us(cold, 0.75) - us(cold, 0.25))) / coldUs;
  const [gbps, gflops] = [bytes / coldUs / 1e3, (2 * nnz) / coldUs / 1e3];
  return {
    ...{ coldUs, warmUs: us(warm, 0.5), minUs: us(cold, 0), spread: Number(spread.toFixed(1)), samples: cold.length },
    ...{ gbps: Number(gbps.toFixed(1)), gflops: Number(gflops.toFixed(2)) },
  };
}
