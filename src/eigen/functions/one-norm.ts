/**
 * The 1-norm of a power of a matrix, estimated by some products with blocks of two vectors.
 *
 * Source: Higham & Tisseur 2000, "A block algorithm for matrix 1-norm estimation", algorithm 2.4 with t = 2.
 * Differs: columns of signs that repeat are not drawn anew; the second of two columns is random at first, by a fixed seed.
 * Cost: at most 10 p products with blocks. The result is a lower bound, and mostly the norm itself.
 */
import { Owned } from '../../core/owned.js';
import { type Space, totalOf } from '../../memory/space.js';
import { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import { gathered, rowsBefore } from '../over-ranks.js';
import { streamIn } from '../random.js';

const MOST_TURNS = 5;
const COLUMNS = 2;

/** B = A − shift · I */
export interface Shifted {
  readonly A: LinearOperator;
  readonly At: LinearOperator;
  readonly shift: number;
}

/** ‖Bᵖ‖₁ */
export function oneNormOfPower(B: Shifted, p: number): { readonly norm: number; readonly products: number } {
  const { space, vectorType, rows: n } = B.A;
  const size = totalOf(space, n);
  const before = rowsBefore(space, n);
  const columns = Math.min(COLUMNS, size);
  using owned = new Owned();
  const [x, y] = [1, 2].map(() => owned.own(new Vector(space, vectorType, n, undefined, columns))) as [Vector, Vector];
  const power = (numbers: Float64Array, by: LinearOperator): Float64Array => {
    x.set(vectorType.from(numbers));
    for (let k = 0; k < p; k++) {
      by.apply(x, y);
      x.axpby(1, y, -B.shift);
    }
    return Float64Array.from(x.toArray());
  };
  let start = firstColumns(space, n, size, columns);
  let norm = 0;
  let products = 0;
  const tried = new Set<number>();
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const Y = power(start, B.A);
    products += p;
    const sum = largestSum(space, Y, columns);
    if (!(sum > norm)) return { norm: Number.isNaN(sum) ? sum : norm, products };
    norm = sum;
    const Z = power(
      Y.map((value) => (value < 0 ? -1 : 1)),
      B.At,
    );
    products += p;
    const rows = largestRows(space, Z, columns, before, tried);
    if (rows.length === 0) break;
    start = new Float64Array(n * columns);
    rows.forEach((row, j) => {
      tried.add(row);
      if (row >= before && row < before + n) start[(row - before) * columns + j] = 1;
    });
  }
  return { norm, products };
}

/** The first block has columns of norm 1, row by row: ones, and random signs. */
function firstColumns(space: Space, n: number, size: number, columns: number): Float64Array {
  const random = streamIn(space, 1);
  return Float64Array.from(
    { length: n * columns },
    (_, at) => (at % columns === 1 && random.next() < 0 ? -1 : 1) / size,
  );
}

function largestSum({ ranks }: Space, block: Float64Array, columns: number): number {
  const sums = new Float64Array(columns);
  for (let at = 0; at < block.length; at++) sums[at % columns]! += Math.abs(block[at]!);
  ranks?.sum(sums);
  return Math.max(...sums);
}

/** The rows of all ranks with the largest elements, as many as columns, without those that were tried. @param before rows of the ranks before */
function largestRows(
  space: Space,
  block: Float64Array,
  columns: number,
  before: number,
  tried: ReadonlySet<number>,
): number[] {
  // Ranks with few rows leave some places empty.
  const own = new Float64Array(2 * columns).fill(-1);
  for (const [at, one] of largestOfRank(block, columns, before, tried).entries()) own.set([one.row, one.size], 2 * at);
  const all = gathered(space, own).flatMap((numbers) =>
    Array.from({ length: columns }, (_, at) => ({ row: numbers[2 * at]!, size: numbers[2 * at + 1]! })),
  );
  const found = all.filter(({ row }) => row >= 0).sort((a, b) => b.size - a.size);
  return found.slice(0, columns).map(({ row }) => row);
}

function largestOfRank(
  block: Float64Array,
  columns: number,
  before: number,
  tried: ReadonlySet<number>,
): { readonly row: number; readonly size: number }[] {
  const best: { row: number; size: number }[] = [];
  for (let row = 0; row * columns < block.length; row++) {
    if (tried.has(before + row)) continue;
    let size = 0;
    for (let j = 0; j < columns; j++) size = Math.max(size, Math.abs(block[row * columns + j]!));
    if (best.length === columns && !(size > best.at(-1)!.size)) continue;
    if (best.length === columns) best.pop();
    best.push({ row: before + row, size });
    best.sort((a, b) => b.size - a.size);
  }
  return best;
}
