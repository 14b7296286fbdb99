/**
 * Fits the costs of the kernels of a GPU (`src/backends/cuda/costs.ts`) to the times of `bench/judge.mjs --device cuda`. The verdict on the
 * seeds that they were not fitted to, after a build: `npx bench judge --report --again --half judge RECORDS …`. Features and prospects
 * are those of the records.
 *
 * Least squares of the relative error over costs that are not below physical limits: linear, kernel by kernel. A format slower than the
 * best one has less weight. Where data are few, a kernel is drawn to that of the same layout with 32-bit columns and values in full.
 * An error that all formats have with a matrix does not matter for the choice: what they have in common is taken out of the times, and the
 * fit repeated (mean regret on seeds that were not fitted to: 5.8 % without, 5.2 with).
 * Layouts that are measured everywhere but offered only where they fit add to the data of their kernel (BSR).
 *
 * usage: npx bench fit-device [--write] [--large RESULTS] RECORDS …
 *          uses the records of even seeds only; --large: also the large matrices of `bench/cuda/run.mjs`, say bench/results/2026-11-21-cuda.jsonl.gz
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { H200 } from '../dist/backends/cuda/costs.js';
import { kernelOnDevice, modelOf, workOnDevice } from '../dist/backends/cuda/model.js';
import { rank } from '../dist/choice/choose.js';
import { machineCosts } from '../dist/choice/machine.js';
import { valueArray } from '../dist/core/types.js';
import { print } from './contenders.mjs';
import { largeCases } from './judge/large.mjs';
import { readRecords } from './judge/records.mjs';
import { verdict } from './judge/report.mjs';
import { median } from './times.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, large: { type: 'string' }, worst: { type: 'string', default: '10' } },
});

/** Least costs, and those of a kernel without data, in nanoseconds: a start with cold caches, a byte at 4.34 TB/s. */
const LEAST = { start: 4000, byte: 0.00023 };
/** The most, for kernels whose matrices hardly have such work. */
const MOST = { scattered: 0.03, far: 0.01, row: 0.05 };
const USUAL = { start: 5500, byte: 0.00025, scattered: 0.003, launch: 2700, batch: 300 };
/** The weight of `USUAL` or of the related kernel, in measured times. */
const PULL = 3;
const MIN_WEIGHT = 0.1;
const SWEEPS = 3000;
/** Fits after the first, each to times without the common error of the previous one. */
const REFITS = 4;
/** Large matrices, whose figures are estimates, are used for kernels with fewer times than this. */
const FEW = 90;
const LARGE_SCATTERED = 0.05;

/** Slower than another format for every matrix of the fitted half. */
const NEVER_BEST = /^(components|pkt|sss)/;
/** Layouts that only a device chooses: the CPU has no costs of their conversion. */
const ONLY_ON_DEVICE = ['coo', 'coo_table', 'coo_pattern', 'csr5'];

const records = readRecords(positionals).filter(({ seed }) => seed % 2 === 0);
const { observations, conversions } = observe(records);
if (flags.large !== undefined) addLarge(flags.large);
const costs = { ...H200, kernels: fitWithoutCommonErrors(), conversionNs: conversionNs(conversions) };
for (const [key, cost] of Object.entries(costs.kernels)) {
  print(`${key.padEnd(20)} ${`${observations.get(key).length}`.padStart(4)} ${JSON.stringify(cost)}`);
}
for (const text of verdict(records, { worst: Number(flags.worst), autoOf: chosenBy(costs) })) print(text);
if (flags.write) writeCosts(costs);

/** By kernel: what it does, and its time in nanoseconds. */
function observe(chosen) {
  const observations = new Map();
  const conversions = new Map();
  for (const record of chosen) {
    const { dtype, times, best, formats, features, prospects } = record;
    for (const prospect of [...prospects, ...otherBlocks(record, prospects)]) {
      const ms = times.get(prospect.spec);
      if (ms === undefined || NEVER_BEST.test(prospect.kernel)) continue;
      const key = kernelOnDevice(H200, features, prospect);
      const work = workOnDevice(H200, features, prospect, dtype);
      add(observations, key, { work, ns: 1e6 * ms, weight: Math.max(MIN_WEIGHT, best / ms), matrix: record });
      const { setupMs } = formats.find(({ asked, spec }) => spec === prospect.spec || asked.includes(prospect.spec));
      add(conversions, prospect.kernel, (1e6 * setupMs) / (prospect.entries + features.rows));
    }
  }
  return { observations, conversions };
}

function addLarge(path) {
  const few = new Set([...observations.keys()].filter((key) => observations.get(key).length < FEW));
  for (const { dtype, features, prospects, timeOf, best } of largeCases(path)) {
    // Of graphs the share of scattered gathers depends on their size.
    if (features.scattered > LARGE_SCATTERED) continue;
    for (const prospect of prospects) {
      const ms = timeOf(prospect.spec);
      if (ms === undefined || NEVER_BEST.test(prospect.kernel)) continue;
      const key = kernelOnDevice(H200, features, prospect);
      if (!few.has(key)) continue;
      const work = workOnDevice(H200, features, prospect, dtype);
      add(observations, key, { work, ns: 1e6 * ms, weight: Math.max(MIN_WEIGHT, best / ms) });
    }
  }
}

function add(lists, key, one) {
  lists.set(key, [...(lists.get(key) ?? []), one]);
}

