/** Jindal's four tables of times, his observations, and the entries of a warp. */
import {
  ENTRIES_PER_WARP,
  FILLING,
  HIS_ENTRIES,
  LAUNCHES,
  JINDAL_PRODUCTS as PRODUCTS,
} from '../cuda/papers/plans.mjs';
import { geometricMean } from '../report/statistics.mjs';
import { bars, panels } from './charts.mjs';
import { JINDAL } from './published.mjs';
import { FAILS, geometricMeanOf, HOLDS, known, mostly, ofAll, PARTLY, rangeOf, ratio, times } from './words.mjs';

const DTYPES = ['f32', 'f64'];

const TITLES = {
  column: 'Atomic adds, entries by columns (§1.1)',
  row: 'Atomic adds, entries by rows (§1.2)',
  scan: 'Segmented scan (§2)',
  reordered: 'Reordered components (§3)',
};

const LAUNCH_NAMES = LAUNCHES.map((launch) => launch.replace(' ', ' × '));

export function chapter(results) {
  const cases = results.cases('jindal');
  if (cases.length === 0) return undefined;
  const usOf = (one, method, launch, dtype) => one.us(dtype, 'paper', PRODUCTS[method](launch));
  const claims = DTYPES.flatMap((dtype) =>
    claimsOf(cases, dtype, (one, method, launch) => usOf(one, method, launch, dtype)),
  );
  return {
    title: 'Jindal, "Sparse Matrix-Vector Multiplication on GPU"',
    matrices: '15 of his tables at full size, 14 of them stand-ins',
    claims,
    charts: [...Object.keys(PRODUCTS).map((method) => tableOf(cases, method, usOf)), warps(cases)],
  };
}

/** Counts the cases in which both of two times are known, and of them those in which the first is less. */
function faster(cases, a, b) {
  const pairs = cases.map((one) => [a(one), b(one)]).filter((pair) => known(pair).length === 2);
  return { count: pairs.filter(([first, second]) => first < second).length, all: pairs.length, gain: meanRatio(pairs) };
}

/** Two times are alike if their ratio is at most this: his own ratios reach 1.23. Chosen. */
const ALIKE = 1.25;
/** A time that is less than so many times the best is as good as the best. Chosen. */
const NEARLY = 1.03;

const meanRatio = (pairs) => geometricMean(pairs.map(([a, b]) => b / a));

/** His observations, each judged by his tables and by the same measurements here. */
function claimsOf(cases, dtype, usOf) {
  const last = LAUNCHES.at(-1);
  const his = (one, method, launch) => JINDAL[method].get(one.matrix)?.[LAUNCHES.indexOf(launch)];
  /** Counts how often `a` is faster than `b`, each a method and a launch: in his tables, and here. */
  const compared = (...pairs) =>
    [his, usOf].map((source) =>
      joined(
        pairs.map(([a, b]) =>
          faster(
            cases,
            (one) => source(one, ...a),
            (one) => source(one, ...b),
          ),
        ),
      ),
    );
  const said = ({ count, all, gain }) => (all === 0 ? '–' : `${count} of ${all}; ${times(gain)} in the mean`);
  const row = (claim, method, pairs, verdictOf) => {
    const [paper, here] = compared(...pairs);
    return {
      ...{ claim: `${dtype}: ${claim}`, method, figure: said(paper), here: said(here) },
      verdict: verdictOf(here.count, here.all),
    };
  };
  const methods = Object.keys(PRODUCTS);
  const at = (method, launch = last) => [method, launch];
  const best = bestEntries(cases, dtype);
  return [
    row('atomic adds are mostly faster by columns than by rows', '§1.1, §1.2', [[at('column'), at('row')]], mostly),
    row(
      'more threads are faster: 512 × 128 over 512 × 32',
      'all four',
      methods.map((method) => [at(method, LAUNCHES[2]), at(method, LAUNCHES[0])]),
      ofAll,
    ),
    {
      claim: `${dtype}: as many threads in other blocks are as fast: 512 × 128 over 256 × 256`,
      method: 'all four',
      ...same(cases, his, usOf),
    },
    row('the segmented scan is slower than atomic adds by rows', '§1.2, §2', [[at('row'), at('scan')]], ofAll),
    row('reordered by components, the scan is faster', '§3, §2', [[at('reordered'), at('scan')]], mostly),
    row('atomic adds by columns are faster still', '§1.1, §3', [[at('column'), at('reordered')]], ofAll),
    {
      ...row(
        'in a launch that fills this GPU, atomic adds by columns are still faster than reordered components',
        '§1.1, §3, a thread for each entry, or a warp for 64',
        [[at('column', FILLING), at('reordered', FILLING)]],
        mostly,
      ),
      figure: '– (his largest launch has 65,536 threads)',
    },
    {
      claim: `${dtype}: ${HIS_ENTRIES} entries a warp are the best of 32 to 4096`,
      method: '§3, 256 × 256',
      figure: String(HIS_ENTRIES),
      here: best === undefined ? '–' : `${best.entries}; ${HIS_ENTRIES} take ${times(best.loss)} as long`,
      verdict: best && (best.entries === HIS_ENTRIES ? HOLDS : best.loss < NEARLY ? PARTLY : FAILS),
    },
  ];
}

