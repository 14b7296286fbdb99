/**
 * Judges the automatic choice on the gallery, by measured times: its regret (the time of the chosen format over that of the best of
 * all), its gain over `csr`, and, for it and for each format, the share of matrices within 1.05, 1.2 and 2 times the
 * best (Flegar & Anzt 2017, figure 9).
 *
 * usage: npx bench choice [--worst 10] DATA.jsonl …     (after `npm run build`; DATA from `bench/collect.mjs`)
 */
import { parseArgs } from 'node:util';
import { rank } from '../dist/choice/choose.js';
import { machineCosts } from '../dist/choice/machine.js';
import { loadMatrix } from '../dist/cli/load.js';
import { examine } from '../dist/features/features.js';
import { readCases } from './cases.mjs';
import { print } from './contenders.mjs';
import { geometricMean } from './report/statistics.mjs';
import { quantile } from './times.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { worst: { type: 'string', default: '10' } },
});
const cases = readCases(positionals);
const looks = [];
const choices = [];
for (const source of new Set(cases.map((one) => one.source))) {
  const matrix = await loadMatrix(source);
  const examined = examine(matrix);
  for (const one of cases.filter((other) => other.source === source)) {
    one.auto = choose(examined, one);
    looks.push({
      products: leastMs(() => examine(matrix)) / one.times.get('csr'),
      nnz: matrix.nnz,
      threads: one.threads,
    });
    choices.push(leastMs(() => rank(examined, { ...one, products: 'many', costs: machineCosts(one.threads) })));
  }
}

regrets('all', cases, ({ auto }) => auto);
for (const threads of [1, 2]) {
  for (const dtype of ['f64', 'f32']) {
    const some = cases.filter((one) => one.threads === threads && one.dtype === dtype);
    regrets(`${threads} ${dtype}`, some, ({ auto }) => auto);
  }
}
regrets(
  'measured',
  cases.filter(({ tuned, times }) => times.has(tuned)),
  ({ tuned }) => tuned,
);
overheadProfile();
costOfChoosing();
worst();

function choose(examined, { dtype, threads, times }) {
  const ranking = rank(examined, { dtype, threads, products: 'many', costs: machineCosts(threads) });
  // A format that refuses the matrix at conversion is skipped, as an engine does.
  return ranking.find(({ spec }) => times.has(spec)).spec;
}

function leastMs(run) {
  return Math.min(...Array.from({ length: 5 }, () => timed(run)));
}

function timed(run) {
  const begin = performance.now();
  run();
  return performance.now() - begin;
}

function regretOf({ times, best }, spec) {
  return times.get(spec) / best;
}

function regrets(label, some, specOf) {
  if (some.length === 0) return;
  const ratios = some.map((one) => regretOf(one, specOf(one))).sort((a, b) => a - b);
  const gains = some.map((one) => one.times.get('csr') / one.times.get(specOf(one))).sort((a, b) => a - b);
  const possible = geometricMean(some.map(({ times, best }) => times.get('csr') / best));
  const figures = [0.5, 0.95, 1].map((share) => quantile(ratios, share).toFixed(3));
  print(
    `${label.padEnd(12)} ${`${some.length}`.padStart(4)} cases  regret: median ${figures[0]}, 95 % ${figures[1]}, worst ${figures[2]};  ` +
      `over csr: ${geometricMean(gains).toFixed(2)} on average (${possible.toFixed(2)} possible), least ${gains[0].toFixed(2)}`,
  );
}

function overheadProfile() {
  const formats = [...new Set(cases.flatMap(({ formats: measured }) => measured.map(({ format }) => format)))];
  const shares = (timeOf) =>
    [1.05, 1.2, 2].map((limit) => cases.filter((one) => timeOf(one) <= limit * one.best).length / cases.length);
  const lines = [
    ['auto', shares((one) => one.times.get(one.auto))],
    ...formats.map((format) => [format, shares(({ times }) => times.get(format) ?? Infinity)]),
  ];
  print(`\n${'share of cases within'.padEnd(34)}  1.05 ×   1.2 ×     2 ×   of the best`);
  for (const [format, line] of lines.sort((a, b) => b[1][1] - a[1][1])) {
    print(`${format.padEnd(34)}${line.map((share) => `${(100 * share).toFixed(0)} %`.padStart(8)).join('')}`);
  }
}

function costOfChoosing() {
  const among = (some) => {
    if (some.length === 0) return 'none';
    const sorted = some.map(({ products }) => products).sort((a, b) => a - b);
    return `median ${quantile(sorted, 0.5).toFixed(2)}, 95 % ${quantile(sorted, 0.95).toFixed(2)}, most ${sorted.at(-1).toFixed(2)}`;
  };
  const large = looks.filter(({ nnz }) => nnz >= 1e6);
  print(`\nlooking at a matrix, in products of csr: ${among(looks)}; of 10⁶ entries and more: ${among(large)}`);
  const sorted = choices.sort((a, b) => a - b);
  print(
    `choosing: median ${quantile(sorted, 0.5).toFixed(3)} ms, 95 % ${quantile(sorted, 0.95).toFixed(3)} ms, most ${sorted.at(-1).toFixed(2)} ms`,
  );
}

function worst() {
  const lines = cases.map((one) => ({ one, ratio: regretOf(one, one.auto) })).sort((a, b) => b.ratio - a.ratio);
  print('\nthe worst');
  for (const { one, ratio } of lines.slice(0, Number(flags.worst))) {
    const best = [...one.times].find(([, ms]) => ms === one.best)[0];
    const gain = one.times.get('csr') / one.times.get(one.auto);
    print(
      `${ratio.toFixed(2)} (${gain.toFixed(2)} × csr)  ${one.source} ${one.threads} ${one.dtype}: ${one.auto} instead of ${best}`,
    );
  }
}
