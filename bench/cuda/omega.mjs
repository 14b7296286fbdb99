/**
 * Flegar & Anzt's oversubscription ω, threads for each core, by the number of entries: the best one, and their rule
 * derived again.
 *
 * Source: Flegar & Anzt 2017, §4.3 (figure 5): ω from 2 to 128 on a P100; 8 below 10⁵ entries, 32 below 10⁶, 128 beyond.
 * Differs: ω up to 512, since current GPUs have more cores; the same matrices in seven sizes, not the same number of
 *   different ones. The rule is not read from a figure: it is the rule with the least mean loss among all rules of a
 *   given number of steps.
 */

import { matrixByName } from './matrices.mjs';
import { table } from './table.mjs';

/** Approximate numbers of entries. */
const SIZES = [1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7];

const OMEGAS = [2, 4, 8, 16, 32, 64, 128, 256, 512];

/** The default kernel, for comparison. */
const OURS = ['runs?tiles=1', 'runs?tiles=2'];

const methodOf = (omega) => `flegar?omega=${omega}`;

export const OMEGA = {
  matrices: ['5-point', '27-point', 'band', 'rmat', 'circuit'],
  products: [{ format: 'coo', methods: [...OMEGAS.map(methodOf), ...OURS] }],
  cases: (names) =>
    SIZES.flatMap((size) => names.map((name) => ({ name, size, scale: size / matrixByName(name).published.nnz }))),
  report,
};

/** §4.3. `below`: the number of entries at which a step ends. */
const PAPER = [
  { below: 1e5, omega: 8 },
  { below: 1e6, omega: 32 },
  { below: Number.POSITIVE_INFINITY, omega: 128 },
];

const MAX_STEPS = 3;

/** `lines`: a product each: { matrix, title, size, nnz, requested, us }. */
function* report(lines) {
  const cases = casesOf(lines);
  yield 'µs, f64, L2 cold; ω: threads for each core.';
  yield '';
  yield* table(['matrix', 'entries', ...OMEGAS.map((omega) => `ω = ${omega}`), 'best ω', ...OURS], cases.map(cellsOf));
  if (cases.length === 0) return;
  const rules = [...derivedRules(cases), { title: 'the paper’s', rule: PAPER }];
  const rows = rules.map(({ title, rule }) => {
    const losses = cases.map((one) => lossOf(one, omegaBy(rule, one.nnz)));
    const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
    return [title, ruleText(rule), percent(mean), percent(Math.max(...losses))];
  });
  yield* ['', ...table(['rule', 'ω', 'mean loss', 'worst loss'], rows)];
}

function cellsOf({ title, nnz, us, ours }) {
  const best = OMEGAS[us.indexOf(Math.min(...us))];
  const figures = (all) => all.map((one) => one?.toFixed(1) ?? '–');
  return [title, nnz.toLocaleString('en-US'), ...figures(us), String(best), ...figures(ours)];
}

/** By the number of entries; only cases in which all ω were measured. */
function casesOf(lines) {
  const keys = [...new Set(lines.map(({ matrix, size }) => `${matrix} ${size}`))];
  const cases = keys.flatMap((key) => {
    const own = lines.filter(({ matrix, size }) => `${matrix} ${size}` === key);
    const timeOf = (method) => own.find(({ requested }) => requested === method)?.us;
    const us = OMEGAS.map((omega) => timeOf(methodOf(omega)));
    if (us.includes(undefined)) return [];
    const { title, size, nnz } = own[0];
    return [{ title, size, nnz, us, ours: OURS.map(timeOf) }];
  });
  return cases.sort((a, b) => a.nnz - b.nnz);
}

const lossOf = ({ us }, omega) => us[OMEGAS.indexOf(omega)] / Math.min(...us) - 1;

const omegaBy = (rule, nnz) => rule.find(({ below }) => nnz < below).omega;

/** Rules of 1 to MAX_STEPS steps. */
function derivedRules(cases) {
  const sizes = [...new Set(cases.map(({ size }) => size))].sort((a, b) => a - b);
  const most = Math.min(MAX_STEPS, sizes.length);
  return Array.from({ length: most }, (_, k) => ({
    title: k === 0 ? '1 step' : `${k + 1} steps`,
    rule: bestRule(cases, sizes, k + 1),
  }));
}

/** The rule with the least sum of losses, among all that change ω between two sizes. */
export function bestRule(cases, sizes, steps) {
  const rules = [...cutsOf(sizes.length, steps)].map((cuts) => {
    const ends = [...cuts, sizes.length];
    const parts = ends.map((end, k) => sizes.slice(k === 0 ? 0 : ends[k - 1], end));
    const best = parts.map((part) => bestOmega(cases.filter(({ size }) => part.includes(size))));
    const below = ends.map((end) =>
      end === sizes.length ? Number.POSITIVE_INFINITY : between(sizes[end - 1], sizes[end]),
    );
    return {
      rule: best.map(({ omega }, k) => ({ below: below[k], omega })),
      loss: best.reduce((sum, { loss }) => sum + loss, 0),
    };
  });
  return rules.reduce((a, b) => (b.loss < a.loss ? b : a)).rule;
}

/** Every choice of steps − 1 places among 1 … count − 1, ascending. */
function* cutsOf(count, steps, from = 1) {
  if (steps === 1) {
    yield [];
    return;
  }
  for (let cut = from; cut < count; cut++) for (const more of cutsOf(count, steps - 1, cut + 1)) yield [cut, ...more];
}

function bestOmega(cases) {
  const sums = OMEGAS.map((omega) => cases.reduce((sum, one) => sum + lossOf(one, omega), 0));
  const loss = Math.min(...sums);
  return { omega: OMEGAS[sums.indexOf(loss)], loss };
}

/** The geometric mean to one digit. */
const between = (a, b) => Number(Math.sqrt(a * b).toPrecision(1));

function ruleText(rule) {
  return rule
    .map(({ below, omega }) =>
      below === Number.POSITIVE_INFINITY ? `${omega}` : `${omega} below ${below.toLocaleString('en-US')}`,
    )
    .join(', else ');
}

const percent = (fraction) => `${(100 * fraction).toFixed(1)} %`;
