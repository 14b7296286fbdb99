/** Blocks of equally many entries on a device, as the kernel of COO cuts them: whether they share rows. */
import type { CsrMatrix } from '../../core/csr.js';

/** As in `cuda/coo.cu`: entries of a block, and those that it gives up in order to end with a row. Blocks that are tried. */
const DEVICE_BLOCK = 1024;
const SLACK = 128;
const TRIED = 2048;

/** Whether a block ends within a row: a second kernel then adds the sums of such rows. */
export function carriesOnDevice({ rows, nnz, rowPtr }: CsrMatrix, longestRow: number): boolean {
  if (longestRow <= SLACK) return false;
  if (longestRow > DEVICE_BLOCK + SLACK) return true;
  let row = 0;
  for (let end = DEVICE_BLOCK, tried = 0; end < nnz && tried < TRIED; end += DEVICE_BLOCK, tried++) {
    row = lastAtMost(rowPtr, end, row, rows);
    if (rowPtr[row]! <= end - SLACK) return true;
    end = 4 * Math.floor(rowPtr[row]! / 4);
  }
  return false;
}

/** The last of the rows in [first, end) that begins at `place` or before. */
function lastAtMost(rowPtr: Uint32Array, place: number, first: number, end: number): number {
  let [low, high] = [first, end];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (rowPtr[middle]! <= place) low = middle;
    else high = middle;
  }
  return low;
}
