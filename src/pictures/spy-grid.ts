/**
 * The grid of a spy picture: how many entries of a matrix lie in each cell. Cells consist of whole rows and columns and have
 * equal size, so a regular matrix shows no moiré. One pass over the entries, whatever their number: nothing is sampled, since
 * a single entry is to stay visible.
 */
import { integer } from '../core/checks.js';
import type { CsrMatrix } from '../core/csr.js';
import { formatCount } from './figures.js';

export interface SpyGrid {
  readonly width: number;
  readonly height: number;
  readonly rowsPerCell: number;
  readonly colsPerCell: number;
  /** Entries in each cell, row by row; they sum to nnz. */
  readonly counts: Uint32Array;
  /** The maximum count. */
  readonly max: number;
}

/**
 * Matrices with a ratio of width to height, or of height to width, up to this one are drawn with square cells; others
 * are stretched until their picture has this ratio.
 */
export const MAX_ASPECT = 8;

/**
 * Counts the entries in a grid of at most `maxWidth` × `maxHeight` cells; a cell is never smaller than an entry. One
 * pass over the entries.
 */
export function spyGrid(matrix: CsrMatrix, maxWidth: number, maxHeight: number): SpyGrid {
  integer('maxWidth', maxWidth, 1, 1 << 14);
  integer('maxHeight', maxHeight, 1, 1 << 14);
  const { rows, cols, rowPtr, colIdx } = matrix;
  const { rowsPerCell, colsPerCell } = cellSize(rows, cols, maxWidth, maxHeight);
  const width = Math.ceil(cols / colsPerCell);
  const height = Math.ceil(rows / rowsPerCell);
  const counts = new Uint32Array(width * height);
  for (let i = 0; i < rows; i++) {
    const line = Math.floor(i / rowsPerCell) * width;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) counts[line + ((colIdx[k]! / colsPerCell) | 0)]!++;
  }
  const max = counts.reduce((greatest, count) => Math.max(greatest, count), 0);
  return { width, height, rowsPerCell, colsPerCell, counts, max };
}

function cellSize(rows: number, cols: number, maxWidth: number, maxHeight: number) {
  const rowsPerCell = Math.max(1, Math.ceil(rows / maxHeight));
  const colsPerCell = Math.max(1, Math.ceil(cols / maxWidth));
  const aspect = Math.max(rows, 1) / Math.max(cols, 1);
  if (aspect > MAX_ASPECT || aspect < 1 / MAX_ASPECT) return { rowsPerCell, colsPerCell };
  const side = Math.max(rowsPerCell, colsPerCell);
  return { rowsPerCell: side, colsPerCell: side };
}

/** 0 for an empty cell, else 1 … levels: the logarithm of the count; the fullest cell has the highest level. */
export function level(count: number, max: number, levels: number): number {
  if (count === 0) return 0;
  return max === 1 ? levels : 1 + Math.round(((levels - 1) * Math.log(count)) / Math.log(max));
}

/** For a title: `1,000 × 1,000, 4,996 entries`. */
export function sizeLabel({ rows, cols, nnz }: CsrMatrix): string {
  return `${formatCount(rows)} × ${formatCount(cols)}, ${formatCount(nnz)} ${nnz === 1 ? 'entry' : 'entries'}`;
}
