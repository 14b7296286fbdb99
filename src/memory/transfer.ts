/** Numbers of the caller in and out of a vector, which may be a block. */
import { asFloats, checkAttached, wrongDtype } from '../core/arrays.js';
import { integer, knownKeys, oneOf } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import { type DenseNumbers, type DenseRows, denseRows, isDense } from './dense-rows.js';
import type { Elements } from './elements.js';
import { COLUMN_ORDERS, type ColumnOrder, fromRows, stridesOf, toRows } from './rows.js';

/** Numbers for a vector: a flat array, of a block row by row; or numbers with rows and columns. */
export type BlockSource = ArrayLike<number> | DenseNumbers;

/** Writes numbers from element, or row, `offset` on. @throws as `Vector.set` */
export function writeNumbers(vector: Elements<FloatArray>, source: BlockSource, offset: number): void {
  const { space, type, columns, stride, block, length } = vector;
  integer('offset', offset, 0, length);
  if (isDense(source)) {
    writeRows(vector, denseRows('source', source), offset);
    return;
  }
  const numbers = asFloats('source', source);
  const room = (length - offset) * columns;
  if (numbers.length > room) throw mismatch('shape', 'source', `at most ${room} numbers`, numbers.length, { room });
  if (numbers.length % columns !== 0)
    throw mismatch('shape', 'source', `rows of ${columns} numbers`, numbers.length, { columns });
  const data = numbers instanceof type ? numbers : new type(numbers);
  if (stride === columns) space.upload(block, offset * stride * type.BYTES_PER_ELEMENT, data);
  else writeRows(vector, denseRows('source', { data, shape: [data.length / columns, columns] }), offset);
}

/** Into the heap they are written directly. */
function writeRows(vector: Elements<FloatArray>, source: DenseRows, offset: number): void {
  const { space, type, columns, stride, block, length } = vector;
  const room = length - offset;
  if (source.columns !== columns)
    throw mismatch('shape', 'source', `rows of ${columns} numbers`, source.columns, { columns });
  if (source.rows > room) throw mismatch('shape', 'source', `at most ${room} rows`, source.rows, { room });
  space.refuseRecording('an upload');
  if (space.heap !== undefined) {
    toRows('source', source, vector.data.subarray(offset * stride), stride);
    return;
  }
  const padded = new type(source.rows * stride);
  toRows('source', source, padded, stride);
  space.upload(block, offset * stride * type.BYTES_PER_ELEMENT, padded);
}

/** Copies the numbers of a vector to a flat array of its type, or to numbers with rows and columns. @throws as `Vector.copyTo` */
export function readNumbers(
  vector: Elements<FloatArray>,
  target: ArrayLike<number> | DenseNumbers,
  options: { readonly order?: ColumnOrder },
): void {
  const { type, length, columns, stride, space, block } = vector;
  knownKeys('options', options, { order: true });
  const order = oneOf('order', options.order ?? 'row', COLUMN_ORDERS);
  if (isDense(target)) {
    if (options.order !== undefined) throw mismatch('argument', 'order', 'none for a target with rows', order);
    readRows(vector, denseRows('target', target));
    return;
  }
  if (!(target instanceof type)) throw wrongDtype('target', type, target);
  if (target.length !== length * columns)
    throw mismatch('shape', 'target', `length ${length * columns}`, target.length);
  checkAttached('target', target);
  if (stride === columns && (columns === 1 || order === 'row')) space.download(block, 0, target);
  else {
    const strides = stridesOf(order, length, columns);
    readRows(vector, denseRows('target', { data: target, shape: [length, columns], strides }));
  }
}

/** From the heap they are read directly. */
function readRows(vector: Elements<FloatArray>, target: DenseRows): void {
  const { space, type, length, columns, stride, block } = vector;
  if (target.rows !== length) throw mismatch('shape', 'target', `${length} rows`, target.rows, { length });
  if (target.columns !== columns) throw mismatch('shape', 'target', `${columns} columns`, target.columns, { columns });
  space.refuseRecording('a download');
  if (space.heap !== undefined) {
    fromRows(vector.data, stride, target);
    return;
  }
  const padded = new type(length * stride);
  space.download(block, 0, padded);
  fromRows(padded, stride, target);
}
