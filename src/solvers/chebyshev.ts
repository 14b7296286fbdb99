/**
 * Chebyshev's iteration, with a preconditioner.
 *
 * Source: Golub & Varga 1961; Saad 2003, algorithm 12.1; bounds that are adapted: after Manteuffel 1978. An eigenvalue outside of the
 *   estimated bounds comes to dominate the residual, where a few steps of Lanczos find it.
 * For: symmetric positive definite A, and M likewise, where dot products are dear: they are only needed to observe the residual.
 * Cost: a step is a product, M, three updates and a dot product; three vectors. It is as fast as conjugate gradients at best, and only if
 *   the eigenvalues of M⁻¹ A are known.
 */
import { knownKeys } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { SOLVE_OPTIONS } from './arguments.js';
import { solveWith } from './iterate.js';
import type { Progress, System } from './method.js';
import { readNorm } from './norms.js';
import type { Reason, Solution, SolveOptions } from './solution.js';
import { estimateSpectrum } from './spectrum.js';

/** `chebyshev` takes these options. */
export interface ChebyshevOptions extends SolveOptions {
  /**
   * Bounds of the eigenvalues of M⁻¹ A: 0 < least < greatest. Eigenvalues above the greatest let the iteration diverge; those below the
   * least one slow it down. Default: estimated by up to 40 steps of conjugate gradients, again where the residual falls too slowly.
   */
  readonly bounds?: readonly [least: number, greatest: number];
}

/** The estimates lie within the spectrum: the greatest must not be exceeded. */
const MARGIN = 1.05;

/** The excess of the residual over what the bounds promise that is taken for chance, since it is promised in another norm. */
const CHANCE = 10;

/**
 * Solves A x = b for a symmetric positive definite A.
 *
 * @param A square; its symmetry is not checked
 * @param b length `A.rows`, in any space
 * @throws as `cg`
 */
export function chebyshev(A: LinearOperator, b: VectorInput, options: ChebyshevOptions = {}): Solution {
  knownKeys<ChebyshevOptions>('options', options, { ...SOLVE_OPTIONS, bounds: true });
  const { bounds, ...others } = options;
  if (bounds !== undefined) checkBounds(bounds);
  const steps = (system: System) => chebyshevSteps(system, bounds);
  return solveWith(Object.assign(steps, { spec: `chebyshev?bounds=${bounds ?? 'auto'}` }), A, b, others);
}

function checkBounds(bounds: readonly [number, number]): void {
  const [least = Number.NaN, greatest = Number.NaN] = Array.isArray(bounds) ? bounds : [];
  if (!(least > 0 && greatest > least && Number.isFinite(greatest)))
    throw mismatch('argument', 'bounds', '[least, greatest] with 0 < least < greatest', bounds);
}

export function* chebyshevSteps(
  system: System,
  given?: readonly [number, number],
): Generator<Progress, Reason | undefined> {
  const { A, b, x, work } = system;
  const r = work.vector();
  const norm = work.scalar();
  const setResidual = () => A.apply(x, r.copyFrom(b), -1, 1);
  setResidual();
  yield { iterations: 0, products: 1, residualNorm: readNorm(r, norm) };
  let products = 0;
  let bounds = given;
  for (;;) {
    if (given === undefined) {
      const spectrum = estimateSpectrum(system, r);
      if (typeof spectrum === 'string') return spectrum;
      const [least, greatest] = bounds ?? [Number.POSITIVE_INFINITY, 0];
      bounds = [Math.min(spectrum.smallest / MARGIN, least), Math.max(spectrum.greatest * MARGIN, greatest)];
      products = spectrum.products + 1;
      setResidual();
    }
    yield* stepsWithin(system, r, bounds!, products, given === undefined);
  }
}

/** From r = b − A x. @param isJudged whether to end when the residual is far above what the bounds promise */
function* stepsWithin(
  { A, x, M, work, every }: System,
  r: Vector,
  [least, greatest]: readonly [number, number],
  productsBefore: number,
  isJudged: boolean,
): Generator<Progress, void> {
  const d = work.vector();
  const z = M === undefined ? r : work.vector();
  const [rho, rhoBefore, ofD, ofZ, rr] = work.scalars(5) as [Scalar, Scalar, Scalar, Scalar, Scalar];
  const [centre, radius] = [(least + greatest) / 2, (greatest - least) / 2];
  const root = Math.sqrt(greatest / least);
  const rate = (root - 1) / (root + 1);
  const begin = readNorm(r, rr);
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
  for (let done = every; ; done += every) {
    for (let k = 0; k < every; k++) step.launch();
    const residualNorm = Math.sqrt(rr.value);
    yield { iterations: every, products: every + (done === every ? productsBefore : 0), residualNorm };
    if (isJudged && residualNorm > 2 * CHANCE * rate ** done * begin) return;
  }
}
