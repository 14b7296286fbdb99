/** Compares what ranks found that ran `programs/moved-rows.mjs` with one process. */
import { expect } from 'vitest';
import { gallery } from '#dist/index.node.js';

export interface MovedRows {
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly wrong: readonly string[];
  readonly counts: readonly number[];
}

export function expectMovedRows({ x, y, wrong, counts }: MovedRows, name: string, given: object): void {
  expect(wrong.length).toBeGreaterThan(10);
  expect([...counts]).toEqual(counts.map(() => 0));
  const { rows, rowPtr, colIdx, values } = gallery(name, given as never);
  const product = Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) sum += values[k]! * x[colIdx[k]!]!;
    return sum;
  });
  expect(y).toEqual(product);
}
