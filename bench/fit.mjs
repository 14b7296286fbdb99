/**
 * Fits the constants of the cost model (`src/choice/model.ts`) to measured times and writes them to `src/choice/constants.ts`.
 *
 * Least squares (Levenberg & Marquardt) of the logarithm of the time, over the logarithms of the constants, so all
 * constants stay positive; formats far from the best of a matrix have less weight. The matrices are made and examined again:
 * features and estimates are those of the present build.
 *
 * Each machine of the records has its own caches, memory and start of a product, and two factors of the kernels' times: of computing and of
 * mispredictions. The constants that are written are the geometric means of the machines.
 *
 * usage: npx bench fit [--write] FIT.jsonl …     (from `bench/judge.mjs --half fit`; odd seeds are refused)
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { predictNs } from '../dist/choice/model.js';
import { examine } from '../dist/features/features.js';
import { ALONE_BELOW } from '../dist/formats/format.js';
import { prospectsOf } from '../dist/formats/registry.js';
import { print } from './contenders.mjs';
import { doubtsOf } from './judge/doubts.mjs';
import { readRecords } from './judge/records.mjs';
import { solve } from './judge/solve.mjs';
import { kind } from './matrices/kinds/kinds.mjs';
import { geometricMean } from './report/statistics.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' } },
});

/** Start of the search, and prior where data are missing: constants of a machine, then those of a kernel. */
const MACHINE = {
  byteNs: [0.01, 0.025, 0.055],
  missNs: [1, 3, 8],
  cacheBytes: [1e6, 20e6],
  rememberedRows: [10e3],
  busSpeedup: [1.4],
  overlap: [2.5],
  startNs: [300],
  forkJoinNs: [800],
  computing: [1],
  mispredicting: [1],
};
const KERNEL = { f64Entry: 0.35, f32Entry: 0.3, row: 0.8, permutedRow: 0.5, misprediction: 2, step: 1, stall: 0.5 };
const PULL = 0.02;
/** The weight of a format twice as slow as the best is a quarter; this is the minimum weight. */
const MIN_WEIGHT = 0.15;
/** Prior weight against an error factor that all formats of a matrix share. */
const COMMON = 0.5;
const ITERATIONS = 40;
/** Instructions and transfers take at most the sum of both. */
const LEAST_OVERLAP = 1;
const STEP = 1e-4;

/** On several threads, a matrix of which no format takes less than this share of its time on one: they had one core. */
const ONE_CORE = 0.8;

const cases = readRecords(positionals);
if (cases.some(({ seed }) => seed % 2 === 1)) throw new Error('odd seeds are only for judging');
const observations = observe(cases.filter((one) => !hadOneCore(one)));
const keys = [...new Set(observations.map(({ key }) => key))].sort();
const machines = [...new Set(observations.map(({ machine }) => machine))].sort();
const ofMachine = Object.values(MACHINE).flat();
const start = [...machines.flatMap(() => ofMachine), ...keys.flatMap(() => Object.values(KERNEL))].map(Math.log);
const height = ofMachine.length;
const shared = machines.length * height;
const width = Object.keys(KERNEL).length;
for (const observation of observations) {
  observation.ofMachine = height * machines.indexOf(observation.machine);
  observation.ofKernel = shared + width * keys.indexOf(observation.key);
}

const { theta, error } = minimize(start);
const fitted = costsOf(theta);
const costs = { ...meanOf(machines.map((machine) => fitted.get(machine))), conversionNs: conversions(observations) };
const ranked = observations.map((one) => ({
  ...{ group: one.group, key: one.key, isCsr: one.prospect.spec === 'csr', ms: Math.exp(one.target) },
  predicted: predictNs(costs, one.features, one.prospect, one.dtype, one.threads),
}));
for (const [key, doubt] of Object.entries(doubtsOf(ranked))) if (doubt > 1) costs.kernels[key].doubt = doubt;
const permuted = new Set(observations.filter(({ prospect }) => prospect.permuted).map(({ key }) => key));
for (const key of keys) if (!permuted.has(key)) delete costs.kernels[key].permutedRow;
print(
  `${observations.length} times of ${new Set(observations.map(({ seed }) => seed)).size} matrices, weighted error of log time ${error.toFixed(3)}`,
);
for (const key of keys) print(`${key.padEnd(24)} ${JSON.stringify(costs.kernels[key])}`);
for (const machine of machines)
  print(`${machine}: ${JSON.stringify({ ...fitted.get(machine), kernels: { csr: fitted.get(machine).kernels.csr } })}`);
