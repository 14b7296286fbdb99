/** The regression of Lane & Booth 2022, §4, on data with a known answer. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestSize, fitSizes, leastSquares, lossAt, lossesOf, type SizeCurve } from '#dist/formats/csrk/fit.js';
import { fittedSize, SUPER_ROW_SIZES } from '#dist/formats/csrk/sizes.js';

const coefficient = fc.double({ min: -100, max: 100, noNaN: true });

/** A million rows, fastest at one size, and a tenth slower for every factor of two away from it. */
function valley(density: number, size: number): SizeCurve {
  const medianMs = SUPER_ROW_SIZES.map((other) => 1 + 0.1 * Math.abs(Math.log2(other / size)));
  return { rows: 1_000_000, nnz: 1_000_000 * density, medianMs };
}

describe('least squares', () => {
  it('finds the line that points lie on', () => {
    const places = fc.uniqueArray(fc.integer({ min: -20, max: 20 }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(places, coefficient, coefficient, (xs, constant, slope) => {
        const line = leastSquares(xs.map((x) => ({ x, y: constant + slope * x })));
        expect(line.slope).toBeCloseTo(slope, 8);
        expect(line.constant).toBeCloseTo(constant, 7);
      }),
    );
  });

  it('leaves residuals without mean and without slope', () => {
    const points = fc.array(fc.record({ x: coefficient, y: coefficient }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(points, (given) => {
        const { constant, slope } = leastSquares(given);
        const residuals = given.map(({ x, y }) => ({ x, r: y - constant - slope * x }));
        const scale =
          1 + given.reduce((sum, { x, y }) => sum + (1 + Math.abs(x)) * (Math.abs(y) + Math.abs(slope * x)), 0);
        expect(residuals.reduce((sum, { r }) => sum + r, 0) / scale).toBeCloseTo(0, 8);
        expect(residuals.reduce((sum, { x, r }) => sum + x * r, 0) / scale).toBeCloseTo(0, 8);
      }),
    );
  });

  it('is level through one point, or through the mean of points above each other', () => {
    expect(leastSquares([{ x: 3, y: 7 }])).toEqual({ constant: 7, slope: 0 });
    expect(leastSquares([2, 4, 9].map((y) => ({ x: 3, y })))).toEqual({ constant: 5, slope: 0 });
  });
});

describe('the best size', () => {
  it('is the fastest where it stands alone', () => {
    for (const size of SUPER_ROW_SIZES) expect(bestSize(valley(5, size))).toBeCloseTo(size, 9);
  });

  it('is the middle of those that are equally good, whichever was fastest', () => {
    const good = [64, 96, 128, 192, 256];
    for (const fastest of good) {
      const medianMs = SUPER_ROW_SIZES.map((size) => (size === fastest ? 0.98 : good.includes(size) ? 1 : 1.2));
      expect(bestSize({ rows: 1000, nnz: 5000, medianMs })).toBeCloseTo((64 * 96 * 128 * 192 * 256) ** (1 / 5), 9);
    }
  });

  it('loses nothing against itself, and the extra time of the others', () => {
    const curve = valley(5, 512);
    expect([512, 1024, 128].map((size) => lossAt(size, curve))).toEqual([0, expect.closeTo(0.1), expect.closeTo(0.2)]);
  });
});

describe('losses over a suite', () => {
  it('are the median and the worst', () => {
    const curves = [64, 128, 1024].map((size) => valley(5, size));
    expect(lossesOf(curves, () => 64)).toEqual({ medianLoss: expect.closeTo(0.1), worstLoss: expect.closeTo(0.4) });
    expect(lossesOf(curves.slice(0, 2), () => 64).medianLoss).toBeCloseTo(0.05);
    expect(lossesOf(curves.slice(2), () => 64)).toEqual({
      medianLoss: expect.closeTo(0.4),
      worstLoss: expect.closeTo(0.4),
    });
  });
});

describe('the fit', () => {
  it('recovers the line that the best sizes lie on, without error or loss', () => {
    const halving = { constant: 11, slope: -2 / Math.log(4) };
    // 2048 rows at one entry per row, a factor of 4 less for every factor of 4 more: all of them sizes of the set.
    const curves = [1, 4, 16, 64].map((density) => valley(density, 2048 / density));
    expect(curves.map(({ nnz, rows }) => fittedSize(halving, nnz / rows))).toEqual([2048, 512, 128, 32]);
    const fit = fitSizes(curves, 2);
    expect(fit.constant).toBeCloseTo(halving.constant, 9);
    expect(fit.slope).toBeCloseTo(halving.slope, 9);
    expect(fit.rmsLog2).toBeCloseTo(0, 9);
    expect([fit.medianLoss, fit.worstLoss]).toEqual([0, 0]);
  });

  it('of one matrix is its best size, whatever the density', () => {
    const { constant, slope, rmsLog2 } = fitSizes([valley(7, 384)], 2);
    expect([2 ** constant, slope, rmsLog2]).toEqual([expect.closeTo(384, 9), 0, expect.closeTo(0, 9)]);
  });

  it('of matrices of one density is the geometric mean, with its error', () => {
    const fit = fitSizes([valley(7, 64), valley(7, 256)], 2);
    expect(2 ** fit.constant).toBeCloseTo(128, 9);
    expect(fit).toMatchObject({ slope: 0, rmsLog2: expect.closeTo(1), medianLoss: expect.closeTo(0.1) });
  });

  it('loses as much as the sizes that engines use: smaller ones for few rows', () => {
    const small = { ...valley(7, 1024), rows: 16 * 256, nnz: 7 * 16 * 256 };
    expect(fitSizes([small], 1).worstLoss).toBeCloseTo(0.2);
    expect(fitSizes([small], 2).worstLoss).toBeCloseTo(0.3);
  });

  it('does not depend on how fast the machine is', () => {
    const curves = [2, 5, 40].map((density, k) => valley(density, [1024, 96, 192][k]!));
    const slower = curves.map((curve) => ({ ...curve, medianMs: curve.medianMs.map((ms) => 7 * ms) }));
    const [fit, same] = [fitSizes(curves, 2), fitSizes(slower, 2)];
    for (const key of Object.keys(fit) as (keyof typeof fit)[]) expect(same[key]).toBeCloseTo(fit[key], 9);
  });
});
