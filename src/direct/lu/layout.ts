/**
 * Sparse LU factors in the heap: R P A Q = blocks, each diagonal block L U with partial pivoting. R scales rows by powers of two, so that their
 * largest entries are in [1, 2): exact, and as good for pivots as dividing by the largest entry. Kernels: `assembly/direct/lu-columns.ts`,
 * `assembly/direct/lu-again.ts`, `assembly/direct/lu-solve.ts`.
 *
 * Layout of a column: two lists, U and L, each its numbers and then at a multiple of 8 bytes its values. Entries above the diagonal block are
 * part of the column of U.
 *
 *     0 2 7 · | u u f | 5 6 | l l        u32, padding | f64 | u32 | f64
 *
 * Columns lie one after the other in chunks. The size of the factors is known only when they are computed, so a full chunk is followed by
 * another one, and nothing moves.
 *
 * Cost: 12 bytes an entry, 8 an entry of A, and 112 a row, of which 32 are for work; of the values of A a copy in a factorization.
 */
import { placeHeader, wordsOf } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { SOLVED_TOGETHER } from '../method.js';
import type { Arrangement } from './arrange.js';

export const LU_HEADER = {
  /** u32, columns + 1: the first entry of each arranged column. */
  columnPtr: 'usize',
  /** u32: the arranged row of each entry; rows before `firstOf` lie above the diagonal block. */
  rowIdx: 'usize',
  /** u32: the place of each entry among the values. */
  source: 'usize',
  /** f64: the values in the order of the caller. */
  values: 'usize',
  /** f64, rows: the factor of each arranged row. */
  scale: 'usize',
  /** u32, columns: the first column of the diagonal block of each column. */
  firstOf: 'usize',
  /** Columns of the matrix. */
  size: 'u32',
  /** u32, rows: the pivot of each arranged row; before it is one, `LU_OPEN` + the column whose diagonal it is. */
  place: 'usize',
  /** u32, columns: the arranged row of each pivot; before that, the row that counts as the diagonal of the column. */
  diagonal: 'usize',
  /** f64, rows: zeros between two calls. */
  x: 'usize',
  /** u32, rows: 1 + the last column that reached each row. */
  mark: 'usize',
  /** u32, rows each: what a depth-first search needs, and the rows of a column of L. */
  stack: 'usize',
  path: 'usize',
  position: 'usize',
  pattern: 'usize',
  /** `LuColumn`, columns. */
  columns: 'usize',
  /** f64, columns: the diagonal of U. */
  pivots: 'usize',
  /** The free bytes of the present chunk, [at, end), a multiple of 8. */
  at: 'usize',
  end: 'usize',
  /** Work after which a call returns. */
  budget: 'u32',
  /** Written by a call: the column after the last one that is done, why it ended there, and the bytes that the next column needs. */
  next: 'u32',
  status: 'u32',
  need: 'u32',
  /** Pivots that are not the diagonal of their column. */
  offDiagonal: 'u32',
  /**
   * f64, 5: multiplications and additions; entries of L and U, the diagonals of 1 of L left out; how much larger entries of a column become than
   * those of A, at most. These grow. Then the share of the largest entry of a column that its diagonal must have to be the pivot; and the
   * largest entry from which the last pivot was chosen.
   */
  totals: 'usize',
} as const;

export const LU_SOLVE_HEADER = {
  /** `LuHeader` */
  factors: 'usize',
  /** u32, blocks + 1: the first column of each diagonal block. */
  blockPtr: 'usize',
  blocks: 'u32',
  /** u32, rows: the row of the caller's matrix of each pivot, and its factor, f64. */
  rowOf: 'usize',
  scaleOf: 'usize',
  /** u32, columns: the column of the caller's matrix of each pivot. */
  columnOf: 'usize',
  /** f64, 4 for each column: the columns of X side by side. */
  work: 'usize',
} as const;

/** Words of a column's record. */
const COLUMN_WORDS = 8;
const BYTES_PER_ENTRY = 12;
/** With the lists of the arrangement, of numbers from 0 to n. */
const BYTES_PER_ROW = 112;
const BYTES_PER_ENTRY_OF_A = 8;
const LEAST_CHUNK = 2 ** 14;

/** What the factors of an arranged matrix take if no pivot leaves the diagonal, without the copy of the values. */
export function bytesOfFactors({ size, source, fill }: Arrangement): number {
  return chunkBytes(fill.entries, size) + BYTES_PER_ROW * size + BYTES_PER_ENTRY_OF_A * source.length;
}

/** A chunk for all columns: a list may have 4 bytes of padding. */
export function chunkBytes(entries: number, size: number): number {
  return Math.max(LEAST_CHUNK, BYTES_PER_ENTRY * entries + 8 * size);
}

/** The factors in the heap, without the lists of entries. */
export interface PlacedLu {
  /** The words of an LU_HEADER. */
  readonly header: Uint32Array;
  /** The address of an LU_SOLVE_HEADER. */
  readonly solving: number;
  /** Of the LU_HEADER. */
  readonly scale: Float64Array;
  readonly place: Uint32Array;
  readonly diagonal: Uint32Array;
  readonly pivots: Float64Array;
  readonly totals: Float64Array;
  /** Of the LU_SOLVE_HEADER. */
  readonly rowOf: Uint32Array;
  readonly scaleOf: Float64Array;
  /** x of a factorization, then its lists; the columns of X in a solve. */
  readonly work: Float64Array;
}

/** @param budget work after which a call of a kernel returns @throws SparlaneError `heap` if it does not fit */
export function placeLu(scope: HeapScope, arrangement: Arrangement, budget: number): PlacedLu {
  const { size, blockPtr, columnPtr, rowIdx, source, colOrder } = arrangement;
  const reals = () => scope.array(Float64Array, size);
  const words = () => scope.array(Uint32Array, size);
  const [scale, scaleOf, pivots] = [reals(), reals(), reals()];
  const [place, diagonal, rowOf, firstOf] = [words(), words(), words(), words()];
  const totals = scope.array(Float64Array, 5);
  for (let b = 0; b + 1 < blockPtr.length; b++) firstOf.fill(blockPtr[b]!, blockPtr[b], blockPtr[b + 1]);
  // A factorization needs x and five lists, a solve all lanes: never at once.
  const work = scope.array(Float64Array, SOLVED_TOGETHER * size);
  const list = (index: number) => work.byteOffset + 8 * size + 4 * size * index;
  const header = placeHeader(scope, LU_HEADER, {
    columnPtr: scope.copy(Uint32Array, columnPtr),
    rowIdx: scope.copy(Uint32Array, rowIdx),
    source: scope.copy(Uint32Array, source),
    ...{ values: 0, scale, firstOf, size, place, diagonal, x: work },
    ...{ mark: list(0), stack: list(1), path: list(2), position: list(3), pattern: list(4) },
    columns: scope.array(Uint32Array, COLUMN_WORDS * size),
    ...{ pivots, at: 0, end: 0, budget, next: 0, status: 0, need: 0, offDiagonal: 0, totals },
  });
  const solving = placeHeader(scope, LU_SOLVE_HEADER, {
    ...{ factors: header, blockPtr: scope.copy(Uint32Array, blockPtr), blocks: blockPtr.length - 1 },
    ...{ rowOf, scaleOf, columnOf: scope.copy(Uint32Array, colOrder), work },
  });
  const view = scope.heap.view(Uint32Array, header, wordsOf(LU_HEADER).length);
  return { header: view, solving, scale, place, diagonal, pivots, totals, rowOf, scaleOf, work };
}
