/** Archives of few bytes that claim many numbers. */
import { spawnSync } from 'node:child_process';
import { constants, deflateRawSync } from 'node:zlib';
import { strToU8 } from 'fflate';
import { describe, expect, it } from 'vitest';
import { type ZipFile, zipArchive } from '../bytes/zip-archive.js';
import { npy } from './npy-bytes.js';

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
