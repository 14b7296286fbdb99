/**
 * A block Krylov space of H = AᵀA: H V = V T + Q B Eᵀ, where V has orthonormal columns, Q is the next block, and E picks the latest block of V. It is expanded by products
 * of A and Aᵀ with blocks, and restarted from Ritz vectors; `cross.ts` has the sources.
 */
import { UNIT_ROUNDOFF } from '../../core/norms.js';
import { Owned } from '../../core/owned.js';
import { dtypeOf } from '../../core/types.js';
import { type RandomStream, unit } from '../../gallery/draw.js';
import { Vector } from '../../memory/vector.js';
import { Basis, STEADY_SQUARE } from '../basis/basis.js';
import { orthonormalize } from '../basis/orthonormalize.js';
import { type SymmetricEigen, symmetricEigen, symmetricEnds } from '../dense/symmetric.js';
import { streamIn } from '../random.js';
import { type SingularProblem, targetOf } from './singular.js';

/**
 * Columns of a block. On 10⁵ × 3·10⁴ documents with k = 50, blocks of 1, 4 and 8 columns need 149, 176 and 208 vectors, for each of which the products with A and Aᵀ take 21,
 * 10 and 8 to 12 ms (CPU time on one thread of a busy AMD EPYC, November 2026).
 */
export const BLOCK = 4;
/** Of the vectors that a restart could keep beside the wanted ones, this share is kept. Chosen. */
const KEPT = 0.4;
/** Estimates of residuals leave room for rounding errors. Chosen. */
const SAFETY = 0.5;
/** Residuals of AᵀA know nothing beneath so many units of rounding of σ₁². Chosen: residuals after convergence are some 3. */
export const NOISE = 10;
const MOST_PASSES = 4;
/** Of a block whose columns are that near to dependent, orthonormal ones lose so many digits beside V that they are made orthogonal to it once more. Chosen. */
const DEPENDENT = 0.1;
/** Squared values that differ by less than this share count as copies of one. Chosen. */
const SAME = 1e-6;

/** What a space says of the wanted triplets. */
export interface CrossState {
  /** The singular values, as Ritz values have them, in descending order. */
  readonly values: readonly number[];
  /** Triplets that have converged, from the first one on. */
  readonly converged: number;
  /** The greatest residual of a wanted one over what it may be. */
  readonly worst: number;
  /** Whether the least of the values is too small for AᵀA. */
  readonly isDoubtful: boolean;
  /** Whether there may be more copies of a value than a block has seen. */
  readonly mayHideCopies: boolean;
}

export class CrossSpace implements Disposable {
  readonly #problem: SingularProblem;
  readonly #owned = new Owned();
  readonly #capacity: number;
  readonly #unit: number;
  readonly #random: RandomStream;
  readonly #x: Vector;
  readonly #image: Vector;
  readonly #rest: Vector;
  readonly #small: Vector;
  /** VᵀHV, of which the upper triangle counts, row-major. */
  readonly #T: Float64Array;
  /** Q, the latest block of V, and room for the next one. */
  #next: Vector;
  #latest: Vector;
  #room: Vector;
  /** Whether `#latest` is the latest block of V still, and B belongs to it. */
  #hasLatest = false;
  #B: Float64Array = new Float64Array(BLOCK * BLOCK);
  /** The part of the residual of each kept vector that is not in B. */
  #lost: readonly number[] = [];
  /** The greatest σ² that was seen. */
  #largest = 0;
  readonly V: Basis;
  /** Products with a block and A and Aᵀ each. */
  iterations = 0;

