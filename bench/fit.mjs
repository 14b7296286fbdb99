/**
 * Fits what kernels do in the cost model (`src/choice/model.ts`) to measured times, and writes it to `src/choice/constants.ts`: three numbers for each
 * family of kernels, and eight that all have in common; those of conversions are medians. The figures of the machine are not fitted: they are those that `sparlane tune` measured where
 * the times are from, and stand in the record.
 *
 * Least squares (Levenberg & Marquardt) of the logarithm of the time, over the logarithms of the numbers, so all stay positive; formats far from the
 * best of a matrix have less weight. The matrices are made and examined again: features and estimates are those of the present build.
 *
 * usage: npx bench fit [--write] RECORD …     (from `npx bench judge --no-trials --half fit`; odd seeds are refused; minutes)
 */
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { familyOf, kernelCosts } from '../dist/choice/kernels.js';
import { machineCosts } from '../dist/choice/machine.js';
import { predictNs } from '../dist/choice/model.js';
import { examine } from '../dist/features/features.js';
import { ALONE_BELOW } from '../dist/formats/format.js';
import { prospectsOf } from '../dist/formats/registry.js';
import { print } from './contenders.mjs';
import { readRecords } from './judge/records.mjs';
import { solve } from './judge/solve.mjs';
import { kind } from './matrices/kinds/kinds.mjs';
import { median } from './times.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' } },
});

/** The search starts at these numbers of a family, and of all families together; where data are missing, the result stays near them. */
const FAMILY = { entry: 1, row: 2, step: 2 };
const COMMON = {
  ...{ index16: 1, pattern: 0.9, table: 1.5, f32Gathered: 0.9, f32Adjacent: 0.5 },
  ...{ misprediction: 5, permutedRow: 2, stall: 0.5 },
};
const PULL = 0.02;
/** The weight of a format twice as slow as the best is a quarter; this is the minimum weight. */
const MIN_WEIGHT = 0.15;
/** Prior weight against an error factor that all formats of a matrix share. */
const SHARED_ERROR = 0.5;
const ITERATIONS = 40;
/** The search ends when a step lowers the sum of squares by less than this share. */
const LEAST_GAIN = 1e-4;
const STEP = 1e-4;

/** On several threads, a matrix of which no format takes less than this share of its time on one: they had one core. */
const ONE_CORE = 0.8;

const cases = readRecords(positionals);
if (cases.some(({ seed }) => seed % 2 === 1)) throw new Error('odd seeds are only for judging');
if (cases.some(({ tuned }) => tuned === undefined)) throw new Error('a record has the figures of its machine: `tuned`');
const { observations, groups } = observe(cases.filter((one) => !hadOneCore(one)));
const families = [...new Set(observations.map(({ prospect }) => familyOf(prospect.kernel)))].sort();
const stepping = new Set(
  observations.flatMap(({ prospect: { kernel, steps } }) => (steps > 0 ? [familyOf(kernel)] : [])),
);
const names = [
  ...Object.keys(COMMON),
  ...families.flatMap((family) => {
    const own = Object.keys(FAMILY).filter((name) => name !== 'step' || stepping.has(family));
    return own.map((name) => `${family}.${name}`);
  }),
];
const start = names.map((name) => Math.log(COMMON[name] ?? FAMILY[name.split('.')[1]]));

const { theta, error } = minimize(start);
const fitted = tableOf(theta);
const { ofFamily, tableConversion } = conversions();
for (const [family, cost] of Object.entries(fitted.families)) cost.conversion = ofFamily[family];
fitted.common.tableConversion = tableConversion;
const seeds = new Set(observations.map(({ seed }) => seed)).size;
print(
  `${observations.length} times of ${seeds} matrices, ${names.length} numbers, weighted error of log time ${error.toFixed(3)}`,
);
for (const [name, cost] of Object.entries({ ...fitted.families, common: fitted.common }))
  print(`${name.padEnd(16)} ${JSON.stringify(cost, short)}`);
if (flags.write) writeConstants(fitted);

function hadOneCore({ machine, seed, dtype, threads, best, rows, nnz }) {
  if (threads === 1 || rows + nnz < ALONE_BELOW) return false;
  const isAlone = (one) => one.threads === 1 && one.dtype === dtype && one.machine === machine;
  const alone = cases.find((one) => one.seed === seed && isAlone(one));
  return alone !== undefined && best > ONE_CORE * alone.best;
}

/** One observation for each prospect that was measured; a group has those of a matrix, dtype, machine and number of threads. */
function observe(chosen) {
  const all = [];
  let group = 0;
  for (const seed of new Set(chosen.map((one) => one.seed))) {
    const examined = examine(kind(seed, 'cpu').matrix);
    const { features } = examined;
    for (const { tuned, dtype, threads, times, formats } of chosen.filter((one) => one.seed === seed)) {
      const measured = prospectsOf(examined, dtype).filter((one) => times.has(one.spec) && !isListed(one));
      const best = Math.min(...measured.map(({ spec }) => times.get(spec)));
      for (const prospect of measured) {
        const { conversionMs } = formats.find(({ asked }) => asked.includes(prospect.spec));
        const ms = times.get(prospect.spec);
        const work = prospect.entries + features.rows;
        const used = work < ALONE_BELOW ? 1 : threads;
        all.push({
          ...{ seed, group, features, prospect, dtype, work, conversionMs },
          ...{ threads: used, machine: machineCosts(used, tuned) },
          target: Math.log(ms * 1e6),
          weight: Math.max(MIN_WEIGHT, (best / ms) ** 2),
        });
      }
      group++;
    }
  }
  return { observations: all, groups: group };
}

