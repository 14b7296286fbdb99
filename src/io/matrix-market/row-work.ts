/**
 * Entries by row, from a file of which nothing is kept: to deal rows by entries before they are read. Rows are counted in ranges of equal
 * length, so that memory is bounded, whatever a header claims.
 */
import type { KeepEntry } from './entries.js';
import type { MatrixMarketHeader } from './header.js';

/** Up to as many rows are counted one by one: 8 MB. */
const MAX_RANGES: number = 2 ** 20;

export class RowWork {
  readonly rows: number;
  /** Rows of a range. */
  readonly length: number;
  /** Entries of each range, mirror images included; a duplicate counts as often as it is written. */
  readonly entries: Float64Array;
  /** Counts an entry, and keeps none. */
  readonly counts: KeepEntry;

  constructor({ rows, symmetry }: Pick<MatrixMarketHeader, 'rows' | 'symmetry'>) {
    const length = Math.max(1, Math.ceil(rows / MAX_RANGES));
    const entries = new Float64Array(Math.ceil(rows / length));
    this.rows = rows;
    this.length = length;
    this.entries = entries;
    this.counts = (row, col) => {
      entries[Math.floor(row / length)]!++;
      if (symmetry !== 'general' && row !== col) entries[Math.floor(col / length)]!++;
      return false;
    };
  }

  /** Counts several entries of a row at once. */
  add(row: number, entries: number): void {
    this.entries[Math.floor(row / this.length)]! += entries;
  }
}
