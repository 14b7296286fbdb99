/** The formulas of Lane & Booth 2022, §4, computed by hand. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CsrkFit, Tuning } from '#dist/core/tuning.js';
import { fittedSize, gpuSizes, SUPER_ROW_SIZES, type TunedGpu, tunedSize, usedSize } from '#dist/formats/csrk/sizes.js';

const densities = fc.double({ min: 1e-3, max: 1e6, noNaN: true });

describe('on a GPU', () => {
  it.each<[gpu: TunedGpu, density: number, ssrs: number, srs: number, block: number[]]>([
    // Case 1: ⌊8.9 − 1.25 ln 3⌉ = ⌊7.53⌉ and ⌊10.146 − 1.5 ln 3⌉ = ⌊8.498⌉, no further.
    ['volta', 3, 8, 8, [8, 12]],
    ['volta', 8, 6, 7, [8, 12]],
    // Case 2: 6 × 1.5 and 6 × 2; at 16 5 × 1.5 = 7.5, a half, upwards.
    ['volta', 12, 9, 12, [4, 8, 12]],
    ['volta', 16, 8, 12, [4, 8, 12]],
    // Case 3: 5 × 4, and half of it.
    ['volta', 16.01, 20, 10, [8, 8, 8]],
    ['volta', 32, 20, 10, [8, 8, 8]],
    // Case 4: 4 × 5, and half of it; at 81 3 × 5, and 7.5 upwards.
    ['volta', 39, 20, 10, [16, 8, 4]],
    ['volta', 81, 15, 8, [16, 8, 4]],
    // Case 1: ⌊9.175 − 1.32 ln 3⌉ = ⌊7.72⌉ and ⌊20.5 − 3.5 ln 3⌉ = ⌊16.65⌉.
    ['ampere', 3, 8, 17, [8, 12]],
    ['ampere', 8, 6, 13, [8, 12]],
    // Case 2: SSRS stays; 12 × 4 and 11 × 4.
    ['ampere', 12, 6, 48, [4, 8, 12]],
    ['ampere', 16, 6, 44, [4, 8, 12]],
    // Case 3: 5 × 2.5 = 12.5 upwards, and three times that.
    ['ampere', 27, 13, 39, [8, 8, 8]],
    // Case 4: 4 × 2, twice that; 3 × 2, twice that.
    ['ampere', 39, 8, 16, [16, 8, 4]],
    ['ampere', 81, 6, 12, [16, 8, 4]],
    // One pair for each case, independent of the density within it.
    ['hopper', 3, 12, 6, [8, 12]],
    ['hopper', 8, 12, 6, [8, 12]],
    ['hopper', 16, 32, 16, [4, 8, 12]],
    ['hopper', 27, 16, 48, [8, 8, 8]],
    ['hopper', 81, 4, 16, [16, 8, 4]],
  ])('%s, %d entries per row: %d super-rows of %d rows', (gpu, density, superSuperRowSize, superRowSize, block) => {
    expect(gpuSizes(gpu, density)).toEqual({ superSuperRowSize, superRowSize, block });
  });

  it('blocks are whole warps and fit a multiprocessor; sizes are at least 1, however dense the rows', () => {
    fc.assert(
      fc.property(fc.constantFrom<TunedGpu>('volta', 'ampere', 'hopper'), densities, (gpu, density) => {
        const { superRowSize, superSuperRowSize, block } = gpuSizes(gpu, density);
        const threads = block.reduce((product, extent) => product * extent);
        expect([threads % 32, threads <= 1024]).toEqual([0, true]);
        for (const size of [superRowSize, superSuperRowSize]) {
          expect(Number.isInteger(size) && size >= 1).toBe(true);
        }
      }),
    );
  });

  it('a matrix without entries has sizes too', () => {
    expect(gpuSizes('volta', 0)).toEqual({ superSuperRowSize: 9, superRowSize: 10, block: [8, 12] });
  });
});

describe('on a CPU', () => {
  it('sizes to tune over are 2ⁱ and 1.5 · 2ⁱ for i = 3 … 11', () => {
    const sizes = [8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072];
    expect(SUPER_ROW_SIZES).toEqual(sizes);
  });

  it('a fit is evaluated at the logarithm of the row density, and rounded to the nearest size by ratio', () => {
    const constant = Math.log2(96);
    expect(fittedSize({ constant, slope: 0 }, 5)).toBe(96);
    expect(fittedSize({ constant, slope: 1 }, Math.E)).toBe(192);
    expect(fittedSize({ constant, slope: -1 }, Math.E ** 2)).toBe(24);
    expect([55, 56].map((size) => fittedSize({ constant: Math.log2(size), slope: 0 }, 1))).toEqual([48, 64]);
  });

  it('beyond the ends there are none but the first and the last', () => {
    expect([-3, 40].map((constant) => fittedSize({ constant, slope: 0 }, 1))).toEqual([8, 3072]);
    fc.assert(
      fc.property(fc.double({ min: -50, max: 50, noNaN: true }), densities, (slope, density) => {
        expect(SUPER_ROW_SIZES).toContain(fittedSize({ constant: 6, slope }, density));
      }),
    );
  });

  it('every thread has 16 super-rows or more, where there are rows enough', () => {
    const line = { constant: 10, slope: 0 };
    const sizes = [1_000_000, 16 * 2 * 1024, 16 * 2 * 1024 - 1, 10_000, 300, 5].map((rows) =>
      usedSize(line, { rows, nnz: 5 * rows }, 2),
    );
    expect(sizes).toEqual([1024, 1024, 768, 256, 8, 8]);
    expect(usedSize(line, { rows: 1_000_000, nnz: 1 }, 256)).toBe(192);
  });

  it('a tuning speaks for the dtypes that it has, and of matrices that have entries', () => {
    const fit: CsrkFit = { constant: 9, slope: 0, rmsLog2: 0, medianLoss: 0, worstLoss: 0 };
    const machine = { cpu: 'any', threads: 1, binary: 'simd' };
    const tuning: Tuning = { version: 1, date: '2026-11-21', machine, csrk: { f32: fit } };
    const shape = { rows: 100_000, nnz: 500_000 };
    expect(tunedSize(tuning, 'f32', shape)).toBe(512);
    expect(tunedSize(tuning, 'f64', shape)).toBeUndefined();
    expect(tunedSize(tuning, 'f32', { rows: 100_000, nnz: 0 })).toBeUndefined();
    expect(tunedSize(tuning, 'f32', { rows: 0, nnz: 0 })).toBeUndefined();
    const { csrk: _, ...without } = tuning;
    expect(tunedSize(without, 'f32', shape)).toBeUndefined();
  });
});
