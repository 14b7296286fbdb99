/**
 * `format: 'auto'` of complex matrices: the choice of real ones (`choice/choose.ts`) for the same pattern, among layouts with complex kernels, with pairs for
 * numbers and the costs of the complex kernels.
 *
 * On 15 matrices (grids of 5 to 27 points, random, ragged and banded rows; in the cache and in memory) the layout takes 1.03 times as
 * long as the best one in the geometric mean, and 1.13 times at worst, csr 1.18 and 1.50 times; in c64 1.04 and 1.28, csr 1.10 and 1.28 times. (AMD EPYC Zen 4, one thread,
 * Node 20, 2026-11-27.)
 */
import { type Decision, decide, type Products, rank, YARDSTICK } from '../choice/choose.js';
import type { MachineCosts } from '../choice/model.js';
import type { CsrMatrix } from '../core/csr.js';
import { examine } from '../features/features.js';
import { type Prospect, vectorBytes } from '../formats/format.js';
import { prospectsOf } from '../formats/registry.js';
import { firstThatFits } from '../operators/best-format.js';
import type { StoredComplex } from './stored.js';

/**
 * The time of an entry of a complex kernel over that of the real one in f64, by `Prospect.kernel`, with all data in the cache; sums are f64 in c64, too. Layouts
 * that are missing here were 1.5 times as slow as `csr` and more. (27 points on 9³; AMD EPYC, one thread, Node 20, 2026-11-26.)
 */
const ENTRY: Readonly<Record<string, number>> = {
  csr: 1.8,
  csrk16: 1.8,
  sell: 1.9,
  sell16: 1.9,
  sellFour: 2,
  sellFour16: 2,
  dia: 2.8,
};

/** The same of a row, and of a step. Chosen: a row stores a pair of sums, and reads one. */
const ROW = 1.3;
const STEP = 1.5;

/** Predicted times of other layouts than csr count so many times: of random rows, gathers of three rows at once take longer than predicted (1.49 times). Chosen. */
const DOUBT = 1.1;

export interface ComplexCircumstances {
  /** What pairs consist of. */
  readonly dtype: 'f64' | 'f32';
  readonly threads: number;
  readonly products: Products;
  readonly costs: MachineCosts;
  readonly padding: boolean;
}

/**
 * Stores a matrix in the layout that is expected to be fastest.
 *
 * @param numbered its pattern @param store stores it in the format of a spec @throws as `store`
 */
export function storeBestComplex(
  numbered: CsrMatrix,
  circumstances: ComplexCircumstances,
  store: (spec: string) => StoredComplex,
): { readonly stored: StoredComplex; readonly decision: Decision } {
  const { dtype, padding, costs } = circumstances;
  const start = performance.now();
  const pattern = examine(numbered);
  // An element of x has two numbers.
  const features = { ...pattern.features, reach: 2 * pattern.features.reach };
  const examined = { ...pattern, features };
  const seen = performance.now();
  const numberBytes = dtype === 'f64' ? 8 : 4;
  const vectors = vectorBytes(features, dtype);
  const prospects = prospectsOf(examined, dtype, { padding }).map(
    (one): Prospect => ({ ...one, bytes: one.bytes + numberBytes * one.entries + vectors }),
  );
  const own = { ...circumstances, costs: complexCosts(costs), prospects };
  const ranked = rank(examined, own);
  const chooseMs = performance.now() - seen;
  const { stored, ranking } = firstThatFits(ranked, ({ spec }) => store(spec));
  const { multipliesPadding } = stored;
  const outcome = { examineMs: seen - start, chooseMs, tuneMs: 0, multipliesPadding };
  return { stored, decision: decide(examined, own, ranking, outcome) };
}

function complexCosts(costs: MachineCosts): MachineCosts {
  const kernels = Object.entries(ENTRY).map(([name, factor]) => {
    const cost = costs.kernels[name]!;
    const entry = factor * cost.f64Entry;
    const doubt = name === YARDSTICK ? 1 : DOUBT;
    return [name, { ...cost, f64Entry: entry, f32Entry: entry, row: ROW * cost.row, step: STEP * cost.step, doubt }];
  });
  return { ...costs, kernels: Object.fromEntries(kernels) };
}
