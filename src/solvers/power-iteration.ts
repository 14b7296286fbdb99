/**
 * The eigenvalue of greatest magnitude, by powers of A.
 *
 * Source: von Mises & Pollaczek-Geiringer 1929; Golub & Van Loan, section 7.3.
 * For: a first look. The error shrinks by |λ₂ / λ₁| in each iteration; where two eigenvalues have the greatest magnitude (λ and −λ, or
 *   a complex pair), it does not converge.
 * Cost: a step is a product, two dot products and two updates; three vectors.
 */
import { knownKeys } from '../core/checks.js';
import { drain } from '../core/drain.js';
import type { FloatArray } from '../core/types.js';
import { randomStream, unit } from '../gallery/draw.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { checkOperator, startingVector } from './arguments.js';
import { normalize, readNorm } from './norms.js';
import { checkRepeat, type Repeated, type RepeatOptions, repeat } from './repeat.js';
import type { Step } from './solution.js';
import { Workspace } from './workspace.js';

/** `powerIteration` takes these options. */
export interface PowerOptions extends RepeatOptions {
  /** The first vector, not 0. Default: seeded random numbers. It is not changed. */
  readonly x0?: VectorInput;
}

export interface Eigenpair extends Repeated {
  /** λ = xᵀ A x */
  readonly value: number;
  /** With norm 1, in the space of A; the caller disposes it. */
  readonly x: Vector;
  /** ‖A x − λ x‖₂ / |λ|; the norm itself if λ = 0. */
  readonly relativeResidual: number;
}

/**
 * Finds the eigenvalue of greatest magnitude of a square A, and its vector.
 *
 * @throws SparlaneError `argument` or `shape` for a wrong argument; `heap`; errors of products
 */
export function powerIteration(A: LinearOperator, options: PowerOptions = {}): Eigenpair {
  return drain(powerSteps(A, options));
}

const OPTIONS: Record<keyof PowerOptions, true> = {
  x0: true,
  rtol: true,
  maxIterations: true,
  onStep: true,
  signal: true,
};

/** The same step by step. `residualNorm` of a step: ‖A x − λ x‖₂. */
export function* powerSteps(A: LinearOperator, options: PowerOptions): Generator<Step, Eigenpair> {
  checkOperator(A, 'square');
  knownKeys('options', options, OPTIONS);
  const { x0 } = options;
  const checked = checkRepeat(options);
  const { rtol, maxIterations } = checked;
  A.space.ranks?.compare('the powers', { rtol, maxIterations });
  using work = new Workspace(A);
  const [y, r] = work.vectors(2) as [Vector, Vector];
  const norm = work.scalar();
  const x = startingVector(A, x0);
  let finished = false;
  try {
    if (x0 === undefined) x.set(randomNumbers(A));
    toUnitNorm(x, readNorm(x, norm));
    let value = 0;
    let relativeResidual = 0;
    const step = (iteration: number) => {
      if (iteration > 0) toUnitNorm(x.copyFrom(y), readNorm(y, norm));
      A.apply(x, y);
      value = x.dot(y, norm).value;
      const residualNorm = readNorm(r.copyFrom(y).axpy(finiteOr0(-value), x), norm);
      relativeResidual = value === 0 ? residualNorm : residualNorm / Math.abs(value);
      return { residualNorm, relative: relativeResidual };
    };
    const repeated = yield* repeat(checked, 0, step);
    finished = true;
    return { value, x, ...repeated, relativeResidual };
  } finally {
    if (!finished) x.dispose();
  }
}

/** The residual norm shows what is not finite. */
function toUnitNorm(x: Vector, norm: number): void {
  if (norm > 0 && Number.isFinite(norm)) normalize(x, norm);
}

/** Factors must be finite; the residual norm shows what is not. */
function finiteOr0(factor: number): number {
  return Number.isFinite(factor) ? factor : 0;
}

/** Away from the vectors that a structure makes special: ones, alternating signs, halves. */
function randomNumbers({ vectorType, cols }: LinearOperator): FloatArray {
  const random = randomStream(1, 'values');
  return new vectorType(cols).map(() => unit(random) - 0.5);
}
