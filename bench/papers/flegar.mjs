/** Flegar & Anzt's figures 5 to 9 and table 1, over matrices that are drawn: the paper's 400 are of a collection. */
import { MANY_ENTRIES } from '../cuda/papers/cases.mjs';
import { OMEGAS } from '../cuda/papers/plans.mjs';
import { PREPROCESSED } from '../cuda/results.mjs';
import { distribution, winnersAndLosers } from '../report/statistics.mjs';
import { bars, boxes, dots, slowdowns, winners } from './charts.mjs';
import { FLEGAR, MACHINES } from './published.mjs';
import { below, FAILS, geometricMeanOf, HOLDS, known, mostly, PARTLY, percent, short, times } from './words.mjs';

/** The paper's kernels, by those that stand for them here. */
const KERNELS = {
  COO: ['sparlane', 'coo flegar'],
  CSR: ['cuSPARSE', [PREPROCESSED, 'csr ALG1']],
  CSR5: ['sparlane', 'csr5 tiles'],
  CSRI: ['sparlane', 'csr balanced'],
  HYB: ['sparlane', 'hyb row'],
  SELLP: ['sparlane', 'sell row'],
};
const NAMES = Object.keys(KERNELS);

/** ω by the number of entries, §4.3. */
const omegaOfPaper = (nnz) => (nnz < 1e5 ? 8 : nnz < 1e6 ? 32 : 128);

export function chapter(results) {
  const cases = results.cases('flegar').filter((one) => one.us('f64', ...KERNELS.COO) !== undefined);
  if (cases.length === 0) return undefined;
  const large = cases.filter(({ nnz }) => nnz > MANY_ENTRIES);
  const byName = new Map(NAMES.map((name) => [name, known(large.map((one) => one.gflops('f64', ...KERNELS[name])))]));
  const timesOf = large.map(timesByName);
  return {
    title: 'Flegar & Anzt 2017, "Overcoming load imbalance for irregular sparse matrices"',
    matrices: `${cases.length} square matrices of bench/matrices/kinds, ${large.length} of them of more than 2 · 10⁵ entries`,
    claims: claimsOf(cases, large, byName, timesOf),
    tables: [tableOf(byName)],
    charts: [
      bothMachines(byName),
      ...figures(cases),
      {
        name: 'flegar-7',
        title: 'Figure 7: fastest and slowest, all matrices',
        svg: winners({ label: 'Figure 7', timesOf: cases.map(timesByName) }),
      },
      {
        name: 'flegar-8',
        title: 'Figure 8: GFLOP/s on matrices of more than 2 · 10⁵ entries',
        svg: boxes({ label: 'Figure 8', byName, unit: 'GFLOP/s, f64' }),
      },
      {
        name: 'flegar-9',
        title: 'Figure 9: times as long as the fastest, on matrices of more than 2 · 10⁵ entries',
        svg: slowdowns({ label: 'Figure 9', timesOf }),
      },
    ],
  };
}

/** A map from the kernels to their times. Formats that refuse a matrix have none. */
function timesByName(one) {
  return new Map(
    NAMES.flatMap((name) => {
      const us = one.us('f64', ...KERNELS[name]);
      return us === undefined ? [] : [[name, us]];
    }),
  );
}

