/**
 * Minimal residuals for symmetric A, with a preconditioner.
 *
 * Source: Paige & Saunders 1975; Elman, Silvester & Wathen, Finite Elements and Fast Iterative Solvers, 2014, algorithm 4.1.
 * Differs: Lanczos vectors and directions are stored without their norms, so a step scales none of them. The residual is updated by A w. That by the
 *   last Lanczos vector alone, rₖ = s² rₖ₋₁ + c ηₖ vₖ₊₁, needs no A w, but becomes too small where A is singular: the part of r in the null space, which
 *   no step changes, is then the difference of two terms.
 * For: symmetric A, definite or not (saddle points, shifted matrices); M symmetric positive definite.
 * Cost: a step is a product, M, three dot products and ten updates; ten vectors, one more with M. The norm that is minimized is that of M⁻¹.
 */
import { Scalar, TINY } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { solveWith } from './iterate.js';
import type { Progress, System } from './method.js';
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

/** Three Lanczos vectors γ v, three directions w times the diagonal of the triangle, or A w likewise; index 0 is the newest one. */
type Three = readonly [Vector, Vector, Vector];

export function* minresSteps({ A, b, x, M, work, every }: System): Generator<Progress, Reason | undefined> {
  const vs = work.vectors(3) as [Vector, Vector, Vector];
  const ws = work.vectors(3) as [Vector, Vector, Vector];
  const Aws = work.vectors(3) as [Vector, Vector, Vector];
  const r = work.vector();
  // z = M⁻¹ v
  const z = M === undefined ? undefined : work.vector();
  const [delta, square, rr, eta, tau] = work.scalars(5) as [Scalar, Scalar, Scalar, Scalar, Scalar];
  const [gamma, gammaBefore, scale, by] = work.scalars(4) as [Scalar, Scalar, Scalar, Scalar];
  const [c, cBefore, s, sBefore] = work.scalars(4) as [Scalar, Scalar, Scalar, Scalar];
  // These hold the newest column of the triangle, before its rotation and above its diagonal, and the diagonals of the last two columns.
  const [a0, a2, a3, d, dBefore] = work.scalars(5) as [Scalar, Scalar, Scalar, Scalar, Scalar];
  r.copyFrom(b);
  A.apply(x, r, -1, 1);
  yield { iterations: 0, products: 1, residualNorm: Math.sqrt(r.dot(r, rr).value) };
  const [v] = vs;
  v.copyFrom(r);
  if (z !== undefined) M!.apply(v, z);
  for (const vector of [vs[1], ws[0], ws[1], Aws[0], Aws[1]]) vector.fill(0);
  const first = (z ?? v).dot(v, square).value;
  if (first < 0) return 'not-definite';
  if (!Number.isFinite(first)) return 'not-finite';
  if (first === 0) return 'breakdown';
  gamma.setRoot(square);
  eta.setSum(gamma, 0);
  for (const one of [gammaBefore, c, cBefore, d, dBefore]) one.set(1);
  for (const zero of [s, sBefore]) zero.set(0);

  const step = ([v, vBefore, vNext]: Three, [w, wBefore, wNext]: Three, [Aw, AwBefore, AwNext]: Three) => {
    const q = z ?? v; // γ times the Lanczos vector
    A.apply(q, vNext);
    vNext.dot(q, delta);
    scale.setQuotient(1, gamma);
    delta.setProduct(delta, scale);
    delta.setProduct(delta, scale);
    a0.setProduct(c, delta);
    a3.setProduct(s, gamma);
    a3.setProduct(a3, cBefore);
    a0.setDifference(a0, a3); // a₀ = c δ − c₋ s γ
    a2.setProduct(s, delta);
    a3.setProduct(c, gamma);
    a3.setProduct(a3, cBefore);
    a2.setSum(a2, a3); // a₂ = s δ + c₋ c γ
    a3.setProduct(sBefore, gamma); // a₃ = s₋ γ
    a2.setQuotient(a2, d);
    a3.setQuotient(a3, dBefore);
    wNext.axpby(scale, q, 0).axpys([a3.times(-1), a2.times(-1)], [wBefore, w]);
    AwNext.axpby(scale, vNext, 0).axpys([a3.times(-1), a2.times(-1)], [AwBefore, Aw]);

    by.setProduct(delta, scale);
    vNext.axpby(by.times(-1), v, scale);
    by.setQuotient(gamma, gammaBefore);
    vNext.axpy(by.times(-1), vBefore); // v₊ ← A q − δ v − γ v₋

    if (z !== undefined) M!.apply(vNext, z);
    vNext.dot(z ?? vNext, square);
    gammaBefore.setSum(gamma, 0);
    square.setSum(square, TINY);
    gamma.setRoot(square);
    dBefore.setSum(d, 0);
    d.setProduct(a0, a0);
    d.setSum(d, square);
    d.setRoot(d);
    cBefore.setSum(c, 0);
    sBefore.setSum(s, 0);
    c.setQuotient(a0, d);
    s.setQuotient(gamma, d);
    tau.setProduct(c, eta);
    tau.setQuotient(tau, d);
    eta.setProduct(eta, s.times(-1));
    x.axpy(tau, wNext);
    r.axpy(tau.times(-1), AwNext);
    r.dot(r, rr);
  };
  // Vectors take turns: the newest ones are the oldest two steps later.
  const turns = [0, 2, 1].map((turn) => {
    const threeOf = (all: Three): Three => [all[turn]!, all[(turn + 1) % 3]!, all[(turn + 2) % 3]!];
    return work.record(() => step(threeOf(vs), threeOf(ws), threeOf(Aws)));
  });
  for (let turn = 0; ; ) {
    for (let k = 0; k < every; k++, turn = (turn + 1) % 3) turns[turn]!.launch();
    const [squareNow, residualSquare] = Scalar.values([square, rr]) as [number, number];
    if (squareNow < 0) return 'not-definite';
    const residualNorm = Math.sqrt(residualSquare);
    if (!Number.isFinite(residualNorm)) return 'not-finite';
    yield { iterations: every, products: every, residualNorm };
    // The Krylov space is complete.
    if (squareNow <= TINY) return 'breakdown';
  }
}
