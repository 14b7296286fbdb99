import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Returns a function whose results are the same uniform numbers in [0, 1) for the same seed. */
export function randomNumbers(seed) {
  const generator = xoroshiro128plus(seed);
  return () => (generator.next() >>> 0) / 2 ** 32;
}
