/**
 * The operators of which Krylov–Schur finds the outer eigenvalues θ: A, B⁻¹ A, or (A − σ B)⁻¹ B, whose θ is 1 / (λ − σ).
 *
 * Source: Saad, Numerical Methods for Large Eigenvalue Problems, 2011, chapter 9.
 */
import { addMatrices } from '../../algebra/add.js';
import { identityMatrix } from '../../algebra/identity.js';
import { kroneckerProduct } from '../../algebra/kronecker.js';
import { type CsrMatrix, csrMatrix } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import type { Owned } from '../../core/owned.js';
import { dtypeOf } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import { Factorization } from '../../preconditioners/factorization.js';
import { Workspace } from '../../solvers/workspace.js';
import { factoring } from '../factoring.js';
import type { GivenOperator } from '../given.js';
import type { EigenStep } from '../method.js';
import type { Residuals } from '../residuals.js';
import type { ComplexNumber } from './complex-residual.js';
import { ComplexShift } from './complex-shift.js';
import type { SpectralMap } from './general-search.js';
import { ShiftedSolve } from './shifted-solve.js';

/**
 * Which eigenvalues: those of the largest modulus, with the largest or smallest real part, with the largest imaginary part by modulus, or those
 * nearest to a shift.
 */
export type WhichGeneral = 'largest' | 'largest-real' | 'smallest-real' | 'largest-imaginary' | 'nearest';

/** What a map is made of. */
export interface MapRequest {
  readonly engine: Engine;
  readonly A: LinearOperator;
  /** The entries of A, if they are known. */
  readonly matrix: CsrMatrix | undefined;
  /** B, unless it is the identity. */
  readonly mass: GivenOperator | undefined;
  readonly which: WhichGeneral;
  readonly shift: ComplexNumber;
  /** They know the norms of A and B. */
  readonly residuals: Pick<Residuals, 'normOfA' | 'normOfB'>;
  /** Disposes what the map needs. */
  readonly owned: Owned;
}

const modulus = ({ real, imaginary }: ComplexNumber) => Math.hypot(real, imaginary);

/** What is larger is more wanted. */
const SIZES: Record<Exclude<WhichGeneral, 'nearest'>, (value: ComplexNumber) => number> = {
  largest: modulus,
  'largest-real': ({ real }) => real,
  'smallest-real': ({ real }) => -real,
  'largest-imaginary': ({ imaginary }) => Math.abs(imaginary),
};

/** @throws SparlaneError `argument` if factors are needed and there are no entries; as `factor` */
export function* spectralMapSteps(request: MapRequest): Generator<EigenStep, SpectralMap> {
  const { which } = request;
  if (which === 'nearest') return yield* request.shift.imaginary === 0 ? inverseSteps(request) : complexSteps(request);
  const sizeOf = SIZES[which];
  const order = {
    valueOf: ({ real, imaginary }: ComplexNumber) => ({ real, imaginary }),
    compare: (one: ComplexNumber, other: ComplexNumber) => sizeOf(other) - sizeOf(one),
    isInverse: false,
    products: 1,
  };
  const { A, mass } = request;
  if (mass === undefined) return { ...order, apply: (x, y) => A.apply(x, y), isPlain: true };
  const factors = yield* factorsOf(request, entriesOf('B', mass.matrix));
  // Factors of symmetric matrices replace pivots that are 0.
  if (factors.explain().pivots.perturbed > 0)
    throw mismatch('structure', 'B', "a regular matrix unless which is 'nearest'", 'a singular one');
  const between = request.owned.own(new Vector(A.space, A.vectorType, A.rows));
  return {
    ...order,
    apply(x, y) {
      A.apply(x, between);
      factors.apply(between, y);
    },
    isPlain: false,
  };
}

/** θ = 1 / (λ − σ) */
function* inverseSteps(request: MapRequest): Generator<EigenStep, SpectralMap> {
  const { A, mass, owned } = request;
  const shift = request.shift.real;
  const [matrix, shifted] = pencilOf(request);
  const factors = yield* factorsOf(request, addMatrices(matrix, shifted, 1, -shift));
  const { normOfA, normOfB } = request.residuals;
  const work = owned.own(new Workspace(A));
  const B = mass?.operator;
  const solve = new ShiftedSolve({ A, B }, shift, factors, normOfA + Math.abs(shift) * normOfB, work);
  const between = B && work.vector();
  return {
    apply(x, y) {
      if (B !== undefined) B.apply(x, between!);
      solve.apply(between ?? x, y);
    },
    products: Number(solve.isRefined),
    valueOf(theta) {
      const size = modulus(theta);
      // The imaginary part of 1 / θ has the other sign.
      return { real: shift + theta.real / size / size, imaginary: -theta.imaginary / size / size };
    },
    compare: (one, other) => modulus(other) - modulus(one),
    isPlain: false,
    isInverse: true,
  };
}

/** θ = 1 / (λ − σ) for a complex σ, and their conjugates. */
function* complexSteps(request: MapRequest): Generator<EigenStep, SpectralMap> {
  const { engine, A, mass, shift, owned } = request;
  const [matrix, shifted] = pencilOf(request);
  const turn = csrMatrix([
    [0, shift.imaginary],
    [-shift.imaginary, 0],
  ]);
  const twice = (one: CsrMatrix) => kroneckerProduct(identityMatrix(2), one);
  const real = addMatrices(matrix, shifted, 1, -shift.real);
  const whole = addMatrices(twice(real), kroneckerProduct(turn, shifted));
  const options = { dtype: dtypeOf(A.vectorType), products: 'many', tune: false } as const;
  const operator = owned.own(engine.operator(whole, options));
  const factors = yield* factorsOf(request, whole);
  const { normOfA, normOfB } = request.residuals;
  const work = owned.own(new Workspace(operator));
  const norm = normOfA + modulus(shift) * normOfB;
  const solve = new ShiftedSolve({ A: operator, B: undefined }, 0, factors, norm, work);
  const B = mass && owned.own(engine.operator(twice(shifted), options));
  const between = B && work.vector();
  const w = work.vectors(2) as [Vector, Vector];
  return {
    apply(x, y) {
      if (B !== undefined) B.apply(x, between!);
      solve.apply(between ?? x, y);
    },
    products: 2 * Number(solve.isRefined),
    valueOf: ({ real, imaginary }) => ({ real, imaginary }),
    compare: (one, other) => modulus(other) - modulus(one),
    isPlain: false,
    isInverse: true,
    complex: new ComplexShift(shift, operator, w),
  };
}

/** The entries of A and B. */
function pencilOf({ matrix, mass }: MapRequest): readonly [CsrMatrix, CsrMatrix] {
  const own = entriesOf('A', matrix);
  return [own, mass === undefined ? identityMatrix(own.rows) : entriesOf('B', mass.matrix)];
}

function entriesOf(name: string, matrix: CsrMatrix | undefined): CsrMatrix {
  if (matrix !== undefined) return matrix;
  throw mismatch('argument', name, 'a matrix, whose factors are needed', 'an operator without entries');
}

function* factorsOf({ engine, A, owned }: MapRequest, matrix: CsrMatrix): Generator<EigenStep, Factorization> {
  const request = { matrix, dtype: dtypeOf(A.vectorType), spec: 'direct', start: performance.now() } as const;
  return owned.own(yield* factoring(Factorization.steps(engine, { ...request, method: 'auto', order: 'auto' })));
}