if (flags.write) writeConstants(costs);

function hadOneCore({ machine, seed, dtype, threads, best, rows, nnz }) {
  if (threads === 1 || rows + nnz < ALONE_BELOW) return false;
  const isAlone = (one) => one.threads === 1 && one.dtype === dtype && one.machine === machine;
  const alone = cases.find((one) => one.seed === seed && isAlone(one));
  return alone !== undefined && best > ONE_CORE * alone.best;
}

/** One line for each prospect that was measured. */
function observe(chosen) {
  const result = [];
  for (const seed of new Set(chosen.map((one) => one.seed))) {
    const examined = examine(kind(seed).matrix);
    const { features } = examined;
    for (const { machine: name, dtype, threads, times, best, formats } of chosen.filter((one) => one.seed === seed)) {
      const [machine] = name.split(',');
      for (const prospect of prospectsOf(examined, dtype)) {
        const measured = formats.find(({ asked }) => asked.includes(prospect.spec));
        if (measured === undefined) continue;
        const { conversionMs } = measured;
        const ms = times.get(prospect.spec);
        const work = prospect.entries + features.rows;
        result.push({
          ...{ machine, seed, features, prospect, dtype, work, conversionMs },
          group: `${machine} ${seed} ${dtype} ${threads}`,
          key: prospect.kernel,
          threads: work < ALONE_BELOW ? 1 : threads,
          target: Math.log(ms * 1e6),
          weight: Math.max(MIN_WEIGHT, (best / ms) ** 2),
        });
      }
    }
  }
  return result;
}

/** The costs on each machine. */
function costsOf(logs) {
  const numbers = logs.map(Math.exp);
  return new Map(
    machines.map((machine, m) => [machine, costsOn(numbers.slice(m * height, (m + 1) * height), numbers)]),
  );
}

function costsOn(own, numbers) {
  const result = { kernels: {} };
  let at = 0;
  for (const [name, { length }] of Object.entries(MACHINE)) {
    const values = own.slice(at, at + length);
    result[name] = length === 1 ? values[0] : values;
    at += length;
  }
  const { computing, mispredicting, ...costs } = result;
  costs.overlap = Math.max(LEAST_OVERLAP, costs.overlap);
  const factors = Object.keys(KERNEL).map((name) =>
    name === 'stall' ? 1 : name === 'misprediction' ? mispredicting : computing,
  );
  for (const [k, key] of keys.entries()) {
    const ofKernel = numbers.slice(shared + width * k);
    costs.kernels[key] = Object.fromEntries(Object.keys(KERNEL).map((name, j) => [name, factors[j] * ofKernel[j]]));
  }
  return costs;
}

