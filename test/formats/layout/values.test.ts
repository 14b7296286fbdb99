/** Values as codes, or not stored at all: which values are distinguished, and the reasons of refusals. */
import { afterEach, describe, expect, it } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';
import { DTYPES, type Dtype, type Field } from '#dist/core/types.js';
import { encodeValues, placeTable, placeValues, valueRoom } from '#dist/formats/layout/values.js';
import { Heap } from '#dist/memory/heap.js';

/** One row of these values. */
function row(values: readonly number[], field: Field = 'real'): CsrMatrix {
  const builder = new CsrBuilder(1, values.length, { field });
  for (const [col, value] of values.entries()) builder.add(0, col, value);
  return builder.build();
}

/** 1, 2, 3 … `count`, and then 1 again. */
function different(count: number): number[] {
  return [...Array.from({ length: count }, (_, k) => k + 1), 1];
}

const kindOf = (values: readonly number[], dtype: Dtype, wanted: string) => encodeValues(row(values), dtype, wanted);

describe('codes', () => {
  it('count from 0 in order of first appearance', () => {
    const { kind, entries, table, warning } = kindOf([7, 5, 7, 7, 9, 5], 'f64', 'table');
    expect({ kind, warning }).toEqual({ kind: 'table', warning: undefined });
    expect(entries).toEqual(Uint8Array.of(0, 1, 0, 0, 2, 1));
    expect(table).toEqual(Float64Array.of(7, 5, 9));
  });

  it('tell −0 from 0', () => {
    const { entries, table } = kindOf([0, -0, 0], 'f64', 'table');
    expect(entries).toEqual(Uint8Array.of(0, 1, 0));
    expect([...table].map((value) => Object.is(value, -0))).toEqual([false, true]);
  });

  it.each(DTYPES)('have one for all NaN, and one for each infinity, in %s', (dtype) => {
    const { entries, table } = kindOf([Number.NaN, Infinity, -Infinity, Number.NaN], dtype, 'table');
    expect(entries).toEqual(Uint8Array.of(0, 1, 2, 0));
    expect([...table]).toEqual([Number.NaN, Infinity, -Infinity]);
  });

  it.each(DTYPES)('are enough for 256 values in %s, not for 257', (dtype) => {
    const most = kindOf(different(256), dtype, 'table');
    expect(most.kind).toBe('table');
    expect([...most.table]).toEqual(different(256).slice(0, 256));
    expect([...most.entries]).toEqual([...different(256).keys()].map((k) => k % 256));
    const tooMany = kindOf(different(257), dtype, 'table');
    expect(tooMany).toMatchObject({ kind: 'full' });
    expect([...tooMany.entries]).toEqual(different(257));
    expect(tooMany.warning).toBe('values=table: expected up to 256 different values, got more; stored in full');
  });

  it('find 256 values whose low words are all zero', () => {
    const values = Array.from({ length: 256 }, (_, k) => (1 + k / 256) * 2 ** (k % 40));
    const { kind, entries, table } = kindOf([...values, ...values], 'f64', 'table');
    expect(kind).toBe('table');
    expect(Array.from(entries, (code) => table[code])).toEqual([...values, ...values]);
  });

  it('are made of the stored values: f32 may merge several values into one', () => {
    const values = Array.from({ length: 300 }, (_, k) => 1 + k * 2 ** -40);
    expect(kindOf(values, 'f64', 'table').kind).toBe('full');
    for (const dtype of ['f32', 'mixed'] as const) {
      const { kind, entries, table } = kindOf(values, dtype, 'table');
      expect(kind).toBe('table');
      expect([...table]).toEqual([1]);
      expect(new Set(entries)).toEqual(new Set([0]));
    }
  });

  it('mean values in the type of the sums', () => {
    expect(kindOf([0.1], 'f64', 'table').table).toEqual(Float64Array.of(0.1));
    expect(kindOf([0.1], 'mixed', 'table').table).toEqual(Float64Array.of(Math.fround(0.1)));
    expect(kindOf([0.1], 'f32', 'table').table).toEqual(Float32Array.of(0.1));
  });

  it('of f32 values come from f32 arrays too', () => {
    const matrix = { ...row([1, 2, 1]), values: Float32Array.of(1, 2, 1) };
    for (const dtype of DTYPES) expect(encodeValues(matrix, dtype, 'table').entries).toEqual(Uint8Array.of(0, 1, 0));
  });

  it('of no entries are none', () => {
    const { kind, entries, table } = kindOf([], 'f64', 'table');
    expect({ kind, entries: entries.length, table: table.length }).toEqual({ kind: 'table', entries: 0, table: 0 });
  });
});

