/**
 * The vectors of lobpcg: a block X, new directions W, and the directions P that led to X, together an orthonormal basis, each with its products
 * with A and B.
 *
 * Source: Knyazev 2001; the basis as in Duersch, Shao, Yang & Gu 2018: W is made orthonormal to X and P again and again, dependent columns are
 *   left out, and X and P stay orthonormal by their coefficients.
 * Cost: a step is a product of a block with A (and three with B), M for each column, some nine Gram matrices and twenty products with small
 *   matrices: some 60 k² n operations for k columns. Memory: seven blocks, ten with B.
 */
import { mismatch, type SparlaneError } from '../../core/errors.js';
import type { Scalar } from '../../memory/scalar.js';
import type { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import { GramFactor, INDEPENDENT } from '../../solvers/gram-factor.js';
import { readColumnNorms } from '../../solvers/norms.js';
import type { Workspace } from '../../solvers/workspace.js';
import { type RitzBlock, ritzBlock } from './ritz-block.js';

/** A x = λ B x, with the preconditioner z ← M⁻¹ r. */
export interface BlockProblem {
  readonly A: LinearOperator;
  /** Symmetric positive definite; undefined: the identity. */
  readonly B: LinearOperator | undefined;
  readonly M: LinearOperator | undefined;
}

/** ‖A x − λ B x‖₂, ‖B x‖₂ and ‖x‖₂ of each column. */
export interface Measures {
  readonly residuals: readonly number[];
  readonly images: readonly number[];
  readonly lengths: readonly number[];
}

/** A block S with A S and B S; B S is S itself without a B. */
interface Images {
  own: Vector;
  A: Vector;
  B: Vector;
}

/** A part of W in the others, beside 1, that a round may leave: what the next one removes costs no more than a bit of the rest. */
const SMALL_PART = 0.1;
/** Rounds of orthogonalization; two are usual. */
const MAX_ROUNDS = 5;
/** xᵀ B x beside the largest one of the run: below, rounding errors of B x decide. */
const LEAST_ENERGY = 1e-14;

export class LobpcgBlock {
  readonly columns: number;
  /** Products with blocks so far. */
  products = 0;
  readonly #problem: BlockProblem;
  readonly #which: 'smallest' | 'largest';
  readonly #X: Images;
  readonly #W: Images;
  readonly #P: Images;
  #scratch: Vector;
  readonly #smalls: readonly Vector[];
  readonly #scalars: readonly Scalar[];
  #values: Float64Array;
  /** P has so many columns in use, and this Pᵀ A P. */
  #directions = 0;
  #energy: Float64Array = new Float64Array(0);
  #largestEnergy = 0;

  /** @param X the first block; it is changed, and stays the caller's */
  constructor(problem: BlockProblem, which: 'smallest' | 'largest', X: Vector, work: Workspace) {
    const { columns } = X;
    this.columns = columns;
    this.#problem = problem;
    this.#which = which;
    const imagesOf = (own: Vector): Images => {
      const A = work.vector('x', columns);
      return { own, A, B: problem.B === undefined ? own : work.vector('x', columns) };
    };
    this.#X = imagesOf(X);
    [this.#W, this.#P] = [imagesOf(work.vector('x', columns)), imagesOf(work.vector('x', columns))];
    this.#scratch = work.vector('x', columns);
    this.#smalls = Array.from({ length: 6 }, () => work.small(columns));
    this.#scalars = work.scalars(columns);
    this.#values = new Float64Array(columns);
  }

  /** The best values so far, the wanted ones first. */
  get values(): Float64Array {
    return this.#values;
  }

  /**
   * Makes X orthonormal, and its columns the best ones of their span; there are no directions P yet.
   *
   * @returns independent columns; if they are not all, the others are 0 and X is of no use yet
   */
  begin(): number {
    const X = this.#X;
    let rank = this.columns;
    for (let round = 0; round < 2; round++) {
      this.#applyB(X);
      rank = this.#normalize(X, () => true);
      if (rank < this.columns) return rank;
    }
    this.#applyB(X);
    this.#applyA(X);
    this.#turn(ritzBlock(this.#gram(X.own, X.A), this.columns, this.columns, this.#which, () => false));
    return rank;
  }

  /**
   * Computes the products of X and its values anew, so that rounding errors of recurrences are gone; P begins anew. X is not turned: of a multiple
   * eigenvalue, columns that have converged would be mixed with others.
   */
  renew(): void {
    const X = this.#X;
    this.#applyB(X);
    this.#applyA(X);
    this.#directions = 0;
    const energies = this.#gram(X.own, X.A);
    const squares = this.#gram(X.own, X.B);
    this.#values = this.#values.map((_, j) => energies[j * (this.columns + 1)]! / squares[j * (this.columns + 1)]!);
  }

  /** R ← A X − B X Λ. @returns its norms, and what they are compared with */
  measure(): Measures {
    const { A, B } = this.#X;
    const R = this.#scratch.copyFrom(A);
    const values = new Float64Array(this.columns ** 2);
    for (const [j, value] of this.#values.entries()) values[j * (this.columns + 1)] = finiteOr0(value);
    R.combine(B, this.#smalls[0]!.set(values), -1, 1);
    const residuals = readColumnNorms(R, this.#scalars);
    const ones = residuals.map(() => 1);
    if (this.#problem.B === undefined) return { residuals, images: ones, lengths: ones };
    const [images, lengths] = [B, this.#X.own].map((block) => readColumnNorms(block, this.#scalars));
    return { residuals, images: images!, lengths: lengths! };
  }

  /** The best block in the span of X, P and the directions M⁻¹ R of the active columns; after `measure`. @returns whether there were any */
  advance(isActive: (column: number) => boolean): boolean {
    const { M } = this.#problem;
    const W = this.#W;
    if (M === undefined) W.own.copyFrom(this.#scratch);
    else M.apply(this.#scratch, W.own);
    const found = this.#addDirections(isActive);
    if (found === 0 && this.#directions === 0) return false;
    this.#applyA(W);
    const s = this.columns + found + this.#directions;
    this.#turn(ritzBlock(this.#projected(found), s, this.columns, this.#which, isActive), found);
    return true;
  }

  /** A lower bound of ‖A‖₂, close to it for most matrices; after `begin`, of random columns. */
  normOfA(): number {
    const [images, lengths] = [this.#X.A, this.#X.own].map((block) => readColumnNorms(block, this.#scalars));
    return images!.reduce((most, image, j) => Math.max(most, image / lengths![j]!), 0);
  }

  /** W ← a basis of its active columns, orthonormal to X and P. @returns its columns */
  #addDirections(isActive: (column: number) => boolean): number {
    const [W, small] = [this.#W, this.#smalls[0]!];
    let rank = 0;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      this.#applyB(W);
      let part = 0;
      for (const others of this.#directions > 0 ? [this.#X, this.#P] : [this.#X]) {
        const coefficients = this.#gram(others.own, W.B);
        part = coefficients.reduce((most, value) => Math.max(most, Math.abs(value)), part);
        W.own.combine(others.own, small.set(coefficients), -1, 1);
        if (this.#problem.B !== undefined) W.B.combine(others.B, small, -1, 1);
      }
      rank = this.#normalize(W, round === 0 ? isActive : () => true);
      if (round > 0 && part < SMALL_PART) break;
    }
    return rank;
  }

  /** S ← S T with an orthonormal basis of the columns in use, and zeros after it. @returns its columns */
  #normalize(S: Images, isUsed: (column: number) => boolean): number {
    const gram = this.#gram(S.own, S.B);
    if (this.#problem.B !== undefined) this.#checkDefinite(S.own, gram);
    const factor = new GramFactor(gram, this.columns, INDEPENDENT, isUsed);
    if (factor.isIndefinite) throw notDefinite();
    const root = this.#smalls[0]!.set(factor.inverseRoot());
    S.own.combine(S.own, root);
    if (this.#problem.B !== undefined) S.B.combine(S.B, root);
    return factor.rank;
  }

  /** @throws SparlaneError `structure` if B maps a column almost to 0, or xᵀ B x is negative */
  #checkDefinite(S: Vector, gram: Float64Array): void {
    for (const [j, norm] of readColumnNorms(S, this.#scalars).entries()) {
      if (norm === 0) continue;
      const energy = gram[j * (this.columns + 1)]! / norm / norm;
      this.#largestEnergy = Math.max(this.#largestEnergy, energy);
      if (energy <= LEAST_ENERGY * this.#largestEnergy) throw notDefinite();
    }
  }

  /** Sᵀ A S for the columns in use of S = [X, W, P]. */
  #projected(found: number): Float64Array {
    const [k, X, W, P] = [this.columns, this.#X, this.#W, this.#P];
    const s = k + found + this.#directions;
    const projected = new Float64Array(s * s);
    const put = (row: number, column: number, rows: number, columns: number, block: Float64Array) => {
      for (let i = 0; i < rows; i++)
        for (let j = 0; j < columns; j++) {
          projected[(row + i) * s + column + j] = block[i * k + j]!;
          projected[(column + j) * s + row + i] = block[i * k + j]!;
        }
    };
    for (const [j, value] of this.#values.entries()) projected[j * (s + 1)] = value;
    put(0, k, k, found, this.#gram(X.own, W.A));
    put(k, k, found, found, this.#gram(W.own, W.A));
    if (this.#directions === 0) return finiteNumbers(projected);
    // Xᵀ A P = 0, because P is orthogonal to X, whose columns are eigenvectors of the projected matrix that P comes from.
    put(k + found, k, this.#directions, found, this.#gram(P.own, W.A));
    put(k + found, k + found, this.#directions, this.#directions, this.#energy);
    return finiteNumbers(projected);
  }

  /** X and P of the next step, with their products. */
  #turn(next: RitzBlock, found = 0): void {
    const k = this.columns;
    const uses: [Images, number, number][] = [[this.#X, 0, k]];
    if (found > 0) uses.push([this.#W, k, found]);
    if (this.#directions > 0) uses.push([this.#P, k + found, this.#directions]);
    const smalls = uses.map(([, begin, rows], i) => [
      this.#smalls[i]!.set(rowsOf(next.X, begin, rows, k)),
      this.#smalls[i + 3]!.set(rowsOf(next.P, begin, rows, k)),
    ]);
    for (const kind of this.#problem.B === undefined ? (['own', 'A'] as const) : (['own', 'A', 'B'] as const)) {
      const [target, P] = [this.#X[kind], this.#scratch];
      if (next.directions > 0)
        for (const [i, [source]] of uses.entries()) P.combine(source[kind], smalls[i]![1]!, 1, i === 0 ? 0 : 1);
      for (const [i, [source]] of uses.entries()) target.combine(source[kind], smalls[i]![0]!, 1, i === 0 ? 0 : 1);
      if (next.directions > 0) [this.#P[kind], this.#scratch] = [P, this.#P[kind]];
    }
    if (this.#problem.B === undefined) [this.#X.B, this.#P.B] = [this.#X.own, this.#P.own];
    this.#values = next.values;
    this.#directions = next.directions;
    this.#energy = next.energy;
  }

  #applyA(S: Images): void {
    this.#problem.A.apply(S.own, S.A);
    this.products++;
  }

  #applyB(S: Images): void {
    this.#problem.B?.apply(S.own, S.B);
  }

  #gram(x: Vector, y: Vector): Float64Array {
    const small = this.#smalls[1]!;
    x.gram(y, small);
    return finiteNumbers(small.toArray() as Float64Array);
  }
}

/** Numbers that overflowed or were none: the step cannot go on. */
export class NotFinite extends Error {}

function finiteNumbers(numbers: Float64Array): Float64Array {
  if (!numbers.every(Number.isFinite)) throw new NotFinite();
  return numbers;
}

function finiteOr0(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

function notDefinite(): SparlaneError {
  return mismatch(
    'structure',
    'B',
    'a symmetric positive definite matrix',
    'one with xᵀ B x ≤ 0 for some x, up to rounding',
  );
}

/** Rows of a matrix of k columns, as the first rows of a k × k one. */
function rowsOf(matrix: Float64Array, begin: number, rows: number, k: number): Float64Array {
  const part = new Float64Array(k * k);
  part.set(matrix.subarray(begin * k, (begin + rows) * k));
  return part;
}
