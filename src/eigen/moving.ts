/** Operators whose products take many steps. */
import type { Vector } from '../memory/vector.js';
import type { LinearOperator } from '../operators/operator.js';

/** An operator x ↦ f(A) x, by steps. */
export type MovingOperator = LinearOperator & Moving;

export interface Moving {
  /** y ← C y, of a vector or a block, by products with another operator. Yields after each of them. */
  moveSteps(y: Vector): Generator<void, void>;
}

/** y ← C x, step by step where C can. */
export function* productSteps(C: LinearOperator, x: Vector, y: Vector): Generator<void, void> {
  if (isMoving(C)) yield* C.moveSteps(y.copyFrom(x));
  else C.apply(x, y);
  yield;
}

export function isMoving(C: object): C is MovingOperator {
  return 'moveSteps' in C;
}
