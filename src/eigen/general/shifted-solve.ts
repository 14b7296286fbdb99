/**
 * Solves with factors of A − σ B, with a step of iterative refinement where the factors are poor: lu prefers the diagonal, which lets entries grow.
 *
 * Source: Skeel 1980: one step is enough for a small backward error.
 */
import type { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import { readNorm } from '../../solvers/norms.js';
import type { Workspace } from '../../solvers/workspace.js';
import { drawVector } from '../random.js';
import type { GeneralPencil } from './complex-residual.js';

/** A residual above this share of ‖A − σ B‖ ‖x‖ is that of poor factors: good ones leave some 1e-16. Chosen. */
const POOR = 1e-14;

/** The number of the random vector of a test: no other vector has it. */
const DRAW = 996;

export class ShiftedSolve {
  readonly #pencil: GeneralPencil;
  readonly #shift: number;
  readonly #factors: LinearOperator;
  readonly #r: Vector;
  readonly #correction: Vector;
  readonly isRefined: boolean;

  /** @param norm ‖A − σ B‖, roughly @param work for vectors */
  constructor(pencil: GeneralPencil, shift: number, factors: LinearOperator, norm: number, work: Workspace) {
    this.#pencil = pencil;
    this.#shift = shift;
    this.#factors = factors;
    [this.#r, this.#correction] = work.vectors(2) as [Vector, Vector];
    this.isRefined = this.#isPoor(norm, work);
  }

  /** x ← (A − σ B)⁻¹ b */
  apply(b: Vector, x: Vector): void {
    this.#factors.apply(b, x);
    if (!this.isRefined) return;
    this.#factors.apply(this.#residual(b, x), this.#correction);
    x.axpy(1, this.#correction);
  }

  /** b − (A − σ B) x */
  #residual(b: Vector, x: Vector): Vector {
    const { A, B } = this.#pencil;
    const r = this.#r.copyFrom(b);
    A.apply(x, r, -1, 1);
    if (B === undefined) return r.axpy(this.#shift, x);
    B.apply(x, r, this.#shift, 1);
    return r;
  }

  #isPoor(norm: number, work: Workspace): boolean {
    const [b, scalar] = [work.vector(), work.scalar()];
    drawVector(b, DRAW);
    this.#factors.apply(b, this.#correction);
    const residual = readNorm(this.#residual(b, this.#correction), scalar);
    // Where it is not finite, the search finds out.
    return residual > POOR * norm * readNorm(this.#correction, scalar);
  }
}
