/** A matrix that the memory of no rank could hold: memories are small, so that a test is enough. */
import { gallery, runRanks } from 'sparlane';
import { expect, test } from 'vitest';

interface Result {
  readonly y: Float64Array;
  readonly converged: boolean;
  readonly whole: string;
  readonly bytes: number;
}

test('a matrix that fits into no memory is multiplied by ranks', async () => {
  const nx = 24;
  const maximumBytes = 2 ** 21;
  const data = { nx, maximumBytes };
  const program = new URL('./programs/large.mjs', import.meta.url);
  const results = (await runRanks(program, { ranks: 4, threads: 1, maximumBytes, data })) as Result[];
  const { rows, nnz, rowPtr, colIdx, values } = gallery('laplace3d27', { nx, ny: nx, nz: nx });
  expect(12 * nnz).toBeGreaterThan(1.9 * maximumBytes);
  const expected = new Float64Array(rows);
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) expected[i]! += values[k]! * (colIdx[k]! % 10);
  for (const { y, converged, whole, bytes } of results) {
    expect(whole).toBe('heap');
    expect(bytes).toBeLessThanOrEqual(maximumBytes);
    expect(Buffer.compare(Buffer.from(y.buffer), Buffer.from(expected.buffer))).toBe(0);
    expect(converged).toBe(true);
  }
});
