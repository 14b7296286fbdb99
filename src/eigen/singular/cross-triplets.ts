/** Singular triplets from right vectors, by blocks: σ = ‖A v‖, u = A v / σ, and the residuals of what is returned. */
import { UNIT_ROUNDOFF } from '../../core/norms.js';
import { Owned } from '../../core/owned.js';
import { dtypeOf } from '../../core/types.js';
import { Vector } from '../../memory/vector.js';
import type { Basis } from '../basis/basis.js';
import { BLOCK, type CrossSpace, NOISE } from './cross-space.js';
import type { SingularOutcome, SingularProblem, SvdsReason } from './singular.js';

/** Left vectors whose products with each other are larger are made orthonormal. Chosen: beneath, they are rounding errors. */
const ORTHOGONAL = 2e-13;
/** So many turns at most, of which each squares what is left of the products. Chosen. */
const MOST_TURNS = 6;

/** The wanted triplets of a space, whose basis is theirs afterwards. Values that are rounding errors in AᵀA have no left vector, and are left out. */
export function tripletsOf(problem: SingularProblem, space: CrossSpace, reason: SvdsReason): SingularOutcome {
  const { A } = problem;
  const { norm, iterations } = space;
  const count = space.take();
  const least = Math.sqrt(NOISE * UNIT_ROUNDOFF[dtypeOf(A.vectorType)]) * norm;
  using triplets = new Triplets(problem, space.V, count);
  triplets.addImages();
  triplets.leaveOut(least);
  if (triplets.straighten()) triplets.addLeftResiduals();
  triplets.addRightResiduals();
  const { values, residuals } = triplets;
  const hasNone = values.length === 0;
  return {
    ...{ reason, norm, iterations, products: 2 * iterations + triplets.products },
    values: hasNone ? Float64Array.of(Number.NaN) : Float64Array.from(values),
    residualNorms: hasNone ? Float64Array.of(Number.NaN) : Float64Array.from(residuals),
    ...triplets.take(),
  };
}

class Triplets implements Disposable {
  readonly #problem: SingularProblem;
  readonly #owned = new Owned();
  /** It owns U and V, until the caller takes them. */
  #result = new Owned();
  readonly #basis: Basis;
  #U: Vector;
  #V: Vector;
  /** Each side has a block of vectors, a block of their images, and one vector. */
  readonly #left: { readonly from: Vector; readonly to: Vector; readonly one: Vector };
  readonly #right: { readonly from: Vector; readonly to: Vector; readonly one: Vector };
  readonly #small: Vector;
  values: number[] = [];
  /** The greater of ‖A v − σ u‖ and ‖Aᵀ u − σ v‖. */
  readonly residuals: number[] = [];
  products = 0;

