/**
 * Factors of a symmetric matrix: LLᵀ, or P L D Lᵀ Pᵀ of S A S with a diagonal S. LDLᵀ factors a matrix, too, that is symmetric with other signs of some columns, J: the
 * factors are those of A J, and x ← J (A J)⁻¹ b. So complex symmetric matrices have symmetric factors: [re −im; im re] becomes [re im; im −re].
 */

import type { CsrMatrix } from '../../core/csr.js';
import { mapSteps } from '../../core/drain.js';
import { SparlaneError } from '../../core/errors.js';
import { largestModulus } from '../../core/norms.js';
import { firstAsymmetry, symmetrizingSigns } from '../../core/symmetry.js';
import type { FloatArray } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import { supernodesSolveName } from '../../kernels/abi.js';
import { kernelIndex } from '../../kernels/module.js';
import type { HeapScope } from '../../memory/heap.js';
import { type FactorStep, type Factors, SOLVED_TOGETHER } from '../method.js';
import { factorize, type Outcome } from './factorization.js';
import { type PlacedFactors, placeFactors, type SymmetricAnalysis } from './layout.js';
import { equilibrate, factorsOf, scaled } from './scale.js';

/** A pivot of LDLᵀ is replaced if it is smaller than this share of the largest entry of S A S: √ε, as by PARDISO. */
const LEAST_PIVOT = { f64: 1e-8, f32: 2.4e-4 } as const;

export class SymmetricFactors implements Factors {
  readonly #engine: Engine;
  readonly #analysis: SymmetricAnalysis;
  readonly #scope: HeapScope;
  readonly #placed: PlacedFactors;
  /** The diagonal of S; undefined for 1. */
  #scale: Float64Array | undefined;
  /** The diagonal of J; undefined for 1. */
  #signs: Int8Array | undefined;
  /** The modulus of replaced pivots. */
  #least = 0;
  #outcome: Outcome = { failed: undefined, perturbed: 0, twoByTwo: 0 };

  /** @throws SparlaneError `heap` if they do not fit */
  constructor(engine: Engine, analysis: SymmetricAnalysis) {
    this.#engine = engine;
    this.#analysis = analysis;
    this.#scope = engine.context.heap.scope();
    try {
      this.#placed = placeFactors(this.#scope, analysis);
    } catch (error) {
      this.#scope[Symbol.dispose]();
      throw error;
    }
  }

  get entries(): number {
    return this.#analysis.nodes.entries;
  }

  get bytes(): number {
    return this.#scope.bytes;
  }

  get flops(): number {
    return this.#analysis.nodes.flops;
  }

  get pivots(): Factors['pivots'] {
    const { perturbed, twoByTwo } = this.#outcome;
    return { offDiagonal: 0, twoByTwo, perturbed };
  }

