/**
 * The cycles of gmres, over the arithmetic of its coefficients, which are real (`gmres.ts`) or complex (`complex/gmres.ts`). A cycle makes an orthonormal
 * basis V of a Krylov space, and takes from x + M⁻¹ V y the one of least residual.
 */
import type { Vector } from '../memory/vector.js';
import type { Progress, System } from './method.js';
import { normalize, readNorm } from './norms.js';
import type { Reason } from './solution.js';

/** min ‖β e₁ − H y‖₂ for a Hessenberg matrix H, column by column. */
export interface SmallProblem<Column, Coefficient> {
  readonly columns: number;
  /** The norm that remains. */
  readonly residualNorm: number;
  readonly isSingular: boolean;
  /** @param column the entries on and above the diagonal @param below the one below it, real */
  add(column: Column, below: number): void;
  /** y, without the columns of a singular triangle, and with as many of the others as give finite numbers. */
  solve(): readonly Coefficient[];
}

/** What the cycles compute with coefficients, which are real or complex. */
export interface GmresArithmetic<Column, Coefficient> {
  problem(beta: number): SmallProblem<Column, Coefficient>;
  /** w ← w − V Vᴴ w. @returns Vᴴ w, and the norm of what remains */
  orthogonalize(w: Vector, basis: readonly Vector[]): { readonly column: Column; readonly height: number };
  /** x ← x + V y */
  add(y: readonly Coefficient[], vectors: readonly Vector[], x: Vector): void;
  /** sum ← V y, of at least one vector. */
  combine(y: readonly Coefficient[], vectors: readonly Vector[], sum: Vector): void;
}

/**
 * Runs cycles until the residual is 0, the method breaks down, or the caller ends it.
 *
 * @param length iterations of a cycle
 * @param isFlexible whether M may change: M⁻¹ v is kept for every v, and M is not applied to their sum
 */
export function* gmresCycles<Column, Coefficient>(
  { A, b, x, M, work }: System,
  { problem: begin, orthogonalize, add, combine }: GmresArithmetic<Column, Coefficient>,
  length: number,
  isFlexible: boolean,
): Generator<Progress, Reason | undefined> {
  const basis = work.vectors(length + 1);
  const [z, r] = work.vectors(2) as [Vector, Vector];
  const directions = isFlexible && M !== undefined ? work.vectors(length) : undefined;
  const norm = work.scalar();
  for (;;) {
    r.copyFrom(b);
    A.apply(x, r, -1, 1);
    const residualNorm = readNorm(r, norm);
    // A product without an iteration: the cycle begins with the true residual.
    yield { iterations: 0, products: 1, residualNorm };
    if (residualNorm === 0) return undefined;
    normalize(basis[0]!.copyFrom(r), residualNorm);
    const problem = begin(residualNorm);
    try {
      while (problem.columns < length) {
        const known = basis.slice(0, problem.columns + 1);
        const w = basis[known.length]!;
        const v = known.at(-1)!;
        const direction = M === undefined ? v : (directions?.[problem.columns] ?? z);
        M?.apply(v, direction);
        A.apply(direction, w);
        const { column, height } = orthogonalize(w, known);
        if (!Number.isFinite(height)) return 'not-finite';
        problem.add(column, height);
        // The basis spans an invariant space: the solution is in it, or A is singular.
        if (height === 0) break;
        normalize(w, height);
        yield { iterations: 1, products: 1, residualNorm: problem.residualNorm, isAhead: true };
      }
    } finally {
      // Also when the caller ends the solve within a cycle.
      const y = problem.solve();
      const vectors = (directions ?? basis).slice(0, y.length);
      const isSummed = M !== undefined && directions === undefined;
      if (y.length > 0 && !isSummed) add(y, vectors, x);
      if (y.length > 0 && isSummed) {
        combine(y, vectors, r);
        M.apply(r, z);
        x.axpy(1, z);
      }
    }
    if (problem.isSingular) return 'breakdown';
    if (problem.residualNorm === 0) return undefined;
  }
}
