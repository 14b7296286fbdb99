/** Row-major blocks of vectors, whose rows are padded to whole vector registers, and the numbers they come from. */
import { mismatch } from '../core/errors.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import type { DenseRows } from './dense-rows.js';

/** `row`: element i of column j is at i · columns + j. `column`: at j · rows + i. */
export type ColumnOrder = 'row' | 'column';
export const COLUMN_ORDERS: readonly ColumnOrder[] = ['row', 'column'];

/** The strides of rows · columns numbers in this order. */
export function stridesOf(order: ColumnOrder, rows: number, columns: number): readonly [number, number] {
  return order === 'row' ? [columns, 1] : [1, rows];
}

/** Bytes of a vector register, and of the least distance between two rows. */
const REGISTER_BYTES = 16;

/** Elements between two rows of a block. One column is a vector, without padding. */
export function strideOf(type: FloatArrayConstructor, columns: number): number {
  const lanes = REGISTER_BYTES / type.BYTES_PER_ELEMENT;
  return columns === 1 ? 1 : Math.ceil(columns / lanes) * lanes;
}

/** Writes rows of numbers to padded rows; the padding stays as it is. @throws SparlaneError `argument` at the first that is no number */
export function toRows(name: string, source: DenseRows, padded: FloatArray, stride: number): void {
  const { rows, columns, step, arrayOf, beginOf } = source;
  for (let i = 0; i < rows; i++) {
    const from = arrayOf(i);
    const to = i * stride;
    for (let j = 0, k = beginOf(i); j < columns; j++, k += step) {
      const value = from[k];
      if (typeof value !== 'number') throw mismatch('argument', `${name}, row ${i}, column ${j}`, 'a number', value);
      padded[to + j] = value;
    }
  }
}

/** The reverse: writes padded rows to the places of numbers. */
export function fromRows(padded: FloatArray, stride: number, target: DenseRows): void {
  const { rows, columns, step, arrayOf, beginOf } = target;
  for (let i = 0; i < rows; i++) {
    const to = arrayOf(i) as { [k: number]: number };
    for (let j = 0, k = beginOf(i); j < columns; j++, k += step) to[k] = padded[i * stride + j]!;
  }
}
