/** Row-major blocks of vectors, whose rows are padded to whole vector registers, and the arrays they come from. */
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';

/** `row`: element i of column j is at i · columns + j. `column`: at j · rows + i. */
export type ColumnOrder = 'row' | 'column';
export const COLUMN_ORDERS: readonly ColumnOrder[] = ['row', 'column'];

/** Bytes of a vector register, and of the least distance between two rows. */
const REGISTER_BYTES = 16;

/** Elements between two rows of a block. One column is a vector, without padding. */
export function strideOf(type: FloatArrayConstructor, columns: number): number {
  const lanes = REGISTER_BYTES / type.BYTES_PER_ELEMENT;
  return columns === 1 ? 1 : Math.ceil(columns / lanes) * lanes;
}

/** Padded rows from an array of rows · columns numbers. */
export function toRows(
  type: FloatArrayConstructor,
  source: FloatArray,
  rows: number,
  columns: number,
  order: ColumnOrder,
): FloatArray {
  const stride = strideOf(type, columns);
  const padded = new type(rows * stride);
  const [toRow, toColumn] = order === 'row' ? [columns, 1] : [1, rows];
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) padded[i * stride + j] = source[i * toRow + j * toColumn]!;
  return padded;
}

/** The reverse, into an array of rows · columns numbers. */
export function fromRows(
  padded: FloatArray,
  rows: number,
  columns: number,
  stride: number,
  order: ColumnOrder,
  target: FloatArray,
): void {
  const [toRow, toColumn] = order === 'row' ? [columns, 1] : [1, rows];
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) target[i * toRow + j * toColumn] = padded[i * stride + j]!;
}
