/**
 * Pipelined conjugate gradients: the sums over ranks of a step are on their way while it applies M and A, to a vector whose image it needs next. In exact
 * arithmetic x is that of cg.
 *
 * Source: Ghysels & Vanroose, "Hiding global synchronization latency in the preconditioned conjugate gradient algorithm", Parallel Computing 40, 2014,
 *   algorithm 4; residual replacement as in their section 4 and in Cools & Vanroose, "The communication-hiding conjugate gradient method with
 *   deep pipelines", 2017: r, A M⁻¹ r and the images of the direction have recurrences of their own, whose rounding errors grow, so they are
 *   computed anew from x and p every 50 steps, until the residual is small. Differs: where rounding makes (p, A p) too small, and one product says that
 *   it is not negative, all begins again from x.
 * For: as cg, over ranks whose sums take longer than a product.
 * Cost: a step is a product, M and one wait for three dot products; eight updates instead of three; nine vectors, six without M. Every 50 steps four more
 *   products, and M twice.
 */
import { UNIT_ROUNDOFF } from '../core/norms.js';
import { Scalar, TINY } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { solveWith } from './iterate.js';
import type { Progress, System } from './method.js';
import type { Reason, Solution, SolveOptions } from './solution.js';

/**
 * Steps between two replacements. Chosen: on 22,500 unknowns of diffusion whose coefficients jump by 10⁴, to 10⁻⁸ with `jacobi`, cg takes 988 steps, and this
 * method 1018, 1241, 1859 and 5980 with a replacement every 25, 50, 200 steps and never.
 */
const REPLACE_EVERY = 50;

/** Nothing is replaced below this share of ‖b‖, squared: the rounding errors of b − A x would keep the residual from its tolerance. */
const LEAST_SQUARE = UNIT_ROUNDOFF.f64;

/**
 * Solves A x = b for a symmetric positive definite A, as `cg`. Over ranks, a step waits once for sums, which are on their way during its product.
 *
 * @throws as `cg`
 */
export function pipelinedCg(A: LinearOperator, b: VectorInput, options?: SolveOptions): Solution {
  return solveWith(pipelinedCgSteps, A, b, options);
}

export function* pipelinedCgSteps({ A, b, x, M, work, every }: System): Generator<Progress, Reason | undefined> {
  const [r, w, n, p, s, z] = work.vectors(6) as [Vector, Vector, Vector, Vector, Vector, Vector];
  // u = M⁻¹ r, w = A u; s = A p, q = M⁻¹ s, z = A q; m = M⁻¹ w, n = A m
  const [u = r, q = s, m = w] = M === undefined ? [] : work.vectors(3);
  const [gamma, delta, rr, alpha, beta] = work.scalars(5) as [Scalar, Scalar, Scalar, Scalar, Scalar];
  const dots = () => {
    u.dots([r, w], [gamma, delta]);
    r.dot(r, rr);
  };
  const start = (sums: () => void) => {
    const { ranks } = A.space;
    if (ranks !== undefined) return ranks.startSums(sums);
    sums();
    return () => {};
  };
  const renew = () => {
    r.copyFrom(b);
    A.apply(x, r, -1, 1);
    M?.apply(r, u);
    A.apply(u, w);
  };
  const renewImages = () => {
    A.apply(p, s);
    M?.apply(s, q);
    A.apply(q, z);
  };
  const ahead = work.record(() => {
    M?.apply(w, m);
    A.apply(m, n);
  });
  const step = work.record(() => {
    const back = alpha.times(-1);
    z.axpby(1, n, beta);
    s.axpby(1, w, beta);
    if (M !== undefined) q.axpby(1, m, beta);
    p.axpby(1, u, beta);
    x.axpy(alpha, p);
    r.axpy(back, s);
    if (M !== undefined) u.axpy(back, q);
    w.axpy(back, z);
    dots();
  });
  const least = LEAST_SQUARE * b.dot(b, rr).value;
  renew();
  let finish = start(dots);
  let products = 2;
  /** γ and α of the step before; undefined: there is no direction yet. */
  let before: { readonly gamma: number; readonly alpha: number } | undefined;
  /** Since the last check; undefined: there was none. */
  let taken: number | undefined;
  for (let steps = 0; ; ) {
    ahead.launch();
    products++;
    finish();
    const [rz, energyOfU, square] = Scalar.values([gamma, delta, rr]) as [number, number, number];
    if (taken === undefined || taken === every) {
      yield { iterations: taken ?? 0, products, residualNorm: Math.sqrt(square) };
      taken = products = 0;
    }
    if (square === 0) return undefined;
    const share = before === undefined ? 0 : rz / before.gamma;
    const energy = before === undefined ? energyOfU : energyOfU - (share * rz) / before.alpha; // (p, A p)
    if (![share, energy].every(Number.isFinite)) return 'not-finite';
    beta.set(share);
    if (rz <= 0 || energy <= TINY) {
      if (before === undefined) return rz < 0 || energy < 0 ? 'not-definite' : 'breakdown';
      p.axpby(1, u, beta);
      A.apply(p, s);
      if (p.dot(s, delta).value < 0) return 'not-definite';
      renew();
      finish = start(dots);
      products += 3;
      before = undefined;
      continue;
    }
    before = { gamma: rz, alpha: rz / energy };
    if (!Number.isFinite(before.alpha)) return 'not-finite';
    alpha.set(before.alpha);
    steps++;
    taken++;
    if (steps % REPLACE_EVERY > 0 || square < least) {
      finish = start(() => step.launch());
      continue;
    }
    step.launch();
    renew();
    renewImages();
    finish = start(dots);
    products += 4;
  }
}
