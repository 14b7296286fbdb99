/**
 * The best x that a method has had, for a solve that ends without a solution: the residual of cg and bicgstab may rise, and a breakdown may
 * leave nothing of x. A method's own residual may be wrong as well, so the x from which it began, whose residual is known, is kept too.
 *
 * Cost: a vector, two after a restart, and a copy each time that the residual has halved: 27 copies for a residual of 1e-8.
 */
import type { Vector } from '../memory/vector.js';
import type { Norms } from './method.js';
import type { Workspace } from './workspace.js';

/** Below this share of the norm of the copy, x is copied again. So the copy is at most twice as far off as the best x was. */
export const COPY_SHARE = 0.5;

export class BestIterate {
  readonly #work: Workspace;
  readonly #begin: (x: Vector) => void;
  readonly #copy: Vector;
  #copied = Number.POSITIVE_INFINITY;
  /** The x from which the latest restart began; before one, that is x0. */
  #start: Vector | undefined;

  /** @param begin x ← x0 */
  constructor(work: Workspace, begin: (x: Vector) => void) {
    this.#work = work;
    this.#begin = begin;
    this.#copy = work.vector();
  }

  /** @param norm the residual norm of x, as the method has it */
  offer(x: Vector, norm: number): void {
    if (!(norm < COPY_SHARE * this.#copied)) return;
    this.#copy.copyFrom(x);
    this.#copied = norm;
  }

  /** The method starts again from x. @throws SparlaneError `heap` */
  restart(x: Vector): void {
    this.#start ??= this.#work.vector();
    this.#start.copyFrom(x);
    this.#copied = Number.POSITIVE_INFINITY;
  }

  /**
   * x ← the best x.
   *
   * @param now the true norms of x @param start those of the x from which the method began
   * @param measure computes true norms
   * @returns the true norms of x
   */
  restore(x: Vector, now: Norms, start: Norms, measure: (x: Vector) => Norms): Norms {
    let least = now;
    const consider = (norms: Norms, candidate: Vector) => {
      if (least.residualNorm <= norms.residualNorm || !Number.isFinite(norms.residualNorm)) return;
      x.copyFrom(candidate);
      least = norms;
    };
    const isCopied = Number.isFinite(this.#copied);
    if (isCopied && !(now.residualNorm <= this.#copied)) consider(measure(this.#copy), this.#copy);
    if (!(least.residualNorm <= start.residualNorm)) {
      // Also if no norm is finite: x0 is.
      if (this.#start === undefined) this.#begin(x);
      else x.copyFrom(this.#start);
      least = start;
    }
    return least;
  }
}
