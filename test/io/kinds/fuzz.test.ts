/**
 * Damaged files: what is read is a matrix, or the error is one of the file. Nothing hangs, and nothing else is thrown. A zip
 * archive has checksums, so what is read from it is right.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csrMatrix } from '#dist/core/csr.js';
import { SparlaneError } from '#dist/core/errors.js';
import { read, readBlock } from '#dist/io/read.node.js';
import { bytesOf, entriesOf, pieces } from '../support.js';
import { fixture } from './support.js';

const RB = `title                                                                   key
             3             1             1             1
rsa                        3             3             4             0
(4I5)           (4I5)           (1P,4E10.2)
    1    3    4    5
    1    2    2    3
  1.00E+00  2.00E+00  3.00D+00  4.00E+00
`;
const WITH_VECTORS = `title                                                                   key
             5             1             1             1             1
rua                        2             3             3             0
(5I5)           (5I5)           (3F6.1)             (2F6.1)
F                          2             0
    1    2    3    4
    1    2    1
   1.0   2.0   3.0
   4.0   5.0
   6.0   7.0
`;
const FILES: Record<string, Uint8Array> = {
  'csr.npz': fixture('csr.npz'),
  'bsr-stored.npz': fixture('bsr-stored.npz'),
  'dia.npz': fixture('dia.npz'),
  'coo-stored.npz': fixture('coo-stored.npz'),
  'block.npy': fixture('block.npy'),
  'fortran.npy': fixture('fortran.npy'),
  'system.petsc': fixture('system.petsc'),
  'real.rua': fixture('real.rua'),
  'a.rb': bytesOf(RB),
  'vectors.hb': bytesOf(WITH_VECTORS),
  'a.mtx': fixture('coo.mtx'),
  'a.csv': bytesOf('source,target,weight\nann,"b ""o"" b",1.5\nbob,ann,2e-3\n7,ann,nan\n'),
  'a.tsv': bytesOf('# ids\n0\t1\t2\n3\t2\t5\n'),
};

/** Bytes that are replaced, inserted or removed, then a cut. */
const damage = fc.record({
  edits: fc.array(
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      bytes: fc.uint8Array({ maxLength: 4 }),
      removed: fc.integer({ min: 0, max: 4 }),
    }),
    { maxLength: 3 },
  ),
  kept: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  cut: fc.nat(200),
});

function damaged(bytes: Uint8Array, { edits, kept }: { edits: readonly Edit[]; kept: number }): Uint8Array {
  let result = bytes;
  for (const { at, bytes: inserted, removed } of edits) {
    const begin = Math.floor(at * result.length);
    result = Buffer.concat([result.subarray(0, begin), inserted, result.subarray(begin + removed)]);
  }
  return result.subarray(0, Math.ceil(kept * result.length));
}

interface Edit {
  at: number;
  bytes: Uint8Array;
  removed: number;
}

/** The value, or undefined for an error of the file. */
async function outcome<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof SparlaneError && ['parse', 'heap'].includes(error.code) && error.message.startsWith('x.')) {
      return undefined;
    }
    throw error;
  }
}

describe('a damaged file is an error, or a matrix', () => {
  it.each(Object.keys(FILES))(
    '%s',
    async (file) => {
      const bytes = FILES[file]!;
      const name = `x.${file.split('.')[1]}`;
      const right = entriesOf(await read(bytes, { name }));
      expect(right.length).toBeGreaterThan(0);
      let errors = 0;
      await fc.assert(
        fc.asyncProperty(damage, async (how) => {
          const broken = damaged(bytes, how);
          const matrix = await outcome(read(pieces(broken, [how.cut]), { name }));
          if (matrix === undefined) errors++;
          // Valid, and canonical: it is not copied.
          else expect(csrMatrix(matrix).colIdx).toBe(matrix.colIdx);
          if (matrix !== undefined && file.endsWith('.npz')) expect(entriesOf(matrix)).toEqual(right);
          const block = await outcome(readBlock(broken, { name }));
          if (block !== undefined) expect(block.values.length).toBe(block.rows * block.columns);
        }),
        { numRuns: 400 },
      );
      expect(errors).toBeGreaterThan(50);
    },
    60_000,
  );

  it.each(Object.keys(FILES))('%s, cut anywhere', async (file) => {
    const bytes = FILES[file]!;
    const name = `x.${file.split('.')[1]}`;
    for (let length = 0; length < bytes.length; length++) {
      const matrix = await outcome(read(bytes.subarray(0, length), { name }));
      // Behind the matrix of system.petsc are vectors; in lists of edges, any line may be the last one.
      if (/npz|npy/.test(file)) expect(matrix).toBeUndefined();
      // The last number of a text may be cut.
      if (/\.rb|rua/.test(file) && matrix !== undefined) expect(bytes.length - length).toBeLessThan(25);
    }
  });

  it('of any bytes', async () => {
    const extensions = ['npz', 'npy', 'petsc', 'mtx', 'rb', 'csv', 'dat'];
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...extensions), async (bytes, extension) => {
        await outcome(read(bytes, { name: `x.${extension}` }));
      }),
      { numRuns: 2000 },
    );
  });
});
