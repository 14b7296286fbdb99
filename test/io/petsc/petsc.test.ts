import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { dense } from '#dist/io/kinds/dense.js';
import { read, readVector } from '#dist/io/read.node.js';
import { DENSE, fixture, fixturePath, rowsOf } from '../kinds/support.js';
import { failure } from '../support.js';

const NUMBERS = Float64Array.of(0.5, -1, 2, 1e300);

describe('a binary file of PETSc', () => {
  it.each(['matrix', 'system'])('has a matrix: %s', async (name) => {
    const matrix = await read(fixturePath(`${name}.petsc`));
    expect([matrix.kind, matrix.nnz]).toEqual(['petsc', 8]);
    expect(rowsOf(dense('x', matrix))).toEqual(DENSE);
  });

  it.each(['vector', 'system'])('has a vector, the first one: %s', async (name) => {
    expect(await readVector(fixturePath(`${name}.petsc`))).toEqual(NUMBERS);
  });

  it('with several vectors in front of the matrix', async () => {
    const vector = fixture('vector.petsc');
    const two = Buffer.concat([vector, vector, fixture('matrix.petsc')]);
    expect(rowsOf(dense('x', await read(two)))).toEqual(DENSE);
    expect((await read(two.subarray(0, 2 * vector.length))).rows).toBe(4);
  });

  it('with vectors only is a matrix of one column', async () => {
    const { rows, cols, values } = await read(fixturePath('vector.petsc'));
    expect([rows, cols, [...values]]).toEqual([4, 1, [...NUMBERS]]);
  });
});

describe('a binary file of PETSc that is wrong is one clear error', () => {
  const bytes = fixture('matrix.petsc');
  it.each<[string, Uint8Array, string]>([
    ['cut in the sizes', bytes.subarray(0, 10), 'byte 10: expected rows, columns and entries, got the end of the file'],
    ['cut in the columns', bytes.subarray(0, 60), 'expected 8 columns, got the end of the file'],
    [
      'with another number of entries',
      bytes.with(15, 9),
      'byte 16: expected row lengths with the sum 9, got the sum 8',
    ],
    [
      'with a negative size',
      bytes.with(4, 0x80),
      'byte 4: expected sizes from 0 on, got -2147483642 × 4 with 8 entries',
    ],
    ['with a column too large', bytes.with(43, 9), ': colIdx[0]: expected a column below cols = 4, got 9'],
    [
      'with a negative column',
      bytes.with(40, 0xff),
      'byte 40: expected columns from 0 to 4294967295, got columns[0] = -16777216',
    ],
    [
      'of complex values',
      Buffer.concat([bytes, bytes.subarray(72)]),
      'byte 136: expected the end of the file, or another object of PETSc (values are real, of 64 bits), got 1073217536',
    ],
    [
      'with half a word behind it',
      Buffer.concat([bytes, bytes.subarray(0, 2)]),
      'byte 138: expected the end of the file, or another object of PETSc (values are real, of 64 bits), got the end of the file',
    ],
    ['dense', fixture('dense.petsc'), 'byte 4: expected a sparse matrix (AIJ), got a dense one'],
    [
      'with indices of 64 bits',
      Buffer.concat([new Uint8Array(4), bytes]),
      'byte 0: expected indices of 32 bits, got indices of 64 bits (write them with a PETSc of 32-bit indices)',
    ],
  ])('%s', async (_, damaged, message) => {
    const error = await failure(read(damaged, { name: 'x.petsc' }));
    expect(error.code).toBe('parse');
    expect(error.message).toMatch(/^x\.petsc[,:]/);
    expect(error.message).toContain(message);
  });

  it.each([
    ['matrix', read],
    ['vector', readVector],
  ])('compressed, with a wrong checksum far behind the %s', async (_, reader) => {
    const more = Buffer.from(Float64Array.from({ length: 50_000 }, Math.cos).buffer);
    const header = Buffer.from(fixture('vector.petsc').subarray(0, 8));
    header.writeUInt32BE(more.length / 8, 4);
    const gzip = gzipSync(Buffer.concat([fixture('system.petsc'), header, more]));
    gzip[gzip.length - 6]! ^= 1;
    expect((await failure(reader(gzip, { name: 'x' }))).message).toContain('x: expected a complete gzip file, got one');
  });

  it('without a vector', async () => {
    expect((await failure(readVector(bytes, { name: 'x' }))).message).toBe(
      'x, byte 136: expected a matrix or a vector of PETSc, got the end of the file',
    );
  });
});
