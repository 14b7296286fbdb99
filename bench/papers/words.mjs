/** Numbers and verdicts in words. */
import { geometricMean } from '../report/statistics.mjs';
import { median } from '../times.mjs';

export const HOLDS = 'holds';
export const PARTLY = 'partly';
export const FAILS = 'does not hold';

/** Writes three digits. */
export function short(number) {
  if (number === undefined || Number.isNaN(number)) return '–';
  if (number >= 1000) return Math.round(number).toLocaleString('en-US');
  return number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2);
}

export const times = (ratio) => (ratio === undefined ? '–' : `${short(ratio)} ×`);

export const percent = (share) => (share === undefined ? '–' : `${Math.round(100 * share)} %`);

/** Judges a ratio: half of the gain that a paper has is enough; of a loss (a ratio below 1) half is too much. */
export function asMuch(paper, here) {
  if (here === undefined) return undefined;
  const [wanted, got] = [Math.log(paper), Math.log(here)];
  if (Math.sign(wanted) * got >= Math.abs(wanted) / 2) return HOLDS;
  return Math.sign(wanted) * got > Math.log(1.02) ? PARTLY : FAILS;
}

/** Judges a number that is to be small: it holds below `holds`, and partly below `partly`. */
export function below(number, holds, partly) {
  if (number === undefined) return undefined;
  return number < holds ? HOLDS : number < partly ? PARTLY : FAILS;
}

/** Judges a number that is to be large. */
export function above(number, holds, partly) {
  return number === undefined ? undefined : below(-number, -holds, -partly);
}

/** Judges a claim about each of some by those for which it is true: all, at least half, fewer. */
export function ofAll(count, all) {
  if (all === 0) return undefined;
  return count === all ? HOLDS : count / all >= 0.5 ? PARTLY : FAILS;
}

/** Judges a claim that says "mostly". */
export function mostly(count, all) {
  if (all === 0) return undefined;
  return count / all > 0.6 ? HOLDS : count / all >= 0.4 ? PARTLY : FAILS;
}

export const known = (numbers) => numbers.filter((number) => number !== undefined && !Number.isNaN(number));

export function medianOf(numbers) {
  const all = known(numbers);
  return all.length === 0 ? undefined : median(all);
}

export function meanOf(numbers) {
  const all = known(numbers);
  return all.length === 0 ? undefined : all.reduce((sum, one) => sum + one, 0) / all.length;
}

export const geometricMeanOf = (numbers) => geometricMean(known(numbers));

/** The least and the greatest of ratios. */
export function rangeOf(ratios) {
  const all = known(ratios);
  return all.length === 0 ? '–' : `${short(Math.min(...all))} to ${times(Math.max(...all))}`;
}

export const ratio = (a, b) => (a === undefined || b === undefined ? undefined : a / b);

/** Returns the name of the greatest of [name, number]; undefined numbers do not count. */
export function greatest(pairs) {
  const all = pairs.filter(([, number]) => number !== undefined);
  return all.length === 0 ? undefined : all.reduce((a, b) => (b[1] > a[1] ? b : a))[0];
}
