/** Compares the rows of a rank, bit by bit. */
import { expect } from 'vitest';
import type { ComplexRankRows, RankRows } from '#dist/index.node.js';

/** Compares long arrays by their bytes: element by element takes seconds. */
export function expectRows(
  { rowPtr, colIdx, values, ...facts }: RankRows | ComplexRankRows,
  expected: RankRows | ComplexRankRows,
): void {
  expect(facts).toEqual({ ...expected, rowPtr: undefined, colIdx: undefined, values: undefined });
  expect([rowPtr, colIdx, values!].map(bytesOf)).toEqual(
    [expected.rowPtr, expected.colIdx, expected.values!].map(bytesOf),
  );
}

function bytesOf(array: unknown): string {
  const { buffer, byteOffset, byteLength } = array as Float64Array | Uint32Array;
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}