  /** @throws SparlaneError `heap` */
  constructor(problem: SingularProblem) {
    const { A, basisSize, seed } = problem;
    const { space, vectorType, rows, cols } = A;
    this.#problem = problem;
    this.#capacity = basisSize;
    this.#T = new Float64Array(basisSize * basisSize);
    this.#unit = UNIT_ROUNDOFF[dtypeOf(vectorType)];
    this.#random = streamIn(space, seed);
    const block = (length: number, columns = BLOCK) =>
      this.#owned.own(new Vector(space, vectorType, length, undefined, columns));
    try {
      this.V = this.#owned.own(new Basis(A, basisSize));
      [this.#next, this.#latest, this.#room, this.#rest] = [block(cols), block(cols), block(cols), block(cols)];
      this.#image = block(rows);
      this.#x = block(cols, 1);
      this.#small = this.#owned.own(new Vector(space, Float64Array, BLOCK, undefined, BLOCK));
      this.#draw();
    } catch (error) {
      this.#owned[Symbol.dispose]();
      throw error;
    }
  }

  get hasRoom(): boolean {
    return this.V.size + BLOCK <= this.#capacity;
  }

  /** The greatest singular value that was seen. */
  get norm(): number {
    return Math.sqrt(this.#largest);
  }

  /** A block of V more. @returns false if the space is exhausted, or a number is not finite */
  advance(): boolean {
    const { A, At } = this.#problem;
    const { V } = this;
    const [next, work, begin] = [this.#next, this.#room, V.size];
    for (let c = 0; c < BLOCK; c++) {
      next.copyColumnTo(c, this.#x);
      V.append(this.#x);
    }
    A.apply(next, this.#image);
    At.apply(this.#image, work);
    this.iterations++;
    const found = new Float64Array(V.size * BLOCK);
    if (this.#hasLatest) {
      const B = transposed(this.#B);
      work.combine(this.#latest, this.#small.set(B), -1, 1);
      found.set(B, (begin - BLOCK) * BLOCK);
    }
    const own = this.#gram(next, work);
    work.combine(next, this.#small, -1, 1);
    found.set(own, begin * BLOCK);
    if (!this.#orthogonalize(work, found)) return false;
    for (let i = 0; i < V.size; i++)
      for (let c = 0; c < BLOCK; c++) this.#T[i * this.#capacity + begin + c] = found[i * BLOCK + c]!;
    if (!this.#normalize(work)) return false;
    [this.#next, this.#latest, this.#room] = [work, next, this.#latest];
    this.#hasLatest = true;
    return true;
  }

  /** W ← W − V Vᵀ W; what was taken away is added to `found`. @returns whether all numbers are finite, and something is left */
  #orthogonalize(W: Vector, found: Float64Array): boolean {
    const least = (NOISE * this.#unit * this.#largest) ** 2;
    for (let pass = 0, before = this.#squares(W); pass < MOST_PASSES; pass++) {
      const parts = this.V.projectBlock(W);
      if (!parts.every(Number.isFinite)) return false;
      this.V.subtractBlock(W, parts);
      parts.forEach((part, at) => {
        found[at]! += part;
      });
      const after = this.#squares(W);
      if (!after.every((square) => square > least && Number.isFinite(square))) return false;
      if (after.every((square, c) => square > STEADY_SQUARE * before[c]!)) return true;
      before = after;
    }
    return true;
  }

  /** W ← Q, and B, for W = Q B. @returns whether the columns of W are independent */
  #normalize(W: Vector): boolean {
    this.#rest.copyFrom(W);
    if (orthonormalize(W, this.#small) < BLOCK) return false;
    this.#B = this.#gram(W, this.#rest);
    const sizes = Array.from({ length: BLOCK }, (_, i) => Math.hypot(...this.#B.subarray(i * BLOCK, (i + 1) * BLOCK)));
    if (Math.min(...sizes) > DEPENDENT * Math.max(...sizes)) return true;
    this.V.subtractBlock(W, this.V.projectBlock(W));
    if (orthonormalize(W, this.#small) < BLOCK) return false;
    this.#B = this.#gram(W, this.#rest);
    return true;
  }

  /** The next block ← random vectors, orthonormal and orthogonal to V. */
  #draw(): void {
    const W = this.#next;
    W.set(new W.type(W.length * BLOCK).map(() => unit(this.#random) - 0.5));
    for (let pass = 0; pass < 2; pass++) {
      this.V.subtractBlock(W, this.V.projectBlock(W));
      orthonormalize(W, this.#small);
    }
    this.#hasLatest = false;
  }

  /** Xᵀ Y, which is in `#small` too. */
  #gram(X: Vector, Y: Vector): Float64Array {
    X.gram(Y, this.#small);
    return (this.#small.toArray() as Float64Array).slice();
  }

  #squares(W: Vector): Float64Array {
    return this.#gram(W, W).filter((_, at) => at % (BLOCK + 1) === 0);
  }

  /** T, both triangles. */
  #symmetric(): Float64Array {
    const { size } = this.V;
    const T = new Float64Array(size * size);
    for (let i = 0; i < size; i++)
      for (let j = i; j < size; j++) {
        const value = this.#T[i * this.#capacity + j]!;
        T[i * size + j] = value;
        T[j * size + i] = value;
      }
    return T;
  }

  examine(): CrossState {
    const { size } = this.V;
    const { k } = this.#problem;
    const isWhole = this.#lost.length > 0;
    const ritz = isWhole ? symmetricEigen(this.#symmetric(), size) : symmetricEnds(this.#symmetric(), size, BLOCK);
    this.#largest = Math.max(this.#largest, ritz.values[size - 1]!);
    const places = Array.from({ length: Math.min(k, size) }, (_, j) => size - 1 - j);
    const squares = places.map((place) => Math.max(0, ritz.values[place]!));
    const shares = places.map((place, j) => this.#residual(ritz, place) / this.#allowed(squares[j]!));
    const late = shares.findIndex((share) => !(share <= 1));
    const converged = late < 0 ? places.length : late;
    // Ritz values grow: the least one may be half of what it will be.
    const least = (converged === k ? 1 : 4) * squares.at(-1)!;
    return {
      values: squares.map(Math.sqrt),
      converged,
      worst: shares.reduce((most, share) => Math.max(most, share), 0),
      isDoubtful: NOISE * this.#unit * this.#largest > this.#allowed(least),
      mayHideCopies: squares.some((square, i) => square - (squares[i + BLOCK - 1] ?? 0) <= SAME * square),
    };
  }

  /** What ‖H v − σ² v‖ may be, which is σ ‖Aᵀ u − σ v‖. */
  #allowed(square: number): number {
    const { tolerance } = this.#problem;
    const value = Math.sqrt(square);
    return SAFETY * value * targetOf(value, { norm: this.norm, unit: this.#unit, tolerance, isInverse: false });
  }

  /** ‖H v − σ² v‖ of a Ritz vector. @param ritz with all rows of vectors, or the last ones */
  #residual({ values, vectors }: SymmetricEigen, place: number): number {
    const { length } = values;
    const last = vectors.length / length - BLOCK;
    let square = 0;
    for (let i = 0; i < BLOCK; i++) {
      let sum = 0;
      for (let c = 0; c < BLOCK; c++) sum += this.#B[i * BLOCK + c]! * vectors[(last + c) * length + place]!;
      square += sum * sum;
    }
    return Math.sqrt(square + this.#lostOf(vectors, length, place) ** 2);
  }

  #lostOf(vectors: Float64Array, size: number, place: number): number {
    return Math.hypot(...this.#lost.map((lost, i) => lost * vectors[i * size + place]!));
  }

  /**
   * Keeps the Ritz vectors that are wanted, and some more.
   *
   * @param anew goes on from a random block, with the wanted ones only, which have converged
   */
  restart(anew: boolean): void {
    const { k } = this.#problem;
    const { size } = this.V;
    const more = anew ? 0 : Math.floor((size - k) * KEPT);
    this.#keep(Math.min(k + more, size - BLOCK), anew);
    if (anew) this.#draw();
  }

  /** V ← the wanted Ritz vectors. @returns their number */
  take(): number {
    const count = Math.min(this.#problem.k, this.V.size);
    if (count > 0) this.#keep(count, false);
    return count;
  }

  #keep(count: number, anew: boolean): void {
    const { size } = this.V;
    const ritz = symmetricEigen(this.#symmetric(), size);
    const places = Array.from({ length: count }, (_, j) => size - 1 - j);
    const turn = new Float64Array(size * count);
    for (let i = 0; i < size; i++)
      for (let j = 0; j < count; j++) turn[i * count + j] = ritz.vectors[i * size + size - 1 - j]!;
    if (anew) this.#lost = places.map((place) => this.#residual(ritz, place));
    else if (this.#lost.length > 0) this.#lost = places.map((place) => this.#lostOf(ritz.vectors, size, place));
    this.V.rotate(turn, count);
    this.#T.fill(0);
    places.forEach((place, j) => {
      this.#T[j * this.#capacity + j] = ritz.values[place]!;
    });
    this.#hasLatest = false;
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}

function transposed(matrix: Float64Array): Float64Array {
  return matrix.map((_, at) => matrix[(at % BLOCK) * BLOCK + Math.floor(at / BLOCK)]!);
}
