/** Sparse LU: against dense LU with partial pivoting, permuted, scaled, singular in every way, with other values, many right-hand sides. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CsrMatrix, csrMatrix } from '#dist/core/csr.js';
import { arrange } from '#dist/direct/lu/arrange.js';
import { SparseLu } from '#dist/direct/lu/factors.js';
import { LU } from '#dist/direct/lu/lu.js';
import type { Analysis, Factors } from '#dist/direct/method.js';
import { CsrBuilder, createEngine, type Engine, gallery, permuteMatrix, SparlaneError } from '#dist/index.node.js';
import { drawFrom } from '../../bench/draw.mjs';
import { type Dense, dense, solveDense } from '../preconditioners/dense.js';
import { orderOf } from '../reorder/arbitrary.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

/** The result of a generator. */
function drained<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function analysed(matrix: CsrMatrix): Analysis {
  return drained(LU.analyse(engine, matrix, { order: 'auto', stored: 'f64' }));
}

function factored(matrix: CsrMatrix, values = matrix.values): Factors {
  return drained(analysed(matrix).factor(engine, values));
}

/** Columns of x, one after the other. */
function solved(factors: Factors, b: ArrayLike<number>, columns = 1): Float64Array {
  using scope = engine.heap.scope();
  const x = scope.copy(Float64Array, b);
  factors.solve(x, columns);
  return x.slice();
}

/** ‖b − A x‖ ÷ (‖A‖ ‖x‖ + ‖b‖), in the norm of the largest row. */
function backwardError(
  { rows, rowPtr, colIdx, values }: CsrMatrix,
  x: ArrayLike<number>,
  b: ArrayLike<number>,
): number {
  let residual = 0;
  let norm = 0;
  let ofX = 0;
  let ofB = 0;
  for (let i = 0; i < rows; i++) {
    let r = b[i]!;
    let sum = 0;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      r -= values[k]! * x[colIdx[k]!]!;
      sum += Math.abs(values[k]!);
    }
    residual = Math.max(residual, Math.abs(r));
    norm = Math.max(norm, sum);
    ofX = Math.max(ofX, Math.abs(x[i]!));
    ofB = Math.max(ofB, Math.abs(b[i]!));
  }
  const scale = norm * ofX + ofB;
  return Number.isNaN(residual) ? Infinity : residual / (scale || 1);
}

function fromDense(matrix: Dense): CsrMatrix {
  const n = matrix.length;
  const builder = new CsrBuilder(n, n);
  matrix.forEach((row, i) => {
    row.forEach((value, j) => {
      if (value !== 0) builder.add(i, j, value);
    });
  });
  return builder.build();
}

function rightHandSide(n: number, columns = 1): Float64Array {
  return Float64Array.from({ length: n * columns }, (_, i) => 1 + ((i * 7) % 11) / 10);
}

/** Random, with about `perRow` entries a row, a hidden permutation that makes it structurally regular, and values over 2^±octaves. */
function randomMatrix(n: number, perRow: number, seed: number, octaves = 0): CsrMatrix {
  const next = drawFrom(seed);
  const value = () => (next() - 0.5) * 2 ** Math.round((2 * next() - 1) * octaves);
  const entries = new Map<number, number>();
  const order = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  for (let i = 0; i < n; i++) {
    entries.set(i * n + order[i]!, value());
    for (let k = 1; k < perRow; k++) entries.set(i * n + Math.floor(next() * n), value());
  }
  const builder = new CsrBuilder(n, n);
  for (const [place, entry] of entries) builder.add(Math.floor(place / n), place % n, entry);
  return builder.build();
}

const dims = (n: number, entry: (i: number, j: number) => number): CsrMatrix =>
  fromDense(Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => entry(i, j))));

