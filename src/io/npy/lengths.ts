/**
 * How long the arrays of a sparse matrix of SciPy are, from their headers: a file that contradicts itself is refused before memory is
 * allocated for it.
 *
 * Source: `scipy.sparse`, `check_format` of each format. Differs: pointers say exactly how many entries there are.
 */
import { mismatch } from '../../core/errors.js';
import { fileError, quote } from '../parse-error.js';
import type { NpyHeader } from './header.js';

/** The arrays of each format. Pointers come first, as they say how long the others may be. */
export const ARRAYS = {
  csr: ['indptr', 'indices', 'data'],
  csc: ['indptr', 'indices', 'data'],
  coo: ['row', 'col', 'data'],
  bsr: ['indptr', 'indices', 'data'],
  dia: ['offsets', 'data'],
} as const;

export type ScipyFormat = keyof typeof ARRAYS;
export type ScipyArray = (typeof ARRAYS)[ScipyFormat][number];

export type ArrayHeaders = { readonly [A in ScipyArray]?: NpyHeader };

/** @throws SparlaneError `parse` for another format */
export function checkFormat(file: string, format: string): ScipyFormat {
  if (Object.hasOwn(ARRAYS, format)) return format as ScipyFormat;
  throw fileError(file, 'the format csr, csc, coo, bsr or dia', quote(format));
}

/** What is known of the sizes of a matrix. */
export interface ScipySizes {
  readonly format: ScipyFormat;
  readonly rows: number;
  readonly cols: number;
  /** The last of `indptr`; undefined before it is read, and of formats without it. */
  readonly lastPointer: number | undefined;
}

/** Numbers of diagonals, 64 MiB, that may be there whatever the shape is: those beyond the matrix are ignored. */
const FREE_NUMBERS = 2 ** 23;

/** @throws SparlaneError `parse` if lengths contradict each other, the shape or the pointers; `heap` for diagonals far beyond the matrix */
export function checkLengths(
  file: string,
  headers: ArrayHeaders,
  { format, rows, cols, lastPointer }: ScipySizes,
): void {
  const check = (array: ScipyArray, expected: number, why: string): void => {
    const { count } = headers[array]!;
    if (count === expected) return;
    throw fileError(`${file}/${array}.npy`, `${expected} numbers (${why})`, `${count}`);
  };
  const { shape, count } = headers.data!;
  if (format === 'dia') {
    checkDimensions(file, shape, 'diagonals × columns');
    check('offsets', shape[0]!, 'one a diagonal of data');
    const most = Math.max(FREE_NUMBERS, (rows + cols) * Math.max(rows, cols));
    const claimed = Math.max(count, shape[0]!);
    if (claimed > most) throw mismatch('heap', file, `at most ${most} numbers of diagonals`, claimed, { rows, cols });
    return;
  }
  if (format === 'coo') {
    check('row', count, 'as many as data has');
    check('col', count, 'as many as data has');
    return;
  }
  let entries = count;
  let pointed = format === 'csc' ? cols : rows;
  if (format === 'bsr') {
    checkDimensions(file, shape, 'blocks × rows × columns');
    const [blocks, height, width] = shape as [number, number, number];
    if (!(height > 0 && width > 0 && rows % height === 0 && cols % width === 0))
      throw fileError(file, `blocks that divide ${rows} × ${cols}`, `blocks of ${height} × ${width}`);
    entries = blocks;
    pointed = rows / height;
  }
  check(
    'indptr',
    pointed + 1,
    `one more than ${format === 'csc' ? 'columns' : format === 'bsr' ? 'rows of blocks' : 'rows'}`,
  );
  check('indices', entries, format === 'bsr' ? 'one a block of data' : 'as many as data has');
  if (lastPointer !== undefined) check('indices', lastPointer, 'the last of indptr');
}

function checkDimensions(file: string, shape: readonly number[], what: string): void {
  if (shape.length === what.split(' × ').length) return;
  throw fileError(`${file}/data.npy`, what, `the shape (${shape.join(', ')})`);
}