function joined(all) {
  const sum = (key) => all.reduce((total, one) => total + one[key], 0);
  return { count: sum('count'), all: sum('all'), gain: geometricMeanOf(all.map(({ gain }) => gain)) };
}

/** Compares the two launches that have as many threads: the ratios of their times. */
function same(cases, his, usOf) {
  const [paper, here] = [his, usOf].map((source) =>
    cases.flatMap((one) =>
      known(
        Object.keys(PRODUCTS).map((method) =>
          ratio(source(one, method, LAUNCHES[2]), source(one, method, LAUNCHES[3])),
        ),
      ),
    ),
  );
  const within = here.filter((one) => Math.abs(Math.log(one)) < Math.log(ALIKE)).length;
  return { figure: rangeOf(paper), here: rangeOf(here), verdict: ofAll(within, here.length) };
}

/** The entries of a warp that take the least time in the mean. */
function bestEntries(cases, dtype) {
  const means = ENTRIES_PER_WARP.map((entries) => {
    const all = known(cases.map((one) => one.us(dtype, 'paper', PRODUCTS.reordered(LAUNCHES.at(-1), entries))));
    return all.length === cases.length ? geometricMean(all) : undefined;
  });
  if (means.includes(undefined)) return undefined;
  const least = Math.min(...means);
  return {
    entries: ENTRIES_PER_WARP[means.indexOf(least)],
    loss: means[ENTRIES_PER_WARP.indexOf(HIS_ENTRIES)] / least,
  };
}

/** Draws a table of his, old bars beside new ones. */
function tableOf(cases, method, usOf) {
  const series = LAUNCH_NAMES.flatMap((name) => [`${name}: his`, `${name}: here`]);
  const rows = cases.flatMap((one) =>
    LAUNCHES.flatMap((launch, k) => {
      const values = [JINDAL[method].get(one.matrix)?.[k], usOf(one, method, launch, 'f32')];
      return values.map((value, side) => ({ group: one.matrix, series: series[2 * k + side], value }));
    }),
  );
  const title = `${TITLES[method]}: µs of a product, his table and the same here in f32`;
  return {
    name: `jindal-${method}`,
    title,
    svg: bars({ label: title, rows, series, unit: 'µs, logarithmic', log: true }),
  };
}

function warps(cases) {
  const launches = [LAUNCHES.at(-1), FILLING];
  const rows = launches.flatMap((launch) =>
    DTYPES.flatMap((dtype) =>
      ENTRIES_PER_WARP.map((entries) => {
        const over = cases.map((one) =>
          ratio(
            one.us(dtype, 'paper', PRODUCTS.reordered(launch, entries)),
            one.us(dtype, 'paper', PRODUCTS.reordered(launch)),
          ),
        );
        const panel = launch === FILLING ? 'as many threads as entries ask for' : launch.replace(' ', ' × ');
        return { panel, series: dtype, x: entries, y: geometricMeanOf(over) };
      }),
    ),
  );
  const title = 'Entries of a warp (§3): time over that with 64, geometric mean of the 15 matrices';
  return {
    name: 'jindal-warps',
    title,
    svg: panels({ label: title, rows, series: DTYPES, x: 'entries of a warp', y: 'times as long', across: 2 }),
  };
}