/** Structures that break one part of a sparse LU each. */
const STRUCTURED: Record<string, () => CsrMatrix> = {
  identity: () => dims(50, (i, j) => Number(i === j)),
  'a permutation': () => dims(97, (i, j) => (j === (i * 13 + 5) % 97 ? i + 1 : 0)),
  'a cycle': () => dims(100, (i, j) => (j === (i + 1) % 100 ? 2 : i === j ? 1 : 0)),
  'lower triangular': () => dims(60, (i, j) => (j <= i && (i * 7 + j) % 3 === 0 ? 1 + j : Number(i === j))),
  'upper triangular': () => dims(60, (i, j) => (j >= i && (i + j * 5) % 3 === 0 ? 1 + i : Number(i === j))),
  'Hessenberg, full': () => dims(80, (i, j) => (j + 1 >= i ? Math.sin(1 + i * 3 + j * j) : 0)),
  'a full matrix': () => dims(64, (i, j) => Math.cos(i * i + 3 * j * j + i * j)),
  'an arrow to the first row': () => dims(120, (i, j) => (i === j ? 3 : i === 0 || j === 0 ? 1 + ((i + j) % 5) : 0)),
  'an arrow with zeros on the diagonal': () =>
    dims(80, (i, j) =>
      i === 79 || j === 79 ? 1 + ((i * 3 + j) % 7) : i === j && i % 2 === 0 ? 0.5 : (i ^ 1) === j ? 2 : 0,
    ),
  'tridiagonal, zero diagonal': () => dims(100, (i, j) => (Math.abs(i - j) === 1 ? 1 + ((i * j) % 3) : 0)),
  'a saddle point': () =>
    dims(90, (i, j) => {
      if (i < 60 && j < 60) return i === j ? 4 : Math.abs(i - j) === 1 ? -1 : 0;
      const [constraint, unknown] = [Math.max(i, j) - 60, Math.min(i, j)];
      return unknown >= 60 ? 0 : unknown === constraint ? 1.5 : unknown === constraint + 30 ? 1 : 0;
    }),
  'a 2-D grid with convection': () => gallery('laplace2d5', { nx: 14, ny: 14 }),
  'blocks of three, coupled upwards': () =>
    dims(150, (i, j) =>
      Math.floor(i / 3) === Math.floor(j / 3)
        ? Math.sin(i * 5 + j) + Number(i === j)
        : j > i && (i + j) % 17 === 0
          ? 1
          : 0,
    ),
  'diagonals of 1e-9': () => dims(80, (i, j) => (i === j ? 1e-9 : (i * 7 + j * 3) % 11 === 0 ? 1 + (j % 4) : 0)),
};

