/**
 * Left eigenvectors of eigenvalues that are known, yᴴ A = λ yᴴ B: by a second search, for right ones of Aᵀ z = λ Bᵀ z, where y is the conjugate of z.
 *
 * Source: Golub & Van Loan, Matrix Computations, 2013, section 7.2.2 (conditions of eigenvalues); Stewart 2001.
 * Differs from two-sided methods, which need bases of both sides at once and may break down: two searches of one side do not.
 * Cost: that of the search for right vectors, with factors of the transposed matrix where factors are needed, and a product for each part of a vector.
 */
import { transposeMatrix } from '../../algebra/transpose.js';
import { mismatch } from '../../core/errors.js';
import { UNIT_ROUNDOFF } from '../../core/norms.js';
import { assemble, type Owned } from '../../core/owned.js';
import { dtypeOf } from '../../core/types.js';
import type { Scalar } from '../../memory/scalar.js';
import { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import { Workspace } from '../../solvers/workspace.js';
import { STOPPED, untilStopped } from '../factoring.js';
import type { GivenOperator } from '../given.js';
import type { EigenStep } from '../method.js';
import { Residuals } from '../residuals.js';
import { type ComplexNumber, type ComplexVector, complexResidual, imageNorm } from './complex-residual.js';
import { type GeneralOutcome, type GeneralSearch, type SpectralMap, WORST_CONDITION } from './general-search.js';
import { krylovSchurSteps } from './krylov-schur.js';
import { type MapRequest, spectralMapSteps } from './spectral-map.js';

/** Vectors for the eigenvalues of a solution, in their order. */
export interface LeftEigenvectors {
  /**
   * Blocks as those of the right vectors: yᴴ B x = 1 for each pair of vectors, where that is well defined; else y has norm 1, and 0 where none was found. The caller disposes
   * both.
   */
  readonly vectors: { readonly real: Vector; readonly imaginary: Vector };
  /** ‖yᴴ A − λ yᴴ B‖₂ / ‖y‖₂ of each vector, computed from the vectors at the end. NaN where none was found. */
  readonly residualNorms: Float64Array;
  /**
   * The condition number of each eigenvalue, ‖x‖₂ ‖y‖₂ / |yᴴ B x|: a change of A by ε changes it by up to that times ε. Infinite if yᴴ B x is 0 up to rounding, as for an eigenvalue without
   * enough eigenvectors; NaN where no y was found.
   */
  readonly conditions: Float64Array;
  /**
   * The vectors whose residuals are at most 1 + κ times what the tolerance allows, with the condition number κ: so far may the residual of x have moved λ.
   */
  readonly converged: number;
}

/** The problem of the right vectors, with what a search for left ones needs in addition. */
export interface LeftProblem
  extends Omit<MapRequest, 'residuals'>,
    Omit<GeneralSearch, 'A' | 'B' | 'map' | 'k' | 'start'> {}

export interface LeftOutcome {
  readonly left: LeftEigenvectors;
  readonly iterations: number;
  readonly products: number;
}

/**
 * A search has this share of the tolerance: what is measured are residuals with the value that the right vector has. The second one looks for what is nearest to
 * the values, since of several that `which` does not tell apart the first one may find others. Chosen.
 */
const SEARCHES = [
  { share: 0.1, isAimed: false },
  { share: 0.01, isAimed: true },
] as const;

/** Where |yᴴ B x| is at most so many units of rounding of ‖y‖ ‖B x‖, it is 0. Chosen. */
const ROUNDINGS = 100;

/** @param right values and vectors; without a search for left ones if it was stopped */
export function* leftSteps(problem: LeftProblem, right: GeneralOutcome): Generator<EigenStep, LeftOutcome> {
  const { A, mass, matrix, owned } = problem;
  const At = transposedOf('A', A);
  const Bt = mass && {
    operator: transposedOf('B', mass.operator),
    matrix: mass.matrix && transposeMatrix(mass.matrix),
  };
  const given = { ...problem, A: At, mass: Bt, matrix: matrix && transposeMatrix(matrix) };
  let [iterations, products] = [0, 0];
  const isVain = right.reason === 'stopped' || right.reason === 'not-finite';
  using measure = new LeftMeasure(problem, At, Bt, right);
  for (const [turn, { share, isAimed }] of (isVain ? [] : SEARCHES).entries()) {
    const { values } = right;
    const own = { ...given, tolerance: share * problem.tolerance, k: values.real.length };
    const found = yield* searchSteps(own, isAimed ? values : undefined, owned);
    if (found === undefined) break;
    iterations += found.iterations;
    products += found.products;
    const left = measure.of(found);
    for (const block of Object.values(found.vectors)) block.dispose();
    const isLast = turn === SEARCHES.length - 1 || found.reason === 'stopped';
    if (left.converged === right.values.real.length || isLast)
      return { left, iterations, products: products + measure.products };
    for (const block of Object.values(left.vectors)) block.dispose();
  }
  return { left: measure.of(undefined), iterations, products };
}

function transposedOf(name: string, operator: LinearOperator): LinearOperator {
  if (!('transposed' in operator && typeof operator.transposed === 'function'))
    throw mismatch('argument', name, 'an operator with transposed(), for left vectors', operator);
  return operator.transposed() as LinearOperator;
}

/** Right vectors of the transposed problem; undefined if the search was stopped before there were any. @param aims values that are looked for, in place of the order of `which` */
function* searchSteps(
  given: LeftProblem & { readonly k: number },
  aims: GeneralOutcome['values'] | undefined,
  owned: Owned,
): Generator<EigenStep, GeneralOutcome | undefined> {
  const { A, mass, matrix, tolerance, isStopped, report } = given;
  const B = mass?.operator;
  using residuals = new Residuals({ A, B, matrix, mass: mass?.matrix, tolerance });
  const made = yield* untilStopped(spectralMapSteps({ ...given, residuals, owned }), isStopped, report);
  if (made === STOPPED) return undefined;
  const map = aims === undefined ? made : aimedAt(made, aims);
  const outcome = yield* krylovSchurSteps({ ...given, B, map, start: undefined }, residuals);
  return { ...outcome, products: outcome.products + map.products * outcome.iterations };
}

function aimedAt(map: SpectralMap, { real, imaginary }: GeneralOutcome['values']): SpectralMap {
  const distance = (theta: ComplexNumber) => {
    const values = map.complex === undefined ? [map.valueOf(theta)] : map.complex.bothOf(theta);
    let least = Number.POSITIVE_INFINITY;
    for (const value of values)
      for (const [j, part] of real.entries())
        least = Math.min(least, Math.hypot(part - value.real, imaginary[j]! - value.imaginary));
    return least;
  };
  return { ...map, compare: (one, other) => distance(one) - distance(other) };
}

/** Scales and measures left vectors beside the right ones. */
class LeftMeasure implements Disposable {
  readonly #problem: LeftProblem;
  readonly #transposed: { readonly A: LinearOperator; readonly B: LinearOperator | undefined };
  readonly #right: GeneralOutcome;
  readonly #owned: Owned;
  readonly #residuals: Residuals;
  readonly #z: Required<ComplexVector> & { readonly y: Vector };
  readonly #image: { readonly x: Vector; readonly y: Vector };
  readonly #r: Vector;
  readonly #scalar: Scalar;
  products = 0;

  constructor(problem: LeftProblem, A: LinearOperator, mass: GivenOperator | undefined, right: GeneralOutcome) {
    this.#problem = problem;
    this.#transposed = { A, B: mass?.operator };
    this.#right = right;
    const { matrix, tolerance } = problem;
    const made = assemble((owned) => {
      const residuals = owned.own(
        new Residuals({ ...this.#transposed, matrix, mass: problem.mass?.matrix, tolerance }),
      );
      const work = owned.own(new Workspace(A));
      const [zx, zy, ix, iy, r] = work.vectors(5) as [Vector, Vector, Vector, Vector, Vector];
      return { owned, residuals, z: { x: zx, y: zy }, image: { x: ix, y: iy }, r, scalar: work.scalar() };
    });
    this.#owned = made.owned;
    this.#residuals = made.residuals;
    this.#z = made.z;
    this.#image = made.image;
    this.#r = made.r;
    this.#scalar = made.scalar;
    for (const [j, real] of right.values.real.entries())
      this.#residuals.raise(Math.hypot(real, right.values.imaginary[j]!));
  }

  /** Makes left vectors for the right ones from those that a search has found. */
  of(found: GeneralOutcome | undefined): LeftEigenvectors {
    return assemble((owned) => this.#of(found, owned));
  }

  #of(found: GeneralOutcome | undefined, owned: Owned): LeftEigenvectors {
    const { real, imaginary } = this.#right.values;
    const { length } = real;
    const [residualNorms, conditions] = [0, 1].map(() => new Float64Array(length).fill(Number.NaN)) as [
      Float64Array,
      Float64Array,
    ];
    const block = () => {
      const { space, type, length: rows } = this.#r;
      return owned.own(new Vector(space, type, rows, undefined, length).fill(0));
    };
    const vectors = { real: block(), imaginary: block() };
    let converged = 0;
    for (const [i, j] of found === undefined ? [] : matched(this.#right.values, found.values)) {
      const isComplex = imaginary[i] !== 0;
      found!.vectors.real.copyColumnTo(j, this.#z.x);
      found!.vectors.imaginary.copyColumnTo(j, this.#z.y);
      const { norm, target } = this.#residual({ real: real[i]!, imaginary: imaginary[i]! }, isComplex);
      const condition = this.#scale(i, isComplex);
      const isSmall = norm <= (1 + Math.min(condition, WORST_CONDITION)) * target;
      for (const [at, sign] of isComplex ? [[i, -1] as const, [i + 1, 1] as const] : [[i, -1] as const]) {
        residualNorms[at] = norm;
        conditions[at] = condition;
        if (isSmall) converged++;
        vectors.real.setColumn(at, this.#z.x);
        // y is the conjugate of z.
        if (isComplex) vectors.imaginary.setColumn(at, this.#r.axpby(sign, this.#z.y, 0));
      }
    }
    return { vectors, residualNorms, conditions, converged };
  }

  #residual(value: ComplexNumber, isComplex: boolean): { readonly norm: number; readonly target: number } {
    const z = { x: this.#z.x, y: isComplex ? this.#z.y : undefined };
    const norm = complexResidual(this.#transposed, value, z, this.#r, this.#scalar);
    this.products += isComplex ? 2 : 1;
    const image = imageNorm(this.#transposed.B, z, this.#r, this.#scalar);
    return { norm, target: this.#residuals.target(Math.hypot(value.real, value.imaginary), image, 1) };
  }

  /** z ← z / s for s = zᵀ B x, which is yᴴ B x, if it is not 0. @returns the condition, ‖x‖ ‖z‖ / |s| */
  #scale(column: number, isComplex: boolean): number {
    const { x: u, y: v } = this.#z;
    const { x, y } = this.#image;
    const { real, imaginary } = this.#right.vectors;
    this.#imageOf(real, column, x);
    if (isComplex) this.#imageOf(imaginary, column, y);
    const dot = (one: Vector, other: Vector) => one.dot(other, this.#scalar).value;
    const norms = (one: Vector) => dot(one, one);
    const re = dot(u, x) - (isComplex ? dot(v, y) : 0);
    const im = isComplex ? dot(u, y) + dot(v, x) : 0;
    const size = Math.hypot(re, im);
    const length = Math.sqrt(norms(x) + (isComplex ? norms(y) : 0));
    if (!(size > ROUNDINGS * UNIT_ROUNDOFF[dtypeOf(u.type)] * length)) return Number.POSITIVE_INFINITY;
    // z / s is z times the conjugate of s, over |s|².
    const [a, b] = [re / size / size, -im / size / size];
    if (!isComplex) u.scale(a);
    else {
      this.#r.copyFrom(u);
      u.axpby(-b, v, a);
      v.axpby(b, this.#r, a);
    }
    return 1 / size;
  }

  /** Writes B times a column of a block to a vector. */
  #imageOf(block: Vector, column: number, to: Vector): void {
    const B = this.#problem.mass?.operator;
    if (B === undefined) block.copyColumnTo(column, to);
    else {
      block.copyColumnTo(column, this.#r);
      B.apply(this.#r, to);
    }
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}

/** Pairs of places of values that are the same, the nearest ones first. A complex pair has the place of that with the positive imaginary part. */
function matched(right: GeneralOutcome['values'], left: GeneralOutcome['values']): (readonly [number, number])[] {
  const placesOf = ({ imaginary }: GeneralOutcome['values']) => [...imaginary.keys()].filter((j) => imaginary[j]! >= 0);
  const all = placesOf(right).flatMap((i) =>
    placesOf(left)
      .filter((j) => (right.imaginary[i] === 0) === (left.imaginary[j] === 0))
      .map((j) => {
        const distance = Math.hypot(right.real[i]! - left.real[j]!, right.imaginary[i]! - left.imaginary[j]!);
        return { i, j, distance };
      }),
  );
  const [ofRight, ofLeft] = [new Set<number>(), new Set<number>()];
  const found: (readonly [number, number])[] = [];
  for (const { i, j } of all.sort((one, other) => one.distance - other.distance)) {
    if (ofRight.has(i) || ofLeft.has(j)) continue;
    ofRight.add(i);
    ofLeft.add(j);
    found.push([i, j]);
  }
  return found;
}
