/**
 * Damaged files: what is read is a matrix, or the error is one of the file. Nothing hangs, and nothing else is thrown. A zip
 * archive has checksums, so what is read from it is right.
 *
 * All files of `fixtures` that are matrices are damaged. Each kind of the registry has one there, at least.
 */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csrMatrix } from '#dist/core/csr.js';
import { SparlaneError } from '#dist/core/errors.js';
import type { FileMatrix } from '#dist/io/kinds/kind.js';
import { FILE_KINDS } from '#dist/io/kinds/registry.js';
import { read, readBlock } from '#dist/io/read.node.js';
import { fewOrAll } from '../../soak.js';
import { entriesOf, pieces } from '../support.js';
import { FIXTURES, fixture } from './support.js';

interface Sample {
  readonly file: string;
  readonly kind: string;
  readonly bytes: Uint8Array;
  readonly matrix: FileMatrix;
}

const SAMPLES: Sample[] = [];
for (const file of readdirSync(FIXTURES)) {
  const bytes = fixture(file);
  const matrix = await outcome(read(bytes, { name: nameOf(file) }));
  if (matrix !== undefined) SAMPLES.push({ file, kind: matrix.kind, bytes, matrix });
}

/** `x`, with the extension. */
function nameOf(file: string): string {
  return `x.${file.split('.').at(-1)}`;
}

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

/** Damages of the files of a kind, and cuts. */
const DAMAGES = fewOrAll(100, 500);
const CUTS = fewOrAll(100, 300);

it('each kind has a file that is damaged: put one into fixtures', () => {
  expect(new Set(SAMPLES.map(({ kind }) => kind))).toEqual(new Set(FILE_KINDS.map(({ name }) => name)));
});

describe.each(SAMPLES)('a damaged file is an error, or a matrix: $file', ({ file, kind, bytes, matrix: right }) => {
  const name = nameOf(file);
  const files = SAMPLES.filter((sample) => sample.kind === kind).length;
  const numRuns = Math.ceil(DAMAGES / files);

  it('with other bytes', async () => {
    expect(right.nnz).toBeGreaterThan(0);
    let errors = 0;
    await fc.assert(
      fc.asyncProperty(damage, async (how) => {
        const broken = damaged(bytes, how);
        const matrix = await outcome(read(pieces(broken, [how.cut]), { name }));
        if (matrix === undefined) errors++;
        // Valid, and canonical: it is not copied.
        else expect(csrMatrix(matrix).colIdx).toBe(matrix.colIdx);
        if (matrix?.kind === 'npz') expect(entriesOf(matrix)).toEqual(entriesOf(right));
        const block = await outcome(readBlock(broken, { name }));
        if (block !== undefined) expect(block.values.length).toBe(block.rows * block.columns);
      }),
      { numRuns },
    );
    expect(errors).toBeGreaterThan(numRuns / 20);
  });

  it('cut anywhere', async () => {
    const step = Math.ceil((bytes.length * files) / CUTS);
    for (let length = bytes.length - 1; length >= 0; length -= step) {
      const matrix = await outcome(read(bytes.subarray(0, length), { name }));
      // Behind the matrix of system.petsc are vectors; in lists of edges, any line may be the last one.
      if (kind === 'npz' || kind === 'npy') expect(matrix).toBeUndefined();
      // The last number of a text may be cut, and right-hand sides are behind the matrix.
      if (kind === 'harwell-boeing' && matrix !== undefined) expect(bytes.length - length).toBeLessThan(30);
    }
  });
});

it('any bytes are an error, or a matrix', async () => {
  const extensions = FILE_KINDS.flatMap((kind) => kind.extensions);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...extensions), async (bytes, extension) => {
      await outcome(read(bytes, { name: `x.${extension}` }));
    }),
    { numRuns: 1000 },
  );
});
