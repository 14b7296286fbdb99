/** Inodes by hand: which rows are grouped, and how their values are stored. The rest is in `test/conformance`. */
import { describe, expect, it } from 'vitest';
import { checkStored } from '#dist/conformance/check-format.js';
import { Findings } from '#dist/conformance/findings.js';
import { withRealValues, workedExample } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { DTYPES, type Dtype } from '#dist/core/types.js';
import type { StoredInode } from '#dist/formats/inode/inode.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { testEngine } from '../test-engine.js';

const engine = await testEngine();

function store(matrix: CsrMatrix, dtype: Dtype = 'f64'): StoredInode {
  return storeMatrix(engine.heap, matrix, 'inode', dtype) as StoredInode;
}

/** Runs of rows with the same `width` columns, different from one run to the next. */
function runs(heights: readonly number[], width: number): CsrMatrix {
  const rows = heights.reduce((sum, height) => sum + height, 0);
  const builder = new CsrBuilder(rows, 3 * width + 1);
  let row = 0;
  heights.forEach((height, run) => {
    for (let i = 0; i < height; i++, row++) {
      for (let k = 0; k < width; k++) builder.add(row, 3 * k + (run % 2), row - 2 * k + 0.5);
    }
  });
  return builder.build();
}

describe('layout', () => {
  it('of [10 0 20; 0 0 0; 0 0 30; 40 50 60]: every row alone', () => {
    using stored = store(workedExample());
    expect(stored.groupPtr).toEqual(Uint32Array.of(0, 1, 2, 3, 4));
    expect(stored.colPtr).toEqual(Uint32Array.of(0, 2, 2, 3, 6));
    expect(stored.colIdx).toEqual(Uint32Array.of(0, 2, 2, 0, 1, 2));
    expect(stored.values).toEqual(Float64Array.of(10, 20, 30, 40, 50, 60));
    expect([0, 1, 2, 3, 4].map((unit) => stored.workBefore(unit))).toEqual([0, 4, 6, 9, 14]);
  });

  it('of [1 0 2; 3 0 4; 0 5 6]: two rows share their columns, their values column by column', () => {
    const builder = new CsrBuilder(3, 3);
    [1, 0, 2, 3, 0, 4, 0, 5, 6].forEach((value, place) => {
      if (value !== 0) builder.add(Math.floor(place / 3), place % 3, value);
    });
    using stored = store(builder.build());
    expect(stored.groupPtr).toEqual(Uint32Array.of(0, 2, 3));
    expect(stored.colPtr).toEqual(Uint32Array.of(0, 2, 4));
    expect(stored.valuePtr).toEqual(Uint32Array.of(0, 4, 6));
    expect(stored.colIdx).toEqual(Uint32Array.of(0, 2, 1, 2));
    expect(stored.values).toEqual(Float64Array.of(1, 3, 2, 4, 5, 6));
    expect(stored.cost()).toEqual({ bytes: 3 * 3 * 4 + 4 * 4 + 6 * 8 + 6 * 8, flops: 12 });
  });

  it('divides long runs evenly', () => {
    using stored = store(runs([1, 8, 9, 20], 4));
    expect([...stored.groupPtr]).toEqual([0, 1, 9, 13, 18, 24, 31, 38]);
  });

  it('groups the three rows of a block of the lattice', () => {
    const matrix = gallery('qcd', { nx: 3, ny: 3, nz: 3, nt: 3 });
    using stored = store(matrix);
    expect(stored.units).toBe(matrix.rows / 3);
    expect(stored.colIdx.length).toBe(matrix.nnz / 3);
    expect(stored.storedEntries).toBe(matrix.nnz);
  });

  it('groups blocks that align with no grid', () => {
    using stored = store(runs([3, 5, 2, 7], 5));
    expect([...stored.groupPtr]).toEqual([0, 3, 8, 10, 17]);
  });
});

describe('products', () => {
  const widths = [0, 1, 2, 3, 4, 5, 7, 8, 9, 13];
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('of groups of %d rows, whatever their width', (height) => {
    for (const width of widths) {
      const matrix = runs([height, height, height, height], width);
      for (const dtype of DTYPES) {
        const findings = new Findings();
        using stored = store(matrix, dtype);
        checkStored(findings, engine, stored, matrix, 'threads', 'integer');
        const real = withRealValues(matrix);
        using storedReal = store(real, dtype);
        checkStored(findings, engine, storedReal, real, 'threads', 'real');
        expect(findings.failures).toEqual([]);
      }
    }
  });
});

it('has no parameters', () => {
  expect(() => storeMatrix(engine.heap, workedExample(), 'inode?limit=5', 'f64')).toThrowError(
    'inode: expected only the parameters (none)',
  );
});
