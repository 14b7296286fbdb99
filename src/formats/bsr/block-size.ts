/**
 * The blocks of b × b that hold entries, and the best b: the bytes of the filled-in blocks are compared with those of CSR.
 *
 * Blocks lie on a grid from row 0 and column 0. For rows that share their columns but whose blocks do not align with any
 * grid, `inode` groups the rows without fill-in.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { rowsLongerThan } from '../layout/heaviest.js';

/** The largest size that is tried: larger ones save at most 0.4 % more. For a larger block size a divisor of it is found: 8 for 24. */
const LARGEST = 16;

/** Share of the bytes that a larger size must save to be preferred to a smaller one, which stores fewer zeros. */
const WORTH = 0.02;

/** About so many entries are looked at for a size, or MOST_TIMES as many if block rows are long; in a larger matrix, those of evenly spread rows. */
const SAMPLE = 2 ** 16;
const SAMPLES = 64;
const SAMPLE_ENTRIES = 256;

/** Where block rows have many entries, up to FEW_SAMPLES samples are taken as long as they have at most MOST_TIMES as many entries as the limit. Both are chosen. */
const FEW_SAMPLES = 8;
const MOST_TIMES = 4;

/** A row with more than this share of the entries, and more than LONG of them, is counted apart from the sample, by its first LONG entries. Both are chosen. */
const LONG_SHARE = 1 / 256;
const LONG = 512;

const INDEX_BYTES = 4;

export interface BlockSize {
  /** 1 if no larger size saves bytes. */
  readonly blockSize: number;
  /** Stored places per entry, 1 if all blocks are full; for a matrix larger than the sample, those of the sample. */
  readonly fill: number;
  /** Bytes of values and columns in CSR, divided by those in blocks. */
  readonly gain: number;
}

/** The size from 1 to 16 that moves the fewest bytes, estimated on a sample of `limit` entries if the matrix has more. */
export function findBlockSize(matrix: CsrMatrix, valueBytes = 8, limit: number = SAMPLE): BlockSize {
  return bestOf(blockSizes(matrix, valueBytes, limit));
}

/** Of sizes in ascending order. */
export function bestOf(sizes: Iterable<BlockSize>): BlockSize {
  let best: BlockSize = { blockSize: 1, fill: 1, gain: 1 };
  for (const size of sizes) if (size.gain * (1 - WORTH) > best.gain) best = size;
  return best;
}

/**
 * All sizes from 2 to 16, ascending, estimated so.
 *
 * @param longestRow the entries of the longest row, if they are known
 */
export function* blockSizes(
  matrix: CsrMatrix,
  valueBytes: number,
  limit: number,
  longestRow: number = Number.POSITIVE_INFINITY,
): Generator<BlockSize> {
  const csrBytes = valueBytes + INDEX_BYTES;
  const largest = Math.min(LARGEST, matrix.rows, matrix.cols);
  const blockColumns = new BlockColumns(matrix, 2);
  const found = new Uint32Array(Math.ceil(matrix.cols / 2));
  const long = matrix.nnz <= limit ? [] : longRowsOf(matrix, longestRow);
  for (let b = 2; b <= largest; b++) {
    const { blocks, entries } = sampleBlocks(matrix, b, limit, long, (blockRow) =>
      blockColumns.of(b, blockRow, found, 0),
    );
    const inLong = blocksOfLong(matrix, b, long);
    if (entries + inLong.entries === 0) continue;
    const others = entries === 0 ? 0 : (blocks * (matrix.nnz - inLong.entries)) / entries;
    const fill = ((others + inLong.blocks) * b * b) / matrix.nnz;
    yield { blockSize: b, fill, gain: csrBytes / (fill * (valueBytes + INDEX_BYTES / (b * b))) };
  }
}

/** Returns the rows that have much of the matrix and that few samples would meet; a long row beside another long one is left to the samples. */
function longRowsOf(matrix: CsrMatrix, longestRow: number): number[] {
  const long = rowsLongerThan(matrix, Math.max(LONG, LONG_SHARE * matrix.nnz), longestRow);
  return long.filter((row, k) => long[k - 1] !== row - 1 && long[k + 1] !== row + 1);
}

