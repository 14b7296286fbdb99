/** Band-k: a valid order, groups that contain every row, and a band slightly wider than that of RCM. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { checkStored } from '#dist/conformance/check-format.js';
import { Findings } from '#dist/conformance/findings.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import type { Engine } from '#dist/engine/engine.js';
import type { StoredCsrk } from '#dist/formats/csrk/csrk.js';
import { storeMatrix } from '#dist/formats/store.js';
import {
  bandk,
  checkPermutation,
  createEngine,
  csrMatrix,
  type Groups,
  gallery,
  matrixStatistics,
  permuteMatrix,
  rcm,
} from '#dist/index.node.js';
import { smallMatrix } from '../gallery/arbitrary.js';
import { haveMatrices, realMatrix, skipNote } from '../io/support.js';
import { shuffled } from './arbitrary.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 2 });
});
afterAll(() => engine.dispose());

const sizesOf = (ptr: Uint32Array): number[] => Array.from(ptr.subarray(1), (end, g) => end - ptr[g]!);

function expectGroups({ superRowPtr, superSuperRowPtr }: Groups, rows: number): void {
  const levels = superSuperRowPtr === undefined ? [superRowPtr] : [superRowPtr, superSuperRowPtr];
  levels.forEach((ptr, level) => {
    expect(ptr[0]).toBe(0);
    expect(ptr.at(-1)).toBe(level === 0 ? rows : superRowPtr.length - 1);
    expect(sizesOf(ptr).every((size) => size > 0)).toBe(true);
  });
}

describe('any square matrix', () => {
  test('gets one order for rows and columns, and groups that hold every row', () => {
    const options = fc.record({
      k: fc.constantFrom(2, 3),
      superRowSize: fc.integer({ min: 1, max: 5 }),
      superSuperRowSize: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(smallMatrix({ square: true, max: 25 }), options, (matrix, given) => {
        const { rowOrder, colOrder, groups } = bandk(matrix, given);
        checkPermutation('rowOrder', rowOrder, matrix.rows);
        expect(colOrder).toBe(rowOrder);
        expectGroups(groups, matrix.rows);
        expect(groups.superSuperRowPtr === undefined).toBe(given.k === 2);
        const mostRows = Math.max(0, ...sizesOf(groups.superRowPtr));
        const goal = Math.ceil(matrix.rows / given.superRowSize);
        expect(mostRows).toBeLessThanOrEqual(goal === 0 ? 0 : Math.ceil((1.5 * matrix.rows) / goal));
      }),
      { numRuns: 300 },
    );
  });

  it('may be empty', () => {
    const { rowOrder, groups } = bandk({ rows: 0, cols: 0, rowPtr: [0], colIdx: [] }, { k: 3 });
    expect(rowOrder.length).toBe(0);
    expect(groups).toEqual({ superRowPtr: Uint32Array.of(0), superSuperRowPtr: Uint32Array.of(0) });
  });

  it('of one row, with a super-row of its own', () => {
    const { groups } = bandk({ rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0] }, { k: 3 });
    expect(groups).toEqual({ superRowPtr: Uint32Array.of(0, 1), superSuperRowPtr: Uint32Array.of(0, 1) });
  });
});

describe('sizes are near the requested ones', () => {
  const noEntries = csrMatrix({ rows: 5000, cols: 5000, rowPtr: new Uint32Array(5001), colIdx: [] });
  const star = (rows: number): CsrMatrix => {
    const rowPtr = Uint32Array.from({ length: rows + 1 }, (_, i) => (i === 0 ? 0 : rows - 1 + i - 1));
    const colIdx = Uint32Array.from({ length: 2 * (rows - 1) }, (_, k) => (k < rows - 1 ? k + 1 : 0));
    return csrMatrix({ rows, cols: rows, rowPtr, colIdx });
  };
  const matrices: [string, CsrMatrix][] = [
    ['a path', gallery('laplace1d3', { nx: 5000 })],
    ['a grid', shuffled(gallery('laplace3d7', { nx: 20, ny: 19, nz: 18 }))],
    ['a random geometric graph', gallery('rgg', { n: 6000 })],
    ['a power law', gallery('rmat', { scale: 12, edgeFactor: 6 })],
    ['a circuit', gallery('circuit', { n: 6000, hubLength: 3000 })],
    ['a star', star(5000)],
    ['no entries', noEntries],
  ];

  it.each(matrices)('%s', (_name, matrix) => {
    const { groups } = bandk(matrix, { k: 3, superRowSize: 32, superSuperRowSize: 6 });
    expectGroups(groups, matrix.rows);
    const rows = sizesOf(groups.superRowPtr);
    expect(matrix.rows / rows.length).toBeGreaterThan(0.8 * 32);
    expect(Math.max(...rows)).toBeLessThanOrEqual(1.5 * 32 + 1);
    const superRows = sizesOf(groups.superSuperRowPtr!);
    expect(rows.length / superRows.length).toBeGreaterThan(0.8 * 6);
  });
});

describe('the band is a little wider than that of RCM', () => {
  /** Up to 1.75 times as wide, plus four of the coarsest groups; in the sum over rows, hardly wider. */
  const expectBand = (matrix: CsrMatrix, k: number, mostProfile: number) => {
    const narrow = matrixStatistics(permuteMatrix(matrix, rcm(matrix)));
    const band = matrixStatistics(permuteMatrix(matrix, bandk(matrix, { k })));
    const group = k === 2 ? 96 : 8 * 96;
    expect(band.bandwidth).toBeLessThan(1.75 * narrow.bandwidth + 4 * group);
    expect(band.profile).toBeLessThan(mostProfile * narrow.profile);
  };

  it.each([
    ['laplace2d5', { nx: 200, ny: 200 }],
    ['laplace3d7', { nx: 40, ny: 40, nz: 40 }],
    ['rgg', { n: 30_000 }],
  ])('of gallery:%s', (name, given) => expectBand(shuffled(gallery(name, given)), 2, 1.15));

  describe.skipIf(!haveMatrices)(`of real matrices${skipNote}`, () => {
    it.each([
      ['large', 'bcsstk29'],
      ['large', 'copter2'],
      ['large', 'delaunay_n15'],
      ['large', 'luxembourg'],
      ['large', 'mdual'],
      ['large', 'rgg_n_2_15_s0'],
      ['small', '4elt'],
    ] as const)('%s/%s', async (folder, name) => {
      const matrix = await realMatrix(folder, name);
      expectBand(matrix, 2, 1.15);
      expectBand(matrix, 3, 1.25);
    });
  });
});

