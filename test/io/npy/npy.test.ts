import { describe, expect, it } from 'vitest';
import { read, readBlock, readVector } from '#dist/io/read.node.js';
import { fixture, fixturePath, rowsOf } from '../kinds/support.js';
import { bytesOf, entriesOf, failure } from '../support.js';

describe('an npy of NumPy', () => {
  it('is a vector', async () => {
    expect(await readVector(fixturePath('vector.npy'))).toEqual(Float64Array.of(0.5, -0, Infinity, -1e300, 3));
  });

  it.each(['f4', 'f8-big', 'i8', 'i2-big', 'u4', 'f2'])('of %s', async (type) => {
    const array = type === 'f4' ? Float32Array : Float64Array;
    expect(await readVector(fixturePath(`vector-${type}.npy`))).toEqual(array.of(1, 0, 2, 3, 5));
  });

  it('of truth values', async () => {
    expect(await readVector(fixturePath('vector-b1.npy'))).toEqual(Float64Array.of(1, 0, 1, 1, 1));
  });

  it.each(['block', 'fortran'])('is a block, by rows: %s', async (name) => {
    expect(rowsOf(await readBlock(fixturePath(`${name}.npy`)))).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
  });

  it('is a matrix of the numbers that are not 0', async () => {
    const matrix = await read(fixturePath('block.npy'));
    expect(matrix.kind).toBe('npy');
    expect(entriesOf(matrix)).toEqual([
      [0, 1, 1],
      [1, 0, 2],
      [1, 1, 3],
      [2, 0, 4],
      [2, 1, 5],
    ]);
  });

  it('is one number', async () => {
    expect(await readVector(fixturePath('scalar.npy'))).toEqual(Float64Array.of(2.5));
  });
});

describe('an npy that is wrong is one clear error', () => {
  const bytes = fixture('vector.npy');
  const text = (from: string, to: string) => {
    const characters = String.fromCharCode(...bytes).replace(from, to.padEnd(from.length));
    return Uint8Array.from(characters, (character) => character.charCodeAt(0));
  };
  it.each<[string, Uint8Array, string]>([
    ['cut in its header', bytes.subarray(0, 50), 'byte 50: expected the header, got the end of the file'],
    ['cut in its numbers', bytes.subarray(0, 150), 'byte 150: expected 5 numbers, got the end of the file'],
    [
      'with more behind it',
      Buffer.concat([bytes, bytesOf('x')]),
      'byte 168: expected the end of the file, got more bytes',
    ],
    ['of another version', bytes.with(6, 9), 'byte 8: expected version 1, 2 or 3 of npy, got 9'],
    ['of texts', text("'<f8'", "'<U8'"), 'byte 128: expected numbers, got text'],
    [
      'of objects',
      text("'<f8'", "'|O'"),
      "byte 10: expected real numbers: b1, i1 … i8, u1 … u8, f2, f4 or f8, got '|O'",
    ],
    [
      'without a shape',
      text('shape', 'sharp'),
      'byte 10: expected a dictionary with descr, fortran_order and shape, got',
    ],
    [
      'of three dimensions',
      fixture('cube.npy'),
      'byte 128: expected a vector or a matrix, got an array of 3 dimensions',
    ],
  ])('%s', async (_, damaged, message) => {
    const error = await failure(readVector(damaged, { name: 'x.npy' }));
    expect(error.code).toBe('parse');
    expect(error.message).toContain(`x.npy, ${message}`);
  });

  it('larger than any memory', async () => {
    const { code, message } = await failure(
      readVector(text('(5,), }          ', '(99999999999,), }'), { name: 'x.npy' }),
    );
    expect([code, message]).toEqual([
      'heap',
      "x.npy: expected a block of at most 536870912 numbers, got '99999999999 × 1'",
    ]);
  });

  it.each([
    ['(99999999999, 0), }', 'a block of at most 536870912 numbers, got', '99999999999 × 0'],
    ['(0, 4294967296), }', 'a block of at most 536870912 numbers, got', '0 × 4294967296'],
    ['(4294967295, 0), }', 'at most 16777216 rows for 0 entries, got', 4294967295],
  ])('of %s', async (shape, expected, got) => {
    const empty = text('(5,), }            ', shape).subarray(0, 128);
    const { code, message } = await failure(read(empty, { name: 'x.npy' }));
    expect([code, message]).toEqual([
      'heap',
      `x.npy: expected ${expected} ${typeof got === 'string' ? `'${got}'` : got}`,
    ]);
  });

  it('of several columns instead of a vector', async () => {
    expect((await failure(readVector(fixturePath('block.npy')))).message).toBe(
      'block.npy: expected a vector, one column, got 3 × 2',
    );
  });
});
