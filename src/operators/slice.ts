/**
 * Part of the rows of a large matrix, on which formats are tried: its products take their time for the same reasons as those of the whole, and the price
 * of a trial is less. The rows are contiguous blocks, evenly spread over the matrix, since its kinds of rows may follow one another; x is whole.
 *
 * A format that would store other bytes per entry of the slice, or none of it, such as `sss`, which needs a square, is not tried there. The times of the
 * others, relative to one another, are within some 15 % of those of the whole for R-MAT, and up to 1.7 × away for geometric, lognormal and Delaunay matrices
 * (8 to 12 million entries, a busy AMD EPYC Zen 4, November 2026), so the winner meets the prediction again with the whole matrix. Times the predicted ratio of
 * matrix and slice they are further away.
 */
import { type Circumstances, type RankedFormat, rank } from '../choice/choose.js';
import type { CsrMatrix } from '../core/csr.js';
import type { FloatArray } from '../core/types.js';
import { examine } from '../features/features.js';
import { findBlockSize } from '../formats/bsr/block-size.js';
import type { HeapScope } from '../memory/heap.js';
import { partitionRows } from './row-partition.js';

/** The rows are in so many blocks. Chosen. */
const BLOCKS = 8;

/** A slice is this share of the last cache at least: two of them in turn are then half as large again as the cache, and neither finds its data there. */
const CACHE_SHARE = 0.75;

/** The least and the greatest share of the matrix. With a greater one, two layouts of it and the matrix take more memory than a whole layout. Chosen. */
const LEAST_SHARE = 1 / 8;
const GREATEST_SHARE = 1 / 3;

/** The share of a layout's bytes may differ by this factor from that of the rows and entries: more is another padding. Chosen. */
const ALIKE = 1.5;

/** A slice, and the formats that can be tried on it. */
export interface Slice {
  readonly matrix: CsrMatrix;
  /** The work of the slice relative to that of the matrix. */
  readonly share: number;
  /** The formats of the ranking of the matrix, the first one first. */
  readonly ranking: readonly RankedFormat[];
}

/**
 * A slice so large that two layouts of it in turn are read from memory, as the matrix is. Undefined if the matrix is too small for
 * that, or if the first format of its ranking cannot be tried on the slice.
 *
 * @param scope holds the arrays of the slice
 */
export function sliceFor(
  scope: HeapScope,
  matrix: CsrMatrix,
  ranking: readonly RankedFormat[],
  circumstances: Circumstances,
): Slice | undefined {
  const [first] = ranking as [RankedFormat, ...RankedFormat[]];
  const wanted = (CACHE_SHARE * circumstances.costs.cacheBytes[1]) / first.bytes;
  if (wanted > GREATEST_SHARE) return undefined;
  const slice = blocksOfRows(scope, matrix, Math.max(LEAST_SHARE, wanted));
  const share = workOf(slice) / workOf(matrix);
  const examined = examine(slice);
  // Its products read the slice's part of x.
  const features = { ...examined.features, cols: Math.ceil(share * matrix.cols) };
  const bytesHere = new Map(rank({ ...examined, features }, circumstances).map(({ spec, bytes }) => [spec, bytes]));
  const isAlike = ({ spec, bytes }: RankedFormat) => {
    const ratio = (bytesHere.get(spec) ?? Number.NaN) / (share * bytes);
    return Math.max(ratio, 1 / ratio) < ALIKE;
  };
  return isAlike(first) ? { matrix: slice, share, ranking: ranking.filter(isAlike) } : undefined;
}

function workOf({ nnz, rows }: CsrMatrix): number {
  return nnz + rows;
}

/** About `share` of the work in blocks: the first rows of as many parts of equal work. */
function blocksOfRows(scope: HeapScope, matrix: CsrMatrix, share: number): CsrMatrix {
  const { cols, rowPtr, colIdx, values, field } = matrix;
  const { bounds } = partitionRows(matrix, Math.round(BLOCKS / share), 'block', findBlockSize(matrix).blockSize);
  const every = (bounds.length - 1) / BLOCKS;
  const blocks = Array.from({ length: BLOCKS }, (_, k) => {
    const part = Math.floor((k + 0.5) * every);
    return { begin: bounds[part]!, end: bounds[part + 1]! };
  });
  const rows = blocks.reduce((sum, { begin, end }) => sum + end - begin, 0);
  const nnz = blocks.reduce((sum, { begin, end }) => sum + rowPtr[end]! - rowPtr[begin]!, 0);
  const ptr = scope.array(Uint32Array, rows + 1).fill(0, 0, 1);
  const columns = scope.array(Uint32Array, nnz);
  const numbers = scope.array<FloatArray>(values instanceof Float32Array ? Float32Array : Float64Array, nnz);
  let row = 0;
  for (const { begin, end } of blocks) {
    const first = ptr[row]!;
    columns.set(colIdx.subarray(rowPtr[begin], rowPtr[end]), first);
    numbers.set(values.subarray(rowPtr[begin], rowPtr[end]), first);
    for (let i = begin; i < end; i++) ptr[++row] = first + rowPtr[i + 1]! - rowPtr[begin]!;
  }
  return { rows, cols, nnz, rowPtr: ptr, colIdx: columns, values: numbers, field, symmetry: 'general' };
}
