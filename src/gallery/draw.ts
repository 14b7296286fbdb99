/**
 * Seeded random numbers: xoroshiro128+ from pure-rand, and the distributions that the gallery uses.
 *
 * The same seed gives the same integers everywhere. Some distributions use a logarithm or an exponential, whose last bit
 * depends on the JavaScript engine: in very rare cases another engine draws another number.
 */
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A stream of random numbers that a seed determines. */
export interface RandomStream {
  /** The next 32 bits, as a signed integer. */
  next(): number;
}

/** Streams of one seed that do not overlap. The jump also mixes the state: first numbers of close seeds are similar. */
export function randomStream(seed: number, purpose: 'structure' | 'values'): RandomStream {
  const stream = xoroshiro128plus(seed);
  stream.jump();
  if (purpose === 'values') stream.jump();
  return stream;
}

/** Uniform in (0, 1), both ends excluded: its logarithm is finite. */
export function unit(random: RandomStream): number {
  return ((random.next() >>> 0) + 0.5) / 2 ** 32;
}

/** A uniform integer from 0 to count − 1; count ≤ 2³². */
export function below(random: RandomStream, count: number): number {
  return Math.floor(unit(random) * count);
}

/** Standard normal, by Box and Muller. */
export function normal(random: RandomStream): number {
  return Math.sqrt(-2 * Math.log(unit(random))) * Math.cos(2 * Math.PI * unit(random));
}

/** Rounds up with the probability of the fraction, which preserves the mean. */
export function roundRandomly(random: RandomStream, value: number): number {
  return Math.floor(value + unit(random));
}

/** A random permutation of 0 … count − 1 (Fisher and Yates). */
export function permutation(random: RandomStream, count: number): Uint32Array {
  const order = new Uint32Array(count);
  for (let k = 0; k < count; k++) {
    const other = below(random, k + 1);
    order[k] = order[other]!;
    order[other] = k;
  }
  return order;
}

/**
 * Writes `count` different integers from [begin, end), ascending, to `target` from `at` on: one from each of `count` strata,
 * whose sizes differ by at most one. Not every subset is possible, but the count is exact, and all integers are almost
 * equally likely.
 */
export function stratified(
  random: RandomStream,
  count: number,
  begin: number,
  end: number,
  target: Uint32Array,
  at: number,
): void {
  const width = Math.floor((end - begin) / count);
  const wider = (end - begin) % count;
  let low = begin;
  let carry = 0;
  for (let k = 0; k < count; k++) {
    carry += wider;
    const high = low + width + (carry >= count ? 1 : 0);
    if (carry >= count) carry -= count;
    target[at + k] = low + below(random, high - low);
    low = high;
  }
}
