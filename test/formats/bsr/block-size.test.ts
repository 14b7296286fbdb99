/** Block detection: the sizes with a gain, their fill and their gain. */
import { describe, expect, it, test } from 'vitest';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { examine } from '#dist/features/features.js';
import { blockSizes, findBlockSize } from '#dist/formats/bsr/block-size.js';
import { prospects } from '#dist/formats/bsr/prospects.js';
import { gallery } from '#dist/gallery/registry.js';

describe('findBlockSize', () => {
  it.each([2, 3, 4, 5, 6, 7, 8, 9, 11, 13])('finds blocks of %d', (block) => {
    const found = findBlockSize(gallery('laplace2d5', { nx: 12, ny: 11, block }));
    expect(found).toEqual({ blockSize: block, fill: 1, gain: 12 / (8 + 4 / block ** 2) });
  });

  it('finds the 3 × 3 blocks of a lattice, whole or sampled', () => {
    for (const nx of [3, 8]) {
      const { blockSize, fill } = findBlockSize(gallery('qcd', { nx, ny: 4, nz: 4, nt: 8 }));
      expect([blockSize, fill]).toEqual([3, 1]);
    }
  });

  it('counts a few long rows apart from the sample, but not many of them', () => {
    const builder = new CsrBuilder(30_000, 30_000);
    for (let row = 0; row < 30_000; row++)
      for (let place = 0; place < 4; place++) builder.add(row, (row & ~3) + place, 1);
    for (const row of [7001, 15_002, 23_003]) for (let col = 0; col < 30_000; col += 2) builder.add(row, col, 1);
    const matrix = builder.build();
    const fillOf = (limit: number) => [...blockSizes(matrix, 8, limit)].find(({ blockSize }) => blockSize === 4)!.fill;
    expect(fillOf(4096) / fillOf(Number.POSITIVE_INFINITY)).toBeCloseTo(1, 1);
    expect(findBlockSize(gallery('dense', { rows: 100, cols: 2000 })).fill).toBe(1);
  });

  it('finds blocks that lie in the first rows of a sample only', () => {
    const builder = new CsrBuilder(200_000, 200);
    for (let row = 0; row < 1000; row++) for (let k = 0; k < 100; k++) builder.add(row, 8 * (k >> 2) + (k & 3), 1);
    const { blockSize, fill } = findBlockSize(builder.build());
    expect([blockSize, fill]).toEqual([4, 1]);
  });

  it('keeps the smaller size if a multiple saves almost nothing', () => {
    expect(findBlockSize(gallery('laplace2d5', { nx: 12, ny: 11, block: 10 })).blockSize).toBe(5);
    expect(findBlockSize(gallery('dense', { rows: 64, cols: 64 })).blockSize).toBe(8);
  });

  it('includes some zeros if that moves fewer bytes', () => {
    const builder = new CsrBuilder(80, 80);
    for (let i = 0; i < 80; i += 4) {
      for (let place = 0; place < 16; place++) if (place !== 9) builder.add(i + (place >> 2), i + (place & 3), 1);
    }
    const { blockSize, fill, gain } = findBlockSize(builder.build());
    expect([blockSize, fill]).toEqual([4, 16 / 15]);
    expect(gain).toBeCloseTo(12 / ((8.25 * 16) / 15));
  });

  it.each([
    ['a stencil', gallery('laplace2d5', { nx: 30, ny: 30 })],
    ['a power law', gallery('rmat', { scale: 8, edgeFactor: 4 })],
    ['no entries', new CsrBuilder(20, 20).build()],
    ['no rows', new CsrBuilder(0, 20).build()],
    ['one column', gallery('dense', { rows: 20, cols: 1 })],
  ])('finds that nothing pays in %s', (_, matrix) => {
    expect(findBlockSize(matrix)).toEqual({ blockSize: 1, fill: 1, gain: 1 });
  });
});

test('a choice gets all sizes that move about as few bytes, a device the one that moves the fewest', () => {
  const examined = examine(gallery('laplace2d5', { nx: 12, ny: 11, block: 8 }));
  const sizesFor = (onDevice: boolean) => prospects(examined, 'f64', onDevice).map(({ spec }) => spec);
  expect(sizesFor(false)).toEqual(['bsr?blockSize=4', 'bsr?blockSize=8']);
  expect(sizesFor(true)).toEqual(['bsr?blockSize=8']);
});

test('a choice gets blocks that are half full although they save no bytes, a device does not', () => {
  const builder = new CsrBuilder(120, 120);
  for (let row = 0; row < 120; row++) {
    const first = 6 * Math.floor(row / 6) + 3 * (row % 2);
    for (let col = first; col < first + 3; col++) builder.add(row, col, 1);
  }
  const examined = examine(builder.build());
  const sizesFor = (onDevice: boolean) => prospects(examined, 'f64', onDevice).map(({ spec }) => spec);
  expect(sizesFor(false)).toEqual(['bsr?blockSize=2', 'bsr?blockSize=3', 'bsr?blockSize=6']);
  expect(sizesFor(true)).toEqual([]);
});
