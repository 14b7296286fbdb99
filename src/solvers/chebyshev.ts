/**
 * Chebyshev's iteration, with a preconditioner.
 *
 * Source: Golub & Varga 1961; Saad 2003, algorithm 12.1.
 * For: symmetric positive definite A, and M likewise, where dot products are dear: they are only needed to observe the residual.
 * Cost: a step is a product, M, three updates and a dot product; three vectors. It is as fast as conjugate gradients at best, and only if
 *   the eigenvalues of M⁻¹ A are known.
 */
import { knownKeys } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorLike } from '../operators/operator.js';
import { SOLVE_OPTIONS } from './arguments.js';
import { type Progress, type System, solveWith } from './iterate.js';
import type { Reason, Solution, SolveOptions } from './solution.js';
import { estimateSpectrum } from './spectrum.js';

export interface ChebyshevOptions extends SolveOptions {
  /**
   * Bounds of the eigenvalues of M⁻¹ A: 0 < least < greatest. Eigenvalues above the greatest let the iteration diverge; those below the
   * least one slow it down. Default: estimated by up to 40 steps of conjugate gradients.
   */
  readonly bounds?: readonly [least: number, greatest: number];
}

/** The estimates lie within the spectrum: the greatest must not be exceeded. */
const MARGIN = 1.05;

/**
 * Solves A x = b for a symmetric positive definite A.
 *
 * @param A square; its symmetry is not checked
 * @param b length `A.rows`, in any space
 * @throws as `cg`
 */
export function chebyshev(A: LinearOperator, b: VectorLike, options: ChebyshevOptions = {}): Solution {
  knownKeys<ChebyshevOptions>('options', options, { ...SOLVE_OPTIONS, bounds: true });
  const { bounds, ...others } = options;
  if (bounds !== undefined) checkBounds(bounds);
  return solveWith((system) => chebyshevSteps(system, bounds), A, b, others);
}

function checkBounds(bounds: readonly [number, number]): void {
  const [least = Number.NaN, greatest = Number.NaN] = Array.isArray(bounds) ? bounds : [];
  if (!(least > 0 && greatest > least && Number.isFinite(greatest)))
    throw mismatch('argument', 'bounds', '[least, greatest] with 0 < least < greatest', bounds);
}

export function* chebyshevSteps(
  system: System,
  bounds?: readonly [number, number],
): Generator<Progress, Reason | undefined> {
  const { A, b, x, M, work, every } = system;
  const [r, d] = work.vectors(2) as [Vector, Vector];
  const z = M === undefined ? r : work.vector();
  const [rho, rhoBefore, ofD, ofZ, rr] = work.scalars(5) as [Scalar, Scalar, Scalar, Scalar, Scalar];
  const setResidual = () => A.apply(x, r.copyFrom(b), -1, 1);
  setResidual();
  yield { iterations: 0, products: 1, residualNorm: r.norm(rr).value };
  let products = 0;
  if (bounds === undefined) {
    const spectrum = estimateSpectrum(system, r);
    if (spectrum === undefined || !(spectrum.smallest > 0)) return 'not-definite';
    bounds = [spectrum.smallest / MARGIN, spectrum.greatest * MARGIN];
    products = spectrum.products + 1;
    setResidual();
  }
  const [centre, radius] = [(bounds[0] + bounds[1]) / 2, (bounds[1] - bounds[0]) / 2];
  rho.set(radius / centre);
  M?.apply(r, z);
  d.axpby(1 / centre, z, 0);
  const step = work.record(() => {
    x.axpy(1, d);
    A.apply(d, r, -1, 1);
    M?.apply(r, z);
    rhoBefore.setSum(rho, 0);
    rho.setDifference((2 * centre) / radius, rhoBefore);
    rho.setQuotient(1, rho); // ρ ← 1 / (2 σ − ρ₋), σ = centre / radius
    ofD.setProduct(rho, rhoBefore);
    ofZ.setProduct(2 / radius, rho);
    d.axpby(ofZ, z, ofD); // d ← ρ ρ₋ d + (2 ρ / radius) z
    r.dot(r, rr);
  });
  for (;;) {
    for (let k = 0; k < every; k++) step.launch();
    yield { iterations: every, products: every + products, residualNorm: Math.sqrt(rr.value) };
    products = 0;
  }
}
