/**
 * Minimal residuals for symmetric A, with a preconditioner.
 *
 * Source: Paige & Saunders 1975; Elman, Silvester & Wathen, Finite Elements and Fast Iterative Solvers, 2014, algorithm 4.1.
 * For: symmetric A, definite or not (saddle points, shifted matrices); M symmetric positive definite.
 * Cost: a step is a product, M, two dot products and six updates; eight vectors. The norm that is minimized is that of M⁻¹: with a
 *   preconditioner, the residual norm of a step is computed by one more dot product.
 */

import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { type Progress, type System, solveWith } from './iterate.js';
import { readNorm } from './norms.js';
import type { Reason, Solution, SolveOptions } from './solution.js';

/**
 * Solves A x = b for a symmetric A.
 *
 * @param A square; its symmetry is not checked
 * @param b length `A.rows`, in any space
 * @throws as `cg`
 */
export function minres(A: LinearOperator, b: VectorInput, options?: SolveOptions): Solution {
  return solveWith(minresSteps, A, b, options);
}

/** The Lanczos vectors v and z = M⁻¹ v, and the directions w with A w, of the last steps: index 0 is the newest. */
export function* minresSteps({ A, b, x, M, work }: System): Generator<Progress, Reason | undefined> {
  let [v, vBefore, vNext] = work.vectors(3) as [Vector, Vector, Vector];
  let [w, wBefore, wNext] = work.vectors(3) as [Vector, Vector, Vector];
  let [Aw, AwBefore, AwNext] = work.vectors(3) as [Vector, Vector, Vector];
  const [r, Az] = work.vectors(2) as [Vector, Vector];
  let [z, zNext] = work.vectors(2) as [Vector, Vector];
  const precondition = (from: Vector, to: Vector) => (M === undefined ? to.copyFrom(from) : M.apply(from, to));
  const dot = work.scalar();
  r.copyFrom(b);
  A.apply(x, r, -1, 1);
  yield { iterations: 0, products: 1, residualNorm: readNorm(r, dot) };
  v.copyFrom(r);
  precondition(v, z);
  for (const vector of [vBefore, w, wBefore, Aw, AwBefore]) vector.fill(0);
  const first = z.dot(v, dot).value;
  if (first < 0) return 'not-definite';
  if (!Number.isFinite(first)) return 'not-finite';
  let gamma = Math.sqrt(first);
  let gammaBefore = 1;
  let eta = gamma;
  let [sine, sineBefore, cosine, cosineBefore] = [0, 0, 1, 1];
  while (gamma > 0) {
    z.scale(1 / gamma);
    A.apply(z, Az);
    const delta = Az.dot(z, dot).value;
    if (!Number.isFinite(delta / gamma)) return 'not-finite';
    vNext.copyFrom(Az).axpys([-delta / gamma, -gamma / gammaBefore], [v, vBefore]);
    precondition(vNext, zNext);
    const square = zNext.dot(vNext, dot).value;
    if (square < 0) return 'not-definite';
    if (!Number.isFinite(square)) return 'not-finite';
    const gammaNext = Math.sqrt(square);
    // The next column of the triangle, by the last two rotations and a new one.
    const a0 = cosine * delta - cosineBefore * sine * gamma;
    const a1 = Math.hypot(a0, gammaNext);
    const a2 = sine * delta + cosineBefore * cosine * gamma;
    const a3 = sineBefore * gamma;
    if (a1 === 0) return 'breakdown';
    if (![1 / a1, a2 / a1, a3 / a1].every(Number.isFinite)) return 'not-finite';
    [cosineBefore, sineBefore, cosine, sine] = [cosine, sine, a0 / a1, gammaNext / a1];
    wNext.axpby(1 / a1, z, 0).axpys([-a3 / a1, -a2 / a1], [wBefore, w]);
    AwNext.axpby(1 / a1, Az, 0).axpys([-a3 / a1, -a2 / a1], [AwBefore, Aw]);
    x.axpy(cosine * eta, wNext);
    r.axpy(-cosine * eta, AwNext);
    eta *= -sine;
    [vBefore, v, vNext] = [v, vNext, vBefore];
    [z, zNext] = [zNext, z];
    [wBefore, w, wNext] = [w, wNext, wBefore];
    [AwBefore, Aw, AwNext] = [Aw, AwNext, AwBefore];
    [gammaBefore, gamma] = [gamma, gammaNext];
    yield { iterations: 1, products: 1, residualNorm: readNorm(r, dot) };
  }
  return 'breakdown';
}
