/**
 * Dense numbers as other libraries have them, recognized by their members: strided arrays (ndarray, stdlib), matrices of rows (ml-matrix) and
 * arrays of rows. All of them are rows of numbers at a constant distance.
 */
import { isArrayLike } from '../core/arrays.js';
import { integer } from '../core/checks.js';
import { mismatch } from '../core/errors.js';

/** Numbers with strides, as `ndarray` and `@stdlib/ndarray` have them. */
export interface StridedNumbers<T extends ArrayLike<number> = ArrayLike<number>> {
  readonly data: T;
  /** [rows] of a vector, [rows, columns] of a block. */
  readonly shape: ArrayLike<number>;
  /** Elements of `data` from one row to the next, and from one column to the next; negative if it runs backwards. Default: row by row. */
  readonly strides?: ArrayLike<number>;
  /** The same, as `ndarray` calls it. */
  readonly stride?: ArrayLike<number>;
  /** The place in `data` of the first element. Default 0. */
  readonly offset?: number;
}

/** An array for each row, as `ml-matrix` has them. */
export interface MatrixOfRows {
  readonly rows: number;
  readonly columns: number;
  /** Present, though the types of `ml-matrix` do not declare it. Its views have none: `clone()` of a view has. */
  readonly data?: ArrayLike<ArrayLike<number>>;
}

/** Numbers with rows and columns. */
export type DenseNumbers = StridedNumbers | MatrixOfRows | readonly ArrayLike<number>[];

/** Element j of row i is `arrayOf(i)[beginOf(i) + j · step]`. */
export interface DenseRows {
  readonly rows: number;
  readonly columns: number;
  readonly step: number;
  readonly arrayOf: (i: number) => ArrayLike<number>;
  readonly beginOf: (i: number) => number;
}

/** Whether it has rows and columns; false for flat arrays and anything else. */
export function isDense(source: unknown): source is DenseNumbers {
  if (typeof source !== 'object' || source === null) return false;
  if ('data' in source) return 'shape' in source || ('rows' in source && 'columns' in source);
  return Array.isArray(source) && isArrayLike(source[0]);
}

/** @throws SparlaneError `shape` if lengths, shape and strides do not fit; `argument` */
export function denseRows(name: string, source: DenseNumbers): DenseRows {
  if ('shape' in source) return stridedRows(name, source);
  if ('rows' in source)
    return rowsOf(`${name}.data`, source.data!, integer(`${name}.rows`, source.rows), source.columns);
  return rowsOf(name, source, source.length, source[0]!.length);
}

function rowsOf(name: string, data: ArrayLike<ArrayLike<number>>, rows: number, width: number): DenseRows {
  const columns = integer('columns', width, 1);
  if (data.length !== rows) throw mismatch('shape', name, `${rows} rows`, data.length, { rows });
  for (let i = 0; i < rows; i++) {
    const row = data[i];
    if (!isArrayLike(row)) throw mismatch('argument', `${name}[${i}]`, 'an array of numbers', row);
    if (row.length !== columns)
      throw mismatch('shape', `${name}[${i}]`, `${columns} numbers`, row.length, { index: i, columns });
  }
  return { rows, columns, step: 1, arrayOf: (i) => data[i]!, beginOf: () => 0 };
}

function stridedRows(name: string, { data, shape, strides, stride, offset = 0 }: StridedNumbers): DenseRows {
  if (!isArrayLike(data)) throw mismatch('argument', `${name}.data`, 'an array of numbers', data);
  if (!(isArrayLike(shape) && (shape.length === 1 || shape.length === 2)))
    throw mismatch('shape', `${name}.shape`, '[rows] or [rows, columns]', shape);
  const rows = integer(`${name}.shape[0]`, shape[0]!);
  const columns = integer(`${name}.shape[1]`, shape[1] ?? 1, 1);
  const { length } = shape;
  const steps = strides ?? stride ?? (length === 1 ? [1] : [columns, 1]);
  if (!(isArrayLike(steps) && steps.length === length && Array.from(steps).every(Number.isInteger)))
    throw mismatch('shape', `${name}.strides`, `${length} integers`, steps);
  const [toRow, toColumn = 1] = Array.from(steps) as [number, number?];
  integer(`${name}.offset`, offset);
  const ends = [toRow * (rows - 1), toColumn * (columns - 1)];
  const first = offset + ends.reduce((sum, end) => sum + Math.min(end, 0), 0);
  const last = offset + ends.reduce((sum, end) => sum + Math.max(end, 0), 0);
  if (rows > 0 && !(first >= 0 && last < data.length))
    throw mismatch('shape', `${name}.data`, `elements ${first} to ${last}`, data, { first, last });
  return { rows, columns, step: toColumn, arrayOf: () => data, beginOf: (i) => offset + i * toRow };
}
