/** Blocks of 48 to 1024 rows: every product of every dtype, and the layout of the largest. */
import { describe, expect, it, test } from 'vitest';
import { isBriefFor, LARGE_BLOCK_SPECS, matricesFor } from '#dist/conformance/large-blocks.js';
import { conformanceMatrices } from '#dist/conformance/matrices.js';
import type { StoredBsr } from '#dist/formats/bsr/bsr.js';
import { toCsr } from '#dist/formats/format.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { expectConformance } from '../conforms.js';
import { testEngine } from '../test-engine.js';

const engine = await testEngine();

/** The largest ones take seconds: `test/conformance` checks them. */
const SPECS = LARGE_BLOCK_SPECS.filter((spec) => !isBriefFor(spec));

describe('conform', () => {
  it.each(SPECS)('%s', async (spec) => {
    const matrices = matricesFor(spec);
    for (const { matrix } of matrices) {
      using stored = storeMatrix(engine.heap, matrix, spec, 'f64') as StoredBsr;
      expect([stored.spec, stored.warnings]).toEqual([spec, []]);
    }
    await expectConformance(spec, { matrices });
  });
});

test('the matrices of other formats and of small blocks are those of the suite', () => {
  for (const spec of ['csr', 'bsr', 'bsr?blockSize=3', 'bsr?maxRowBlocks=4'])
    expect(matricesFor(spec)).toBe(conformanceMatrices());
  expect(matricesFor('bsr?blockSize=64')).toBe(matricesFor('bsr?blockSize=64&maxRowBlocks=1'));
});

describe('blocks of 1024', () => {
  const matrix = gallery('dense', { rows: 1500, cols: 2048, values: 'real' });

  it('are 128 panels of 8 rows, which threads share', () => {
    using stored = storeMatrix(engine.heap, matrix, 'bsr?blockSize=1024', 'f32') as StoredBsr;
    expect([stored.blockRowPtr, stored.blockColIdx]).toEqual([
      Uint32Array.of(0, 2, 4),
      Uint32Array.of(0, 1024, 0, 1024),
    ]);
    expect(stored.stages.spmv[0]!.units).toBe(2 * 128);
    expect(stored.values[8 * 2048 * 3 + 8 * 1030 + 5]).toBe(Math.fround(matrix.values[2048 * (8 * 3 + 5) + 1030]!));
    expect(stored.storedEntries).toBe(2048 ** 2);
    expect(toCsr(stored).nnz).toBe(matrix.nnz);
  });

  it('give the same bits however many parts compute them', () => {
    const x = Float64Array.from({ length: matrix.cols }, (_, j) => 1 / (1 + (j % 7)));
    const bits = [1, 3, 64].map((parts) => {
      using operator = engine.operator(matrix, { format: 'bsr?blockSize=1024', parts });
      const y = new Float64Array(matrix.rows);
      operator.apply(x, y);
      return y;
    });
    expect(bits[1]).toEqual(bits[0]);
    expect(bits[2]).toEqual(bits[0]);
    using csr = engine.operator(matrix, { format: 'csr' });
    const expected = new Float64Array(matrix.rows);
    csr.apply(x, expected);
    const largest = Math.max(...bits[0]!.map((value, i) => Math.abs(value - expected[i]!)));
    expect(largest).toBeLessThan(1e-11);
  });
});
