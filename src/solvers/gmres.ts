/**
 * Generalized minimal residuals, restarted, with a right preconditioner.
 *
 * Source: Saad & Schultz 1986; Saad 2003, algorithm 9.5. Classical Gram–Schmidt, done twice (Giraud et al. 2005), since
 *   its dot products are one pass over the new vector; as orthogonal as Householder's.
 * For: nonsymmetric A. The residual never grows, at the price of `restart` vectors.
 * Cost: iteration j of a cycle is a product, M, 4 j dot products and updates, each list in one pass.
 */
import { integer, knownKeys } from '../core/checks.js';
import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorLike } from '../operators/operator.js';
import { type Progress, SOLVE_OPTIONS, type System, solveWith } from './iterate.js';
import type { Reason, Solution, SolveOptions } from './solution.js';

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
export function gmres(A: LinearOperator, b: VectorLike, options: GmresOptions = {}): Solution {
  knownKeys<GmresOptions>('options', options, { ...SOLVE_OPTIONS, restart: true });
  const { restart = 30, ...others } = options;
  integer('restart', restart, 1, 1000);
  return solveWith((system) => gmresSteps(system, restart), A, b, others);
}

function* gmresSteps({ A, b, x, M, work }: System, restart: number): Generator<Progress, Reason> {
  const length = Math.min(restart, A.rows);
  const basis = work.vectors(length + 1);
  const [z, r] = work.vectors(2) as [Vector, Vector];
  const sums = work.scalars(length);
  const [norm] = work.scalars(1) as [Scalar];
  for (let isFirst = true; ; isFirst = false) {
    r.copyFrom(b);
    A.apply(x, r, -1, 1);
    const residualNorm = r.norm(norm).value;
    if (isFirst) yield { iterations: 0, residualNorm };
    if (residualNorm === 0) return 'tolerance';
    basis[0]!.axpby(1 / residualNorm, r, 0);
    const problem = new HessenbergProblem(length, residualNorm);
    try {
      while (problem.columns < length) {
        const known = basis.slice(0, problem.columns + 1);
        const w = basis[known.length]!;
        const v = known.at(-1)!;
        M?.apply(v, z);
        A.apply(M === undefined ? v : z, w);
        const column = orthogonalize(w, known, sums);
        const height = w.norm(norm).value;
        problem.add(column, height);
        // The basis spans an invariant space: the solution is in it, or A is singular.
        if (height === 0) break;
        w.scale(1 / height);
        yield { iterations: 1, residualNorm: problem.residualNorm };
      }
    } finally {
      // Also when the caller ends the solve within a cycle.
      correct(x, basis, problem.solve(), M, r, z);
    }
    if (problem.residualNorm === 0 || problem.isSingular) return problem.isSingular ? 'breakdown' : 'tolerance';
  }
}

/** w ← w − V Vᵀ w, twice. @returns the sum of both Vᵀ w */
function orthogonalize(w: Vector, basis: readonly Vector[], sums: readonly Scalar[]): Float64Array {
  const column = new Float64Array(basis.length);
  const used = sums.slice(0, basis.length);
  for (let turn = 0; turn < 2; turn++) {
    w.dots(basis, used);
    w.axpys(
      used.map((sum) => sum.times(-1)),
      basis,
    );
    used.forEach((sum, i) => {
      column[i]! += sum.value;
    });
  }
  return column;
}

/** x ← x + M⁻¹ V y */
function correct(
  x: Vector,
  basis: readonly Vector[],
  y: readonly number[],
  M: LinearOperator | undefined,
  sum: Vector,
  z: Vector,
): void {
  if (y.length === 0) return;
  if (M === undefined) {
    x.axpys(y, basis.slice(0, y.length));
    return;
  }
  sum.axpby(y[0]!, basis[0]!, 0).axpys(y.slice(1), basis.slice(1, y.length));
  M.apply(sum, z);
  x.axpy(1, z);
}

/** min ‖β e₁ − H y‖₂ for a Hessenberg matrix H, made triangular column by column with Givens rotations. */
class HessenbergProblem {
  readonly #triangle: Float64Array[] = [];
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  readonly #right: Float64Array;

  constructor(length: number, beta: number) {
    this.#cosines = new Float64Array(length);
    this.#sines = new Float64Array(length);
    this.#right = new Float64Array(length + 1);
    this.#right[0] = beta;
  }

  get columns(): number {
    return this.#triangle.length;
  }

  /** The norm that remains. */
  get residualNorm(): number {
    return Math.abs(this.#right[this.columns]!);
  }

  get isSingular(): boolean {
    return this.#triangle.some((column, j) => column[j] === 0);
  }

  /** @param column the entries on and above the diagonal @param below the one below it */
  add(column: Float64Array, below: number): void {
    const j = this.columns;
    const [cosines, sines, right] = [this.#cosines, this.#sines, this.#right];
    for (let i = 0; i < j; i++) {
      const [upper, lower] = [column[i]!, column[i + 1]!];
      column[i] = cosines[i]! * upper + sines[i]! * lower;
      column[i + 1] = cosines[i]! * lower - sines[i]! * upper;
    }
    const length = Math.hypot(column[j]!, below);
    cosines[j] = length === 0 ? 1 : column[j]! / length;
    sines[j] = length === 0 ? 0 : below / length;
    column[j] = length;
    right[j + 1] = -sines[j]! * right[j]!;
    right[j] = cosines[j]! * right[j]!;
    this.#triangle.push(column);
  }

  /** y, without the columns of a singular triangle. */
  solve(): number[] {
    const count = this.isSingular ? this.#triangle.findIndex((column, j) => column[j] === 0) : this.columns;
    const y = [...this.#right.subarray(0, count)];
    for (let j = count - 1; j >= 0; j--) {
      y[j]! /= this.#triangle[j]![j]!;
      for (let i = 0; i < j; i++) y[i]! -= this.#triangle[j]![i]! * y[j]!;
    }
    return y;
  }
}