describe('solutions', () => {
  test.each(Object.keys(STRUCTURED))('%s, as it is, permuted, and scaled badly', (name) => {
    const matrix = STRUCTURED[name]!();
    const n = matrix.rows;
    const rowOrder = Uint32Array.from({ length: n }, (_, i) => (i * 11 + 3) % n);
    const colOrder = Uint32Array.from({ length: n }, (_, i) => (i * 7 + 1) % n);
    const isPermutation = new Set(rowOrder).size === n && new Set(colOrder).size === n;
    const variants = [matrix, ...(isPermutation ? [permuteMatrix(matrix, { rowOrder, colOrder })] : [])];
    for (const variant of variants) {
      const b = rightHandSide(n);
      using factors = factored(variant);
      const x = solved(factors, b);
      expect(backwardError(variant, x, b)).toBeLessThan(1e-11);
      const byDense = solveDense(dense(variant), b);
      // Both are backward stable; they differ by the condition.
      const distance = Math.max(...byDense.map((value, i) => Math.abs(value - x[i]!)));
      expect(distance / Math.max(...byDense.map(Math.abs))).toBeLessThan(1e-4);
      const scaled = { ...variant, values: Float64Array.from(variant.values) };
      for (let i = 0; i < n; i++)
        for (let k = scaled.rowPtr[i]!; k < scaled.rowPtr[i + 1]!; k++)
          scaled.values[k]! *= 10 ** ((i * 37) % 250) * 1e-125;
      const c = b.map((value, i) => value * 10 ** ((i * 37) % 250) * 1e-125);
      using ofScaled = factored(scaled);
      const y = solved(ofScaled, c);
      expect(Math.max(...byDense.map((value, i) => Math.abs(value - y[i]!)))).toBeLessThan(
        1e-4 * Math.max(...byDense.map(Math.abs)),
      );
    }
  });

  test('random matrices of up to 200 rows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer(),
        fc.constantFrom(0, 4, 20),
        (n, perRow, seed, octaves) => {
          const matrix = randomMatrix(n, perRow, seed, octaves);
          const b = rightHandSide(n);
          let byDense: number[];
          try {
            using factors = factored(matrix);
            const x = solved(factors, b);
            expect(backwardError(matrix, x, b)).toBeLessThan(1e-9);
          } catch (error) {
            if (!(error instanceof SparlaneError)) throw error;
            // Dense LU divides by zero, or by what rounding left.
            byDense = solveDense(dense(matrix), b);
            const largest = Math.max(...byDense.map(Math.abs));
            expect(Number.isFinite(largest) ? largest : Infinity).toBeGreaterThan(1e9);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  test('P A Q has the permuted solution, for random permutations', () => {
    const matrix = randomMatrix(40, 4, 5);
    const b = rightHandSide(40);
    using factors = factored(matrix);
    const x = solved(factors, b);
    fc.assert(
      fc.property(orderOf(40), orderOf(40), (rowOrder, colOrder) => {
        using permuted = factored(permuteMatrix(matrix, { rowOrder, colOrder }));
        const y = solved(
          permuted,
          Float64Array.from(rowOrder, (row) => b[row]!),
        );
        colOrder.forEach((column, j) => {
          expect(y[j]).toBeCloseTo(x[column]!, 6);
        });
      }),
      { numRuns: 40 },
    );
  });

  test.each([1, 2, 3, 4, 5, 8, 9])('%i right-hand sides, each with the bits that it has alone', (columns) => {
    for (const matrix of [randomMatrix(150, 4, 3), gallery('laplace2d5', { nx: 15, ny: 10 })]) {
      using factors = factored(matrix);
      const b = rightHandSide(150, columns);
      const x = solved(factors, b, columns);
      for (let j = 0; j < columns; j++)
        expect(x.slice(150 * j, 150 * (j + 1))).toEqual(solved(factors, b.subarray(150 * j, 150 * (j + 1))));
    }
  });

  test('0 × 0 and 1 × 1', () => {
    const empty = csrMatrix({ rows: 0, cols: 0, rowPtr: [0], colIdx: [], values: [] });
    using none = factored(empty);
    none.solve(new Float64Array(0), 1);
    expect(none.logDeterminant).toEqual({ log: 0, sign: 1 });
    using one = factored(fromDense([[-4]]));
    expect([...solved(one, [2])]).toEqual([-0.5]);
    expect(one.logDeterminant.sign).toBe(-1);
    expect(one.logDeterminant.log).toBeCloseTo(Math.log(4));
  });

  test.each([60, 1500])(
    'a cycle of %i rows, whose entries grow beyond all digits, then numbers, with pivots on the diagonal',
    (n) => {
      const rowPtr = Uint32Array.from({ length: n + 1 }, (_, i) => 2 * i);
      const colIdx = Array.from(rowPtr.subarray(0, n), (_, i) => (i === n - 1 ? [0, i] : [i, i + 1])).flat();
      const values = Float64Array.from(colIdx, (column, k) => (column === k >> 1 ? 1 : 2));
      const matrix = csrMatrix({ rows: n, cols: n, rowPtr, colIdx, values });
      const b = rightHandSide(n);
      using factors = factored(matrix);
      expect(backwardError(matrix, solved(factors, b), b)).toBeLessThan(1e-14);
      drained(factors.refactor(values.map((value) => 3 - value)));
      const swapped = { ...matrix, values: values.map((value) => 3 - value) };
      expect(backwardError(swapped, solved(factors, b), b)).toBeLessThan(1e-14);
      drained(factors.refactor(values));
      expect(backwardError(matrix, solved(factors, b), b)).toBeLessThan(1e-14);
    },
  );

  test('values of f32', () => {
    const matrix = randomMatrix(60, 4, 11);
    const single = Float32Array.from(matrix.values);
    const b = rightHandSide(60);
    using factors = factored({ ...matrix, values: single });
    expect(backwardError({ ...matrix, values: single }, solved(factors, b), b)).toBeLessThan(1e-12);
  });
});

/** Seven points on n³, upwind. */
function convectionCube(n: number): CsrMatrix {
  const builder = new CsrBuilder(n ** 3, n ** 3);
  for (let row = 0; row < n ** 3; row++) {
    builder.add(row, row, 7);
    for (const step of [1, n, n * n]) {
      const coordinate = Math.floor(row / step) % n;
      if (coordinate > 0) builder.add(row, row - step, -1.5);
      if (coordinate + 1 < n) builder.add(row, row + step, -1);
    }
  }
  return builder.build();
}

test('nested dissection where it is named, or takes fewer operations', () => {
  const cube = convectionCube(28);
  const [amd, nd, auto] = (['amd', 'nd', 'auto'] as const).map(
    (order) => drained(LU.analyse(engine, cube, { order, stored: 'f64' })).prediction,
  );
  expect([amd!.order, nd!.order]).toEqual(['btf+amd', 'btf+nd']);
  expect(nd!.flops).toBeLessThan(amd!.flops);
  expect(auto).toEqual(nd);
  const matrix = convectionCube(12);
  expect(analysed(matrix).prediction.order).toBe('btf+amd');
  const b = rightHandSide(matrix.rows);
  using factors = drained(
    drained(LU.analyse(engine, matrix, { order: 'nd', stored: 'f64' })).factor(engine, matrix.values),
  );
  expect(backwardError(matrix, solved(factors, b), b)).toBeLessThan(1e-12);
  // Blocks of few rows, zeros on the diagonal, rows without edges.
  for (const make of Object.values(STRUCTURED)) {
    const small = make();
    const c = rightHandSide(small.rows);
    using ofSmall = drained(
      drained(LU.analyse(engine, small, { order: 'nd', stored: 'f64' })).factor(engine, small.values),
    );
    expect(backwardError(small, solved(ofSmall, c), c)).toBeLessThan(1e-11);
  }
});

describe('what the factors say', () => {
  test('the determinant', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.integer(), (n, seed) => {
        const matrix = randomMatrix(n, 4, seed);
        const expected = determinant(dense(matrix));
        if (Math.abs(expected) < 1e-9) return;
        using factors = factored(matrix);
        const { log, sign } = factors.logDeterminant;
        expect((sign * Math.exp(log)) / expected).toBeCloseTo(1, 6);
      }),
    );
  });

  test('entries and flops are those predicted where no pivot leaves the diagonal', () => {
    const matrix = gallery('laplace2d5', { nx: 20, ny: 20 });
    const analysis = analysed(matrix);
    using factors = drained(analysis.factor(engine, matrix.values));
    expect(factors.pivots).toEqual({ offDiagonal: 0, twoByTwo: 0, perturbed: 0 });
    expect(factors.entries).toBe(analysis.prediction.entries);
    expect(factors.flops).toBe(analysis.prediction.flops);
    // Some blocks are rounded up, and work space of cache lines.
    expect(factors.bytes).toBeLessThan(1.1 * analysis.prediction.bytes + 4096);
    expect(factors.bytes).toBeGreaterThan(0.9 * analysis.prediction.bytes);
  });

  test('triangular matrices take no flops beyond their entries', () => {
    using factors = factored(STRUCTURED['upper triangular']!());
    expect(factors.flops).toBe(0);
    expect(factors.entries).toBe(STRUCTURED['upper triangular']!().nnz);
  });
});

