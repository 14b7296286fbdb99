/**
 * The small problems of block methods, on the host: the factors of a Gram matrix G = Xᵀ A X that may be singular. Cholesky's method with
 * pivots, on G scaled to a unit diagonal, leaves out the columns of X that depend on those before.
 *
 * Source: Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 10.3.
 */

/** A pivot this far below 0, beside 1 on the diagonal, is no rounding error. */
const NEGATIVE = -1e-8;

/** The least squared sine of the angle between a column and the others; beneath it, sums of f64 know nothing of the direction. */
export const INDEPENDENT = 1e-12;

export class GramFactor {
  /** Whether A is not definite on the columns of X. */
  readonly isIndefinite: boolean;
  readonly #size: number;
  /** The columns in use, in the order of the pivots. */
  readonly #picked: number[] = [];
  /** S G S ≈ L Lᵀ. Row j of L belongs to column j of X. */
  readonly #lower: Float64Array;
  readonly #scales: Float64Array;

  /**
   * @param gram size × size, row-major, of finite numbers
   * @param tolerance the least pivot, beside 1 on the diagonal
   * @param isUsed whether a column of X may be picked
   */
  constructor(gram: Float64Array, size: number, tolerance: number, isUsed: (column: number) => boolean = () => true) {
    this.#size = size;
    const diagonal = Float64Array.from({ length: size }, (_, j) => (isUsed(j) ? gram[j * size + j]! : 0));
    const scales = diagonal.map((value) => (value > 0 ? 1 / Math.sqrt(value) : 0));
    const lower = new Float64Array(size * size);
    const left = scales.map((scale) => (scale > 0 ? 1 : 0));
    for (let step = 0; step < size; step++) {
      const pivot = left.indexOf(Math.max(...left));
      if (!(left[pivot]! > tolerance)) break;
      const root = Math.sqrt(left[pivot]!);
      this.#picked.push(pivot);
      lower[pivot * size + step] = root;
      left[pivot] = 0;
      for (let j = 0; j < size; j++) {
        if (scales[j] === 0 || this.#picked.includes(j)) continue;
        let sum = gram[j * size + pivot]! * scales[j]! * scales[pivot]!;
        for (let t = 0; t < step; t++) sum -= lower[j * size + t]! * lower[pivot * size + t]!;
        lower[j * size + step] = sum / root;
        left[j]! -= (sum / root) ** 2;
      }
    }
    this.#lower = lower;
    this.#scales = scales;
    this.isIndefinite = diagonal.some((value) => value < 0) || left.some((value) => value < NEGATIVE);
  }

  /** Independent columns of X. */
  get rank(): number {
    return this.#picked.length;
  }

  /** G⁺ R, with zeros in the rows of the columns that are left out. @param right size × size */
  solve(right: Float64Array): Float64Array {
    const [size, scales] = [this.#size, this.#scales];
    const solution = new Float64Array(size * size);
    for (let column = 0; column < size; column++) {
      const y = this.#picked.map((j) => scales[j]! * right[j * size + column]!);
      this.#forward(y);
      this.#backward(y);
      this.#picked.forEach((j, i) => {
        solution[j * size + column] = scales[j]! * y[i]!;
      });
    }
    return solution;
  }

  /** T with Tᵀ G T = I, for the first `rank` columns; the others are 0. So X T has orthonormal columns, if A = I. */
  inverseRoot(): Float64Array {
    const [size, scales] = [this.#size, this.#scales];
    const root = new Float64Array(size * size);
    for (let column = 0; column < this.rank; column++) {
      const y = this.#picked.map((_, i) => (i === column ? 1 : 0));
      this.#backward(y);
      this.#picked.forEach((j, i) => {
        root[j * size + column] = scales[j]! * y[i]!;
      });
    }
    return root;
  }

  /** y ← L⁻¹ y */
  #forward(y: number[]): void {
    for (let i = 0; i < y.length; i++) {
      for (let t = 0; t < i; t++) y[i]! -= this.#at(i, t) * y[t]!;
      y[i]! /= this.#at(i, i);
    }
  }

  /** y ← L⁻ᵀ y */
  #backward(y: number[]): void {
    for (let i = y.length - 1; i >= 0; i--) {
      for (let t = i + 1; t < y.length; t++) y[i]! -= this.#at(t, i) * y[t]!;
      y[i]! /= this.#at(i, i);
    }
  }

  #at(row: number, step: number): number {
    return this.#lower[this.#picked[row]! * this.#size + step]!;
  }
}
