/** The regressions of Lane & Booth 2022, §4.1, for a GPU, on data with a known answer. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bestSizes,
  fastestSizes,
  fitGroupSizes,
  formulasOf,
  type GroupCurve,
  type GroupTime,
} from '#dist/formats/csrk/gpu-fit.js';
import { GPU_GROUP_SIZES, type GroupSizes, sizesBy } from '#dist/formats/csrk/sizes.js';

const PAIRS = GPU_GROUP_SIZES.flatMap((superSuperRowSize) =>
  GPU_GROUP_SIZES.map((superRowSize): GroupSizes => ({ superSuperRowSize, superRowSize })),
);

const sizes = (superSuperRowSize: number, superRowSize: number): GroupSizes => ({ superSuperRowSize, superRowSize });

/** The distance of two pairs of sizes, in factors of two of either. */
function distance(a: GroupSizes, b: GroupSizes): number {
  const ratios = [a.superRowSize / b.superRowSize, a.superSuperRowSize / b.superSuperRowSize];
  return ratios.reduce((sum, ratio) => sum + Math.abs(Math.log2(ratio)), 0);
}

/** A million rows, fastest with one pair of sizes, a tenth slower for every factor of two away from it; times vary by 1 %. */
function valley(density: number, best: GroupSizes): GroupCurve {
  const times = PAIRS.map((pair): GroupTime => {
    const medianMs = 1 + 0.1 * distance(pair, best);
    return { ...pair, medianMs, upperMs: 1.01 * medianMs };
  });
  return { rows: 1_000_000, nnz: 1_000_000 * density, times };
}

describe('the best sizes', () => {
  it('are the fastest where these stand alone', () => {
    for (const pair of PAIRS) {
      const curve = valley(5, pair);
      expect(fastestSizes(curve)).toMatchObject(pair);
      const { superSuperRowSize, superRowSize } = bestSizes(curve);
      expect([superSuperRowSize, superRowSize]).toEqual([
        expect.closeTo(pair.superSuperRowSize, 9),
        expect.closeTo(pair.superRowSize, 9),
      ]);
    }
  });

  it('are the middle of those that are as good, by a quarter of the fastest’s own products', () => {
    const good = [sizes(4, 32), sizes(8, 16), sizes(16, 8)];
    const times = PAIRS.map((pair): GroupTime => {
      const isGood = good.some((other) => distance(pair, other) === 0);
      const medianMs = isGood ? 1 + pair.superRowSize / 1000 : 1.2;
      return { ...pair, medianMs, upperMs: medianMs + 0.03 };
    });
    const curve = { rows: 1000, nnz: 5000, times };
    expect(fastestSizes(curve)).toMatchObject(sizes(16, 8));
    const best = bestSizes(curve);
    expect([best.superSuperRowSize, best.superRowSize]).toEqual([expect.closeTo(8, 9), expect.closeTo(16, 9)]);
  });
});

describe('the fit', () => {
  it('recovers the lines that the best sizes lie on, and gives them for other densities', () => {
    // 48, 32 and 16 rows; 24, 16 and 8 super-rows, at densities that are powers of one number: exact but for the rounding.
    const base = 4;
    const curves = [valley(1, sizes(24, 48)), valley(base, sizes(16, 32)), valley(base ** 2, sizes(8, 16))];
    const fit = fitGroupSizes(curves);
    const slope = 1 / Math.log(base);
    expect(fit.superSuperRows).toEqual([24, expect.closeTo(8 * slope, 3)]);
    expect(fit.superRows).toEqual([48, expect.closeTo(16 * slope, 3)]);
    expect(fit.rms.superRows).toBeLessThan(0.01);
    expect(sizesBy(formulasOf(fit, false), Math.sqrt(base))).toMatchObject(sizes(20, 40));
  });

  it('recovers the sizes of every case, even if the regressions do not', () => {
    const densities = [4, 12, 24, 60];
    const pairs = fc.array(fc.constantFrom(...PAIRS), { minLength: densities.length, maxLength: densities.length });
    fc.assert(
      fc.property(pairs, (best) => {
        const fit = fitGroupSizes(densities.map((density, place) => valley(density, best[place]!)));
        const given = densities.map((density) => sizesBy(formulasOf(fit, true), density));
        expect(given).toMatchObject(best);
      }),
    );
  });

  it('reports the error of its regressions', () => {
    const curves = [sizes(4, 16), sizes(12, 48)].map((best) => valley(5, best));
    const { rms, ...fit } = fitGroupSizes(curves);
    expect(fit).toMatchObject({ superSuperRows: [8, 0], superRows: [32, 0] });
    expect(rms).toEqual({ superSuperRows: expect.closeTo(4, 9), superRows: expect.closeTo(16, 9) });
  });

  it('has the regression for a case without matrices', () => {
    const fit = fitGroupSizes([valley(3, sizes(8, 12)), valley(20, sizes(8, 12))]);
    expect(fit).toMatchObject({ superSuperRows: [8, 0], superRows: [12, 0] });
    expect(fit.cases).toEqual([sizes(8, 12), undefined, sizes(8, 12), undefined]);
    expect(sizesBy(formulasOf(fit, true), 12)).toMatchObject(sizes(8, 12));
  });

  it('has the sizes that lose least in a case, and reports their loss on an excluded matrix', () => {
    const [few, many] = [sizes(8, 12), sizes(32, 12)];
    const fit = fitGroupSizes([valley(3, few), valley(4, few), valley(5, few), valley(6, many)]);
    expect(fit.cases[0]).toEqual(few);
    // Two factors of two away, a tenth slower for each; the other three find each other's.
    expect(fit.leftOutLoss).toBeCloseTo(0.2 / 4, 9);
  });

  it('gives sizes that were timed, however dense the rows', () => {
    const pair = fc.constantFrom(...PAIRS);
    const densities = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(densities, pair), { minLength: 1, maxLength: 8 }), densities, (known, density) => {
        const fit = fitGroupSizes(known.map(([at, best]) => valley(at, best)));
        for (const byCase of [false, true]) {
          const given = sizesBy(formulasOf(fit, byCase), density);
          for (const size of [given.superRowSize, given.superSuperRowSize]) {
            expect([Number.isInteger(size), size >= 4, size <= 48]).toEqual([true, true, true]);
          }
        }
      }),
    );
  });

  it('does not depend on how fast the device is', () => {
    const curves = [2, 12, 40].map((density, k) => valley(density, PAIRS[17 * k]!));
    const slower = curves.map((curve) => ({
      ...curve,
      times: curve.times.map((time) => ({ ...time, medianMs: 7 * time.medianMs, upperMs: 7 * time.upperMs })),
    }));
    expect(fitGroupSizes(slower)).toEqual(fitGroupSizes(curves));
  });
});
