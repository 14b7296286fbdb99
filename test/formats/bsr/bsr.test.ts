/** BSR by hand: the layout, its edges, segments and panels, and what is refused. The rest is in `test/conformance`. */
import { describe, expect, it } from 'vitest';
import { checkStored } from '#dist/conformance/check-format.js';
import { Findings } from '#dist/conformance/findings.js';
import { conformanceMatrices, workedExample } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { DTYPES, type Dtype } from '#dist/core/types.js';
import type { StoredBsr } from '#dist/formats/bsr/bsr.js';
import { toCsr } from '#dist/formats/format.js';
import { storeMatrix } from '#dist/formats/store.js';
import { gallery } from '#dist/gallery/registry.js';
import { expectConformance } from '../conforms.js';
import { kernelsOf } from '../kernels-of.js';
import { testEngine } from '../test-engine.js';

const engine = await testEngine();

function store(spec: string, matrix: CsrMatrix = workedExample(), dtype: Dtype = 'f64'): StoredBsr {
  return storeMatrix(engine.heap, matrix, spec, dtype) as StoredBsr;
}

function matrixOf(rows: number, cols: number, entries: readonly (readonly [number, number, number])[]): CsrMatrix {
  const builder = new CsrBuilder(rows, cols);
  for (const [row, col, value] of entries) builder.add(row, col, value);
  return builder.build();
}

describe('the worked example [10 0 20; 0 0 0; 0 0 30; 40 50 60]', () => {
  it('in blocks of 2 × 2, the last block column moved left', () => {
    using stored = store('bsr?blockSize=2');
    expect(stored.blockRowPtr).toEqual(Uint32Array.of(0, 2, 4));
    expect(stored.blockColIdx).toEqual(Uint32Array.of(0, 1, 0, 1));
    expect([...stored.values]).toEqual(
      [
        [10, 0, 0, 0],
        [0, 0, 20, 0],
        [0, 40, 0, 50],
        [0, 0, 30, 60],
      ].flat(),
    );
    expect(stored.segPtr).toBeUndefined();
    expect(kernelsOf(stored)).toEqual(['bsr2_spmv']);
    expect(stored.stages.spmv[0]!.units).toBe(2);
    // Stored values, and a row's share for each row.
    expect([0, 1, 2].map((unit) => stored.stages.spmv[0]!.workBefore(unit))).toEqual([0, 10, 20]);
  });

  it('in blocks of 3 × 3, the last block row half outside', () => {
    using stored = store('bsr?blockSize=3');
    expect(stored.blockRowPtr).toEqual(Uint32Array.of(0, 1, 2));
    expect([...stored.values.subarray(0, 9)]).toEqual([10, 0, 0, 0, 0, 0, 20, 0, 30]);
    expect([...stored.values.subarray(9)]).toEqual([40, 0, 0, 50, 0, 0, 60, 0, 0]);
  });

  it('balanced, at most one block in a segment', () => {
    using stored = store('bsr?blockSize=2&maxRowBlocks=1');
    expect(stored.segPtr).toEqual(Uint32Array.of(0, 2, 4));
    expect(stored.blockRowPtr).toEqual(Uint32Array.of(0, 1, 2, 3, 4));
    expect(kernelsOf(stored)).toEqual(['bsr2_spmv', 'bsr_reduce']);
    expect(stored.stages.spmv.map(({ units }) => units)).toEqual([4, 2]);
    using whole = store('bsr?blockSize=2');
    expect(stored.values).toEqual(whole.values);
    expect(stored.blockColIdx).toEqual(whole.blockColIdx);
  });

  it('has a header of sizes and addresses', () => {
    using stored = store('bsr?blockSize=2');
    const words = [...engine.heap.view(Uint32Array, stored.stages.spmv[0]!.header, 7)];
    const arrays = [stored.blockRowPtr, stored.blockColIdx, stored.values].map((array) => array.byteOffset);
    expect(words).toEqual([4, 2, 1, ...arrays, 0]);
  });

  // blockRowPtr 3 · 4, blockColIdx 4 · 4, 16 values, x and y of 3 and 4 elements.
  it.each([
    ['f64', 28 + 8 * 16 + 8 * 7],
    ['mixed', 28 + 4 * 16 + 8 * 7],
    ['f32', 28 + 4 * 16 + 4 * 7],
  ] as const)('costs in %s %d bytes and 12 operations', (dtype, bytes) => {
    using stored = store('bsr?blockSize=2', workedExample(), dtype);
    expect(stored.cost()).toEqual({ bytes, flops: 12 });
    expect(stored.storedEntries).toBe(16);
    using balanced = store('bsr?blockSize=2&maxRowBlocks=1', workedExample(), dtype);
    const sums = 8 * (dtype === 'f32' ? 4 : 8);
    expect(balanced.cost().bytes).toBe(bytes + 2 * 4 + 3 * 4 + sums);
  });
});

describe('padding and zeros', () => {
  it('tells an entry that is zero, or minus zero, or rounds to it, from padding', () => {
    const matrix = matrixOf(4, 4, [
      [0, 0, 0],
      [1, 1, -0],
      [2, 3, 1e-60],
      [3, 2, 5],
    ]);
    for (const dtype of DTYPES) {
      using stored = store('bsr?blockSize=2', matrix, dtype);
      const back = toCsr(stored);
      expect(back.rowPtr).toEqual(Uint32Array.of(0, 1, 2, 3, 4));
      expect([...back.colIdx]).toEqual([0, 1, 3, 2]);
      expect(Object.is(back.values[1], -0)).toBe(true);
    }
  });

  it('keeps all zeros where no place is padding', () => {
    using stored = store('bsr?blockSize=2', gallery('dense', { rows: 4, cols: 4 }));
    stored.values.fill(0);
    expect(toCsr(stored).nnz).toBe(16);
  });
});

