/** The fit of caches to curves: those of the model are found again. */
import { describe, expect, test } from 'vitest';
import { missedShare } from '#dist/choice/model.js';
import { fitCaches } from '#dist/cli/cache-curves.js';

const SIZES = Array.from({ length: 23 }, (_, k) => 2 ** 17 * 2 ** (k >> 1) * (k % 2 === 0 ? 1 : 1.5));

function curve(levels: readonly number[], [l2, l3]: readonly number[], noise = (_: number) => 1) {
  const [near = 0, middle = 0, far = 0] = levels;
  return SIZES.map((bytes, k) => {
    const ns = near + (middle - near) * missedShare(bytes, l2!) + (far - middle) * missedShare(bytes, l3!);
    return { bytes, ns: ns * noise(k) };
  });
}

describe('caches', () => {
  test.each([
    [2 ** 20, 2 ** 24],
    [2 ** 18, 3 * 2 ** 20],
    [2 ** 21, 2 ** 26],
  ])('of %d and %d bytes are found again, with the levels', (...caches) => {
    const fit = fitCaches(curve([0.01, 0.011, 0.04], caches), curve([0.3, 0.7, 11], caches));
    for (const [k, bytes] of caches.entries())
      expect(Math.abs(Math.log2(fit.cacheBytes[k]! / bytes))).toBeLessThan(0.3);
    for (const [k, ns] of [0.3, 0.7, 11].entries()) expect(Math.abs(Math.log2(fit.missNs[k]! / ns))).toBeLessThan(0.2);
    for (const [k, ns] of [0.01, 0.011, 0.04].entries())
      expect(Math.abs(Math.log2(fit.byteNs[k]! / ns))).toBeLessThan(0.2);
  });

  test('are found again in noise of ten percent', () => {
    const caches = [2 ** 20, 2 ** 24];
    const noise = (k: number) => [1.1, 0.95, 1, 1.07, 0.92][k % 5]!;
    const fit = fitCaches(curve([0.01, 0.011, 0.04], caches, noise), curve([0.3, 0.7, 11], caches, noise));
    expect(Math.abs(Math.log2(fit.cacheBytes[1] / caches[1]!))).toBeLessThan(0.6);
    expect(fit.missNs[2] / 11).toBeCloseTo(1, 0);
  });

  test('that cannot be seen leave levels that do not fall, and none is 0', () => {
    const flat = SIZES.map((bytes) => ({ bytes, ns: 0.02 }));
    const falling = SIZES.map((bytes, k) => ({ bytes, ns: 1 - k / 50 }));
    const { byteNs, missNs } = fitCaches(flat, falling);
    for (const ns of byteNs) expect(ns).toBeCloseTo(0.02, 3);
    expect(missNs).toEqual([...missNs].sort((a, b) => a - b));
    expect(
      fitCaches(
        flat,
        flat.map((one) => ({ ...one, ns: 0, of: 1 })),
      ).missNs[0],
    ).toBeGreaterThan(0);
  });
});
