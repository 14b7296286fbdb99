/**
 * A Krylov decomposition C V = V S + v bᵀ of any operator C, with an orthonormal basis [V, v], and its restart by the Schur form of S.
 *
 * Source: Stewart 2001. Blocks of complex pairs are never split.
 * Cost: a step is a product with C and the orthogonalization to all vectors before; a restart from m to p vectors 2 m p n operations, and
 *   some 25 m³ on the host.
 */
import { mismatch } from '../../core/errors.js';
import type { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import { Basis } from '../basis/basis.js';
import { blocksOf, reorderSchur, type SchurBlock } from '../dense/reorder.js';
import { realSchur, type Schur } from '../dense/schur.js';
import { schurVector } from '../dense/schur-vectors.js';

/** An eigenvalue of S, or a complex pair. */
export interface RitzPair extends SchurBlock {
  /** ‖C x − θ x‖₂ for its vector x of norm 1, by the decomposition, without a product. */
  readonly estimate: number;
}

export class KrylovDecomposition implements Disposable {
  readonly capacity: number;
  readonly #basis: Basis;
  readonly #multiply: (x: Vector, y: Vector) => void;
  readonly #random: (x: Vector) => void;
  readonly #x: Vector;
  readonly #w: Vector;
  /** capacity × capacity, row-major. */
  readonly #S: Float64Array;
  #b: Float64Array;
  #size = 0;
  #schur: Schur | undefined;
  /** Whether C maps the span of V to itself and no vector is left outside of it. */
  #isWhole = false;

  /**
   * @param operator its vectors are those of C
   * @param capacity vectors of V at most
   * @param multiply y ← C x
   * @param random x ← the next vector to begin with
   * @param spare two vectors to compute with
   */
  constructor(
    operator: LinearOperator,
    capacity: number,
    multiply: (x: Vector, y: Vector) => void,
    random: (x: Vector) => void,
    spare: readonly [Vector, Vector],
  ) {
    this.capacity = capacity;
    this.#basis = new Basis(operator, capacity + 1);
    this.#multiply = multiply;
    this.#random = random;
    [this.#x, this.#w] = spare;
    this.#S = new Float64Array(capacity * capacity);
    this.#b = new Float64Array(capacity);
  }

  /** Vectors of V. */
  get size(): number {
    return this.#size;
  }

  /** Whether V spans everything that C reaches from any vector: the values are then those of C, up to rounding. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Begins with a vector, which is not changed. @throws SparlaneError `argument` for a vector that is 0 or not finite */
  begin(start: Vector): void {
    const { norm } = this.#basis.orthogonalize(this.#w.copyFrom(start));
    if (!(norm > 0 && Number.isFinite(norm)))
      throw mismatch('argument', 'start', 'finite numbers that are not all 0', 'others');
    this.#basis.append(this.#w);
  }

  /** Takes v to V, and adds the next v. @returns whether all numbers are finite */
  expand(): boolean {
    const [basis, capacity, j] = [this.#basis, this.capacity, this.#size];
    basis.copyTo(j, this.#x);
    this.#multiply(this.#x, this.#w);
    const { coefficients, norm } = basis.orthogonalize(this.#w);
    if (!(Number.isFinite(norm) && coefficients.every(Number.isFinite))) return false;
    for (let t = 0; t < j; t++) this.#S[j * capacity + t] = this.#b[t]!;
    for (const [i, value] of coefficients.entries()) this.#S[i * capacity + j] = value;
    this.#b = new Float64Array(capacity);
    this.#b[j] = norm;
    this.#size++;
    if (norm > 0) basis.append(this.#w);
    else this.#appendRandom();
    return true;
  }

  /** V is invariant. A vector that it does not reach may lead to more eigenvalues, or to the same ones again. */
  #appendRandom(): void {
    this.#random(this.#w);
    const { norm } = this.#basis.orthogonalize(this.#w);
    this.#isWhole = !(norm > 0 && Number.isFinite(norm));
    if (!this.#isWhole) this.#basis.append(this.#w);
  }

  /** The eigenvalues of S in order: the Schur form of S. @param compare as of `Array.sort` */
  decompose(compare: (one: SchurBlock, other: SchurBlock) => number): RitzPair[] {
    const [m, capacity] = [this.#size, this.capacity];
    const own = Float64Array.from({ length: m * m }, (_, at) => this.#S[Math.floor(at / m) * capacity + (at % m)]!);
    const schur = realSchur(own, m);
    reorderSchur(schur, compare);
    this.#schur = schur;
    const b = this.#coupling(schur);
    return blocksOf(schur).map((block) => {
      const { real, imaginary } = schurVector(schur, block);
      return { ...block, estimate: Math.hypot(dot(b, real), dot(b, imaginary)) };
    });
  }

  /** x ← the vector of a pair of the last `decompose`: of norm 1, real and imaginary part; the imaginary one only if there is one. */
  vector(pair: RitzPair, real: Vector, imaginary: Vector): void {
    const schur = this.#schur!;
    const found = schurVector(schur, pair);
    this.#basis.combination(this.#inBasis(found.real), real);
    if (pair.width === 2) this.#basis.combination(this.#inBasis(found.imaginary), imaginary);
  }

  /** x ← C x */
  improve(x: Vector): void {
    this.#multiply(this.#x.copyFrom(x), x);
  }

  /** Keeps the first `kept` columns of the last Schur form, one more if that would split a pair, and v. */
  restart(kept: number): void {
    const [schur, m, capacity] = [this.#schur!, this.#size, this.capacity];
    const last = blocksOf(schur).findLast(({ at }) => at < kept)!;
    // The column after the last one would leave no room for a step.
    const p = last.at + last.width < capacity ? last.at + last.width : last.at;
    const b = this.#coupling(schur);
    const columns = p + 1;
    const Q = new Float64Array((m + 1) * columns);
    for (let i = 0; i < m; i++) for (let j = 0; j < p; j++) Q[i * columns + j] = schur.Z[i * m + j]!;
    Q[m * columns + p] = 1;
    this.#basis.rotate(Q, columns);
    this.#S.fill(0);
    for (let i = 0; i < p; i++) for (let j = 0; j < p; j++) this.#S[i * capacity + j] = schur.T[i * m + j]!;
    this.#b = new Float64Array(capacity);
    this.#b.set(b.subarray(0, p));
    this.#size = p;
  }

  /** bᵀ Z */
  #coupling({ Z, size }: Schur): Float64Array {
    const b = new Float64Array(size);
    for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) b[j]! += this.#b[i]! * Z[i * size + j]!;
    return b;
  }

  /** Z y, and 0 for v. */
  #inBasis(y: Float64Array): Float64Array {
    const { Z, size } = this.#schur!;
    const coefficients = new Float64Array(this.#basis.size);
    for (let i = 0; i < size; i++) coefficients[i] = dot(Z.subarray(i * size, (i + 1) * size), y);
    return coefficients;
  }

  /** Frees the memory. A second call has no effect. */
  [Symbol.dispose](): void {
    this.#basis[Symbol.dispose]();
  }
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! * y[i]!;
  return sum;
}
