/**
 * Fits the costs of a GPU and the factors of its kernels (`src/backends/cuda/costs.ts`) to the times of `bench/judge.mjs --device cuda`. The verdict on the
 * seeds that they were not fitted to, after a build: `npx bench judge --report --again --half judge RECORDS …`. Features and prospects
 * are those of the records.
 *
 * Least squares of the relative error, in turn over the costs of the work, which all kernels have in common, and over one factor for each kernel. A format
 * slower than the best one has less weight.
 *
 * 13 costs of their own for each kernel, 364 numbers, were fitted to the same record: on 370 matrices that neither had seen their mean regret is 2.0 %, that of these
 * 2.4 % (95 %: 9.8 and 10.8 %; worst 52 and 71 %; least over csr 0.79 and 0.80), without trials.
 *
 * usage: npx bench fit-device [--write | --check] [RECORD …]     (even seeds only; default: bench/results/2026-11-28-fit-cuda.jsonl.gz)
 *          --write: writes the costs; --check: fails if they are others than these
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DEVICE_COSTS } from '../dist/backends/cuda/costs.js';
import { kernelOnDevice, modelOf, workOnDevice } from '../dist/backends/cuda/model.js';
import { rank } from '../dist/choice/choose.js';
import { machineCosts } from '../dist/choice/machine.js';
import { print } from './contenders.mjs';
import { readRecords } from './judge/records.mjs';
import { verdict } from './judge/report.mjs';
import { median } from './times.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, check: { type: 'boolean' }, worst: { type: 'string', default: '10' } },
});

/** So many measured times draw the factor of a kernel to 1. Chosen. */
const PULL = 3;
/** The weight of a format twice as slow as the best is a half; this is the minimum weight. Chosen. */
const MIN_WEIGHT = 0.1;
/** The costs and the factors are fitted in turn so many times, the costs in so many sweeps. Chosen. */
const ROUNDS = 30;
const SWEEPS = 1000;

/** Slower than another format for every matrix of the fitted half. */
const NEVER_BEST = /^(components|pkt|sss)/;
/** Layouts that only a device chooses: the CPU has no costs of their conversion. */
const ONLY_ON_DEVICE = ['coo', 'coo_table', 'coo_pattern', 'csr5'];

const COSTS = new URL('../src/backends/cuda/costs.ts', import.meta.url);
const RECORD = fileURLToPath(new URL('results/2026-11-28-fit-cuda.jsonl.gz', import.meta.url));

const records = readRecords(positionals.length > 0 ? positionals : [RECORD]).filter(({ seed }) => seed % 2 === 0);
const { observations, conversions } = observe();
const names = Object.keys(observations[0].work);
const { threads, uploadGbps } = DEVICE_COSTS;
const costs = { threads, uploadGbps, conversionNs: conversionNs(), ...fit() };
print(JSON.stringify(costs.work));
print(JSON.stringify(costs.kernels));
for (const text of verdict(records, { worst: Number(flags.worst), autoOf: chosenBy(costs) })) print(text);
const text = written(costs);
if (flags.write) writeFileSync(COSTS, text);
if (flags.check) check();

/** What each kernel does for each matrix, and its time in nanoseconds. */
function observe() {
  const observations = [];
  const conversions = new Map();
  for (const { dtype, times, best, formats, features, prospects } of records) {
    for (const prospect of prospects) {
      const ms = times.get(prospect.spec);
      if (ms === undefined || NEVER_BEST.test(prospect.kernel)) continue;
      const key = kernelOnDevice(DEVICE_COSTS, features, prospect);
      const work = workOnDevice(DEVICE_COSTS, features, prospect, dtype);
      observations.push({ key, work, ns: 1e6 * ms, weight: Math.max(MIN_WEIGHT, best / ms) });
      const { setupMs } = formats.find(({ asked, spec }) => spec === prospect.spec || asked.includes(prospect.spec));
      const each = (1e6 * setupMs) / (prospect.entries + features.rows);
      conversions.set(prospect.kernel, [...(conversions.get(prospect.kernel) ?? []), each]);
    }
  }
  return { observations, conversions };
}

