/** What a basis asks of the place where its vectors are: panels in the heap (`panel-store.ts`), single vectors on a device (`vector-store.ts`). */
import type { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';

/** The operator whose x the vectors are like. */
export type VectorKind = Pick<LinearOperator, 'space' | 'vectorType' | 'cols'>;

/** Columns of vectors, the first `size` of which are in use. */
export interface ColumnStore extends Disposable {
  /** Column j ← w. @throws SparlaneError `heap` */
  put(j: number, w: Vector): void;
  copyTo(j: number, x: Vector): void;
  /** Vᵀ w */
  project(size: number, w: Vector): Float64Array;
  /** x ← alpha V c + beta x; size is not 0, and c as long. */
  add(x: Vector, c: Float64Array, alpha: number, beta: number): void;
  /** Vᵀ W, size × columns of W, row-major. */
  projectBlock(size: number, W: Vector): Float64Array;
  /** W ← W − V C; C is size × columns of W, row-major, and size is not 0. */
  subtractBlock(W: Vector, C: Float64Array, size: number): void;
  /** V ← V Q; Q is size × columns, row-major. @throws SparlaneError `heap` */
  rotate(Q: Float64Array, size: number, columns: number): void;
}