/** The geometric mean of numbers, of arrays of numbers, or of objects of them. */
function meanOf(all) {
  const [first] = all;
  if (typeof first === 'number') return geometricMean(all);
  const entries = Object.keys(first).map((key) => [key, meanOf(all.map((one) => one[key]))]);
  return Array.isArray(first) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

function minimize(begin) {
  let theta = begin;
  let damping = 0.01;
  let error;
  for (let iteration = 0; iteration < ITERATIONS && damping < 1e8; iteration++) {
    const offsets = offsetsAt(theta);
    const residuals = residualsAt(theta, offsets);
    const sum = objective(theta, residuals);
    error = Math.sqrt(sum / observations.length);
    const { matrix, gradient } = normalEquations(theta, residuals, offsets);
    for (; damping < 1e8; damping *= 4) {
      const step = solve(matrix, gradient, damping);
      const next = theta.map((x, i) => x + Math.max(-1, Math.min(1, step[i])));
      if (objective(next, residualsAt(next, offsets)) >= sum) continue;
      theta = next;
      damping /= 5;
      break;
    }
  }
  return { theta, error };
}

function errorsAt(theta) {
  const costs = costsOf(theta);
  return observations.map(
    ({ machine, features, prospect, dtype, threads, target }) =>
      Math.log(predictNs(costs.get(machine), features, prospect, dtype, threads)) - target,
  );
}

/**
 * Removes the error that all formats of a matrix share: it does not affect the choice. Causes: a disturbance of the
 * machine, or an effect outside the model.
 */
function offsetsAt(theta) {
  const sums = new Map();
  for (const [m, error] of errorsAt(theta).entries()) {
    const { group, weight } = observations[m];
    const { sum = 0, weights = COMMON } = sums.get(group) ?? {};
    sums.set(group, { sum: sum + weight ** 2 * error, weights: weights + weight ** 2 });
  }
  return new Map([...sums].map(([group, { sum, weights }]) => [group, sum / weights]));
}

function residualsAt(theta, offsets) {
  return errorsAt(theta).map((error, m) => observations[m].weight * (error - offsets.get(observations[m].group)));
}

function objective(theta, residuals) {
  const pulls = theta.reduce((sum, x, i) => sum + PULL * (x - start[i]) ** 2, 0);
  return residuals.reduce((sum, r) => sum + r * r, pulls);
}

/**
 * By differences; for the constants of one kind of all machines or kernels at once, since an observation depends on one machine and one
 * kernel only.
 */
function normalEquations(theta, residuals, offsets) {
  const moved = (isMoved) =>
    residualsAt(
      theta.map((x, i) => (isMoved(i) ? x + STEP : x)),
      offsets,
    );
  const ofMachines = Array.from({ length: height }, (_, i) => moved((j) => j < shared && j % height === i));
  const ofKernels = Array.from({ length: width }, (_, i) => moved((j) => j >= shared && (j - shared) % width === i));
  const gradient = theta.map((x, i) => -PULL * (x - start[i]));
  const matrix = theta.map((_, i) => Float64Array.from(theta, (_, j) => (i === j ? PULL : 0)));
  for (const [m, { ofMachine: first, ofKernel }] of observations.entries()) {
    const places = [...ofMachines.map((_, i) => first + i), ...ofKernels.map((_, i) => ofKernel + i)];
    const slopes = [...ofMachines, ...ofKernels].map((column) => (column[m] - residuals[m]) / STEP);
    for (const [a, i] of places.entries()) {
      gradient[i] -= slopes[a] * residuals[m];
      for (const [b, j] of places.entries()) matrix[i][j] += slopes[a] * slopes[b];
    }
  }
  return { matrix, gradient };
}

/** By kernel: the median of the conversion time per entry and row, over matrices whose conversion takes long enough. */
function conversions(all) {
  const perKernel = new Map();
  for (const one of all) {
    const { kernel } = one.prospect;
    perKernel.set(kernel, [...(perKernel.get(kernel) ?? []), one]);
  }
  return Object.fromEntries(
    [...perKernel].sort().map(([kernel, list]) => {
      const large = list.filter(({ work }) => work >= ALONE_BELOW);
      const ns = (large.length > 0 ? large : list).map(({ conversionMs, work }) => (conversionMs * 1e6) / work);
      return [kernel, ns.sort((a, b) => a - b)[ns.length >> 1]];
    }),
  );
}

function writeConstants({ kernels, conversionNs, ...rest }) {
  const short = (_, value) => (typeof value === 'number' ? Number(value.toPrecision(3)) : value);
  const date = new Date().toISOString().slice(0, 10);
  const threads = [...new Set(cases.map((one) => one.threads))].sort((a, b) => a - b).join(', ');
  const lines = Object.entries(kernels).map(
    ([key, costs]) => `    ${JSON.stringify(key)}: ${JSON.stringify(costs, short)},`,
  );
  writeFileSync(
    new URL('../src/choice/constants.ts', import.meta.url),
    `/**
 * The constants of the cost model, written by \`bench/fit.mjs\` from the times of ${new Set(cases.map(({ seed }) => seed)).size} matrices (\`bench/matrices/kinds\`, even seeds), f64 and
 * f32, ${threads} threads, geometric means of ${machines.join(' and ')}; written on ${date}.
 */
// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: measured, not derived
import type { MachineCosts } from './model.js';

export const MACHINE_COSTS: MachineCosts = {
  kernels: {
${lines.join('\n')}
  },
  conversionNs: ${JSON.stringify(conversionNs, short)},
${Object.entries(rest)
  .map(([name, value]) => `  ${name}: ${JSON.stringify(value, short)},`)
  .join('\n')}
};
`,
  );
}