function determinant(matrix: Dense): number {
  const rows = matrix.map((row) => row.slice());
  const n = rows.length;
  let value = 1;
  for (let j = 0; j < n; j++) {
    let pivot = j;
    for (let i = j + 1; i < n; i++) if (Math.abs(rows[i]![j]!) > Math.abs(rows[pivot]![j]!)) pivot = i;
    if (pivot !== j) {
      [rows[j], rows[pivot]] = [rows[pivot]!, rows[j]!];
      value = -value;
    }
    value *= rows[j]![j]!;
    for (let i = j + 1; i < n; i++) {
      const factor = rows[i]![j]! / rows[j]![j]!;
      for (let m = j; m < n; m++) rows[i]![m]! -= factor * rows[j]![m]!;
    }
  }
  return value;
}

/** The column that an error names. */
const columnOf = ({ detail: { column } }: SparlaneError) => column;

describe('matrices that have no factors', () => {
  const failure = (run: () => unknown): SparlaneError => {
    const before = engine.heap.bytesInUse;
    try {
      run();
    } catch (error) {
      expect(engine.heap.bytesInUse).toBe(before);
      expect(error).toBeInstanceOf(SparlaneError);
      return error as SparlaneError;
    }
    throw new Error('expected an error');
  };

  test('structurally singular: the column without a row', () => {
    // Columns 1 and 3 have row 2 only.
    const matrix = fromDense([
      [1, 0, 0, 0],
      [0, 0, 2, 0],
      [0, 3, 0, 5],
      [1, 0, 1, 0],
    ]);
    const error = failure(() => factored(matrix));
    expect(error.code).toBe('structure');
    expect(error.message).toMatch(
      /matrix: expected a regular one of 4 rows, got 'no entry .* column [13]: structural rank 3'/,
    );
    expect([1, 3]).toContain(columnOf(error));
  });

  test('an empty column and an empty row', () => {
    expect(
      failure(() =>
        factored(
          fromDense([
            [1, 0],
            [1, 0],
          ]),
        ),
      ).detail,
    ).toMatchObject({ column: 1, rank: 1 });
    expect(
      failure(() =>
        factored(
          fromDense([
            [1, 1],
            [0, 0],
          ]),
        ),
      ).detail,
    ).toMatchObject({ rank: 1 });
    const zero = csrMatrix({ rows: 3, cols: 3, rowPtr: [0, 0, 0, 0], colIdx: [], values: [] });
    expect(failure(() => factored(zero)).detail).toMatchObject({ rank: 0 });
  });

  test('numerically singular: a column that depends on others', () => {
    const matrix = randomMatrix(30, 4, 9);
    const rows = dense(matrix).map((row) => row.map((value) => Math.round(value * 8)));
    for (const row of rows) row[17] = row[4]! + row[11]!;
    const singular = fromDense(
      rows
        .map((row, i) => row.map((value, j) => value + (i === j && j !== 17 ? 64 : 0)))
        .map((row) => {
          row[17] = row[4]! + row[11]!;
          return row;
        }),
    );
    let found: unknown;
    try {
      // Rounding may leave a tiny pivot: then the solution is huge.
      using factors = factored(singular);
      expect(Math.max(...solved(factors, rightHandSide(30)).map(Math.abs))).toBeGreaterThan(1e9);
    } catch (error) {
      found = error;
      expect(error).toBeInstanceOf(SparlaneError);
      expect([4, 11, 17]).toContain(columnOf(error as SparlaneError));
    }
    expect(found === undefined || found instanceof SparlaneError).toBe(true);
  });

  test('numerically singular by exact arithmetic: the column in the numbering of the caller', () => {
    // Rows 1 and 2 and columns 1 and 3 are a block of rank one; row 0 and row 3 are apart.
    const matrix = fromDense([
      [2, 0, 0, 0],
      [0, 1, 0, 2],
      [0, 2, 0, 4],
      [1, 0, 5, 0],
    ]);
    const error = failure(() => factored(matrix));
    expect(error.code).toBe('structure');
    expect([1, 3]).toContain(columnOf(error));
    expect(error.message).toMatch(/matrix: expected a regular one, got 'no pivot for column [13]/);
  });

  test('explicit zeros only', () => {
    const matrix = csrMatrix({ rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [0, 1], values: [1, 0] });
    expect(failure(() => factored(matrix)).detail).toMatchObject({ column: 1 });
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('%d', (value) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.nat(), fc.integer(), (n, place, seed) => {
        const matrix = randomMatrix(n, 3, seed);
        const values = Float64Array.from(matrix.values);
        const k = place % values.length;
        values[k] = value;
        const row = matrix.rowPtr.findLastIndex((first) => first <= k);
        const error = failure(() => factored(matrix, values));
        expect(error.code).toBe('structure');
        expect(error.message).toBe(`values of row ${row}: expected finite numbers, got ${value}`);
      }),
      { numRuns: 30 },
    );
  });

  test('more than the heap has, before and while pivots are found', async () => {
    const small = await createEngine({ threads: 1, maximumBytes: 4 * 2 ** 20 });
    try {
      const matrix = gallery('laplace2d5', { nx: 150, ny: 150 });
      const before = small.heap.bytesInUse;
      const analysis = drained(LU.analyse(small, matrix, { order: 'auto', stored: 'f64' }));
      expect(() => drained(analysis.factor(small, matrix.values))).toThrow(/factors: expected room for \d+ bytes/);
      expect(small.heap.bytesInUse).toBe(before);
    } finally {
      await small.dispose();
    }
  });
});

