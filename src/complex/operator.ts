/**
 * Operators of complex matrices. They are real operators of pairs: x and y are vectors of numbers re₀, im₀, re₁, im₁ …, `rows` and `cols` count numbers, and
 * the transpose is the conjugate transpose. So every function of the library that takes an operator takes these. Methods with complex coefficients ask
 * for `imaginary` and `conjugation`.
 */

import type { Backend } from '../backends/backend.js';
import { runOnTeam } from '../backends/team/run-loop.js';
import { type Decision, YARDSTICK } from '../choice/choose.js';
import { boolean, knownKeys } from '../core/checks.js';
import type { Complex, ComplexInput, ComplexMatrix } from '../core/complex.js';
import { adjointMatrix, complexMatrix, numberedEntries } from '../core/complex.js';
import { mismatch } from '../core/errors.js';
import { Owned } from '../core/owned.js';
import type { FloatArray } from '../core/types.js';
import { Engine } from '../engine/engine.js';
import { Scalar } from '../memory/scalar.js';
import { Vector } from '../memory/vector.js';
import { MatrixOperator, StoredOperator } from '../operators/matrix-operator.js';
import type { LinearOperator, VectorInput, VectorLike } from '../operators/operator.js';
import { AUTO } from '../operators/operator-options.js';
import type { CheckedTransposeOptions } from '../operators/transpose-options.js';
import { transpose } from '../operators/transposed.js';
import { ComplexArithmetic, type ComplexFactor, parts } from './arithmetic.js';
import { storeBestComplex } from './choose.js';
import {
  type ComplexDtype,
  type ComplexOperatorOptions,
  type ComplexRequest,
  checkComplexOptions,
  PARTS,
} from './options.js';
import { type StoredComplex, storeComplex } from './stored.js';
import { unaryOperator } from './unary.js';

/**
 * The operator x ↦ A x of a complex matrix. GPUs have kernels of all these formats, but none of transposed products by scattering.
 *
 * @param engine created with `complex: true`
 * @param matrix a complex matrix, or its arrays
 * @throws SparlaneError `backend` if the engine has no complex kernels; `argument` for a wrong option, or a format that has none; and as
 *   `complexMatrix` and `engine.operator`
 *
 * @example
 * const A = complexOperator(engine, matrix);
 * const x = engine.vector(A.cols).set([1, 0, 0, 1]); // (1, i)
 * const y = engine.vector(A.rows);
 * A.apply(x, y, { re: 0, im: 1 }); // y ← i A x
 */
export function complexOperator(
  engine: Engine,
  matrix: ComplexMatrix | ComplexInput,
  options: ComplexOperatorOptions = {},
): ComplexOperator {
  const start = performance.now();
  const request = checkComplexOptions(options);
  requireKernels(engine);
  return operate(engine, complexMatrix(matrix), request, start);
}

/** @throws SparlaneError `argument` or `backend` */
function requireKernels(engine: Engine): void {
  if (!(engine instanceof Engine)) throw mismatch('argument', 'engine', 'one made by createEngine', engine);
  if (!engine.context.kernels.names.includes('complex_csr_spmv_f64'))
    throw mismatch('backend', 'engine', 'one created with complex: true', 'one without complex kernels');
}

/** The first GPU of an engine on a device, else the team. */
function backendOf({ device, gpus, cpu }: Engine): Backend {
  return device === 'cuda' ? gpus[0]! : cpu;
}

function operate(engine: Engine, matrix: ComplexMatrix, request: ComplexRequest, start: number): ComplexOperator {
  const { context, tuning, costs, threads, device } = engine;
  const { padding = true, products } = request;
  const dtype = PARTS[request.dtype];
  const format = request.format === AUTO && device === 'cuda' ? YARDSTICK : request.format;
  const numbered = numberedEntries(matrix);
  const options = { tuning, padding, runLoop: runOnTeam(context), numbered };
  const store = (spec: string) => storeComplex(context.heap, matrix, spec, dtype, options);
  const { stored, decision } =
    format === AUTO
      ? storeBestComplex(numbered, { dtype, threads, products, costs, padding }, store)
      : { stored: store(format), decision: undefined };
  return connected(engine, stored, matrix.symmetry, request, start, decision);
}

