import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { dense } from '#dist/io/kinds/dense.js';
import { read as readInPage } from '#dist/io/read.js';
import { read } from '#dist/io/read.node.js';
import { write } from '#dist/io/write.js';
import { zipArchive } from '../bytes/zip-archive.js';
import { DENSE, fixture, fixturePath, rowsOf } from '../kinds/support.js';
import { collected, entriesOf, failure, pieces } from '../support.js';
import { npy } from './npy-bytes.js';

const FORMATS = ['csr', 'csc', 'coo', 'bsr', 'dia'];

describe('an npz of SciPy', () => {
  it.each(FORMATS.flatMap((name) => [`${name}.npz`, `${name}-stored.npz`]))('%s', async (name) => {
    for (const source of [fixturePath(name), fixture(name), new Blob([fixture(name)])]) {
      const matrix = await read(source);
      expect(matrix.kind).toBe('npz');
      expect(rowsOf(dense('x', matrix))).toEqual(DENSE);
    }
    expect(rowsOf(dense('x', await readInPage(fixture(name))))).toEqual(DENSE);
  });

  it('keeps entries that are 0, but those that pad diagonals', async () => {
    const counts = await Promise.all(FORMATS.map(async (name) => (await read(fixturePath(`${name}.npz`))).nnz));
    expect(counts).toEqual([8, 8, 8, 24, 7]);
  });

  it('with diagonals that reach beyond the matrix', async () => {
    const matrix = await read(fixturePath('band.npz'));
    // SciPy's rule: data[k, j] stands in column j.
    expect(rowsOf(dense('x', matrix))).toEqual([
      [6, 0, 0, 14, 0],
      [0, 7, 0, 0, 15],
      [1, 0, 8, 0, 0],
      [0, 2, 0, 9, 0],
    ]);
  });

  it.each([
    ['f4', Float32Array, 'real', [1, 2, 4, 0, 1, 3, 7, 3]],
    ['i8', Float64Array, 'integer', [1, 2, 4, 0, 1, 3, 7, 3]],
    ['i2', Float64Array, 'integer', [1, 2, 4, 0, 1, 3, 7, 3]],
    ['u1', Float64Array, 'integer', [1, 2, 4, 0, 1, 3, 7, 3]],
    ['b1', Float64Array, 'integer', [1, 1, 1, 0, 1, 1, 1, 1]],
  ])('of %s', async (type, array, field, values) => {
    const matrix = await read(fixturePath(`csr-${type}.npz`));
    expect(matrix.values).toEqual(array.from(values));
    expect(matrix.field).toBe(field);
  });

  it('with indices of 64 bits', async () => {
    expect(entriesOf(await read(fixturePath('csr-wide.npz')))).toEqual(entriesOf(await read(fixturePath('csr.npz'))));
  });

  it('does not depend on where it is cut', async () => {
    const bytes = fixture('csr.npz');
    const whole = entriesOf(await read(bytes));
    for (let at = 0; at <= bytes.length; at += 13) expect(entriesOf(await read(pieces(bytes, [at])))).toEqual(whole);
  });

  it('is refused when it is not a sparse matrix of real numbers', async () => {
    expect((await failure(read(fixturePath('dense.npz')))).message).toBe(
      'dense.npz: expected the array format of scipy.sparse.save_npz, got a, b',
    );
    expect((await failure(read(fixturePath('complex.npz')))).message).toBe(
      "complex.npz/data.npy, byte 10: expected real numbers: b1, i1 … i8, u1 … u8, f2, f4 or f8 (readComplex reads complex matrices), got '<c16'",
    );
  });
});

interface Arrays {
  indices?: number[];
  indptr?: number[];
  row?: number[];
  col?: number[];
  offsets?: number[];
  format?: string;
  shape?: number[];
  data?: number[];
  /** Of `data`, if it is no vector. */
  dimensions?: string;
}

function archive({ format = 'csr', shape = [2, 2], data = [3, 4], dimensions, ...more }: Arrays) {
  const indices = Object.entries(
    format === 'csr' || format === 'csc' ? { indices: [0, 1], indptr: [0, 1, 2], ...more } : more,
  );
  return zipSync({
    ...Object.fromEntries(
      indices.map(([name, array]) => [`${name}.npy`, npy('<i4', `(${array.length},)`, Int32Array.from(array))]),
    ),
    'format.npy': npy('|S3', '()', strToU8(format)),
    'shape.npy': npy('<f8', '(2,)', Float64Array.from(shape)),
    'data.npy': npy('<f8', dimensions ?? `(${data.length},)`, Float64Array.from(data)),
  });
}