describe('other values', () => {
  test('refactored after changes of sign and magnitude, as if factored anew', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 120 }), fc.integer(), fc.constantFrom(0, 1, 6, 30), (n, seed, octaves) => {
        const matrix = randomMatrix(n, 4, seed);
        const next = drawFrom(seed + 1);
        const values = matrix.values.map(
          (value) => value * (next() < 0.5 ? -1 : 1) * 2 ** Math.round((next() - 0.5) * octaves),
        );
        const changed = { ...matrix, values: Float64Array.from(values) };
        const b = rightHandSide(n);
        try {
          using factors = factored(matrix);
          for (const other of [changed, matrix, changed]) {
            drained(factors.refactor(other.values));
            expect(backwardError(other, solved(factors, b), b)).toBeLessThan(1e-9);
          }
        } catch (error) {
          if (!(error instanceof SparlaneError)) throw error;
          expect(error.code).toBe('structure');
        }
      }),
      { numRuns: 100 },
    );
  });

  test('the pivots stay while they are large enough, and are searched for otherwise', () => {
    const matrix = fromDense([
      [4, 1, 1],
      [1, 4, 1],
      [1, 1, 4],
    ]);
    using factors = factored(matrix);
    expect(factors.pivots.offDiagonal).toBe(0);
    const { entries } = factors;
    drained(factors.refactor(matrix.values.map((value) => -1000 * value)));
    expect(factors.pivots.offDiagonal).toBe(0);
    expect(factors.entries).toBe(entries);
    // Without a diagonal but in the first row.
    const values = matrix.values.map((value, k) => (value === 4 && k > 0 ? 0 : value));
    drained(factors.refactor(values));
    expect(factors.pivots.offDiagonal).toBeGreaterThan(0);
    const b = [1, 2, 3];
    const x = solved(factors, b);
    expect(backwardError({ ...matrix, values }, x, b)).toBeLessThan(1e-14);
  });

  test('after a singular matrix it factors again', () => {
    const matrix = fromDense([
      [1, 2],
      [3, 4],
    ]);
    using factors = factored(matrix);
    expect(() => drained(factors.refactor(Float64Array.of(1, 2, 2, 4)))).toThrow(/no pivot for column [01]/);
    expect(() => drained(factors.refactor(Float64Array.of(1, Number.NaN, 2, 4)))).toThrow(/values of row 0/);
    drained(factors.refactor(Float64Array.of(0, 2, 5, 0)));
    expect([...solved(factors, [4, 10])]).toEqual([2, 2]);
  });

  test('the same bits by both ways where the pivots are the same', () => {
    const matrix = gallery('laplace2d5', { nx: 25, ny: 25 });
    const values = matrix.values.map((value, k) => value * (1 + ((k * 7) % 5) / 100));
    const b = rightHandSide(625);
    using first = factored(matrix, values);
    const x = solved(first, b);
    using second = factored(matrix);
    drained(second.refactor(values));
    expect(solved(second, b)).toEqual(x);
  });
});

