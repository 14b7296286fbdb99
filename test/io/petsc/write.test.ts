import { describe, expect, it } from 'vitest';
import { sliceRows } from '#dist/algebra/rows.js';
import { gallery, type SparlaneError } from '#dist/index.node.js';
import { petscBytes } from '#dist/io/petsc/write.js';
import { read } from '#dist/io/read.node.js';
import { fixture } from '../kinds/support.js';

const matrix = gallery('rmat', { scale: 6 });

/** Writers of some rows each make a file together. */
function written(bounds: readonly number[]): Uint8Array {
  const pieces = bounds.slice(1).flatMap((end, k) => {
    const firstRow = bounds[k]!;
    const rows = sliceRows(matrix, firstRow, end);
    return [...petscBytes({ shape: matrix, firstRow, firstEntry: matrix.rowPtr[firstRow]!, matrix: rows })];
  });
  const file = new Uint8Array(Math.max(...pieces.map(({ at, bytes }) => at + bytes.length)));
  for (const { at, bytes } of pieces) file.set(bytes, at);
  return file;
}

describe('a file of PETSc', () => {
  it.each([[[0, 64]], [[0, 10, 10, 40, 64]]])('by writers of the rows %j', async (bounds) => {
    const { rows, cols, rowPtr, colIdx, values } = await read(written(bounds));
    expect([rows, cols, rowPtr, colIdx, values]).toEqual([64, 64, matrix.rowPtr, matrix.colIdx, matrix.values]);
  });

  it('is byte by byte what PETSc writes', async () => {
    const given = fixture('matrix.petsc');
    const same = await read(given);
    const [head, lengths, columns, values] = [...petscBytes({ shape: same, firstRow: 0, firstEntry: 0, matrix: same })];
    const bytes = [head!, lengths!, columns!, values!].flatMap((piece) => [...piece.bytes]);
    expect(bytes).toEqual([...given]);
  });

  it('has no more entries than its integers count', () => {
    const shape = { rows: 64, cols: 64, nnz: 2 ** 31 };
    const pieces = petscBytes({ shape, firstRow: 0, firstEntry: 0, matrix });
    expect(() => [...pieces]).toThrow(expect.objectContaining<Partial<SparlaneError>>({ code: 'heap' }));
  });
});
