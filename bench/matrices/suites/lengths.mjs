/**
 * Row lengths for stand-ins: a given number of rows, with a given sum, minimum, maximum and variance.
 *
 * They follow the distribution of maximum entropy with the given mean and variance: p(l) ~ w(l) exp(a l + b l²). For a
 * bell w is 1; for hubs it is a power law (`tail`). Newton's method finds a and b. The exponent of w is chosen so that
 * it meets the mean alone. Rounding to whole rows causes errors, which are corrected: the longest rows except one take
 * up the missing variance, all rows take up the missing sum.
 */
import { normal, permutation, unit } from '../../../dist/gallery/draw.js';
import { byAscendingKey } from '../../../dist/reorder/counting-sort.js';
import { inverted } from '../../../dist/reorder/permutation.js';

/**
 * A support of more than some 4000 values is thinned out: each value is at least this factor greater than the previous
 * one.
 */
const STEP = 1.002;
/** Share of the rows that may be changed to correct the variance. */
const MENDED = 0.01;
const VARIANCE_TOLERANCE = 1e-3;
/** Tolerance for mean and variance, in deviations: below it the dual is flat to rounding, and so are smaller steps. */
const CONVERGED = 1e-5;
const MIN_STEP = 1e-6;

/** Ascending, a Uint32Array; the sum is exact, the maximum is `max`, the variance as close as whole numbers allow. */
export function rowLengths({ rows, sum, min, max, variance, tail }) {
  if (rows === 0) return new Uint32Array(0);
  if (sum < min * (rows - 1) + max || sum > max * rows) {
    throw new RangeError(`row lengths: no ${rows} lengths of ${min} … ${max}, one of them ${max}, sum up to ${sum}`);
  }
  const lengths = new Uint32Array(rows).fill(min);
  const mean = sum / rows;
  if (min < max) {
    const shape = { mean, min, max, tail };
    sample(lengths, distribution({ ...shape, variance }));
    // The longest row is fixed: the others have the remaining variance.
    const own = ((max - mean) ** 2 - (lengths[rows - 1] - mean) ** 2) / rows;
    if (own > VARIANCE_TOLERANCE * variance) {
      sample(lengths, distribution({ ...shape, variance: Math.max(variance - own, variance / 100) }));
    }
  }
  lengths[rows - 1] = max;
  const squares = rows * (variance + mean * mean);
  for (let turn = 0; turn < 4; turn++) {
    takeUpSum(lengths, sum, min, max);
    takeUpSquares(lengths, squares, VARIANCE_TOLERANCE * variance * rows, mean, max);
  }
  takeUpSum(lengths, sum, min, max);
  return lengths;
}

/** Puts ascending lengths in the order of rows: at random, or so that neighbours mostly have similar lengths. */
export function arranged(ascending, smooth, random) {
  const rows = ascending.length;
  const ranks = smooth ? smoothRanks(rows, random) : permutation(random, rows);
  return Uint32Array.from(ranks, (rank) => ascending[rank]);
}

function distribution({ mean, min, max, variance, tail }) {
  const values = [];
  for (let value = min; value < max; value = Math.max(value + 1, Math.ceil(value * STEP))) values.push(value);
  values.push(max);
  const widths = values.map((value, k) => (k + 1 < values.length ? values[k + 1] - value : 1));
  const exponent = tail ? powerOf(values, widths, mean) : 0;
  const weights = values.map((value, k) => Math.log(widths[k]) - exponent * Math.log(value + 1));
  return { values, widths, shares: tilted(values, weights, mean, Math.sqrt(variance)) };
}

/** The exponent of the power law over the values for which the mean is met. */
function powerOf(values, widths, mean) {
  let [low, high] = [0, 12];
  for (let turn = 0; turn < 60; turn++) {
    const exponent = (low + high) / 2;
    let [total, first] = [0, 0];
    for (let k = 0; k < values.length; k++) {
      const weight = widths[k] * (values[k] + 1) ** -exponent;
      total += weight;
      first += weight * values[k];
    }
    if (first / total > mean) low = exponent;
    else high = exponent;
  }
  return low;
}

