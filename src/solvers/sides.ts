/** b and x0 as a system has them: in its order, and without their parts in its null space. */
import { norm2 } from '../core/norms.js';
import type { FloatArray } from '../core/types.js';
import { Vector } from '../memory/vector.js';
import type { VectorLike } from '../operators/operator.js';
import type { ArrangedSystem } from './arranged-system.js';
import type { NullSpace } from './null-space.js';

/** What a null space has of a vector, over its norm, where that is rounding. */
const NOTHING = 1e-13;

export interface GivenSides {
  readonly b: VectorLike;
  readonly x0: VectorLike | undefined;
}

export interface Sides extends GivenSides {
  /** The part of b in the null space over its norm, if it is more than rounding. */
  readonly lost: number | undefined;
}

/** @param given in the order of the caller */
export function sidesIn(system: ArrangedSystem, given: GivenSides): Sides {
  const { A, nullSpace } = system;
  const b = system.there(given.b);
  const x0 = given.x0 && system.there(given.x0);
  if (nullSpace === undefined) return { b, x0, lost: undefined };
  const numbers = copyOf(b);
  const start = x0 && withoutPart(x0, nullSpace);
  // A wrong length is refused by the method.
  if (numbers.length !== A.rows) return { b, x0: start, lost: undefined };
  const norm = norm2(numbers);
  const part = nullSpace.project(numbers);
  if (norm2(numbers) <= NOTHING * norm) numbers.fill(0);
  return { b: numbers, x0: start, lost: part > NOTHING * norm ? part / norm : undefined };
}

/** x without its part in the null space, in which a large x0 would drown the residual in rounding errors. */
export function withoutPart(x: VectorLike, nullSpace: NullSpace): FloatArray {
  const numbers = copyOf(x);
  // A wrong length is refused by the method.
  if (numbers.length === nullSpace.rows) nullSpace.project(numbers);
  return numbers;
}

export function copyOf(vector: VectorLike): FloatArray {
  return vector instanceof Vector ? vector.toArray() : vector.slice();
}