/** Returns whether `csr` computes a list of the rows that have entries. In the records of 27 November 2026 it computed all rows. */
function isListed({ spec, groups }) {
  return spec.split('?')[0] === 'csr' && groups !== undefined;
}

/** Returns the numbers that are fitted, by family, and those that all families have in common. */
function tableOf(logs) {
  const none = { entry: 0, row: 0, step: 0 };
  const table = { families: Object.fromEntries(families.map((family) => [family, { ...none }])), common: {} };
  for (const [i, name] of names.entries()) {
    const [family, member] = name.split('.');
    if (member === undefined) table.common[name] = Math.exp(logs[i]);
    else table.families[family][member] = Math.exp(logs[i]);
  }
  return table;
}

function minimize(begin) {
  let theta = begin;
  let damping = 0.01;
  let error;
  for (let iteration = 0; iteration < ITERATIONS && damping < 1e8; iteration++) {
    const offsets = offsetsOf(errorsAt(theta));
    const residuals = residualsAt(theta, offsets);
    const sum = objective(theta, residuals);
    error = Math.sqrt(sum / observations.length);
    const { matrix, gradient } = normalEquations(theta, residuals, offsets);
    let least = sum;
    for (; damping < 1e8; damping *= 4) {
      const step = solve(matrix, gradient, damping);
      const next = theta.map((x, i) => x + Math.max(-1, Math.min(1, step[i])));
      const nextSum = objective(next, residualsAt(next, offsets));
      if (nextSum >= sum) continue;
      [theta, least] = [next, nextSum];
      damping /= 5;
      break;
    }
    if (sum - least < LEAST_GAIN * sum) break;
  }
  return { theta, error };
}

function errorsAt(theta) {
  const { families: ofFamilies, common } = tableOf(theta);
  const kernels = kernelCosts(ofFamilies, common);
  return observations.map(({ machine, features, prospect, dtype, threads, target }) => {
    return Math.log(predictNs({ ...machine, kernels }, features, prospect, dtype, threads)) - target;
  });
}

/**
 * Returns the errors that all formats of a matrix share, which do not affect the choice. They come from a disturbance of the machine, or from an
 * effect outside the model.
 */
function offsetsOf(errors) {
  const sums = new Float64Array(groups);
  const weights = new Float64Array(groups).fill(SHARED_ERROR);
  for (const [m, { group, weight }] of observations.entries()) {
    sums[group] += weight ** 2 * errors[m];
    weights[group] += weight ** 2;
  }
  return sums.map((sum, group) => sum / weights[group]);
}

function residualsAt(theta, offsets) {
  return errorsAt(theta).map((one, m) => observations[m].weight * (one - offsets[observations[m].group]));
}

function objective(theta, residuals) {
  const pulls = theta.reduce((sum, x, i) => sum + PULL * (x - start[i]) ** 2, 0);
  return residuals.reduce((sum, r) => sum + r * r, pulls);
}

/** Returns the normal equations of a step, with slopes by differences. */
function normalEquations(theta, residuals, offsets) {
  const slopes = theta.map((_, i) => {
    const moved = theta.map((x, j) => (i === j ? x + STEP : x));
    return residualsAt(moved, offsets).map((x, m) => (x - residuals[m]) / STEP);
  });
  const dot = (a, b) => a.reduce((sum, x, m) => sum + x * b[m], 0);
  return {
    gradient: theta.map((x, i) => -PULL * (x - start[i]) - dot(slopes[i], residuals)),
    matrix: slopes.map((a, i) => Float64Array.from(slopes, (b, j) => dot(a, b) + (i === j ? PULL : 0))),
  };
}

/**
 * Returns what the conversion of an entry or a row takes in each family, in times of an entry of `csr`, and what a table adds: medians over the matrices
 * whose conversion takes long enough.
 */
function conversions() {
  const isTable = ({ prospect }) => prospect.kernel.endsWith('_table');
  const large = observations.filter(({ work }) => work >= ALONE_BELOW);
  const perItem = ({ conversionMs, work, machine }) => (conversionMs * 1e6) / work / machine.entryNs;
  const medianOf = (some) => (some.length === 0 ? undefined : median(some.map(perItem)));
  const ofFamily = {};
  const added = [];
  for (const family of families) {
    const own = large.filter(({ prospect }) => familyOf(prospect.kernel) === family);
    const [plain, table] = [medianOf(own.filter((one) => !isTable(one))), medianOf(own.filter(isTable))];
    ofFamily[family] = plain;
    if (table !== undefined) added.push(table - plain);
  }
  return { ofFamily, tableConversion: median(added) };
}

function short(_, value) {
  return typeof value === 'number' ? Number(value.toPrecision(3)) : value;
}

function writeConstants({ families: ofFamilies, common }) {
  const date = new Date().toISOString().slice(0, 10);
  const machines = [...new Set(cases.map(({ machine }) => machine.split(',')[0]))].sort().join(' and ');
  const threads = [...new Set(cases.map((one) => one.threads))].sort((a, b) => a - b).join(', ');
  const lines = Object.entries(ofFamilies).map(([family, cost]) => `  ${family}: ${JSON.stringify(cost, short)},`);
  writeFileSync(
    new URL('../src/choice/constants.ts', import.meta.url),
    `/**
 * What kernels do, written by \`npx bench fit --write ${positionals.map((path) => `bench/results/${basename(path)}`).join(' ')}\` on ${date}: times of ${seeds} matrices
 * (\`bench/matrices/kinds\`, even seeds), f64 and f32, ${threads} threads, on ${machines}.
 */
import type { CommonCosts, FamilyCost } from './kernels.js';

export const FAMILIES: Readonly<Record<string, FamilyCost>> = {
${lines.join('\n')}
};

export const COMMON: CommonCosts = ${JSON.stringify(common, short)};
`,
  );
}
