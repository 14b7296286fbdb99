/** Random small matrices for property-based tests, and the dense arrays to check them against. */

import fc from 'fast-check';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder } from '#dist/core/csr-builder.js';

interface MatrixShape {
  /** Greatest number of rows and columns. Default 12. */
  max?: number;
  square?: boolean;
}

/** Any shape from 0 × 0 on, any pattern, small integer values (explicit zeros too). */
export function smallMatrix({ max = 12, square = false }: MatrixShape = {}): fc.Arbitrary<CsrMatrix> {
  const side = fc.nat(max);
  return fc.tuple(side, side).chain(([rows, otherSide]) => {
    const cols = square ? rows : otherSide;
    const area = rows * cols;
    const entry = fc.tuple(fc.nat(Math.max(0, area - 1)), fc.integer({ min: -3, max: 3 }));
    const entries = fc.uniqueArray(entry, { selector: ([place]) => place, maxLength: Math.min(area, 60) });
    return entries.map((list) => fromEntries(rows, cols, list));
  });
}

function fromEntries(rows: number, cols: number, entries: [place: number, value: number][]): CsrMatrix {
  const builder = new CsrBuilder(rows, cols);
  for (const [place, value] of entries) builder.add(Math.floor(place / cols), place % cols, value);
  return builder.build();
}

export type Entry = readonly [row: number, col: number, value: number];

export function entriesOf({ rows, rowPtr, colIdx, values }: CsrMatrix): Entry[] {
  const entries: Entry[] = [];
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) entries.push([i, colIdx[k]!, values[k]!]);
  }
  return entries;
}

export function denseOf(matrix: CsrMatrix): number[][] {
  const dense = Array.from({ length: matrix.rows }, () => new Array<number>(matrix.cols).fill(0));
  for (const [row, col, value] of entriesOf(matrix)) dense[row]![col] = value;
  return dense;
}

export function transposed(matrix: CsrMatrix): CsrMatrix {
  const builder = new CsrBuilder(matrix.cols, matrix.rows);
  for (const [row, col, value] of entriesOf(matrix)) builder.add(col, row, value);
  return builder.build();
}
