/** `Factorization.solve` for any right-hand sides: checks b, solves its columns with the factors, and refines them. */
import { asFloats, checkAttached } from '../core/arrays.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import { type Factors, SOLVED_TOGETHER } from '../direct/method.js';
import { refine, type SolveQuality } from '../direct/refine.js';
import type { Heap } from '../memory/heap.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';

/** What b must match. */
interface Rows {
  readonly rows: number;
  readonly space: Space;
}

/** The numbers of B, column after column. @throws SparlaneError `argument` or `shape` */
export function sidesOf(b: unknown, { rows, space }: Rows): FloatArray {
  if (Array.isArray(b)) return asFloats('b', b);
  if (b instanceof Float64Array || b instanceof Float32Array) return checkAttached('b', b);
  if (!(b instanceof Vector))
    throw mismatch('argument', 'b', 'a vector of the engine, a Float64Array or a Float32Array', b);
  if (b.space !== space) throw mismatch('argument', 'b', "a vector of the engine's space", 'one of another space');
  if (b.length !== rows) throw mismatch('shape', 'b', `length ${rows}`, b.length, { length: b.length });
  return b.toArray({ order: 'column' });
}

/** The number of columns of B. @throws SparlaneError `shape` */
export function columnsOf({ length }: FloatArray, rows: number): number {
  const columns = rows === 0 ? 0 : length / rows;
  if (rows > 0 ? columns >= 1 && Number.isInteger(columns) : length === 0) return columns;
  throw mismatch('shape', 'b', `columns of length ${rows}`, length, { length });
}

/** A matrix and its factors. */
interface Given {
  readonly matrix: CsrMatrix;
  readonly values: FloatArray;
  readonly factors: Factors;
  readonly heap: Heap;
}

/** X of A X = B, refined column by column, and the worst quality of a column. Yields the share of the columns that is solved. */
export function* columnSteps(
  { matrix, values, factors, heap }: Given,
  sides: FloatArray,
  columns: number,
): Generator<number, { readonly x: Float64Array; readonly quality: SolveQuality }> {
  const n = matrix.rows;
  const b = sides instanceof Float64Array ? sides : Float64Array.from(sides);
  const x = new Float64Array(b.length);
  let quality: SolveQuality = { relativeResidual: 0, backwardError: 0, corrections: 0 };
  using scope = heap.scope();
  const work = scope.array(Float64Array, n * Math.min(SOLVED_TOGETHER, columns));
  const correct = (residual: Float64Array) => {
    const place = work.subarray(0, n);
    place.set(residual);
    factors.solve(place, 1);
    residual.set(place);
  };
  for (let first = 0; first < columns; first += SOLVED_TOGETHER) {
    const last = Math.min(first + SOLVED_TOGETHER, columns);
    const solved = work.subarray(0, n * (last - first));
    solved.set(b.subarray(n * first, n * last));
    factors.solve(solved, last - first);
    x.set(solved, n * first);
    for (let j = first; j < last; j++) {
      const [begin, end] = [j * n, (j + 1) * n];
      quality = worse(quality, refine(matrix, values, b.subarray(begin, end), x.subarray(begin, end), correct));
      yield (j + 1) / columns;
    }
  }
  return { x, quality };
}

function worse(a: SolveQuality, b: SolveQuality): SolveQuality {
  return {
    relativeResidual: Math.max(a.relativeResidual, b.relativeResidual),
    backwardError: Math.max(a.backwardError, b.backwardError),
    corrections: Math.max(a.corrections, b.corrections),
  };
}