  constructor(problem: SingularProblem, basis: Basis, count: number) {
    const { space, vectorType, rows, cols } = problem.A;
    this.#problem = problem;
    this.#basis = basis;
    const block = (length: number, columns: number, owned = this.#owned) =>
      owned.own(new Vector(space, vectorType, length, undefined, columns));
    const side = (length: number) => ({ from: block(length, BLOCK), to: block(length, BLOCK), one: block(length, 1) });
    const result = (length: number) => block(length, Math.max(1, count), this.#result);
    try {
      [this.#U, this.#V] = [result(rows), result(cols)];
      [this.#left, this.#right] = [side(rows), side(cols)];
      this.#small = this.#owned.own(new Vector(space, Float64Array, BLOCK, undefined, BLOCK));
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Computes V, σ and U, with the residuals on the left, which are rounding errors. */
  addImages(): void {
    const { from: v, one } = this.#right;
    const { from: u, to: image, one: column } = this.#left;
    const count = this.#basis.size;
    for (let begin = 0; begin < count; begin += BLOCK) {
      const columns = Math.min(BLOCK, count - begin);
      v.fill(0);
      for (let c = 0; c < columns; c++) {
        this.#basis.copyTo(begin + c, one);
        v.setColumn(c, one);
        this.#V.setColumn(begin + c, one);
      }
      this.#multiply(v, image, 'A');
      const norms = this.#norms(image);
      u.combine(image, this.#diagonal(norms.map((norm) => (norm > 0 ? 1 / norm : 0))));
      for (let c = 0; c < columns; c++) {
        u.copyColumnTo(c, column);
        this.#U.setColumn(begin + c, column);
        // Rounding errors may bring copies of a value out of order.
        this.values.push(Math.min(norms[c]!, this.values.at(-1) ?? norms[c]!));
      }
      this.#measure(image, u, begin);
    }
  }

  /** @param least of the values that stay, up to the first one that does not */
  leaveOut(least: number): void {
    const end = this.values.findIndex((value) => !(value > least));
    if (end < 0) return;
    this.values.length = end;
    this.residuals.length = end;
    this.#U = this.#first(this.#U, this.#left.one);
    this.#V = this.#first(this.#V, this.#right.one);
  }

  /** Returns the columns of a block that belong to values, or one of zeros where there are none. The block is disposed. */
  #first(block: Vector, one: Vector): Vector {
    const { length } = this.values;
    const first = this.#result.own(block.like(Math.max(1, length)).fill(0));
    for (let j = 0; j < length; j++) {
      block.copyColumnTo(j, one);
      first.setColumn(j, one);
    }
    block.dispose();
    return first;
  }

  /** Makes U orthonormal, if it is not. @returns whether it has changed */
  straighten(): boolean {
    const { columns } = this.#U;
    if (this.values.length === 0) return false;
    using small = new Vector(this.#U.space, Float64Array, columns, undefined, columns);
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      this.#U.gram(this.#U, small);
      const gram = small.toArray() as Float64Array;
      const identity = (at: number) => (at % (columns + 1) === 0 ? 1 : 0);
      if (gram.every((value, at) => Math.abs(value - identity(at)) <= ORTHOGONAL)) return turn > 0;
      // U (UᵀU)^(−1/2), by Newton and Schulz.
      this.#U.combine(this.#U, small.set(gram.map((value, at) => (3 * identity(at) - value) / 2)));
    }
    return true;
  }

  addLeftResiduals(): void {
    const [{ from: v }, { from: u, to: image }] = [this.#right, this.#left];
    this.residuals.fill(0);
    this.#forEachBlock((begin) => {
      this.#multiply(v, image, 'A');
      this.#measure(image, u, begin);
    });
  }

  addRightResiduals(): void {
    const [{ from: v, to: image }, { from: u }] = [this.#right, this.#left];
    this.#forEachBlock((begin) => {
      this.#multiply(u, image, 'At');
      this.#measure(image, v, begin);
    });
  }

  /** Visits each block of triplets, whose vectors are then in `from` on either side. */
  #forEachBlock(visit: (begin: number) => void): void {
    const { length } = this.values;
    for (let begin = 0; begin < length; begin += BLOCK) {
      const columns = Math.min(BLOCK, length - begin);
      for (const [{ from, one }, all] of [
        [this.#left, this.#U],
        [this.#right, this.#V],
      ] as const) {
        from.fill(0);
        for (let c = 0; c < columns; c++) {
          all.copyColumnTo(begin + c, one);
          from.setColumn(c, one);
        }
      }
      visit(begin);
    }
  }

  #multiply(x: Vector, y: Vector, by: 'A' | 'At'): void {
    this.#problem[by].apply(x, y);
    this.products++;
  }

  /** image ← image − other Σ, whose norms raise the residuals. */
  #measure(image: Vector, other: Vector, begin: number): void {
    image.combine(other, this.#diagonal(this.values.slice(begin, begin + BLOCK)), -1, 1);
    const norms = this.#norms(image);
    this.values.slice(begin, begin + BLOCK).forEach((_, c) => {
      this.residuals[begin + c] = Math.max(this.residuals[begin + c] ?? 0, norms[c]!);
    });
  }

  #diagonal(values: ArrayLike<number>): Vector {
    const matrix = new Float64Array(BLOCK * BLOCK);
    for (let c = 0; c < values.length; c++) matrix[c * (BLOCK + 1)] = values[c]!;
    return this.#small.set(matrix);
  }

  #norms(block: Vector): Float64Array {
    block.gram(block, this.#small);
    return (this.#small.toArray() as Float64Array).filter((_, at) => at % (BLOCK + 1) === 0).map(Math.sqrt);
  }

  /** U and V, which belong to the caller from now on. */
  take(): Pick<SingularOutcome, 'U' | 'V'> {
    this.#result = new Owned();
    return { U: this.#U, V: this.#V };
  }

  [Symbol.dispose](): void {
    this.#result[Symbol.dispose]();
    this.#owned[Symbol.dispose]();
  }
}
