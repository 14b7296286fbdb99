/** Windows of columns, in which parts of the rows of a matrix have one element for each column that they reach. Kernels: `assembly/algebra/windows.ts`. */
import type { HeapScope } from '../../memory/heap.js';

/** A chunk has so many columns. Kernels know it. */
export const COLUMN_CHUNK = 1024;

/** The columns first … end − 1, in whole chunks of the kernels but for the last one. */
export interface ColumnWindow {
  readonly first: number;
  readonly end: number;
}

/** In memory: first, end, and the address of the element of column 0, if there was one, modulo 2³². */
export const WINDOW_WORDS = 3;

/** Elements are in whole vector registers of u32. */
const LANES = 4;

/** A window of all columns for each part. */
export function allColumns(cols: number, parts: number): readonly ColumnWindow[] {
  return Array.from({ length: parts }, () => ({ first: 0, end: cols }));
}

export function readWindows(words: Uint32Array): readonly ColumnWindow[] {
  const windows = Array.from({ length: words.length / WINDOW_WORDS }, (_, part) => WINDOW_WORDS * part);
  return windows.map((at) => ({ first: words[at]!, end: words[at + 1]! }));
}

/** The windows in memory, with an element of `width` bytes for each column. @throws SparlaneError `heap` if there is no room for these */
export function placeWindows(scope: HeapScope, windows: readonly ColumnWindow[], width: number): Uint32Array {
  const words = windows.flatMap(({ first, end }) => {
    const elements = LANES * Math.ceil((end - first) / LANES);
    return [first, end, scope.alloc(width * elements) - width * first];
  });
  return scope.copy(Uint32Array, words);
}
