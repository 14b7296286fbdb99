import { expect, test } from 'vitest';
import { placeHeader, readHeader } from '#dist/memory/header.js';
import { Heap } from '#dist/memory/heap.js';

const LAYOUT = { rows: 'u32', rowPtr: 'usize', table: 'usize', sign: 'i32' } as const;

test('a header holds its words in the order of the layout, whatever the order of the record', () => {
  const heap = new Heap();
  const scope = heap.scope();
  const rowPtr = scope.copy(Uint32Array, [0, 2]);
  const address = placeHeader(scope, LAYOUT, { sign: -1, table: undefined, rowPtr, rows: 1 });
  expect([...heap.view(Int32Array, address, 4)]).toEqual([1, rowPtr.byteOffset, 0, -1]);
  expect(rowPtr.byteOffset).toBeGreaterThan(0);
  expect(readHeader(heap, LAYOUT, address)).toEqual({
    rows: 1,
    rowPtr: rowPtr.byteOffset,
    table: 0,
    sign: 2 ** 32 - 1,
  });
});

test('an array that is not in the heap has no address there', () => {
  const scope = new Heap().scope();
  const words = { rows: 1, rowPtr: new Uint32Array(2), table: new Float64Array(0), sign: 1 };
  expect(() => placeHeader(scope, LAYOUT, words)).toThrow(/^rowPtr: expected an array in the heap, got /);
  expect(() => placeHeader(scope, LAYOUT, { ...words, rowPtr: new Uint32Array(0) })).not.toThrow();
});

test('a word that is missing or misspelt does not compile', () => {
  const scope = new Heap().scope();
  // @ts-expect-error: sign is missing
  placeHeader(scope, LAYOUT, { rows: 1, rowPtr: 0, table: 0 });
  // @ts-expect-error: sgin is not a word of the layout
  placeHeader(scope, LAYOUT, { rows: 1, rowPtr: 0, table: 0, sign: 1, sgin: 1 });
});