describe('a pattern', () => {
  it.each(['auto', 'pattern'])('needs no values where all are 1: values=%s', (wanted) => {
    const { kind, entries, warning } = encodeValues(row([1, 1, 1], 'pattern'), 'f64', wanted);
    expect({ kind, length: entries.length, warning }).toEqual({
      kind: 'pattern',
      length: 0,
      warning: undefined,
    });
  });

  it('is taken of any matrix of ones that is asked for, but not looked for', () => {
    expect(kindOf([1, 1], 'f64', 'pattern').kind).toBe('pattern');
    expect(kindOf([1, 1], 'f64', 'auto').kind).toBe('full');
  });

  it('if a value is not 1, a requested pattern is stored in full, with a warning', () => {
    const { kind, entries, warning } = kindOf([1, 1, 2.5], 'f64', 'pattern');
    expect(kind).toBe('full');
    expect([...entries]).toEqual([1, 1, 2.5]);
    expect(warning).toBe('values=pattern: expected all values 1, got 2.5; stored in full');
  });

  it.each([2, Number.NaN, 1 + 2 ** -52])('is not used for a matrix that claims it and has a %d', (value) => {
    const lie = { ...row([1, value]), field: 'pattern' as const };
    const { kind, entries, warning } = encodeValues(lie, 'f64', 'auto');
    expect({ kind, warning }).toEqual({ kind: 'full', warning: undefined });
    expect([...entries]).toEqual([1, value]);
  });
});

it.each([
  ['f64', Float64Array],
  ['f32', Float32Array],
  ['mixed', Float32Array],
] as const)('in full they are what %s stores', (dtype, type) => {
  const encoded = kindOf([0.1, 2], dtype, 'full');
  const { kind, table, warning } = encoded;
  expect({ kind, table: table.length, warning }).toEqual({
    kind: 'full',
    table: 0,
    warning: undefined,
  });
  const stored = placeValues(new Heap().scope(), encoded, dtype, 1);
  expect(type.from(stored)).toEqual(type.of(0.1, 2, 0));
  expect(stored).toBeInstanceOf(type);
});

describe('in the heap', () => {
  const heap = new Heap();
  afterEach(() => expect(heap.bytesInUse).toBe(0));

  it.each([
    ['full', 'f64', 10 * 8],
    ['full', 'mixed', 10 * 4],
    ['table', 'f64', 10 + 256 * 8],
    ['table', 'mixed', 10 + 256 * 8],
    ['table', 'f32', 10 + 256 * 4],
    ['pattern', 'f64', 0],
  ] as const)('values=%s takes in %s, for ten, %d bytes', (wanted, dtype, bytes) => {
    using scope = heap.scope();
    const encoded = kindOf(wanted === 'pattern' ? [1, 1] : [4, 5, 6], dtype, wanted);
    const room = valueRoom(scope, encoded, dtype, 10);
    const table = placeTable(scope, encoded);
    expect(scope.bytes).toBe(bytes);
    expect(room.length).toBe(wanted === 'pattern' ? 0 : 10);
    expect([...table]).toEqual(wanted === 'table' ? [4, 5, 6] : []);
    expect(table.byteOffset === 0).toBe(wanted !== 'table');
  });
});