/** Minimizes the dual, log Σ w exp(a x + b x²) − b over a and b, x = (l − mean)/deviation: there E x = 0 and E x² = 1. */
function tilted(values, weights, mean, deviation) {
  const x = values.map((value) => (value - mean) / Math.max(deviation, 1e-9));
  let [a, b] = [0, 0];
  let now = moments(x, weights, a, b);
  for (let turn = 0; turn < 200 && Math.hypot(now.m1, now.m2 - 1) > CONVERGED; turn++) {
    const [aa, ab, bb] = [now.m2 - now.m1 ** 2, now.m3 - now.m1 * now.m2, now.m4 - now.m2 ** 2];
    const determinant = aa * bb - ab * ab;
    const [ga, gb] = [now.m1, now.m2 - 1];
    // If only two values have weight, the variance is not free: then only the mean is met.
    const isFlat = determinant <= 1e-12 * aa * bb;
    const da = isFlat ? -ga / Math.max(aa, 1e-300) : (ab * gb - bb * ga) / determinant;
    const db = isFlat ? 0 : (ab * ga - aa * gb) / determinant;
    let step = 1;
    let next = moments(x, weights, a + da, b + db);
    while (step > MIN_STEP && !(next.dual <= now.dual + 1e-4 * step * (ga * da + gb * db))) {
      step /= 2;
      next = moments(x, weights, a + step * da, b + step * db);
    }
    if (step <= MIN_STEP) break;
    a += step * da;
    b += step * db;
    now = next;
  }
  return now.shares;
}

function moments(x, weights, a, b) {
  const exponents = x.map((at, k) => weights[k] + a * at + b * at * at);
  const top = exponents.reduce((most, exponent) => Math.max(most, exponent), -Infinity);
  const shares = exponents.map((exponent) => Math.exp(exponent - top));
  const total = shares.reduce((sum, share) => sum + share, 0);
  let [m1, m2, m3, m4] = [0, 0, 0, 0];
  for (let k = 0; k < x.length; k++) {
    shares[k] /= total;
    const first = shares[k] * x[k];
    m1 += first;
    m2 += first * x[k];
    m3 += first * x[k] ** 2;
    m4 += first * x[k] ** 3;
  }
  return { shares, m1, m2, m3, m4, dual: Math.log(total) + top - b };
}

/** Row i has the (i + ½)/rows quantile of the distribution. */
function sample(lengths, { values, widths, shares }) {
  const rows = lengths.length;
  let k = 0;
  let below = 0;
  for (let i = 0; i < rows; i++) {
    const at = (i + 0.5) / rows;
    while (k + 1 < values.length && below + shares[k] < at) below += shares[k++];
    const within = shares[k] > 0 ? Math.min((at - below) / shares[k], 0.999_999) : 0;
    lengths[i] = values[k] + Math.floor(Math.max(within, 0) * widths[k]);
  }
}

function takeUpSum(lengths, sum, min, max) {
  const last = lengths.length - 1;
  let missing = sum - lengths.reduce((total, length) => total + length, 0);
  for (let pass = 0; missing !== 0; pass++) {
    const step = Math.max(1, Math.floor(last / Math.abs(missing)));
    for (let i = pass % step; i < last && missing !== 0; i += step) {
      if (missing > 0 ? lengths[i] >= max : lengths[i] <= min) continue;
      lengths[i] += Math.sign(missing);
      missing -= Math.sign(missing);
    }
  }
}

function takeUpSquares(lengths, squares, tolerance, mean, max) {
  const last = lengths.length - 1;
  const first = Math.max(0, last - Math.max(1, Math.floor(MENDED * lengths.length)));
  let missing = squares - lengths.reduce((total, length) => total + length * length, 0);
  for (let i = last - 1; i >= first && Math.abs(missing) > tolerance; i--) {
    const before = lengths[i];
    const wanted = Math.sqrt(Math.max(0, before * before + missing));
    lengths[i] = Math.min(max, Math.max(Math.min(before, Math.round(mean)), Math.round(wanted)));
    missing -= lengths[i] ** 2 - before ** 2;
  }
}

/** Ranks of a field of a few waves and some noise, by its 2¹⁶ levels. */
function smoothRanks(rows, random) {
  const waves = Array.from({ length: 6 }, (_, k) => ({
    frequency: 2 * Math.PI * (1 + unit(random)) * 4 ** k,
    phase: 2 * Math.PI * unit(random),
  }));
  const levels = Uint32Array.from({ length: rows }, (_, i) => {
    let height = 0.3 * normal(random);
    for (const { frequency, phase } of waves) height += Math.sin((frequency * i) / rows + phase);
    return Math.max(0, Math.min(0xffff, Math.round(0x8000 * (1 + height / 8))));
  });
  return inverted(byAscendingKey(levels));
}