function claimsOf(cases, large, byName, timesOf) {
  const stats = new Map([...byName].map(([name, numbers]) => [name, distribution(numbers)]));
  const best = (key, sign = 1) =>
    [...stats]
      .filter(([, one]) => one !== undefined)
      .reduce((a, b) => (sign * b[1][key] > sign * a[1][key] ? b : a))[0];
  const slowdown = timesOf.map((some) => some.get('COO') / Math.min(...some.values()));
  const beyond = slowdown.filter((one) => one > 2).length;
  const small = cases.filter(({ nnz }) => nnz < MANY_ENTRIES);
  const first = small.filter((one) => fastest(one) === 'COO').length;
  const counts = winnersAndLosers(cases.map(timesByName));
  const winner = [...counts].reduce((a, b) => (b[1].fastest > a[1].fastest ? b : a))[0];
  const losses = large.concat(small).flatMap(lossOfRule);
  const loss = geometricMeanOf(losses);
  const isFirst = (name) => (name === 'COO' ? HOLDS : FAILS);
  const row = (claim, figure, here, verdict) => ({ claim, method: 'flegar', figure, here, verdict });
  const worst = Math.max(...slowdown);
  return [
    row(
      'COO is never more than twice as long as the best, but for two matrices',
      '2 of 248 beyond 2',
      `${beyond} of ${large.length} beyond 2, at most ${times(worst)}`,
      beyond <= Math.ceil(large.length / 124) ? HOLDS : beyond / large.length < 0.05 ? PARTLY : FAILS,
    ),
    row(
      'COO has the highest mean of GFLOP/s',
      '38.9, then SELL-P 36.4',
      `COO ${short(stats.get('COO').mean)}; the first is ${best('mean')} with ${short(stats.get(best('mean')).mean)}`,
      isFirst(best('mean')),
    ),
    row(
      'COO has the highest least GFLOP/s',
      '24.3',
      `COO ${short(stats.get('COO').min)}; the first is ${best('min')} with ${short(stats.get(best('min')).min)}`,
      isFirst(best('min')),
    ),
    row(
      'COO varies least (standard deviation)',
      '9.2',
      `COO ${short(stats.get('COO').deviation)}; the least is ${best('deviation', -1)} with ${short(stats.get(best('deviation', -1)).deviation)}`,
      isFirst(best('deviation', -1)),
    ),
    row(
      'COO is the fastest on most matrices',
      'COO first, then SELL-P',
      `${winner} first (${counts.get(winner).fastest} of ${cases.length}), COO ${counts.get('COO').fastest}`,
      isFirst(winner),
    ),
    row(
      'COO is the fastest on almost all of less than 2 · 10⁵ entries',
      'almost all of 152',
      `${first} of ${small.length}`,
      mostly(first, small.length),
    ),
    row(
      'ω by the number of entries: 8, 32, 128',
      'the best of 2 … 128',
      loss === undefined
        ? '–'
        : `takes ${percent(loss - 1)} longer than the best of 2 … 512 in the mean, ${percent(Math.max(...losses) - 1)} at worst`,
      below(loss, 1.02, 1.05),
    ),
  ];
}

const fastest = (one) => [...timesByName(one)].reduce((a, b) => (b[1] < a[1] ? b : a))[0];

/** How many times as long a product takes by the paper's rule as by the best ω; none if some ω was not measured. */
function lossOfRule(one) {
  const us = OMEGAS.map((omega) => one.us('f64', 'sparlane', `coo flegar?omega=${omega}`));
  if (us.includes(undefined)) return [];
  return [us[OMEGAS.indexOf(omegaOfPaper(one.nnz))] / Math.min(...us)];
}

function tableOf(byName) {
  const cells = (numbers) => numbers.map((number) => short(number));
  return {
    title: `Table 1, GFLOP/s in f64: ${MACHINES.flegar} and here`,
    header: ['kernel', 'min', 'max', 'mean', 'median', 'deviation', 'here: min', 'max', 'mean', 'median', 'deviation'],
    rows: NAMES.map((name) => {
      const { min, max, mean, median, deviation } = distribution(byName.get(name)) ?? {};
      return [name, ...cells(FLEGAR[name]), ...cells([min, max, mean, median, deviation])];
    }),
  };
}

/** Draws means and medians of table 1 as bars. */
function bothMachines(byName) {
  const series = ['mean: P100', 'mean: here', 'median: P100', 'median: here'];
  const rows = NAMES.flatMap((name) => {
    const [, , mean, median] = FLEGAR[name];
    const here = distribution(byName.get(name)) ?? {};
    return [mean, here.mean, median, here.median].map((value, k) => ({ group: name, series: series[k], value }));
  });
  const title = `Table 1: GFLOP/s in f64, ${MACHINES.flegar} and here`;
  return { name: 'flegar-1', title, svg: bars({ label: title, rows, series, unit: 'GFLOP/s, f64' }) };
}

/** Draws figures 5 and 6: GFLOP/s by the number of entries, by ω and by kernel. */
function figures(cases) {
  const shown = [2, 8, 32, 128, 512];
  const byOmega = cases.flatMap((one) =>
    shown.map((omega) => ({
      series: `ω = ${omega}`,
      x: one.nnz,
      y: one.gflops('f64', 'sparlane', `coo flegar?omega=${omega}`),
    })),
  );
  const byKernel = cases.flatMap((one) =>
    NAMES.map((name) => ({ series: name, x: one.nnz, y: one.gflops('f64', ...KERNELS[name]) })),
  );
  const [five, six] = ['Figure 5: COO by ω', 'Figure 6: GFLOP/s of the kernels'];
  return [
    {
      name: 'flegar-5',
      title: five,
      svg: dots({
        label: five,
        rows: byOmega,
        series: shown.map((omega) => `ω = ${omega}`),
        x: 'entries',
        y: 'GFLOP/s, f64',
      }),
    },
    {
      name: 'flegar-6',
      title: six,
      svg: dots({ label: six, rows: byKernel, series: NAMES, x: 'entries', y: 'GFLOP/s, f64' }),
    },
  ];
}
