/**
 * One matrix on a GPU: every format that fits and cuSPARSE's products, verified, timed by the device's clock with its caches emptied.
 * Several processes can share a GPU, each with seeds of its own: they take turns on it.
 */
import { rank } from '../../dist/choice/choose.js';
import { machineCosts } from '../../dist/choice/machine.js';
import { examine } from '../../dist/features/features.js';
import { isRefusal } from '../../dist/formats/format.js';
import { DEVICE_SPECS, prospectsOf } from '../../dist/formats/registry.js';
import { openEngine, openProduct } from '../cuda/library.mjs';
import { caseOf, cusparseContender, timeCold, verify } from '../cuda/measure.mjs';
import { alone, openTurns } from '../cuda/turn.mjs';
import { temporaryFolder, writeMatrixFile } from '../peers/index.mjs';
import { median, quantile, time } from '../times.mjs';
import { challengersOf } from './challengers.mjs';

/** Products of cuSPARSE without blocks: of each of its formats the fastest ones. */
const PRODUCTS = 'csr ALG1 preprocess,csr ALG2 preprocess,coo ALG1,sell 32';

/** A format slower than the best one by this factor in the first products is not timed further. */
const HOPELESS = 3;
const FIRST = 3;
const REPETITIONS = 25;

/** `pkt` takes long to make; for more entries only where the choice would consider it. */
const SLOW_TO_MAKE = /^pkt/;
const SLOW_ENTRIES = 2e5;

/** Of a matrix of more entries only these formats are made, and those predicted to take at most so many times as long as the best one. */
const ALL_ENTRIES = 3e6;
const ALWAYS = ['csr', 'coo', 'csr5'];
const PROMISING = 2.5;

export function openDevice() {
  return openEngine();
}

/** One record: the choice of the prediction, and what a user gets, with trials. */
export async function measureOnDevice(engine, matrix, dtype, { cusparse, products = PRODUCTS }) {
  let examined;
  const examineMs = time(() => {
    examined = examine(matrix);
  });
  const prospects = prospectsOf(examined, dtype, { onDevice: true });
  const one = caseOf(engine, matrix, dtype);
  try {
    const specs = matrix.nnz > ALL_ENTRIES ? promising(engine, examined, prospects, dtype) : specsOf(matrix, prospects);
    const formats = await measureFormats(engine, matrix, one, specs);
    const peers = cusparse === undefined ? [] : await measureCusparse(cusparse, matrix, one, products.split(','));
    const device = engine.gpus[0].space.info.name;
    const circumstances = { dtype, threads: 1, products: 'many', costs: machineCosts(1), device: engine.gpus[0].model };
    const isTimed = ({ spec }) => formats.some(({ asked }) => asked.includes(spec));
    const predicted = rank(examined, circumstances).find(isTimed).spec;
    const { ranking, tuneMs } = choose(engine, matrix, dtype);
    const auto = ranking.find(isTimed).spec;
    await meetAgain(engine, matrix, one, formats, [auto, predicted]);
    const measured = ranking.filter(({ measuredMs }) => measuredMs !== undefined);
    const choice = { predicted, auto, tuneMs, trials: measured.length };
    return [{ device, dtype, examineMs, features: examined.features, prospects, formats, peers, ...choice }];
  } finally {
    one.onDevice.x[Symbol.dispose]();
    one.onDevice.y[Symbol.dispose]();
  }
}

/** The decision of `format: 'auto'` for many products. While it measures, no other process does. */
function choose(engine, matrix, dtype) {
  const { space } = engine.gpus[0];
  const turns = openTurns();
  space.time = (...args) => turns.alone(() => Object.getPrototypeOf(space).time.apply(space, args));
  try {
    const operator = engine.operator(matrix, { dtype, products: 'many' });
    const { decision } = operator;
    operator.dispose();
    return decision;
  } finally {
    delete space.time;
    turns.close();
  }
}

function specsOf({ nnz }, prospects) {
  const offered = prospects.map(({ spec }) => spec);
  const others = DEVICE_SPECS.filter((spec) => nnz <= SLOW_ENTRIES || !SLOW_TO_MAKE.test(spec));
  return [...new Set(['csr', ...offered, ...others])];
}

function promising(engine, { features }, prospects, dtype) {
  const predicted = new Map();
  for (const prospect of prospects) {
    const ns = engine.gpus[0].model.predictNs(features, prospect, dtype);
    if (ns !== undefined) predicted.set(prospect.spec, ns);
  }
  const most = PROMISING * Math.min(...predicted.values());
  return [...predicted.keys()].filter((spec) => ALWAYS.includes(spec) || predicted.get(spec) <= most);
}

/** Some formats have no kernels for a device. */
function isLeftOut(error) {
  return isRefusal(error) || error.code === 'kernel';
}

async function measureFormats(engine, matrix, one, specs) {
  const formats = [];
  for (const format of specs) {
    await withProduct(engine, matrix, one, format, async (opened) => {
      const same = formats.find(({ spec }) => spec === opened.format);
      if (same !== undefined) {
        same.asked.push(format);
        return;
      }
      verify(await alone(opened.product), one.expected);
      const { format: spec, method, bytes, setupMs, planMs } = opened;
      const times = await alone(() => timesOf(opened.time, formats));
      formats.push({ spec, asked: [format], method, bytes, setupMs, planMs, ...times });
    });
  }
  return formats;
}

/**
 * Formats that seem faster than the chosen one, and this one, are made and timed again: other processes may have disturbed one of them. The
 * less of two times counts. `always`: the chosen one and others that meet it.
 */
async function meetAgain(engine, matrix, one, formats, always) {
  const named = always.map((name) => formats.find(({ asked }) => asked.includes(name)));
  const challengers = challengersOf(formats, named[0]);
  if (challengers.length === 0 && new Set(named).size === 1) return;
  for (const format of new Set([...challengers, ...named])) {
    await withProduct(engine, matrix, one, format.asked[0], async ({ time }) => {
      const { ms } = await alone(() => timesOf(time, []));
      format.ms = Math.min(format.ms, ms);
    });
  }
}

async function withProduct(engine, matrix, { dtype, onDevice }, format, use) {
  let opened;
  try {
    opened = openProduct(engine, matrix, { format, method: '', dtype }, onDevice);
    await use(opened);
  } catch (error) {
    if (!isLeftOut(error)) throw new Error(`${format}: ${error.message}`, { cause: error });
  } finally {
    await opened?.close();
  }
}

/** Medians, in milliseconds. */
async function timesOf(clock, before) {
  const first = median(await clock(FIRST, { cold: true }));
  if (first > HOPELESS * Math.min(...before.map(({ ms }) => ms))) return { ms: first, samples: FIRST };
  const cold = await timeCold(clock, REPETITIONS);
  return { ms: quantile(cold, 0.5), warmMs: median(await clock(REPETITIONS)), samples: cold.length };
}

async function measureCusparse(folder, matrix, one, products) {
  const matrixFile = `${temporaryFolder()}/matrix`;
  writeMatrixFile(matrix, matrixFile);
  const peers = [];
  let opened;
  for (const product of products) {
    try {
      // One process for all products: its start takes longer than they do.
      if (opened === undefined) opened = await cusparseContender(folder, matrix, matrixFile, product).open(one);
      else await opened.again(product);
      verify(await alone(opened.product), one.expected);
      peers.push({ name: `cuSPARSE ${product}`, ...(await alone(() => timesOf(opened.time, peers))) });
    } catch (error) {
      peers.push({ name: `cuSPARSE ${product}`, error: error.message });
      await opened?.close();
      opened = undefined;
    }
  }
  await opened?.close();
  return peers;
}