/** Takes ownership of the stored matrix. */
function connected(
  engine: Engine,
  stored: StoredComplex,
  symmetry: ComplexMatrix['symmetry'],
  request: ComplexRequest,
  start: number,
  decision?: Decision,
): ComplexOperator {
  let operator: ComplexOperator;
  try {
    operator = new ComplexOperator(engine, stored, request, start, decision);
  } catch (error) {
    stored[Symbol.dispose]();
    throw error;
  }
  const conjugate = () => connected(engine, stored.conjugated(), symmetry, request, performance.now(), decision);
  ComplexOperator.connectConjugate(operator, conjugate);
  const { context } = engine;
  const backend = backendOf(engine);
  const origin = { context, backend, field: 'real', symmetry: 'general', options: {} } as const;
  MatrixOperator.connect(operator, (how: CheckedTransposeOptions) => {
    // Aᴴ is A of a Hermitian matrix, and Ā of a symmetric one.
    if (symmetry === 'hermitian' || how.memory === 'shared')
      return transpose(operator, { ...origin, operate: () => operator }, how);
    if (symmetry === 'symmetric') return conjugate();
    const asked = { ...request, format: how.format ?? request.format };
    return operate(engine, adjointMatrix(operator.toComplex()), asked, performance.now());
  });
  return operator;
}

/** A complex matrix in one layout, which `complexOperator` makes. */
export class ComplexOperator extends StoredOperator {
  readonly dtype: ComplexDtype;
  readonly #engine: Engine;
  readonly #stored: StoredComplex;
  #conjugate: (() => ComplexOperator) | undefined;
  #conjugated: ComplexOperator | undefined;
  /** The operator of which this one is the conjugate. */
  #original: ComplexOperator | undefined;
  #imaginary: StoredOperator | undefined;
  #conjugation: StoredOperator | undefined;
  /** Vectors for A x where α is complex, by the number of columns. */
  readonly #products = new Map<number, Vector>();

  constructor(
    engine: Engine,
    stored: StoredComplex,
    { parts, products }: ComplexOperatorOptions,
    start: number,
    decision: Decision | undefined,
  ) {
    const backend = backendOf(engine);
    const given = { patient: products === 'many', ...(parts !== undefined && { parts }) };
    const plan = backend.plan(stored, 'spmv', given);
    const planBlocks = (columns: number) => backend.plan(stored, 'spmm', { columns, ...given });
    const forBlocks = backend.computes(stored, 'spmm') ? planBlocks : undefined;
    super(backend.space, stored, plan, { decision }, performance.now() - start, () => {}, forBlocks);
    this.#engine = engine;
    this.#stored = stored;
    this.dtype = this.vectorType === Float64Array ? 'c128' : 'c64';
  }

  /** Defines how `conjugated` makes an operator. */
  static connectConjugate(operator: ComplexOperator, conjugate: () => ComplexOperator): void {
    operator.#conjugate = conjugate;
  }

  /**
   * y ← α A x + β y, as that of every operator. Factors may be complex: `{ re, im }`. A complex α or β costs a vector or two more, and is
   * not for recordings.
   *
   * @throws as `LinearOperator.apply`
   */
  override apply(x: VectorInput, y: VectorLike, alpha: ComplexFactor = 1, beta: ComplexFactor = 0): void {
    const [a, b] = [parts('alpha', alpha), parts('beta', beta)];
    if (a.im === 0 && b.im === 0) {
      super.apply(x, y, a.re, b.re);
      return;
    }
    if (!(y instanceof Vector)) {
      using to = new Vector<FloatArray>(this.space, this.vectorType, this.rows);
      if (b.re !== 0 || b.im !== 0) to.set(y);
      else to.fill(0);
      this.apply(x, to, alpha, beta);
      to.copyTo(y);
      return;
    }
    const product = this.#productOf(y);
    super.apply(x, product);
    const i = this.imaginary;
    if (b.im !== 0) {
      using before = y.like();
      before.copyFrom(y);
      y.scale(b.re);
      i.apply(before, y, b.im, 1);
    }
    y.axpby(a.re, product, b.im === 0 ? b.re : 1);
    if (a.im !== 0) i.apply(product, y, a.im, 1);
  }

