/**
 * One matrix on a GPU: every format that fits and cuSPARSE's products, verified, timed by the device's clock with its caches emptied.
 * Several processes can share a GPU, each with seeds of its own: they take turns on it.
 */
import { rank } from '#dist/choice/choose.js';
import { MACHINE_COSTS } from '#dist/choice/constants.js';
import { examine } from '#dist/features/features.js';
import { isRefusal } from '#dist/formats/format.js';
import { DEVICE_SPECS, prospectsOnDevice } from '#dist/formats/registry.js';
import { quantile } from '../cases.mjs';
import { time } from '../contenders.mjs';
import { openEngine, openProduct } from '../cuda/library.mjs';
import { caseOf, cusparseContender, timeCold, verify } from '../cuda/measure.mjs';
import { alone } from '../cuda/turn.mjs';
import { temporaryFolder, writeMatrixFile } from '../peers/index.mjs';

/** Products of cuSPARSE without blocks: of each of its formats the fastest ones. */
const PRODUCTS = 'csr ALG1 preprocess,csr ALG2 preprocess,coo ALG1,sell 32';

/** A format slower than the best one by this factor in the first products is not timed further. */
const HOPELESS = 3;
const FIRST = 3;
const REPETITIONS = 25;

/** `pkt` takes long to make; for more entries only where the choice would consider it. */
const SLOW_TO_MAKE = /^pkt/;
const SLOW_ENTRIES = 2e5;

export function openDevice() {
  return openEngine();
}

/** One record. */
export async function measureOnDevice(engine, matrix, dtype, { cusparse, products = PRODUCTS }) {
  const examineMs = time(() => examine(matrix));
  const examined = examine(matrix);
  const prospects = prospectsOnDevice(examined, dtype);
  const one = caseOf(engine, matrix, dtype);
  try {
    const formats = await measureFormats(
      engine,
      matrix,
      one,
      prospects.map(({ spec }) => spec),
    );
    const peers = cusparse === undefined ? [] : await measureCusparse(cusparse, matrix, one, products.split(','));
    const device = engine.gpus[0].space.info.name;
    const circumstances = { dtype, threads: 1, products: 'many', costs: MACHINE_COSTS, device: engine.gpus[0].model };
    const auto = rank(examined, circumstances).find(({ spec }) =>
      formats.some(({ asked }) => asked.includes(spec)),
    ).spec;
    return [{ device, dtype, examineMs, features: examined.features, prospects, formats, peers, auto }];
  } finally {
    one.onDevice.x[Symbol.dispose]();
    one.onDevice.y[Symbol.dispose]();
  }
}

async function measureFormats(engine, matrix, { dtype, expected, onDevice }, offered) {
  const formats = [];
  for (const format of new Set(['csr', ...offered, ...DEVICE_SPECS])) {
    if (SLOW_TO_MAKE.test(format) && matrix.nnz > SLOW_ENTRIES && !offered.includes(format)) continue;
    let opened;
    try {
      opened = openProduct(engine, matrix, { format, method: '', dtype }, onDevice);
      const same = formats.find(({ spec }) => spec === opened.format);
      if (same !== undefined) {
        same.asked.push(format);
        continue;
      }
      verify(await alone(opened.product), expected);
      const { format: spec, method, bytes, setupMs } = opened;
      formats.push({
        spec,
        asked: [format],
        method,
        bytes,
        setupMs,
        ...(await alone(() => timesOf(opened.time, formats))),
      });
    } catch (error) {
      if (!isRefusal(error)) throw new Error(`${format}: ${error.message}`, { cause: error });
    } finally {
      await opened?.close();
    }
  }
  return formats;
}

/** Medians, in milliseconds. */
async function timesOf(clock, before) {
  const median = (times) => quantile(Float64Array.from(times).sort(), 0.5);
  const first = median(await clock(FIRST, { cold: true }));
  if (first > HOPELESS * Math.min(...before.map(({ ms }) => ms))) return { ms: first, samples: FIRST };
  const cold = await timeCold(clock, REPETITIONS);
  return { ms: quantile(cold, 0.5), warmMs: median(await clock(REPETITIONS)), samples: cold.length };
}

async function measureCusparse(folder, matrix, one, products) {
  const matrixFile = `${temporaryFolder()}/matrix`;
  writeMatrixFile(matrix, matrixFile);
  const peers = [];
  for (const product of products) {
    let opened;
    try {
      opened = await cusparseContender(folder, matrix, matrixFile, product).open(one);
      verify(await alone(opened.product), one.expected);
      peers.push({ name: `cuSPARSE ${product}`, ...(await alone(() => timesOf(opened.time, peers))) });
    } catch (error) {
      peers.push({ name: `cuSPARSE ${product}`, error: error.message });
    } finally {
      await opened?.close();
    }
  }
  return peers;
}
