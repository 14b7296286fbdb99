import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sortColumns, sortRow, summed } from '#dist/core/canonical.js';

const column = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const columns = fc.oneof(
  fc.array(column, { maxLength: 40 }),
  fc.array(fc.constantFrom(0, 1, 2 ** 31 - 1), { maxLength: 20 }),
  fc.array(fc.constantFrom(0, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1), { maxLength: 20 }),
);

it('sorts a row of any length by any columns, stably, and nothing beside it', () => {
  fc.assert(
    fc.property(columns, (given) => {
      const colIdx = Uint32Array.from([9, ...given, 3]);
      const values = Float64Array.from(colIdx, (_, k) => k);
      sortRow(colIdx, values, 1, given.length + 1);
      const order = given.map((col, k) => [col, k + 1] as const).toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
      expect([...colIdx]).toEqual([9, ...order.map(([col]) => col), 3]);
      expect([...values]).toEqual([0, ...order.map(([, k]) => k), given.length + 1]);
    }),
    { numRuns: 5000 },
  );
});

it('sorts the columns of rows, and says whether they are different', () => {
  fc.assert(
    fc.property(fc.array(columns, { maxLength: 4 }), (rows) => {
      const rowPtr = Uint32Array.from([0, ...rows.map((_, i) => rows.slice(0, i + 1).flat().length)]);
      const colIdx = Uint32Array.from(rows.flat());
      const isStrict = sortColumns(rowPtr, colIdx);
      expect([...colIdx]).toEqual(rows.flatMap((row) => row.toSorted((a, b) => a - b)));
      expect(isStrict).toBe(rows.every((row) => new Set(row).size === row.length));
    }),
    { numRuns: 2000 },
  );
});

it('sums the duplicates of sorted rows from left to right, also of long stretches without any', () => {
  // Lengths of runs of one column.
  const runs = fc.oneof(
    fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 12 }),
    fc
      .tuple(fc.integer({ min: 0, max: 120 }), fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }))
      .map(([length, end]) => [...Array<number>(length).fill(1), ...end]),
  );
  fc.assert(
    fc.property(fc.array(runs, { maxLength: 8 }), (rows) => {
      const starts = rows.map((_, i) =>
        rows
          .slice(0, i + 1)
          .flat()
          .reduce((sum, run) => sum + run, 0),
      );
      const colIdx = Uint32Array.from(rows.flatMap((row) => row.flatMap((run, col) => Array<number>(run).fill(col))));
      // Sums depend on the order of their terms.
      const values = Float64Array.from(colIdx, (_, k) => (k % 3 === 0 ? 1e16 : 1 / (k + 1)));
      const expected: number[] = [];
      for (let k = 0, row = 0, run = 0; k < colIdx.length; run++) {
        while (run === rows[row]!.length) [row, run] = [row + 1, 0];
        let sum = values[k]!;
        for (const end = k++ + rows[row]![run]!; k < end; k++) sum += values[k]!;
        expected.push(sum);
      }
      const shape = { rows: rows.length, cols: 130, field: 'real', symmetry: 'general' } as const;
      const rowPtr = Uint32Array.of(0, ...starts);
      const result = summed({ ...shape, nnz: colIdx.length, rowPtr, colIdx, values });
      expect([...result.rowPtr]).toEqual([0, ...rows.map((_, i) => rows.slice(0, i + 1).flat().length)]);
      expect([...result.colIdx]).toEqual(rows.flatMap((row) => row.map((_, col) => col)));
      expect([...result.values]).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});
