/**
 * f(A) X for a symmetric A by the Chebyshev series of f on an interval that has the spectrum of A.
 *
 * Source: Tal-Ezer & Kosloff 1984; Druskin & Knizhnerman 1989; coefficients by sampling as in Trefethen, Approximation Theory and Approximation
 *   Practice, 2013, chapters 3 and 8.
 * For: smooth f. e^{tA} takes some √(37 |t| w) products for an interval of width w, in which Taylor polynomials take 2.8 |t| w.
 * Cost: a product, and two updates, for each coefficient; three blocks. No dot products.
 */
import { mismatch } from '../../core/errors.js';
import { Owned } from '../../core/owned.js';
import type { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';

/** f(λ) ≈ Σ cₖ Tₖ((λ − middle) / half) */
export interface ChebyshevSeries {
  readonly coefficients: Float64Array;
  readonly middle: number;
  readonly half: number;
}

const FIRST_POINTS = 16;
/** Coefficients of so many points take some 0.2 s. */
const MOST_POINTS = 8192;
/** The share of the coefficients of a sample that must not be needed, so that the others are hardly falsified by those beyond. */
const UNNEEDED = 0.25;
/** What rounding errors of the sums leave of a coefficient that is 0, beside the largest |f|. */
const ROUNDED_SUMS: number = 4 * Number.EPSILON;

/**
 * @param interval finite, from the least number to the greatest
 * @param rtol the largest coefficient that is left out, beside the largest |f|
 * @throws SparlaneError `argument` if f is not finite there, or no polynomial of a degree up to 6000 or so is f up to `rtol`
 */
export function chebyshevSeries(
  f: (value: number) => number,
  interval: readonly [number, number],
  rtol: number,
): ChebyshevSeries {
  const [least, greatest] = interval;
  const middle = least / 2 + greatest / 2;
  const half = greatest / 2 - least / 2;
  if (half === 0) return { coefficients: Float64Array.of(checked(f, middle)), middle, half: 1 };
  // The points of samples do not have the ends.
  checked(f, least);
  checked(f, greatest);
  for (let points = FIRST_POINTS; points <= MOST_POINTS; points *= 2) {
    const { coefficients, largest, steepest } = sample((x) => checked(f, middle + half * x), points);
    // Each λ is rounded, so f has noise, which no coefficients describe.
    const noise = (2 * Number.EPSILON * (1 + Math.abs(middle) / half) * steepest) / Math.sqrt(points);
    const enough = Math.max(Math.max(rtol, ROUNDED_SUMS) * largest, noise);
    let count = points;
    while (count > 1 && Math.abs(coefficients[count - 1]!) <= enough) count--;
    if (count <= (1 - UNNEEDED) * points) return { coefficients: coefficients.slice(0, count), middle, half };
  }
  const expected = `a function that is smooth from ${least} to ${greatest}`;
  throw mismatch('argument', 'f', expected, `one that takes more than ${MOST_POINTS} coefficients`);
}

function checked(f: (value: number) => number, at: number): number {
  const value = f(at);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw mismatch('argument', `f(${at})`, 'a finite number on the whole interval of the spectrum', value);
}

/** The coefficients of the polynomial through f at the Chebyshev points, the largest |f| there, and the steepest slope between two. */
function sample(f: (x: number) => number, points: number) {
  const cosines = Float64Array.from({ length: 4 * points }, (_, k) => Math.cos((Math.PI * k) / (2 * points)));
  const values = Float64Array.from({ length: points }, (_, j) => f(cosines[2 * j + 1]!));
  const coefficients = new Float64Array(points);
  for (let k = 0; k < points; k++) {
    let sum = 0;
    for (let j = 0, at = k; j < points; j++, at = (at + 2 * k) % (4 * points)) sum += values[j]! * cosines[at]!;
    coefficients[k] = ((k === 0 ? 1 : 2) * sum) / points;
  }
  let [largest, steepest] = [0, 0];
  values.forEach((value, j) => {
    largest = Math.max(largest, Math.abs(value));
    if (j === 0) return;
    steepest = Math.max(steepest, Math.abs((value - values[j - 1]!) / (cosines[2 * j + 1]! - cosines[2 * j - 1]!)));
  });
  return { coefficients, largest, steepest };
}

/** Steps of the recurrence beyond that degree, where coefficients are below 1e-17. */
const BEYOND = 60;
const HUGE = 1e200;

/** The degree of the series of e^{z x}, about. */
export function degreeFor(z: number): number {
  return Math.sqrt(80 * Math.abs(z));
}

/**
 * The series of e^{z (x − 1)} on [−1, 1] for z > 0; for z < 0 that of e^{|z| (−x − 1)}. So the largest value is 1. The coefficients are Bessel functions, e^{−z} Iₖ(z), by
 * Miller's recurrence backwards: Abramowitz & Stegun 1964, sections 9.6 and 9.12.
 */
export function exponentialSeries(z: number, rtol: number): Float64Array {
  const size = Math.abs(z);
  if (size === 0) return Float64Array.of(1);
  const last = Math.ceil(degreeFor(z)) + BEYOND;
  const bessel = new Float64Array(last + 2);
  bessel[last] = Number.MIN_VALUE / Number.EPSILON;
  for (let k = last; k > 0; k--) {
    bessel[k - 1] = bessel[k + 1]! + ((2 * k) / size) * bessel[k]!;
    if (bessel[k - 1]! > HUGE) for (let i = k - 1; i <= last; i++) bessel[i]! /= HUGE;
  }
  const sum = bessel.reduce((all, value) => all + 2 * value, -bessel[0]!);
  const coefficients = bessel.map((value, k) => ((k === 0 ? 1 : 2) * (z < 0 && k % 2 === 1 ? -value : value)) / sum);
  let count = coefficients.length;
  while (count > 1 && Math.abs(coefficients[count - 1]!) <= rtol) count--;
  return coefficients.slice(0, count);
}

/** y ← f(A) y. Yields after each product. @returns products with the block */
export function* seriesSteps(
  A: LinearOperator,
  { coefficients, middle, half }: ChebyshevSeries,
  y: Vector,
): Generator<void, number> {
  const [first, second = 0] = coefficients;
  if (coefficients.length === 1) {
    y.scale(first!);
    return 0;
  }
  using owned = new Owned();
  let [before, now] = [owned.own(y.like()).copyFrom(y), owned.own(y.like())];
  A.apply(before, now, 1 / half);
  now.axpy(-middle / half, before);
  y.axpby(second, now, first!);
  for (const coefficient of coefficients.subarray(2)) {
    // T₊ = 2 (A − middle) / half T − T₋
    A.apply(now, before, 2 / half, -1);
    before.axpy((-2 * middle) / half, now);
    [before, now] = [now, before];
    y.axpy(coefficient, now);
    yield;
  }
  return coefficients.length - 1;
}