  #productOf(y: Vector): Vector {
    const known = this.#products.get(y.columns);
    if (known !== undefined) return known;
    const made = new Vector(this.space, this.vectorType, this.rows, undefined, y.columns);
    this.#products.set(y.columns, made);
    return made;
  }

  /** Returns the operator of Ā, over the same memory; it is made once, and disposed with this operator. `A.conjugated().transposed()` is that of Aᵀ. */
  conjugated(): ComplexOperator {
    if (this.disposed) throw mismatch('argument', 'operator', 'one that is in use', 'a disposed operator');
    if (this.#original !== undefined) return this.#original;
    if (this.#conjugated === undefined || this.#conjugated.disposed) {
      this.#conjugated = this.#conjugate!();
      this.#conjugated.#original = this;
    }
    return this.#conjugated;
  }

  override get complexMaps(): this {
    return this;
  }

  /** The operator x ↦ i x of vectors of length `rows`. */
  get imaginary(): LinearOperator {
    this.#imaginary ??= this.#unary('timesI');
    return this.#imaginary;
  }

  /** The operator x ↦ x̄ of vectors of length `rows`. */
  get conjugation(): LinearOperator {
    this.#conjugation ??= this.#unary('conjugate');
    return this.#conjugation;
  }

  /**
   * Returns xᴴ y of vectors of length `rows`, in the space of the operator; with `conjugate: false` xᵀ y. Its bits depend on neither threads nor parts.
   *
   * @throws SparlaneError as `Vector.dot`; `heap`
   */
  dot(x: Vector, y: Vector, options: { readonly conjugate?: boolean } = {}): Complex {
    knownKeys('options', options, { conjugate: true });
    const isConjugated = boolean('conjugate', options.conjugate ?? true);
    for (const [name, vector] of Object.entries({ x, y }))
      if (!(vector instanceof Vector)) throw mismatch('argument', name, 'a vector of the engine', vector);
    using owned = new Owned();
    const vector = () => owned.own(new Vector(this.space, this.vectorType, this.rows));
    const scalar = () => owned.own(new Scalar(this.space));
    const arithmetic = new ComplexArithmetic(this, vector(), [scalar(), scalar()]);
    return isConjugated ? arithmetic.dot(x, y) : arithmetic.product(x, y, vector());
  }

  #unary(map: 'timesI' | 'conjugate'): StoredOperator {
    return unaryOperator(this.#engine.context, backendOf(this.#engine), map, this.rows / 2, PARTS[this.dtype]);
  }

  /** Returns the entries, converted back from the layout in canonical order. */
  toComplex(): ComplexMatrix {
    const stored = this.#stored;
    const count = stored.nnz / 4;
    const [rowIdx, colIdx, values] = [new Uint32Array(count), new Uint32Array(count), new Float64Array(2 * count)];
    let k = 0;
    stored.forEachPair((row, col, re, im) => {
      rowIdx[k] = row;
      colIdx[k] = col;
      values.set([re, im], 2 * k++);
    });
    return complexMatrix({ rows: this.rows / 2, cols: this.cols / 2, rowIdx, colIdx, values });
  }

  override dispose(): void {
    if (!this.disposed) {
      this.#conjugated?.dispose();
      this.#imaginary?.dispose();
      this.#conjugation?.dispose();
      for (const vector of this.#products.values()) vector.dispose();
    }
    super.dispose();
  }
}