/** Estimates the blocks of the long rows by the first LONG entries of each, as if no other row had entries in them; counts all entries of these rows. */
function blocksOfLong({ rowPtr, colIdx }: CsrMatrix, b: number, long: readonly number[]) {
  let blocks = 0;
  let entries = 0;
  for (const row of long) {
    const begin = rowPtr[row]!;
    let met = 0;
    for (let k = begin, before = -1; k < begin + LONG; k++) {
      const block = Math.floor(colIdx[k]! / b);
      if (block !== before) met++;
      before = block;
    }
    const length = rowPtr[row + 1]! - begin;
    blocks += (met / LONG) * length;
    entries += length;
  }
  return { blocks, entries };
}

/** The number of b × b blocks in some or all of the rows, without those near long ones, and the number of entries of these rows. */
function sampleBlocks(
  { rows, nnz, rowPtr }: CsrMatrix,
  b: number,
  limit: number,
  long: readonly number[],
  blocksOf: (blockRow: number) => number,
): { blocks: number; entries: number } {
  const blockRows = Math.ceil(rows / b);
  const nearLong = new Set(long.map((row) => Math.floor(row / b)));
  const perSample = Math.max(SAMPLE_ENTRIES, (b * nnz) / Math.max(rows, 1));
  const few = Math.min(FEW_SAMPLES, Math.floor((MOST_TIMES * limit) / perSample));
  const samples = nnz <= limit ? 1 : Math.max(1, few, Math.min(SAMPLES, Math.floor(limit / perSample)));
  let blocks = 0;
  let entries = 0;
  for (let sample = 0; sample < samples; sample++) {
    const begin = Math.floor((blockRows * sample) / samples);
    const height = Math.floor((blockRows * (sample + 1)) / samples) - begin;
    let taken = 0;
    // A sample begins in the middle: the first rows are often of another kind, those of a boundary.
    for (let place = 0; place < height && taken * samples < limit; place++) {
      const i = begin + ((place + (height >> 1)) % height);
      if (nearLong.has(i)) continue;
      blocks += blocksOf(i);
      taken += rowPtr[Math.min((i + 1) * b, rows)]! - rowPtr[i * b]!;
    }
    entries += taken;
  }
  return { blocks, entries };
}

/** Finds the block columns of a block row, one block row per call. */
export class BlockColumns {
  readonly #matrix: CsrMatrix;
  /** For each block column, the number of the last search that found it, counted from 1. */
  readonly #stamps: Uint32Array;
  #searches = 0;

  /** For blocks of `smallest` × `smallest` or larger ones. */
  constructor(matrix: CsrMatrix, smallest: number) {
    this.#matrix = matrix;
    this.#stamps = new Uint32Array(Math.ceil(matrix.cols / smallest));
  }

  /** Writes them to `found` from `end` on, in ascending order, and returns the new end. */
  of(b: number, blockRow: number, found: Uint32Array, end: number): number {
    const { rows, rowPtr, colIdx } = this.#matrix;
    const stamps = this.#stamps;
    const search = ++this.#searches;
    const begin = end;
    const last = Math.min((blockRow + 1) * b, rows);
    let ascending = true;
    for (let row = blockRow * b; row < last; row++) {
      const rowEnd = rowPtr[row + 1]!;
      for (let k = rowPtr[row]!; k < rowEnd; ) {
        const block = Math.floor(colIdx[k]! / b);
        const limit = block * b + b;
        // Columns ascend: if the b-th entry from here has the block's last column, the b entries are all its columns.
        if (k + b <= rowEnd && colIdx[k + b - 1] === limit - 1) k += b;
        else while (k < rowEnd && colIdx[k]! < limit) k++;
        if (stamps[block] === search) continue;
        stamps[block] = search;
        if (end > begin && found[end - 1]! > block) ascending = false;
        found[end++] = block;
      }
    }
    if (!ascending) found.subarray(begin, end).sort();
    return end;
  }
}