/** A matrix whose block rows of 2 × 2 blocks have the given numbers of blocks. */
function ofBlockCounts(counts: readonly number[]): CsrMatrix {
  const entries = counts.flatMap((count, i) =>
    Array.from({ length: count }, (_, k) => [2 * i + (k % 2), 2 * k + ((i + k) % 2), i - 2 * k + 0.5] as const),
  );
  return matrixOf(2 * counts.length, 2 * Math.max(...counts), entries);
}

describe('balanced', () => {
  it('cuts block rows as figure 8 of the paper: λ = 3', () => {
    using stored = store('bsr?blockSize=2&maxRowBlocks=3', ofBlockCounts([5, 3, 2, 12, 6, 1, 9]));
    expect(stored.segPtr).toEqual(Uint32Array.of(0, 2, 3, 4, 8, 10, 11, 14));
    expect([...stored.blockRowPtr]).toEqual([0, 3, 5, 8, 10, 13, 16, 19, 22, 25, 28, 29, 32, 35, 38]);
    expect(stored.spec).toBe('bsr?blockSize=2&maxRowBlocks=3');
  });

  it('is one stage where no block row is longer', () => {
    using stored = store('bsr?blockSize=2&maxRowBlocks=12', ofBlockCounts([5, 0, 12]));
    expect(stored.segPtr).toBeUndefined();
    expect(stored.stages.spmv.length).toBe(1);
  });

  it('writes rows without blocks', () => {
    const matrix = ofBlockCounts([0, 5, 0, 0, 4, 0]);
    using stored = store('bsr?blockSize=2&maxRowBlocks=2', matrix);
    expect(stored.segPtr).toEqual(Uint32Array.of(0, 1, 4, 5, 6, 8, 9));
    const findings = new Findings();
    checkStored(findings, engine, stored, matrix, 'threads', 'real');
    expect(findings.failures).toEqual([]);
  });
});

describe('panels', () => {
  it('divide blocks of 9 rows into 4 and 5, one behind the other', () => {
    const matrix = gallery('dense', { rows: 9, cols: 18 });
    using stored = store('bsr?blockSize=9', matrix);
    expect(kernelsOf(stored)).toEqual(['bsr_spmv']);
    expect(stored.stages.spmv[0]!.units).toBe(2);
    const place = (row: number, col: number) => matrix.values[18 * row + col];
    expect(stored.values[4 * 10 + 3]).toBe(place(3, 10));
    expect(stored.values[4 * 18 + 5 * 10 + 3]).toBe(place(7, 10));
    expect([0, 1, 2].map((unit) => stored.stages.spmv[0]!.workBefore(unit))).toEqual([0, 4 * 18 + 4, 9 * 18 + 9]);
  });
});

/** All specialized kernels, and all heights of panels: 4 and 5, 5 and 5 … 8 and 8, three of them. Larger ones are in `large-blocks.test.ts`. */
const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 16, 17];
const EDGES = ['worked example', 'dense', 'arrow', 'explicit zeros'];

describe('sizes', () => {
  it.each(SIZES)('conform: %d', async (blockSize) => {
    const matrices = conformanceMatrices().filter(({ name }) => EDGES.includes(name));
    for (const balance of ['', '&maxRowBlocks=2']) {
      await expectConformance(`bsr?blockSize=${blockSize}&maxFill=4096${balance}`, { matrices });
    }
  });

  it('are found where none is given, and named', () => {
    using blocks = store('bsr', gallery('laplace2d5', { nx: 9, ny: 8, block: 7 }));
    expect(blocks.spec).toBe('bsr?blockSize=7');
    expect(blocks.warnings).toEqual([]);
    using none = store('bsr', gallery('laplace2d5', { nx: 20, ny: 20 }));
    expect(none.spec).toBe('bsr?blockSize=1');
  });

  it('are at most the columns', () => {
    using stored = store('bsr?blockSize=8');
    expect(stored.spec).toBe('bsr?blockSize=3');
    expect(stored.warnings).toEqual(['blockSize=8: expected at most the number of columns; used 3']);
  });

  it.each([
    ['bsr?blockSize=1025', 'bsr blockSize: expected an integer from 0 to 1024'],
    ['bsr?blockSize=2.5', 'bsr blockSize: expected an integer from 0 to 1024'],
    ['bsr?maxRowBlocks=-1', 'bsr maxRowBlocks: expected an integer from 0'],
    ['bsr?maxFill=0', 'bsr maxFill: expected a number from 1'],
    ['bsr?size=9', 'bsr: expected only the parameters blockSize, maxRowBlocks, maxFill'],
  ])('are checked: %s', (spec, message) => {
    expect(() => store(spec)).toThrowError(message);
  });
});

describe('fill-in', () => {
  const diagonal = matrixOf(
    5000,
    5000,
    Array.from({ length: 5000 }, (_, i) => [i, i, 1] as const),
  );

  it('is refused if it is excessive, with the factor', () => {
    expect(() => store('bsr?blockSize=20', diagonal)).toThrowError(
      expect.objectContaining({
        code: 'fill-in',
        message: 'bsr: expected at most 4 stored entries per entry of the matrix (maxFill), got 20',
        detail: { storedEntries: 100_000, nnz: 5000, factor: 20, maxFill: 4 },
      }),
    );
  });

  it('is accepted on request, or if small', () => {
    using wanted = store('bsr?blockSize=20&maxFill=20', diagonal);
    expect(wanted.spec).toBe('bsr?blockSize=20&maxFill=20');
    using small = store('bsr?blockSize=13', diagonal);
    expect(small.storedEntries).toBeLessThan(2 ** 16);
  });
});