describe('CSR-k with these groups', () => {
  const matrix = gallery('rgg', { n: 3000, values: 'ones' });

  it.each([2, 3])('k = %i: keeps them unchanged, and conforms', (k) => {
    const ordering = bandk(matrix, { k, superRowSize: 24, superSuperRowSize: 4 });
    const ordered = permuteMatrix(matrix, ordering);
    for (const spec of ['csrk', 'csrk?index=16', 'csrk?values=full']) {
      using stored = storeMatrix(engine.heap, ordered, spec, 'f64', { groups: ordering.groups }) as StoredCsrk;
      expect(stored.superRowPtr).toEqual(ordering.groups.superRowPtr);
      expect(stored.superSuperRowPtr).toEqual(ordering.groups.superSuperRowPtr);
      expect(stored.spec.includes('k=3')).toBe(k === 3);
      const findings = new Findings();
      checkStored(findings, engine, stored, ordered, 'threads', 'integer');
      expect(findings.failures).toEqual([]);
    }
  });

  it('is an operator of the engine', () => {
    const ordering = bandk(matrix);
    using operator = engine.operator(permuteMatrix(matrix, ordering), { format: 'csrk', groups: ordering.groups });
    using x = engine.vector(matrix.cols).fill(1);
    using y = engine.vector(matrix.rows);
    operator.apply(x, y);
    const lengths = ordering.rowOrder.map((row) => matrix.rowPtr[row + 1]! - matrix.rowPtr[row]!);
    expect(y.data).toEqual(Float64Array.from(lengths));
  });

  it.each<[string, string, Partial<Record<keyof Groups, Uint32Array>>, string]>([
    ['another format', 'csr', { superRowPtr: Uint32Array.of(0, 3000) }, 'csr: expected only the parameters'],
    ['a size too', 'csrk?superRowSize=8', { superRowPtr: Uint32Array.of(0, 3000) }, 'csrk with groups: expected only'],
    ['rows left over', 'csrk', { superRowPtr: Uint32Array.of(0, 2999) }, 'superRowPtr[1]: expected the number of rows'],
    ['a late start', 'csrk', { superRowPtr: Uint32Array.of(1, 3000) }, 'superRowPtr[0]: expected 0, got 1'],
    ['no start', 'csrk', { superRowPtr: new Uint32Array(0) }, 'superRowPtr[0]: expected 0, got undefined'],
    [
      'a way back',
      'csrk',
      { superRowPtr: Uint32Array.of(0, 9, 8, 3000) },
      'superRowPtr[2]: expected at least 9, got 8',
    ],
    ['none', 'csrk', {}, 'superRowPtr: expected a Uint32Array, got undefined'],
    [
      'super-rows left over',
      'csrk',
      { superRowPtr: Uint32Array.of(0, 9, 3000), superSuperRowPtr: Uint32Array.of(0, 1) },
      'superSuperRowPtr[1]: expected the number of super-rows = 2, got 1',
    ],
  ])('%s is refused', (_name, format, groups, message) => {
    const bytesBefore = engine.heap.bytesInUse;
    expect(() => engine.operator(matrix, { format, groups: groups as Groups })).toThrowError(message);
    expect(engine.heap.bytesInUse).toBe(bytesBefore);
  });
});

describe('unsuitable matrices are refused', () => {
  it.each<[string, () => unknown, string]>([
    [
      'no square',
      () => bandk({ rows: 1, cols: 2, rowPtr: [0, 0], colIdx: [] }),
      "matrix: expected as many columns as rows, got '1 × 2'",
    ],
    ['k = 4', () => bandk(gallery('laplace1d3', { nx: 9 }), { k: 4 }), 'k: expected an integer from 2 to 3, got 4'],
    ['size 0', () => bandk(gallery('laplace1d3', { nx: 9 }), { superRowSize: 0 }), 'superRowSize: expected an integer'],
    [
      'a misspelt option',
      () => bandk(gallery('laplace1d3', { nx: 9 }), { size: 9 } as object),
      'options: expected only',
    ],
  ])('%s', (_name, call, message) => expect(call).toThrowError(message));
});
