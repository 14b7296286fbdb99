/** Random decisions of a kind: from one stream, so that a seed gives the same matrix everywhere. */
import { below, permutation, randomStream, unit } from '../../../dist/gallery/draw.js';
import { LENGTHS } from '../../../dist/gallery/random.js';

export class Draws {
  constructor(seed) {
    this.stream = randomStream(seed, 'structure');
  }

  /** Uniform in (0, 1). */
  unit() {
    return unit(this.stream);
  }

  /** From 0 to count − 1. */
  below(count) {
    return below(this.stream, count);
  }

  chance(probability) {
    return this.unit() < probability;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** An integer from low to high, both included. */
  integer(low, high) {
    return low + this.below(high - low + 1);
  }

  real(low, high) {
    return low + (high - low) * this.unit();
  }

  /** Evenly spread logarithm. */
  logarithmic(low, high) {
    return low * (high / low) ** this.unit();
  }

  permutation(count) {
    return permutation(this.stream, count);
  }

  /** Words with weights, as [[word, weight], …]. */
  weighted(list) {
    let at = this.unit() * list.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [word, weight] of list) {
      at -= weight;
      if (at < 0) return word;
    }
    return list.at(-1)[0];
  }
}

/** Rounded, and at least 1. */
export function count(value, least = 1) {
  return Math.max(least, Math.round(value));
}

/** A function that draws from 0 … n − 1 with probability about (k + 1)^−exponent. */
export function zipf(draws, n, exponent) {
  if (exponent === 1) return () => Math.min(n - 1, Math.floor((n + 1) ** draws.unit()) - 1);
  const power = 1 - exponent;
  const end = (n + 1) ** power;
  return () => Math.min(n - 1, Math.floor((1 + draws.unit() * (end - 1)) ** (1 / power)) - 1);
}

/** The names of the distributions of row lengths. */
export const DISTRIBUTIONS = [...Object.keys(LENGTHS), 'bimodal'];

/** A function that draws row lengths, real numbers of at least 0, after it has drawn the shape of their distribution. */
export function lengthsOf(distribution, draws, mean) {
  if (distribution === 'bimodal') {
    const share = draws.real(0.02, 0.5);
    const ratio = draws.logarithmic(2, 40);
    const short = mean / (1 - share + share * ratio);
    return () => (draws.chance(share) ? ratio * short : short);
  }
  const exponent = distribution === 'powerlaw' ? draws.real(2.05, 3.2) : undefined;
  const sigma = distribution === 'lognormal' ? draws.real(0.2, 1.3) : undefined;
  return () => LENGTHS[distribution]({ mean, exponent, sigma }, draws.stream);
}