describe('memory', () => {
  test('all bytes come back: after use, after an abandoned factorization, after an error', () => {
    const before = engine.heap.bytesInUse;
    const matrix = gallery('laplace2d5', { nx: 60, ny: 60 });
    const factors = factored(matrix);
    expect(engine.heap.bytesInUse - before).toBeGreaterThanOrEqual(factors.bytes);
    drained(factors.refactor(matrix.values));
    factors[Symbol.dispose]();
    factors[Symbol.dispose]();
    expect(engine.heap.bytesInUse).toBe(before);
    const steps = analysed(gallery('laplace2d5', { nx: 200, ny: 200 })).factor(
      engine,
      new Float64Array(199_200).fill(1),
    );
    steps.next();
    steps.return(undefined as never);
    expect(engine.heap.bytesInUse).toBe(before);
  });

  test('factors that are larger than predicted take more chunks, use them again, and have the same bits', () => {
    const matrix = gallery('laplace2d5', { nx: 40, ny: 40 });
    const b = rightHandSide(1600);
    const before = engine.heap.bytesInUse;
    {
      using expected = factored(matrix);
      const arrangement = drained(arrange(matrix));
      const { prediction } = analysed(matrix);
      using factors = new SparseLu(engine.context, arrangement, matrix.rowPtr, { ...prediction, entries: 0 });
      const empty = factors.bytes;
      drained(factors.refactor(matrix.values));
      expect(factors.bytes - empty).toBeGreaterThan(8 * factors.entries);
      expect(solved(factors, b)).toEqual(solved(expected, b));
      // Pivots leave the diagonal, and come back.
      const { bytes } = factors;
      const strange = matrix.values.map((value, k) => (value > 0 ? 1e-9 : value * (1 + (k % 7))));
      drained(factors.refactor(strange));
      expect(factors.pivots.offDiagonal).toBeGreaterThan(100);
      expect(backwardError({ ...matrix, values: strange }, solved(factors, b), b)).toBeLessThan(1e-9);
      const grown = factors.bytes;
      expect(grown).toBeGreaterThan(bytes);
      drained(factors.refactor(matrix.values.map((value) => value * (value > 0 ? 1 : 1e-6))));
      drained(factors.refactor(strange));
      expect(factors.bytes).toBe(grown);
    }
    expect(engine.heap.bytesInUse).toBe(before);
  });

  test('progress and turns: a long factorization yields shares that grow', () => {
    const matrix = gallery('laplace3d7', { nx: 22, ny: 22, nz: 22 });
    const shares: number[] = [];
    const steps = analysed(matrix).factor(engine, matrix.values);
    for (;;) {
      const { done, value } = steps.next();
      if (done) {
        value[Symbol.dispose]();
        break;
      }
      expect(value.stage).toBe('factor');
      shares.push(value.done);
    }
    expect(shares.length).toBeGreaterThan(3);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)!).toBeLessThanOrEqual(1);
  });
});
