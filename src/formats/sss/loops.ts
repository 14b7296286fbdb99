/** The loops of a conversion to SSS; `sss.ts` defines the layout. */
import type { FloatArray } from '../../core/types.js';
import { SPAN } from '../layout/column-loops.js';
import { entriesOfRows, kernelOfCopy, type Loop } from '../layout/loop.js';

export const COMPARE_IMAGES_HEADER = {
  rows: 'u32',
  sign: 'i32',
  rowPtr: 'usize',
  colIdx: 'usize',
  reals: 'usize',
  stored: 'usize',
  cursors: 'usize',
  lowerPtr: 'usize',
  found: 'usize',
} as const;

type CompareImages = {
  readonly rows: number;
  /** The factor of a mirror image. */
  readonly sign: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly reals: FloatArray;
  /** Empty; of the type in which values are stored, and compared. */
  readonly stored: FloatArray;
  /** In each row the first entry that is not yet the mirror image of one in an earlier row; undefined before. */
  readonly cursors: Uint32Array;
  /** Length rows + 1: counts the entries below the diagonal. */
  readonly lowerPtr: Uint32Array;
  /** The bandwidth; the row and the place of the first entry without an equal mirror image, if there is one. */
  readonly found: Uint32Array;
};

/**
 * Compares every entry with its mirror image. Rows are visited in order: the mirror images of row i are at the cursors of the rows given by its
 * columns, since rows ascend. One unit, the matrix.
 */
export const compareImages: Loop<CompareImages> = {
  header: COMPARE_IMAGES_HEADER,
  kernel: ({ reals, stored }) => kernelOfCopy('sss_compare', reals, stored),
  run({ rows, sign, rowPtr, colIdx, reals, stored, cursors, lowerPtr, found }, begin, end) {
    if (begin === end) return;
    const values = stored instanceof Float32Array && !(reals instanceof Float32Array) ? new Float32Array(reals) : reals;
    cursors.set(rowPtr.subarray(0, rows));
    lowerPtr[0] = 0;
    let bandwidth = 0;
    for (let i = 0; i < rows; i++) {
      const rowEnd = rowPtr[i + 1]!;
      let k = cursors[i]!;
      lowerPtr[i + 1] = lowerPtr[i]! + k - rowPtr[i]!;
      if (k > rowPtr[i]!) bandwidth = Math.max(bandwidth, i - colIdx[rowPtr[i]!]!);
      if (k < rowEnd && colIdx[k] === i) k++;
      for (; k < rowEnd; k++) {
        const j = colIdx[k]!;
        const image = cursors[j]!;
        const isImage = j > i && image < rowPtr[j + 1]! && colIdx[image] === i;
        if (!(isImage && Object.is(values[image], sign * values[k]!))) {
          found[1] = i;
          found[2] = k;
          return;
        }
        cursors[j] = image + 1;
      }
    }
    found[0] = bandwidth;
  },
};

export const PLACE_TRIANGLE_HEADER = {
  /** 1 if columns have 16 bits. */
  isNear: 'u32',
  rowPtr: 'usize',
  columns: 'usize',
  reals: 'usize',
  lowerPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  diagonal: 'usize',
} as const;

type PlaceTriangle = {
  /** 1 if columns have 16 bits. */
  readonly isNear: number;
  readonly rowPtr: Uint32Array;
  readonly columns: Uint32Array;
  readonly reals: FloatArray;
  /** As in the layout. */
  readonly lowerPtr: Uint32Array;
  readonly colIdx: Uint32Array | Uint16Array;
  readonly values: FloatArray;
  readonly diagonal: FloatArray;
};

/** Writes the entries below the diagonal, and the diagonal, 0 where it has no entry. Units: rows. */
export const placeTriangle: Loop<PlaceTriangle> = {
  header: PLACE_TRIANGLE_HEADER,
  kernel: ({ reals, diagonal }) => kernelOfCopy('sss_place', reals, diagonal),
  reads: {
    fields: ['columns', 'reals'],
    range: ({ rowPtr }, begin, end) => entriesOfRows(rowPtr, begin, end),
    writes: ['colIdx', 'values'],
  },
  run({ isNear, rowPtr, columns, reals, lowerPtr, colIdx, values, diagonal }, begin, end) {
    for (let i = begin; i < end; i++) {
      const last = lowerPtr[i + 1]!;
      const origin = isNear === 1 ? i - SPAN : 0;
      let k = rowPtr[i]!;
      for (let to = lowerPtr[i]!; to < last; to++, k++) {
        colIdx[to] = columns[k]! - origin;
        values[to] = reals[k]!;
      }
      diagonal[i] = k < rowPtr[i + 1]! && columns[k] === i ? reals[k]! : 0;
    }
  },
};
