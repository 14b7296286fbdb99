import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CsrInput, type CsrMatrix, csrMatrix, type LayoutInput, type MatrixInput } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { SparlaneError } from '#dist/core/errors.js';
import { gallery } from '#dist/gallery/registry.js';

/** [10 0 20; 0 0 0; 0 0 30; 40 50 60] */
const example: CsrInput = {
  rows: 4,
  cols: 3,
  rowPtr: [0, 2, 2, 3, 6],
  colIdx: [0, 2, 2, 0, 1, 2],
  values: [10, 20, 30, 40, 50, 60],
};

const triplets = fc.record({
  rows: fc.integer({ min: 1, max: 12 }),
  cols: fc.integer({ min: 1, max: 12 }),
  entries: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: -9, max: 9 })), { maxLength: 80 }),
});

function dense(rows: number, cols: number): number[][] {
  return Array.from({ length: rows }, () => new Array<number>(cols).fill(0));
}

describe('input validation', () => {
  test('canonical arrays are taken as they are', () => {
    const rowPtr = Uint32Array.of(0, 1, 2);
    const colIdx = Uint32Array.of(1, 0);
    const values = Float32Array.of(1, 2);
    const matrix = csrMatrix({ rows: 2, cols: 2, rowPtr, colIdx, values });
    expect([matrix.rowPtr, matrix.colIdx, matrix.values]).toEqual([rowPtr, colIdx, values]);
    expect(matrix.rowPtr).toBe(rowPtr);
    expect(matrix.colIdx).toBe(colIdx);
    expect(matrix.values).toBe(values);
  });

  test('plain arrays are converted, rows sorted, duplicates summed from left to right', () => {
    const matrix = csrMatrix({
      rows: 2,
      cols: 4,
      rowPtr: [0, 4, 5],
      colIdx: [3, 1, 3, 0, 2],
      values: [1, 2, 4, 8, 16],
    });
    expect([...matrix.rowPtr]).toEqual([0, 3, 4]);
    expect([...matrix.colIdx]).toEqual([0, 1, 3, 2]);
    expect([...matrix.values]).toEqual([8, 2, 5, 16]);
    expect(matrix.nnz).toBe(4);
  });

  test('the callers arrays are never written to', () => {
    const colIdx = Uint32Array.of(2, 1);
    csrMatrix({ rows: 1, cols: 3, rowPtr: [0, 2], colIdx, values: [1, 2] });
    expect([...colIdx]).toEqual([2, 1]);
  });

  test('no values make a pattern of ones', () => {
    const { values, field } = csrMatrix({ rows: 1, cols: 3, rowPtr: [0, 2], colIdx: [0, 1] });
    expect([...values]).toEqual([1, 1]);
    expect(field).toBe('pattern');
  });

  const detached = new Float64Array(6);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });

  test.each<[string, Partial<Record<keyof CsrInput, unknown>>, string, string]>([
    ['rows negative', { rows: -1 }, 'argument', 'rows: expected an integer from 0 to 4294967295, got -1'],
    ['rows NaN', { rows: Number.NaN }, 'argument', 'rows: expected an integer'],
    ['cols fractional', { cols: 1.5 }, 'argument', 'cols: expected an integer from 0 to 4294967295, got 1.5'],
    ['rowPtr too short', { rowPtr: [0, 2, 6] }, 'shape', 'rowPtr: expected length rows + 1 = 5, got Array of length 3'],
    ['rowPtr not from 0', { rowPtr: [1, 2, 2, 3, 6] }, 'structure', 'rowPtr[0]: expected 0, got 1'],
    [
      'rowPtr decreasing',
      { rowPtr: [0, 3, 2, 3, 6] },
      'structure',
      'rowPtr[2]: expected at least rowPtr[1] = 3, got 2',
    ],
    [
      'rowPtr past nnz',
      { rowPtr: [0, 2, 2, 3, 7] },
      'structure',
      'rowPtr[4]: expected the length of colIdx = 6, got 7',
    ],
    [
      'rowPtr negative',
      { rowPtr: [0, -2, 2, 3, 6] },
      'argument',
      'rowPtr[1]: expected an integer from 0 to 4294967295, got -2',
    ],
    ['rowPtr not an array', { rowPtr: 7 }, 'argument', 'rowPtr: expected an array of integers, got 7'],
    ['Int32 negative', { colIdx: Int32Array.of(0, 2, 2, 0, 1, -2) }, 'argument', 'colIdx[5]: expected an integer'],
    ['colIdx fractional', { colIdx: [0, 2, 2, 0, 1, 0.5] }, 'argument', 'colIdx[5]: expected an integer'],
    [
      'column out of range',
      { colIdx: [0, 2, 3, 0, 1, 2] },
      'structure',
      'colIdx[2]: expected a column below cols = 3, got 3',
    ],
    ['values too short', { values: [1] }, 'shape', 'values: expected length nnz = 6, got Array of length 1'],
    ['values not numbers', { values: [1, 2, 3, 4, 5, '6'] }, 'argument', "values[5]: expected a number, got '6'"],
    ['values detached', { values: detached }, 'argument', 'values: expected an array whose buffer is attached'],
    ['field unknown', { field: 'complex' }, 'argument', "field: expected real | integer | pattern, got 'complex'"],
    [
      'symmetric, not square',
      { symmetry: 'symmetric' },
      'shape',
      "symmetry: expected 'general' for a matrix that is not square",
    ],
  ])('refuses %s', (_, change, code, message) => {
    let error: unknown;
    try {
      csrMatrix({ ...example, ...change } as CsrInput);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(SparlaneError);
    expect((error as SparlaneError).code).toBe(code);
    expect((error as SparlaneError).message).toContain(message);
  });
});