  *refactor(values: FloatArray): Generator<FactorStep, void> {
    const { context } = this.#engine;
    const analysis = this.#analysis;
    checkFinite(values);
    const symmetric = this.#symmetric(values);
    // The range of f32 is small.
    const isScaled = analysis.isIndefinite || analysis.stored === 'f32';
    const [numbers, least] = isScaled ? this.#equilibrated(symmetric) : [symmetric, 0];
    this.#least = least;
    const steps = factorize(context, analysis, this.#placed, numbers, least);
    this.#outcome = yield* mapSteps(steps, (done) => ({ stage: 'factor', done }));
    const { failed } = this.#outcome;
    if (failed === undefined) return;
    const column = analysis.nodes.order[failed]!;
    const expected = analysis.isIndefinite ? 'finite pivots' : 'a symmetric positive definite matrix';
    const got = analysis.isIndefinite ? 'an overflow' : 'a pivot that is not positive';
    throw new SparlaneError('structure', `matrix: expected ${expected}, got ${got} in column ${column}`, { column });
  }

  /** The values of A J. @throws SparlaneError `structure` if there is no J with which they are symmetric, or for LLᵀ one that is not 1 */
  #symmetric(values: FloatArray): FloatArray {
    const { matrix, isIndefinite } = this.#analysis;
    const entry = firstAsymmetry(matrix, values);
    const before = this.#signs;
    this.#signs = undefined;
    if (entry === undefined) return values;
    if (isIndefinite) {
      const signed = before && withColumns(matrix, values, before);
      if (signed !== undefined && firstAsymmetry(matrix, signed) === undefined) {
        this.#signs = before;
        return signed;
      }
      this.#signs = symmetrizingSigns(matrix, values);
      if (this.#signs !== undefined) return withColumns(matrix, values, this.#signs);
    }
    const text = `matrix: expected a symmetric one, got ${values[entry]} as entry ${entry} and another number across the diagonal`;
    throw new SparlaneError('structure', text, { entry });
  }

  /** The values of S A S, and the least modulus of a pivot. */
  #equilibrated(values: FloatArray): readonly [FloatArray, number] {
    const { matrix, stored, scale: start } = this.#analysis;
    this.#scale = factorsOf(equilibrate(matrix, values, start));
    const numbers = scaled(matrix, values, this.#scale);
    return [numbers, Math.max(LEAST_PIVOT[stored] * largestModulus(numbers), Number.MIN_VALUE)];
  }

  solve(x: Float64Array, columns: number): void {
    const { kernels, team } = this.#engine.context;
    multiplyRows(x, columns, this.#scale);
    const { solving } = this.#placed;
    const { nodes, stored } = this.#analysis;
    const { length: n } = nodes.order;
    const run = (name: string, first: number) => {
      const at = x.byteOffset + 8 * n * first;
      const task = { kernel: kernelIndex(kernels, name), header: solving, bounds: Uint32Array.of(0, 1) };
      team.run(task, at, at, 1, 0, columns, n, n);
    };
    let column = 0;
    for (; column + SOLVED_TOGETHER <= columns; column += SOLVED_TOGETHER)
      run(supernodesSolveName(SOLVED_TOGETHER, stored), column);
    for (; column < columns; column++) run(supernodesSolveName(1, stored), column);
    multiplyRows(x, columns, this.#scale);
    multiplyRows(x, columns, this.#signs);
  }

  get inertia(): Factors['inertia'] {
    if (this.#signs !== undefined) return undefined;
    const { length: n } = this.#analysis.nodes.order;
    if (!this.#analysis.isIndefinite) return { positive: n, negative: 0, zero: 0 };
    let [negative, zero] = [0, 0];
    this.#eachPivot((determinant, trace, isPair) => {
      // A pair with a negative determinant has one eigenvalue of each sign.
      if (isPair) negative += determinant < 0 ? 1 : trace < 0 ? 2 : 0;
      else if (Math.abs(determinant) === this.#least) zero++;
      else if (determinant < 0) negative++;
    });
    return { positive: n - negative - zero, negative, zero };
  }

  get logDeterminant(): Factors['logDeterminant'] {
    let log = 0;
    let sign = 1;
    this.#eachPivot((determinant) => {
      log += Math.log(Math.abs(determinant));
      if (determinant < 0) sign = -sign;
    });
    if (this.#scale !== undefined) for (const factor of this.#scale) log -= 2 * Math.log(factor);
    if (this.#signs !== undefined) for (const own of this.#signs) sign *= own;
    return { log, sign };
  }

  /** The blocks of D, or the squares of the diagonal of L. */
  #eachPivot(found: (determinant: number, trace: number, isPair: boolean) => void): void {
    const { nodes, dense, isIndefinite } = this.#analysis;
    const { values, diagonal } = this.#placed;
    if (!isIndefinite) {
      for (let s = 0; s < nodes.count; s++)
        for (let c = 0, at = dense.begin[s]!; c < nodes.columnPtr[s + 1]! - nodes.columnPtr[s]!; c++) {
          const root = values[at]!;
          found(root * root, root * root, false);
          at += dense.stride[s]! + 1;
        }
      return;
    }
    for (let j = 0; j < nodes.order.length; j++) {
      const own = diagonal[2 * j]!;
      const off = diagonal[2 * j + 1]!;
      if (off === 0) found(own, own, false);
      else {
        j++;
        const other = diagonal[2 * j]!;
        // As the kernel computes it, without overflow.
        found((((own / off) * other) / off - 1) * off * off, own + other, true);
      }
    }
  }

  [Symbol.dispose](): void {
    this.#engine.context.team.flush();
    this.#scope[Symbol.dispose]();
  }
}

/** The values of A J. @param factors the diagonal of J */
function withColumns({ colIdx }: Pick<CsrMatrix, 'colIdx'>, values: FloatArray, factors: Int8Array): Float64Array {
  const found = new Float64Array(values.length);
  for (let k = 0; k < found.length; k++) found[k] = values[k]! * factors[colIdx[k]!]!;
  return found;
}

/** X ← S X. @param factors the diagonal of S; undefined for the identity */
function multiplyRows(x: Float64Array, columns: number, factors: Float64Array | Int8Array | undefined): void {
  if (factors === undefined) return;
  const { length: n } = factors;
  for (let j = 0; j < columns; j++) for (let i = 0; i < n; i++) x[j * n + i]! *= factors[i]!;
}

/** @throws SparlaneError `structure` for a number that is not finite */
function checkFinite(values: FloatArray): void {
  for (let k = 0; k < values.length; k++) {
    if (Number.isFinite(values[k]!)) continue;
    const text = `matrix: expected finite numbers, got ${values[k]} as entry ${k}`;
    throw new SparlaneError('structure', text, { entry: k });
  }
}