function fit() {
  const keys = [...new Set(observations.map(({ key }) => key))].sort();
  const factors = new Map(keys.map((key) => [key, 1]));
  let work;
  for (let round = 0; round < ROUNDS; round++) {
    work = fitWork(factors);
    for (const key of keys) factors.set(key, fitFactor(key, work));
  }
  return {
    work: Object.fromEntries(names.map((name, j) => [name, rounded(work[j])])),
    kernels: Object.fromEntries([...factors].map(([key, factor]) => [key, rounded(factor)])),
  };
}

/** Minimizes Σ (weight · (factor · Σ cost · work / ns − 1))² over costs that are not negative, by descent in one after the other. */
function fitWork(factors) {
  const rows = observations.map(({ key, work, ns, weight }) =>
    names.map((name) => (weight * factors.get(key) * work[name]) / ns),
  );
  const scales = names.map((_, j) => Math.sqrt(rows.reduce((sum, row) => sum + row[j] ** 2, 0) / rows.length) || 1);
  const product = (j, k) => rows.reduce((sum, row) => sum + row[j] * row[k], 0) / scales[j] / scales[k];
  const normal = names.map((_, j) => names.map((_, k) => product(j, k)));
  const right = names.map((_, j) => rows.reduce((sum, row, i) => sum + row[j] * observations[i].weight, 0) / scales[j]);
  const costs = names.map(() => 0);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const j of costs.keys()) {
      const others = normal[j].reduce((sum, value, k) => (k === j ? sum : sum + value * costs[k]), 0);
      costs[j] = Math.max(0, (right[j] - others) / normal[j][j]);
    }
  }
  return costs.map((cost, j) => cost / scales[j]);
}

/** The factor with the least squares over the times of a kernel, and over as many more that it meets with 1. */
function fitFactor(key, costs) {
  let [both, own, count] = [0, 0, 0];
  for (const { key: one, work, ns, weight } of observations) {
    if (one !== key) continue;
    const predicted = (weight * names.reduce((sum, name, j) => sum + costs[j] * work[name], 0)) / ns;
    both += predicted * weight;
    own += predicted ** 2;
    count++;
  }
  const pull = (PULL * own) / count;
  return (both + pull) / (own + pull);
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

function conversionNs() {
  const known = ONLY_ON_DEVICE.filter((kernel) => conversions.has(kernel));
  return Object.fromEntries(known.map((kernel) => [kernel, rounded(median(conversions.get(kernel)))]));
}

/** The text of `costs.ts`, as the formatter writes it. */
function written({ threads, uploadGbps, conversionNs, work, kernels }) {
  const matrices = new Set(records.map(({ seed }) => seed)).size;
  const fields = (indent, object) =>
    Object.entries(object)
      .map(([key, value]) => `${indent}${/\W/.test(key) ? `'${key}'` : key}: ${value},\n`)
      .join('');
  const conversions = Object.entries(conversionNs).map(([key, value]) => `${key}: ${value}`);
  return `/**
 * What a GPU takes for the work of kernels, and the factors of the kernels of \`cuda/\`, written by \`bench/fit-device.mjs\` from the times of ${matrices} matrices
 * (\`bench/judge.mjs\`, even seeds), f64 and f32: ${records[0].device}, cold caches. Other GPUs are assumed to be equal.
 */
import type { DeviceCosts } from '../backend.js';

export const DEVICE_COSTS: DeviceCosts = {
${fields('  ', { threads, uploadGbps })}  conversionNs: { ${conversions.join(', ')} },
  work: {
${fields('    ', work)}  },
  kernels: {
${fields('    ', kernels)}  },
};
`;
}

function check() {
  if (readFileSync(COSTS, 'utf8') === text) return;
  throw new Error(`${fileURLToPath(COSTS)}: expected what npx bench fit-device --write writes, got another text`);
}