describe('the builder', () => {
  test('sums the entries in any order', () => {
    fc.assert(
      fc.property(triplets, ({ rows, cols, entries }) => {
        const builder = new CsrBuilder(rows, cols);
        const sums = dense(rows, cols);
        for (const [i, j, value] of entries) {
          builder.add(i % rows, j % cols, value);
          sums[i % rows]![j % cols]! += value;
        }
        const matrix = builder.build();
        // Canonical: validation finds nothing to sort or sum.
        expect(csrMatrix(matrix).colIdx).toBe(matrix.colIdx);
        const built = dense(rows, cols);
        for (let i = 0; i < rows; i++) {
          for (let k = matrix.rowPtr[i]!; k < matrix.rowPtr[i + 1]!; k++)
            built[i]![matrix.colIdx[k]!] = matrix.values[k]!;
        }
        expect(built).toEqual(sums);
      }),
    );
  });

  test.each(['symmetric', 'skew-symmetric'] as const)('%s: entries stand for their mirror images', (symmetry) => {
    const builder = new CsrBuilder(3, 3, { symmetry });
    builder.add(2, 0, 5);
    if (symmetry === 'symmetric') builder.add(1, 1, 7);
    const { rowPtr, colIdx, values } = builder.build();
    const mirrored =
      symmetry === 'symmetric'
        ? { ptr: [0, 1, 2, 3], idx: [2, 1, 0], val: [5, 7, 5] }
        : { ptr: [0, 1, 1, 2], idx: [2, 0], val: [-5, 5] };
    expect({ ptr: [...rowPtr], idx: [...colIdx], val: [...values] }).toEqual(mirrored);
  });

  test('rows longer than any sort by insertion, reversed and with duplicates', () => {
    const builder = new CsrBuilder(1, 5000);
    for (let col = 4999; col >= 0; col--) builder.add(0, col, col);
    builder.add(0, 2500, 1);
    const { nnz, colIdx, values } = builder.build();
    expect(nnz).toBe(5000);
    expect(colIdx.every((col, k) => col === k)).toBe(true);
    expect(values.every((value, k) => value === (k === 2500 ? 2501 : k))).toBe(true);
  });

  test('duplicates of a pattern are one', () => {
    const builder = new CsrBuilder(1, 2, { field: 'pattern' });
    builder.add(0, 1, 1);
    builder.add(0, 1, 1);
    const matrix = builder.build();
    expect([matrix.nnz, ...matrix.values]).toEqual([1, 1]);
  });
});

