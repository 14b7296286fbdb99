/**
 * Generalized minimal residuals, restarted, with a right preconditioner, which may be another one in each iteration.
 *
 * Source: Saad & Schultz 1986; Saad 1993 (flexible); Saad 2003, algorithms 9.5 and 9.6. Classical Gram–Schmidt, since its dot products are one
 *   pass over the new vector; done twice (Giraud et al. 2005) where the norms show that the basis is orthogonal to less than half of the digits
 *   (Simon 1984), which is enough for a Krylov method.
 * For: nonsymmetric A. The residual never grows, at the price of `restart` vectors, twice as many if flexible.
 * Cost: iteration j of a cycle is a product, M, 2 j dot products and updates, each list in one pass; 4 j where they are done twice.
 */

import { integer, knownKeys } from '../core/checks.js';
import { UNIT_ROUNDOFF } from '../core/norms.js';
import { Scalar } from '../memory/scalar.js';
import { totalOf } from '../memory/space.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { SOLVE_OPTIONS } from './arguments.js';
import { complexGmresSteps } from './complex/gmres.js';
import { type GmresArithmetic, gmresCycles } from './gmres-cycles.js';
import { HessenbergProblem } from './hessenberg.js';
import { solveWith } from './iterate.js';
import type { Progress, System } from './method.js';
import { readNorm } from './norms.js';
import type { Reason, Solution, SolveOptions } from './solution.js';

export const DEFAULT_RESTART = 30;

/** `gmres` and `fgmres` take these options. */
export interface GmresOptions extends SolveOptions {
  /** Iterations of a cycle: 1 to 1000. Default 30. */
  readonly restart?: number;
}

/**
 * Solves A x = b for any square A.
 *
 * @param b length `A.rows`, in any space
 * @throws as `cg`
 */
export function gmres(A: LinearOperator, b: VectorInput, options: GmresOptions = {}): Solution {
  return solveWith(...gmresWith(A, b, options, false));
}

/**
 * The same for a preconditioner that is not the same map in every iteration: an inner solve, a cycle of varying length.
 *
 * @throws as `cg`
 */
export function fgmres(A: LinearOperator, b: VectorInput, options: GmresOptions = {}): Solution {
  return solveWith(...gmresWith(A, b, options, true));
}

function gmresWith(A: LinearOperator, b: VectorInput, options: GmresOptions, isFlexible: boolean) {
  knownKeys<GmresOptions>('options', options, { ...SOLVE_OPTIONS, restart: true });
  const { restart = DEFAULT_RESTART, ...others } = options;
  integer('restart', restart, 1, 1000);
  const steps = (system: System) => gmresSteps(system, restart, isFlexible);
  const method = Object.assign(steps, { spec: `${isFlexible ? 'fgmres' : 'gmres'}?restart=${restart}` });
  return [method, A, b, others] as const;
}

/** @param isFlexible whether M may change */
export function* gmresSteps(
  system: System,
  restart: number,
  isFlexible = false,
): Generator<Progress, Reason | undefined> {
  const { A, complex, work } = system;
  if (complex !== undefined) return yield* complexGmresSteps(complex, system, restart, isFlexible);
  const length = Math.min(restart, totalOf(A.space, A.rows));
  const [sums, norm] = [work.scalars(length + 1), work.scalar()];
  const arithmetic: GmresArithmetic<Float64Array, number> = {
    problem: (beta) => new HessenbergProblem(length, beta),
    orthogonalize: (w, basis) => orthogonalize(w, basis, sums, norm),
    add: (y, vectors, x) => void x.axpys(y, vectors),
    combine: (y, vectors, sum) => void sum.axpby(y[0]!, vectors[0]!, 0).axpys(y.slice(1), vectors.slice(1)),
  };
  return yield* gmresCycles(system, arithmetic, length, isFlexible);
}

/** w ← w − V Vᵀ w, twice if it must be. @returns Vᵀ w, and the norm of what remains */
function orthogonalize(
  w: Vector,
  basis: readonly Vector[],
  sums: readonly Scalar[],
  norm: Scalar,
): { column: Float64Array; height: number } {
  const column = new Float64Array(basis.length);
  const used = sums.slice(0, basis.length);
  const square = sums[basis.length]!;
  for (let turn = 0; ; turn++) {
    w.dots([...basis, w], [...used, square]);
    w.axpys(
      used.map((sum) => sum.times(-1)),
      basis,
    );
    const height = readNorm(w, norm);
    const part = Float64Array.from(Scalar.values(used));
    part.forEach((value, i) => {
      column[i]! += value;
    });
    if (turn > 0 || isOrthogonal(UNIT_ROUNDOFF[w.type === Float32Array ? 'f32' : 'f64'], square.value, part, height))
      return { column, height };
  }
}

/**
 * Whether w − V h, of norm `height`, is orthogonal to V to half of the digits. Its norm is then that of Pythagoras; the difference is
 * hᵀ (Vᵀ V − I) h, of a basis that is not orthogonal.
 *
 * @param square ‖w‖² @param h Vᵀ w
 */
function isOrthogonal(unitRoundoff: number, square: number, h: Float64Array, height: number): boolean {
  const along = h.reduce((sum, value) => sum + value * value, 0);
  const gap = Math.abs(square - along - height * height);
  const rounding = unitRoundoff * Math.sqrt(square);
  return gap / Math.sqrt(along) + rounding <= Math.sqrt(unitRoundoff) * height;
}
