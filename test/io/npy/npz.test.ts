import { spawnSync } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { constants, deflateRawSync } from 'node:zlib';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { dense } from '#dist/io/kinds/dense.js';
import { read as readInPage } from '#dist/io/read.js';
import { read } from '#dist/io/read.node.js';
import { write } from '#dist/io/write.js';
import { type ZipFile, zipArchive } from '../bytes/zip-archive.js';
import { DENSE, fixture, fixturePath, rowsOf } from '../kinds/support.js';
import { collected, entriesOf, failure, pieces } from '../support.js';

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
      "complex.npz/data.npy, byte 10: expected real numbers: b1, i1 … i8, u1 … u8, f2, f4 or f8 (complex numbers are not supported), got '<c16'",
    );
  });
});

/** The arrays of an archive as text after a header of npy. */
function npy(descr: string, shape: string, bytes: ArrayBufferView): Uint8Array {
  const dictionary = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }\n`;
  const header = Uint8Array.from(`\x93NUMPY\x01\0..${dictionary}`, (character) => character.charCodeAt(0));
  new DataView(header.buffer).setUint16(8, dictionary.length, true);
  return Buffer.concat([header, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)]);
}

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

/** The entries of a file, or those of an error, 0; and the most memory in use, in bytes, while it is read in pieces. */
async function mostMemory(bytes: Uint8Array, pieceBytes: number): Promise<{ nnz: number; most: number }> {
  const before = memoryInUse();
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

/** The header of an array and zeros behind it, deflated a megabyte at a time. */
function zeros(path: string, header: Uint8Array, megabytes: number): ZipFile {
  const deflated = (bytes: Uint8Array) => deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH });
  const megabyte = deflated(new Uint8Array(1 << 20));
  const packed = Buffer.concat([
    deflated(header),
    ...Array(megabytes).fill(megabyte),
    deflateRawSync(new Uint8Array(0)),
  ]);
  // Nobody reads so far that the checksum is compared.
  const size = header.length + megabytes * 2 ** 20;
  return { path, bytes: new Uint8Array(0), deflated: true, packed, local: { size }, central: { size } };
}

describe('an npz of few bytes that claims many numbers', () => {
  const small = (name: string, array: Int32Array | Float64Array) => ({
    path: `${name}.npy`,
    bytes: npy(array instanceof Int32Array ? '<i4' : '<f8', `(${array.length},)`, array),
  });
  const nothing = new Float64Array(0);
  const megabytes = 512;
  const data = zeros('data.npy', npy('<f8', `(${megabytes * 2 ** 17},)`, nothing), megabytes);
  const indices = zeros('indices.npy', npy('<i4', `(${megabytes * 2 ** 18},)`, nothing), megabytes);
  const wide = zeros('indices.npy', npy('<i8', `(${megabytes * 2 ** 17},)`, nothing), megabytes);
  const format = (name: string) => ({ path: 'format.npy', bytes: npy('|S3', '()', strToU8(name)) });
  const shape = small('shape', Float64Array.of(2, 2));
  const indptr = small('indptr', Int32Array.of(0, 1, 3));

  it.each<[string, ZipFile[], string]>([
    [
      'of which the other arrays have less',
      [small('indices', Int32Array.of(0, 1, 0)), indptr, format('csr'), shape, data],
      'x.npz/indices.npy: expected 67108864 numbers (as many as data has), got 3',
    ],
    [
      'in front of all others',
      [indices, data, format('csr'), shape, indptr],
      'x.npz/indices.npy: expected 67108864 numbers (as many as data has), got 134217728',
    ],
    [
      'of which the pointers say less',
      [wide, data, indptr, format('csr'), shape],
      'x.npz/indices.npy: expected 3 numbers (the last of indptr), got 67108864',
    ],
    [
      'of which the shape has less',
      [
        { ...wide, path: 'indptr.npy' },
        small('indices', Int32Array.of(0)),
        small('data', Float64Array.of(1)),
        format('csc'),
        shape,
      ],
      'x.npz/indptr.npy: expected 3 numbers (one more than columns), got 67108864',
    ],
    [
      'on diagonals beyond it',
      [
        zeros('data.npy', npy('<f8', `(1, ${megabytes * 2 ** 17})`, nothing), megabytes),
        small('offsets', Int32Array.of(0)),
        format('dia'),
        shape,
      ],
      'x.npz: expected at most 8388608 numbers of diagonals, got 67108864',
    ],
  ])('is refused before they are unpacked: %s', (_, files, message) => {
    const bytes = zipArchive(files.map((file) => ({ ...file, streamed: files.length % 2 === 0 })));
    expect(bytes.length).toBeLessThan(2e6);
    // Another process, whose memory is not that of this one.
    const program = `
      import { read } from ${JSON.stringify(import.meta.resolve('#dist/io/read.node.js'))};
      const chunks = [];
      for await (const chunk of process.stdin) chunks.push(chunk);
      const source = new Uint8Array(Buffer.concat(chunks));
      const before = process.resourceUsage().maxRSS;
      const error = await read(source, { name: 'x.npz' }).catch((reason) => reason);
      console.log(JSON.stringify([error.message, process.resourceUsage().maxRSS - before]));
    `;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { input: bytes });
    expect(String(stderr)).toBe('');
    const [found, kilobytes] = JSON.parse(String(stdout));
    expect(found).toBe(message);
    expect(kilobytes).toBeLessThan(150_000);
  });
});
