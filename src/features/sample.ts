/**
 * A sample of the rows of a matrix, in windows spread evenly over it: a small matrix by which the whole is judged. Its size
 * is bounded: examining it takes the same time for every large matrix.
 */
import type { CsrMatrix } from '../core/csr.js';

/** Windows, and the most rows per window: as many as `sell` sorts. Windows are multiples of 8 rows, as chunks are. */
const WINDOWS = 16;
const MIN_WINDOWS = 4;
const WINDOW_ROWS = 256;
const STEP = 8;

/** A longer row is represented by LONGEST of its entries, in RUNS runs at equal distances; the first run has its first entry and the last run its last one. Chosen. */
const LONGEST = 512;
const RUNS = 4;

/** Entries in all windows: a 64th of the matrix, within these limits. */
const FEWEST = 4096;
const MOST = 16_384;
const SHARE = 1 / 64;

/** A sample is some rows of a matrix, from which figures of the whole matrix are estimated. */
export interface Sample {
  /** The rows, renumbered; their columns are those of the whole matrix. */
  readonly matrix: CsrMatrix;
  /** Length sampled rows: which row of the whole matrix. */
  readonly rowOf: Uint32Array;
  /** Length sampled rows + 1: the sums of the lengths that the rows have in the whole matrix. */
  readonly lengthPtr: Uint32Array;
  /** Length windows + 1: the first sampled row of each window. */
  readonly windowPtr: Uint32Array;
  /** Rows of the whole matrix per sampled row. */
  readonly rowScale: number;
}

export function sampleRows(matrix: CsrMatrix): Sample {
  const { rows, nnz } = matrix;
  const entries = Math.min(MOST, Math.max(FEWEST, nnz * SHARE));
  const steps = entries / (STEP * Math.min(LONGEST, nnz / Math.max(rows, 1)));
  const windows = Math.max(MIN_WINDOWS, Math.min(WINDOWS, Math.floor(steps)));
  const height = STEP * Math.max(1, Math.min(WINDOW_ROWS / STEP, Math.round(steps / windows)));
  if (height * windows >= rows) return gather(matrix, 1, rows);
  return gather(matrix, windows, height);
}

function gather(matrix: CsrMatrix, windows: number, height: number): Sample {
  const { rows, rowPtr } = matrix;
  const rowOf = new Uint32Array(windows * height);
  const windowPtr = new Uint32Array(windows + 1);
  const sampledPtr = new Uint32Array(rowOf.length + 1);
  const lengthPtr = new Uint32Array(rowOf.length + 1);
  for (let window = 0; window < windows; window++) {
    const middle = (rows * (window + 0.5)) / windows;
    const first = windows === 1 ? 0 : STEP * Math.floor((middle - height / 2) / STEP);
    for (let i = 0; i < height; i++) {
      const place = window * height + i;
      rowOf[place] = first + i;
      const length = rowPtr[first + i + 1]! - rowPtr[first + i]!;
      sampledPtr[place + 1] = sampledPtr[place]! + Math.min(LONGEST, length);
      lengthPtr[place + 1] = lengthPtr[place]! + length;
    }
    windowPtr[window + 1] = (window + 1) * height;
  }
  const rowScale = rows / Math.max(rowOf.length, 1);
  return { matrix: rowsOf(matrix, rowOf, sampledPtr), rowOf, lengthPtr, windowPtr, rowScale };
}

/** Returns a matrix of the given rows; rows of more than LONGEST entries are cut to runs. */
function rowsOf(matrix: CsrMatrix, rowOf: Uint32Array, rowPtr: Uint32Array): CsrMatrix {
  const rows = rowOf.length;
  const nnz = rowPtr[rows]!;
  const colIdx = new Uint32Array(nnz);
  const values = matrix.values.slice(0, nnz);
  for (let i = 0; i < rows; i++) {
    const first = matrix.rowPtr[rowOf[i]!]!;
    const begin = rowPtr[i]!;
    const left = matrix.rowPtr[rowOf[i]! + 1]! - first - (rowPtr[i + 1]! - begin);
    for (let place = begin; place < rowPtr[i + 1]!; place++) {
      const run = Math.floor(((place - begin) * RUNS) / LONGEST);
      const k = first + place - begin + Math.floor((left * run) / (RUNS - 1));
      colIdx[place] = matrix.colIdx[k]!;
      values[place] = matrix.values[k]!;
    }
  }
  return { ...matrix, rows, nnz, rowPtr, colIdx, values, symmetry: 'general' };
}
