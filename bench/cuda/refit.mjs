/**
 * Fits the constants of `cuda/expected.cuh` that SELL and BSR have of their own to a record of `cuda/method-times`, and judges the choices with these and with
 * the present ones. Needs the addon, but no GPU: what each term of an estimate takes follows from estimates for devices on which the others take nothing.
 *
 *   ns = shuffles · (start + max(memory, busy, batch · max(batches of all threads / (waiting · multiprocessors), batches of the longest)))
 *
 * usage: npx bench cuda/refit OUT…
 *        --kernel sell         or bsr
 *        --scale               also fits factors of `memory` and of `busy`, whose rates are the driver's and those of `csr`: how far they are off
 */

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadAddon } from '../../cuda/index.js';
import { DTYPES } from '../../dist/core/types.js';
import { createEngine } from '../../dist/index.node.js';
import { print } from '../contenders.mjs';
import { readLines } from '../results-file.mjs';
import { caseOf } from './method-cases.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { kernel: { type: 'string', default: 'sell' }, scale: { type: 'boolean' } },
});

const SOURCE = ['expected.cuh', 'sell/costs.cuh']
  .map((file) => readFileSync(new URL(`../../cuda/${file}`, import.meta.url), 'utf8'))
  .join('\n');
const constant = (name) => Number(new RegExp(`\\b${name} = ([\\d.]+)`).exec(SOURCE)[1]);
const SHUFFLE_SHARE = constant('SHUFFLE_SHARE');
const [START, BATCH, WAITING] = ['ROWS_START_NS', 'BATCH_NS', 'WAITING_THREADS'].map(constant);

/** So many times as fast, or as many: what depends on it takes nothing, and numbers of a device fit in 31 bits. */
const MUCH = 500;

const lines = readLines(positionals).filter(
  ({ format, kind }) => kind === 'product' && format.startsWith(flags.kernel),
);
const cases = await termsOfCases();
const all = cases.flatMap(({ methods }) => methods);
print(`${cases.length} cases, ${all.length} products`);
const present = { start: START, batch: BATCH, waiting: WAITING, memoryScale: 1, busyScale: 1 };
show('present', present);
show('fitted ', fit(present));

/** The terms of every timed method, by cases: one matrix, format and dtype. */
async function termsOfCases() {
  const addon = loadAddon();
  const engine = await createEngine({ threads: 1 });
  const found = [];
  let known = {};
  try {
    for (const key of new Set(lines.map(keyOf))) {
      const own = lines.filter((line) => keyOf(line) === key);
      const [{ matrix: name, format, dtype, gpu }] = own;
      if (known.name !== name) known = { name, matrix: caseOf(name, flags.kernel).matrix };
      const operator = engine.operator(known.matrix, { format, dtype });
      const { kernel, header } = operator.matrix.stages.spmv[0];
      const bytes = engine.heap.view(Uint8Array, 0, engine.heap.byteLength);
      const estimate = (device) =>
        addon.estimate({ ...gpu, ...device }, kernel, DTYPES.indexOf(dtype), bytes, header, 1);
      found.push({ key, methods: termsOf(estimate, gpu, own) });
      operator.dispose();
    }
  } finally {
    await engine.dispose();
  }
  return found.filter(({ methods }) => methods.length > 1);
}

function keyOf({ matrix, format, dtype }) {
  return [matrix, format, dtype].join(' ');
}

function termsOf(estimate, gpu, own) {
  const fastClock = { clockKhz: gpu.clockKhz * MUCH };
  const fastMemory = { memoryClockKhz: gpu.memoryClockKhz * MUCH };
  const manyMultiprocessors = { multiprocessors: gpu.multiprocessors * MUCH };
  const lists = [
    estimate(fastClock),
    estimate(fastMemory),
    estimate({ ...fastClock, ...fastMemory }),
    estimate({ ...fastClock, ...fastMemory, ...manyMultiprocessors }),
  ];
  return estimate({}).flatMap(({ method }) => {
    const us = Math.min(...own.filter((line) => hasMethod(line.method, method)).map(({ coldUs }) => coldUs));
    if (!Number.isFinite(us)) return [];
    const shuffles = 1 + SHUFFLE_SHARE * Math.log2(Number(/width=(\d+)/.exec(method)?.[1] ?? 1));
    const termOf = (list) => list.find((one) => one.method === method).ns / shuffles - START;
    const [memory, busy, wait, longest] = lists.map(termOf);
    return [{ method, ns: 1e3 * us, shuffles, memory, busy, wait, longest }];
  });
}

/** Whether a method that was timed is the one of an estimate, whose parameters are some of its. */
function hasMethod(timed, name) {
  const [base, ...given] = timed.split(/[?&]/);
  const [kernel, ...wanted] = name.split(/[?&]/);
  return kernel === base && wanted.every((one) => given.includes(one));
}

function expectedNs({ shuffles, memory, busy, wait, longest }, { start, batch, waiting, memoryScale, busyScale }) {
  const waits = Math.max(longest, wait * (WAITING / waiting)) * (batch / BATCH);
  return shuffles * (start + Math.max(memory * memoryScale, busy * busyScale, waits));
}

/** Returns the mean of |log(measured / expected)| over all products. */
function errorOf(constants) {
  return all.reduce((sum, one) => sum + Math.abs(Math.log(one.ns / expectedNs(one, constants))), 0) / all.length;
}

/** Coordinate descent by steps of 5 %. */
function fit(constants) {
  const names = ['start', 'batch', 'waiting', ...(flags.scale ? ['busyScale', 'memoryScale'] : [])];
  for (let best = errorOf(constants), before = Number.POSITIVE_INFINITY; best < before; ) {
    before = best;
    for (const name of names) {
      for (const factor of [0.95, 1.05]) {
        const other = { ...constants, [name]: constants[name] * factor };
        const error = errorOf(other);
        if (error < best) [best, constants] = [error, other];
      }
    }
  }
  return constants;
}

function show(name, constants) {
  const regrets = cases.map(({ methods }) => {
    const chosen = methods.reduce((a, b) => (expectedNs(b, constants) < expectedNs(a, constants) ? b : a));
    return chosen.ns / Math.min(...methods.map(({ ns }) => ns)) - 1;
  });
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const mean = regrets.reduce((sum, one) => sum + one, 0) / regrets.length;
  const text = Object.entries(constants).map(([key, value]) => `${key} ${value.toPrecision(4)}`);
  print(
    `${name}: ${text.join(', ')}; mean error ${percent(errorOf(constants))}, regret ${percent(mean)}, worst ${percent(Math.max(...regrets))}`,
  );
}
