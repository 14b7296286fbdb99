import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sortColumns, sortRow } from '#dist/core/canonical.js';

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