/** Prospects of small blocks that were measured, though they do not suit the matrix; the bytes tell the padding. */
function* otherBlocks({ formats, rows, cols, dtype, features }, offered) {
  const width = valueArray(dtype).BYTES_PER_ELEMENT;
  for (const { spec, bytes } of formats) {
    const size = Number(/^bsr\?blockSize=([2-8])$/.exec(spec)?.[1]);
    if (Number.isNaN(size) || offered.some((one) => one.spec === spec)) continue;
    const steps = (bytes - width * (rows + cols) - 4 * (rows / size + 1)) / (4 + size ** 2 * width);
    const indivisible = size * features.longestRow;
    yield { spec, kernel: 'bsr_unrolled', bytes, entries: steps * size ** 2, steps, indivisible };
  }
}

function fitWithoutCommonErrors() {
  const measured = [...observations.values()].flat().map((one) => [one, one.ns]);
  let kernels = fitAll(observations);
  for (let refit = 0; refit < REFITS; refit++) {
    const errors = commonErrors(kernels, new Map(measured));
    for (const [one, ns] of measured) one.ns = ns * Math.exp(errors.get(one.matrix) ?? 0);
    kernels = fitAll(observations);
  }
  return kernels;
}

/** By matrix and dtype: the mean of log(predicted / measured), by weight. */
function commonErrors(kernels, measured) {
  const sums = new Map();
  for (const [key, list] of observations) {
    for (const one of list) {
      if (one.matrix === undefined) continue;
      const ns = Object.entries(one.work).reduce((sum, [name, count]) => sum + kernels[key][name] * count, 0);
      const [sum, weights] = sums.get(one.matrix) ?? [0, 0];
      const weight = one.weight ** 2;
      sums.set(one.matrix, [sum + weight * Math.log(ns / measured.get(one)), weights + weight]);
    }
  }
  return new Map([...sums].map(([matrix, [sum, weights]]) => [matrix, sum / weights]));
}

/** Related kernels come first. */
function fitAll(observations) {
  const relatedOf = (key) =>
    key === 'bsr'
      ? 'bsr_unrolled'
      : key.replace('sellFour', 'sell').replace(/(16)?(_table|_pattern)?(?= split$|$)/, '');
  const keys = [...observations.keys()].sort();
  const first = keys.filter((key) => relatedOf(key) === key);
  const kernels = {};
  for (const key of new Set([...first, ...keys])) {
    kernels[key] = fitKernel(observations.get(key), kernels[relatedOf(key)] ?? USUAL);
  }
  return Object.fromEntries(keys.map((key) => [key, kernels[key]]));
}

/** Minimizes Σ (weight · (Σ cost · work / ns − 1))² + the pull to `prior`, by descent in one cost after the other. */
function fitKernel(times, prior) {
  const names = Object.keys(times[0].work);
  const rows = times.map(({ work, ns, weight }) => names.map((name) => (weight * work[name]) / ns));
  const scales = names.map((_, j) => Math.sqrt(rows.reduce((sum, row) => sum + row[j] ** 2, 0) / rows.length) || 1);
  const least = names.map((name, j) => (LEAST[name] ?? 0) * scales[j]);
  const most = names.map((name, j) => (MOST[name] ?? Number.POSITIVE_INFINITY) * scales[j]);
  const wanted = names.map((name, j) => (prior[name] ?? 0) * scales[j]);
  const product = (j, k) => rows.reduce((sum, row) => sum + row[j] * row[k], 0) / scales[j] / scales[k];
  const normal = names.map((_, j) => names.map((_, k) => product(j, k) + (j === k ? PULL : 0)));
  const right = names.map(
    (_, j) => rows.reduce((sum, row, i) => sum + row[j] * times[i].weight, 0) / scales[j] + PULL * wanted[j],
  );
  const costs = [...wanted];
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const j of costs.keys()) {
      const others = normal[j].reduce((sum, value, k) => (k === j ? sum : sum + value * costs[k]), 0);
      costs[j] = Math.min(most[j], Math.max(least[j], (right[j] - others) / normal[j][j]));
    }
  }
  return Object.fromEntries(names.map((name, j) => [name, rounded(costs[j] / scales[j])]));
}

/** The choice with these costs. */
function chosenBy(costs) {
  const model = modelOf(costs);
  return ({ dtype, features, prospects, times }) => {
    const device = { ...model, prospectsOf: () => prospects };
    const ranking = rank({ features }, { dtype, threads: 1, products: 'many', costs: machineCosts(1), device });
    return ranking.find(({ spec }) => times.has(spec))?.spec;
  };
}

function rounded(value) {
  return Number(value.toPrecision(3));
}

function conversionNs(conversions) {
  const known = ONLY_ON_DEVICE.filter((kernel) => conversions.has(kernel));
  return Object.fromEntries(known.map((kernel) => [kernel, rounded(median(conversions.get(kernel)))]));
}

function writeCosts({ kernels, conversionNs, ...machine }) {
  const day = new Date().toISOString().slice(0, 10);
  const matrices = new Set(records.map(({ seed }) => seed)).size;
  const line = ([key, value]) =>
    `    ${/\W/.test(key) ? `'${key}'` : key}: ${JSON.stringify(value).replace(/"(\w+)":/g, '$1: ')},`;
  const text = `/**
 * Costs of the kernels of \`cuda/\`, written by \`bench/fit-device.mjs\` from the times of ${matrices} matrices (\`bench/judge.mjs\`, even seeds), f64 and
 * f32: ${records[0].device}, cold caches, ${day}. Other GPUs are assumed to be equal.
 */
import type { DeviceCosts } from '../backend.js';

export const H200: DeviceCosts = {
${Object.entries(machine)
  .map(([key, value]) => `  ${key}: ${value},`)
  .join('\n')}
  conversionNs: ${JSON.stringify(conversionNs)},
  kernels: {
${Object.entries(kernels).map(line).join('\n')}
  },
};
`;
  writeFileSync(new URL('../src/backends/cuda/costs.ts', import.meta.url), text);
}
