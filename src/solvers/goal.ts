/** What a solve is to reach: the scaled system, its tolerances, and the true norms of an x. */
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { type Checked, setStart } from './arguments.js';
import type { Norms, Progress, Watch } from './method.js';
import { readNorm } from './norms.js';
import { scaleOf } from './scale.js';
import type { Workspace } from './workspace.js';

/** A system as the caller poses it, with its first x; methods of least squares need Aᵀ too. */
export interface Posed {
  readonly A: LinearOperator;
  readonly At: LinearOperator | undefined;
  readonly b: Vector;
  readonly x: Vector;
  readonly x0: VectorInput | undefined;
}

export class Goal {
  /** By which b and x are multiplied in the solve. */
  readonly scale: number;
  /** ‖b‖, scaled. */
  readonly bNorm: number;
  /** Products with A and Aᵀ for true norms. */
  products = 0;
  readonly #posed: Posed;
  readonly #norm: (v: Vector) => number;
  readonly #residual: Vector;
  readonly #gradient: Vector | undefined;
  readonly #tolerance: number;
  readonly #gradientTolerance: number;
  /** Whether x = 0 is the only one within the tolerance, which a method would not reach. */
  readonly #isZero: boolean;

  /** Scales b and x. */
  constructor(posed: Posed, { rtol, atol }: Checked, work: Workspace) {
    const { b, x, x0, At } = posed;
    const norm = work.scalar();
    this.#posed = posed;
    this.#norm = (v) => readNorm(v, norm);
    this.#residual = work.vector('b');
    this.#gradient = At && work.vector('x');
    this.scale = scaleOf(b.type, this.#norm(b), x0 === undefined ? 0 : this.#norm(x));
    scaleBy(b, this.scale);
    scaleBy(x, this.scale);
    this.bNorm = this.#norm(b);
    this.#tolerance = Math.max(rtol * this.bNorm, atol * this.scale);
    this.#gradientTolerance = rtol * (this.#gradientNormOf(b).gradientNorm ?? 0);
    this.#isZero = this.bNorm === 0 && atol === 0;
    if (this.#isZero) x.fill(0);
  }

  /** x ← the first x of the caller, scaled. */
  toStart(x: Vector): void {
    if (this.#isZero) x.fill(0);
    else scaleBy(setStart(x, this.#posed.x0), this.scale);
  }

  /** The true norms of x. */
  measure(x: Vector): Norms {
    const { A, At, b } = this.#posed;
    this.products += At === undefined ? 1 : 2;
    // An x that is not finite has no residual, though a column without entries would hide it. Its norm comes before the product: a rank
    // that stops alone is noticed, since the other ranks' next call is a product.
    if (!Number.isFinite(this.#norm(x))) return { residualNorm: Number.NaN };
    const r = this.#residual.copyFrom(b);
    A.apply(x, r, -1, 1);
    return { residualNorm: this.#norm(r), ...this.#gradientNormOf(r) };
  }

  #gradientNormOf(v: Vector): Pick<Norms, 'gradientNorm'> {
    const gradient = this.#gradient;
    if (gradient === undefined) return {};
    this.#posed.At!.apply(v, gradient);
    return { gradientNorm: this.#norm(gradient) };
  }

  /** A tolerance relative to an infinite b is reached by nothing. */
  readonly isReached = ({ residualNorm, gradientNorm = Number.POSITIVE_INFINITY }: Norms): boolean =>
    Number.isFinite(residualNorm) &&
    (residualNorm <= this.#tolerance || (Number.isFinite(gradientNorm) && gradientNorm <= this.#gradientTolerance));

  /** What a watch sees: of least squares, the norm that is nearer to its tolerance. */
  watched(progress: Progress): Parameters<Watch> {
    const { residualNorm, gradientNorm } = progress;
    const [tolerance, ofGradient] = [this.#tolerance, this.#gradientTolerance];
    if (gradientNorm === undefined || gradientNorm * tolerance > residualNorm * ofGradient)
      return [progress, tolerance];
    return [{ ...progress, residualNorm: gradientNorm }, ofGradient];
  }
}

function scaleBy(x: Vector, scale: number): void {
  if (scale !== 1) x.scale(scale);
}
