/** Random decisions of a kind: from one stream, so that a seed gives the same matrix everywhere. */
import { below, normal, permutation, randomStream, unit } from '../../dist/gallery/draw.js';

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

  normal() {
    return normal(this.stream);
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

/** A row length of a distribution, as a real number of at least 0. */
export const LENGTHS = {
  constant: (_draws, mean) => () => mean,
  uniform: (draws, mean) => () => 2 * mean * draws.unit(),
  geometric: (draws, mean) => () => Math.floor(Math.log(draws.unit()) / Math.log(mean / (mean + 1))),
  powerlaw: (draws, mean) => {
    const exponent = draws.real(2.05, 3.2);
    return () => ((mean * (exponent - 2)) / (exponent - 1)) * draws.unit() ** (-1 / (exponent - 1));
  },
  lognormal: (draws, mean) => {
    const sigma = draws.real(0.2, 1.3);
    return () => mean * Math.exp(sigma * draws.normal() - (sigma * sigma) / 2);
  },
  bimodal: (draws, mean) => {
    const share = draws.real(0.02, 0.5);
    const ratio = draws.logarithmic(2, 40);
    const short = mean / (1 - share + share * ratio);
    return () => (draws.chance(share) ? ratio * short : short);
  },
};