describe('other layouts', () => {
  const csr = csrMatrix(example);

  /** The example as compressed columns, and as coordinates in the order of the columns. */
  const csc = { rows: 4, cols: 3, colPtr: [0, 2, 3, 6], rowIdx: [0, 3, 3, 0, 2, 3], values: [10, 40, 50, 20, 30, 60] };
  const coo = { rows: 4, cols: 3, rowIdx: csc.rowIdx, colIdx: [0, 0, 1, 2, 2, 2], values: csc.values };

  const plain = ({ rowPtr, colIdx, values, ...rest }: CsrMatrix) => ({
    ...rest,
    arrays: [[...rowPtr], [...colIdx], [...values]],
  });

  test.each<[string, MatrixInput]>([
    ['compressed columns', csc],
    ['coordinates', coo],
    ['columns in no order', { ...csc, rowIdx: [3, 0, 3, 2, 3, 0], values: [40, 10, 50, 30, 60, 20] }],
    ['coordinates, typed', { ...coo, rowIdx: Int32Array.from(csc.rowIdx), values: Float32Array.from(csc.values) }],
    ['rows with pointers of 64 bits', { ...example, rowPtr: BigInt64Array.of(0n, 2n, 2n, 3n, 6n) }],
    ['columns with indices of 64 bits', { ...csc, rowIdx: BigUint64Array.of(0n, 3n, 3n, 0n, 2n, 3n) }],
  ])('%s are the same matrix', (_, input) => {
    expect(plain(csrMatrix(input))).toEqual(plain(csr));
  });

  test.each<[string, LayoutInput]>([
    ['rows', { rows: 1, cols: 2, rowPtr: [0, 3], colIdx: [1, 0, 1] }],
    ['columns', { rows: 1, cols: 2, colPtr: [0, 1, 3], rowIdx: [0, 0, 0] }],
    ['coordinates', { rows: 1, cols: 2, rowIdx: [0, 0, 0], colIdx: [1, 0, 1] }],
  ])('%s: duplicates are summed, and those of a pattern are one', (_, input) => {
    expect(plain(csrMatrix(input))).toMatchObject({
      nnz: 2,
      field: 'pattern',
      arrays: [
        [0, 2],
        [0, 1],
        [1, 1],
      ],
    });
    const sums = plain(csrMatrix({ ...input, values: input.rowIdx && !input.colIdx ? [1, 2, 4] : [2, 1, 4] }));
    expect(sums).toMatchObject({
      nnz: 2,
      field: 'real',
      arrays: [
        [0, 2],
        [0, 1],
        [1, 6],
      ],
    });
  });

  test('any entries: columns and coordinates give the same matrix as rows', () => {
    fc.assert(
      fc.property(triplets, ({ rows, cols, entries }) => {
        const builder = new CsrBuilder(rows, cols);
        const rowIdx = entries.map(([i]) => i % rows);
        const colIdx = entries.map(([, j]) => j % cols);
        const values = entries.map(([, , value]) => value);
        builder.addAll(rowIdx, colIdx, values);
        const expected = plain(builder.build());
        expect(plain(csrMatrix({ rows, cols, rowIdx, colIdx, values }))).toEqual(expected);
        // Aᵀ in rows is A in columns.
        const {
          rowPtr: colPtr,
          colIdx: rowsOf,
          values: moved,
        } = csrMatrix({ rows: cols, cols: rows, rowIdx: colIdx, colIdx: rowIdx, values });
        expect(plain(csrMatrix({ rows, cols, colPtr, rowIdx: rowsOf, values: moved }))).toEqual(expected);
      }),
    );
  });

  test('the properties of a matrix are kept, and no array is written to', () => {
    const input = {
      rows: 2,
      cols: 2,
      rowIdx: Uint32Array.of(1, 0),
      colIdx: Uint32Array.of(0, 1),
      values: Float64Array.of(3, 3),
    };
    const claims = { symmetry: 'symmetric', field: 'integer' } as const;
    expect(plain(csrMatrix({ ...input, ...claims }))).toMatchObject({
      ...claims,
      nnz: 2,
      arrays: [
        [0, 1, 2],
        [1, 0],
        [3, 3],
      ],
    });
    expect([...input.rowIdx, ...input.colIdx, ...input.values]).toEqual([1, 0, 0, 1, 3, 3]);
  });

  const LAYOUTS = 'matrix: expected the arrays rowPtr, colIdx (CSR), colPtr, rowIdx (CSC) or rowIdx, colIdx (COO), got';

  test.each<[string, unknown, string, string]>([
    ['a mixture', { ...example, rowIdx: [0] }, 'argument', `${LAYOUTS} rowPtr, rowIdx, colIdx`],
    ['pointers alone', { rows: 2, cols: 2, rowPtr: [0, 0, 0] }, 'argument', `${LAYOUTS} rowPtr`],
    [
      'pointers of both',
      { rows: 2, cols: 2, rowPtr: [0, 0, 0], colPtr: [0, 0, 0] },
      'argument',
      `${LAYOUTS} rowPtr, colPtr`,
    ],
    ['other names', { rows: 2, cols: 2, row_ptr: [0, 0, 0] }, 'argument', `${LAYOUTS} rows, cols, row_ptr`],
    ['nothing', {}, 'argument', `${LAYOUTS} none`],
    [
      'a missing array',
      { ...example, rowPtr: undefined },
      'argument',
      'rowPtr: expected an array of integers, got undefined',
    ],
    ['values null', { ...example, values: null }, 'argument', 'values: expected an array of numbers, got null'],
    [
      'colPtr too short',
      { ...csc, colPtr: [0, 6] },
      'shape',
      'colPtr: expected length cols + 1 = 4, got Array of length 2',
    ],
    [
      'colPtr decreasing',
      { ...csc, colPtr: [0, 3, 2, 6] },
      'structure',
      'colPtr[2]: expected at least colPtr[1] = 3, got 2',
    ],
    [
      'colPtr past nnz',
      { ...csc, colPtr: [0, 2, 3, 7] },
      'structure',
      'colPtr[3]: expected the length of rowIdx = 6, got 7',
    ],
    [
      'a row out of range',
      { ...csc, rowIdx: [0, 3, 3, 0, 2, 4] },
      'structure',
      'rowIdx[5]: expected a row below rows = 4, got 4',
    ],
    [
      'the same in coordinates',
      { ...coo, rowIdx: [0, 3, 3, 0, 2, 4] },
      'structure',
      'rowIdx[5]: expected a row below rows = 4, got 4',
    ],
    [
      'a column out of range',
      { ...coo, colIdx: [0, 0, 1, 2, 2, 3] },
      'structure',
      'colIdx[5]: expected a column below cols = 3, got 3',
    ],
    [
      'lengths that differ',
      { ...coo, colIdx: [0] },
      'shape',
      'colIdx: expected the length of rowIdx = 6, got Array of length 1',
    ],
    [
      'a negative BigInt',
      { ...csc, rowIdx: BigInt64Array.of(0n, 3n, 3n, 0n, 2n, -1n) },
      'argument',
      'rowIdx[5]: expected an integer from 0 to 4294967295, got -1n',
    ],
    [
      'a BigInt past 32 bits',
      { ...example, colIdx: BigUint64Array.of(0n, 2n ** 32n, 2n, 0n, 1n, 2n) },
      'argument',
      'colIdx[1]: expected an integer',
    ],
    [
      'BigInts for values',
      { ...example, values: BigInt64Array.of(1n, 2n, 3n, 4n, 5n, 6n) },
      'argument',
      'values[0]: expected a number, got 1n',
    ],
    [
      'a pattern of twos',
      { ...example, values: [1, 2, 1, 1, 1, 1], field: 'pattern' },
      'structure',
      "values[1]: expected 1, since field is 'pattern', got 2",
    ],
  ])('refuses %s', (_, input, code, message) => {
    expect(() => csrMatrix(input as MatrixInput)).toThrowError(
      expect.objectContaining({ name: 'SparlaneError', code, message: expect.stringContaining(message) }),
    );
  });
});

describe('a matrix that was checked', () => {
  const arrays = () => ({ rows: 2, cols: 2, rowPtr: Uint32Array.of(0, 1, 2), colIdx: Uint32Array.of(0, 1) });

  test('is not checked again, nor is one that the library made, and cannot get other arrays', () => {
    const built = gallery('laplace2d5', { nx: 3, ny: 3 });
    expect(csrMatrix(built)).toBe(built);
    const checked = csrMatrix(arrays());
    expect(csrMatrix(checked)).toBe(checked);
    expect(Object.isFrozen(checked)).toBe(true);
  });

  test('is checked again in an object of another kind, and its source every time', () => {
    const source = arrays();
    const checked = csrMatrix(source);
    source.colIdx[0] = 7;
    expect(() => csrMatrix(source)).toThrow('colIdx[0]: expected a column below cols = 2, got 7');
    expect(() => csrMatrix({ ...checked })).toThrow('colIdx[0]');
  });

  test('is refused if its arrays were transferred', () => {
    const checked = csrMatrix(arrays());
    structuredClone(checked.colIdx, { transfer: [checked.colIdx.buffer] });
    expect(() => csrMatrix(checked)).toThrow(SparlaneError);
  });
});