describe('an npz with wrong arrays is one clear error', () => {
  it('and a right one is none', async () => {
    expect(entriesOf(await read(archive({})))).toEqual([
      [0, 0, 3],
      [1, 1, 4],
    ]);
  });

  it.each<[string, Arrays, string]>([
    ['a column', { indices: [0, 7] }, 'x.npz: colIdx[1]: expected a column below cols = 2, got 7'],
    ['a row', { indices: [0, 7], format: 'csc' }, 'x.npz: rowIdx[1]: expected a row below rows = 2, got 7'],
    ['pointers', { indptr: [0, 2, 1] }, 'x.npz: rowPtr[2]: expected at least rowPtr[1] = 2, got 1'],
    ['a length', { data: [3] }, 'x.npz/indices.npy: expected 1 numbers (as many as data has), got 2'],
    ['too few pointers', { shape: [3, 2] }, 'x.npz/indptr.npy: expected 4 numbers (one more than rows), got 3'],
    [
      'too many pointers',
      { shape: [2, 1], format: 'csc' },
      'x.npz/indptr.npy: expected 2 numbers (one more than columns), got 3',
    ],
    [
      'coordinates',
      { format: 'coo', row: [0], col: [0, 1] },
      'x.npz/row.npy: expected 2 numbers (as many as data has), got 1',
    ],
    [
      'no coordinates',
      { format: 'coo', row: [0, 1] },
      'x.npz: expected the array col of scipy.sparse.save_npz, got row, format, shape, data',
    ],
    [
      'blocks of no shape',
      { format: 'bsr', indices: [0], indptr: [0, 1] },
      'x.npz/data.npy: expected blocks × rows × columns, got the shape (2)',
    ],
    [
      'blocks that do not fit',
      { format: 'bsr', indices: [0], indptr: [0, 1], dimensions: '(1, 1, 2)', shape: [2, 3] },
      'x.npz: expected blocks that divide 2 × 3, got blocks of 1 × 2',
    ],
    [
      'rows of blocks',
      { format: 'bsr', indices: [0], indptr: [0, 1], dimensions: '(1, 1, 2)' },
      'x.npz/indptr.npy: expected 3 numbers (one more than rows of blocks), got 2',
    ],
    [
      'blocks that are not there',
      { format: 'bsr', indices: [0, 0], indptr: [0, 1, 2], dimensions: '(1, 1, 2)' },
      'x.npz/indices.npy: expected 1 numbers (one a block of data), got 2',
    ],
    [
      'pointers to blocks',
      { format: 'bsr', indices: [0], indptr: [0, 2, 1], dimensions: '(1, 1, 2)' },
      'x.npz: expected pointers that ascend, got indptr[1] = 2',
    ],
    [
      'diagonals of no shape',
      { format: 'dia', offsets: [0] },
      'x.npz/data.npy: expected diagonals × columns, got the shape (2)',
    ],
    [
      'offsets',
      { format: 'dia', offsets: [0, 1], dimensions: '(1, 2)' },
      'x.npz/offsets.npy: expected 1 numbers (one a diagonal of data), got 2',
    ],
    [
      'a diagonal twice',
      { format: 'dia', offsets: [1, 1], dimensions: '(2, 1)' },
      'x.npz: expected offsets that are different, got 1',
    ],
    ['a shape', { shape: [2.5, 2] }, 'x.npz: rows: expected an integer from 0 to 4294967295, got 2.5'],
    ['a format', { format: 'lil' }, "x.npz: expected the format csr, csc, coo, bsr or dia, got 'lil'"],
    [
      'a negative index',
      { indices: [0, -1] },
      'x.npz/indices.npy, byte 72: expected indices from 0 to 4294967295, got indices[1] = -1',
    ],
  ])('%s', async (_, arrays, message) => {
    const error = await failure(read(archive(arrays), { name: 'x.npz' }));
    expect([error.code, error.message]).toEqual(['parse', message]);
  });

  it('an array twice', async () => {
    const twice = zipArchive(
      ['a', 'b'].map((name) => ({ path: `shape.npy`, bytes: npy('<f8', '(2,)', Float64Array.of(2, name.length)) })),
    );
    expect((await failure(read(twice, { name: 'x.npz' }))).message).toBe(
      'x.npz/shape.npy, byte 0: expected each array once, got another shape',
    );
  });

  it('a compression that is not supported', async () => {
    const bytes = zipArchive([
      { path: 'data.npy', bytes: npy('<f8', '(0,)', new Float64Array(0)), local: { method: 93 } },
    ]);
    expect((await failure(read(bytes, { name: 'x.npz' }))).message).toBe(
      'x.npz/data.npy: expected a file that is stored or deflated (methods 0 and 8), got compression method 93 (Zstandard)',
    );
  });

  it('rows without end', async () => {
    const { code, message } = await failure(read(archive({ format: 'csc', shape: [4e9, 2] }), { name: 'x.npz' }));
    expect(code).toBe('heap');
    expect(message).toBe('x.npz: expected at most 16777216 rows for 2 entries, got 4000000000');
  });
});

/** So that memory in use is measured, and not garbage as well. */
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function memoryInUse(): number {
  // The first collection may free buffers in the background; the second one waits for that.
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** The same when it no longer changes: on a busy machine buffers of calls that have ended are freed some turns of the event loop later. */
async function settledMemory(): Promise<number> {
  for (let last = memoryInUse(); ; ) {
    await setTimeout(10);
    const now = memoryInUse();
    if (now === last) return now;
    last = now;
  }
}

/** The entries of a file, or those of an error, 0; and the most memory in use, in bytes, while it is read in pieces. */
async function mostMemory(bytes: Uint8Array, pieceBytes: number): Promise<{ nnz: number; most: number }> {
  const before = await settledMemory();
  let most = 0;
  async function* watched(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      yield bytes.subarray(at, at + pieceBytes);
      most = Math.max(most, memoryInUse() - before);
    }
  }
  const { nnz } = await read(watched()).catch(() => ({ nnz: 0 }));
  return { nnz, most };
}

it('takes no more memory than its arrays, whether compressed or not', async () => {
  const count = 1_500_000;
  const colIdx = Uint32Array.from({ length: count }, (_, k) => k % 1000);
  const rowPtr = Uint32Array.from({ length: 1501 }, (_, i) => 1000 * i);
  const values = Float64Array.from({ length: count }, (_, k) => Math.cos(k));
  const stored = await collected(await write('x.npz', { rows: 1500, cols: 1000, rowPtr, colIdx, values }));
  const members = unzipSync(stored);
  for (const bytes of [stored, zipSync(members, { level: 1 })]) {
    const { nnz, most } = await mostMemory(bytes, 1 << 21);
    expect(nnz).toBe(count);
    expect(most).toBeGreaterThan(8 * count);
    expect(most).toBeLessThan(12 * count + 6e6);
  }
});
