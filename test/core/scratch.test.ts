/** The system gets the memory of a scratch buffer back when it is discarded, and no other buffer is ever detached. */
import { expect, test } from 'vitest';
import { csrFromEntries, entryChunk } from '#dist/core/entries.js';
import { discard, scratchBuffer } from '#dist/core/scratch.js';

const BYTES = 2 ** 21;

test('a large scratch buffer is full of zeros, and empty when it is discarded', () => {
  const buffer = scratchBuffer(BYTES);
  const array = new Float64Array(buffer, 0, BYTES / 8);
  expect(array.every((value) => value === 0)).toBe(true);
  array.fill(1);
  discard(buffer);
  expect([buffer.byteLength, array.length]).toEqual([0, 0]);
  discard(buffer);
});

test('the buffers of others stay as they are, resizable ones too', () => {
  const Resizable = ArrayBuffer as unknown as new (bytes: number, options: { maxByteLength: number }) => ArrayBuffer;
  for (const buffer of [
    new ArrayBuffer(BYTES),
    new Resizable(BYTES, { maxByteLength: BYTES }),
    new SharedArrayBuffer(8),
  ]) {
    const { byteLength } = buffer;
    discard(buffer);
    expect(buffer.byteLength).toBe(byteLength);
  }
});

test('entries that are copied into a matrix are discarded, those of a caller are not', () => {
  const count = 2 ** 18;
  const shape = { rows: count, cols: count, field: 'real', symmetry: 'general' } as const;
  const ours = entryChunk('real', count, true);
  const given = {
    rowIdx: new Uint32Array(count),
    colIdx: new Uint32Array(count),
    values: new Float64Array(count),
    used: count,
  };
  for (let k = 0; k < count; k++) {
    for (const { rowIdx, colIdx, values } of [ours, given]) {
      rowIdx[k] = k;
      colIdx[k] = count - 1 - k;
      values![k] = k;
    }
  }
  ours.used = count;
  const [a, b] = [csrFromEntries(shape, [ours]), csrFromEntries(shape, [given])];
  expect(Buffer.compare(Buffer.from(a.values.buffer), Buffer.from(b.values.buffer))).toBe(0);
  expect(a.values[7]).toBe(7);
  expect([ours.rowIdx.length, ours.colIdx.length, ours.values!.length]).toEqual([0, 0, 0]);
  expect([given.rowIdx.length, given.colIdx.length, given.values.length]).toEqual([count, count, count]);
});
