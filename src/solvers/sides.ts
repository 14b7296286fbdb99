/** Brings b and x0 into the order of a system, and takes away their parts in its null space. */
import { norm2 } from '../core/norms.js';
import type { FloatArray } from '../core/types.js';
import { Vector } from '../memory/vector.js';
import type { VectorLike } from '../operators/operator.js';
import type { ArrangedSystem } from './arranged-system.js';
import type { NullSpace } from './null-space.js';

/** The part of a vector in a null space is rounding if its norm is at most this share of the vector's. */
const NOTHING = 1e-13;

/** The right-hand side and the first guess of a solve. */
export interface GivenSides {
  readonly b: VectorLike;
  readonly x0: VectorLike | undefined;
}

export interface SystemSides extends GivenSides {
  /** The norm of b's part in the null space over that of b; undefined if there is no null space, or that part is rounding. */
  readonly lost: number | undefined;
}

/** @param given in the order of the caller */
export function sidesIn(system: ArrangedSystem, given: GivenSides): SystemSides {
  const { A, nullSpace } = system;
  const b = system.there(given.b);
  const x0 = given.x0 && system.there(given.x0);
  if (nullSpace === undefined) return { b, x0, lost: undefined };
  const numbers = copyOf(b);
  const start = x0 && withoutPart(x0, nullSpace);
  // The method refuses a b of a wrong length.
  if (numbers.length !== A.rows) return { b, x0: start, lost: undefined };
  const norm = norm2(numbers);
  const part = nullSpace.project(numbers);
  if (norm2(numbers) <= NOTHING * norm) numbers.fill(0);
  return { b: numbers, x0: start, lost: part > NOTHING * norm ? part / norm : undefined };
}

/** Takes the part in the null space away from x: a large x0 would drown the residual in rounding errors there. */
export function withoutPart(x: VectorLike, nullSpace: NullSpace): FloatArray {
  const numbers = copyOf(x);
  // The method refuses an x0 of a wrong length.
  if (numbers.length === nullSpace.rows) nullSpace.project(numbers);
  return numbers;
}

function copyOf(vector: VectorLike): FloatArray {
  return vector instanceof Vector ? vector.toArray() : vector.slice();
}
