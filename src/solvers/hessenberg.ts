/** The small problem of gmres, on the host. */
import type { SmallProblem } from './gmres-cycles.js';

/** min ‖β e₁ − H y‖₂ for a Hessenberg matrix H, made triangular column by column with Givens rotations. */
export class HessenbergProblem implements SmallProblem<Float64Array, number> {
  readonly #triangle: Float64Array[] = [];
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  readonly #right: Float64Array;

  constructor(length: number, beta: number) {
    this.#cosines = new Float64Array(length);
    this.#sines = new Float64Array(length);
    this.#right = new Float64Array(length + 1);
    this.#right[0] = beta;
  }

  get columns(): number {
    return this.#triangle.length;
  }

  get residualNorm(): number {
    return Math.abs(this.#right[this.columns]!);
  }

  get isSingular(): boolean {
    return this.#triangle.some((column, j) => column[j] === 0);
  }

  add(column: Float64Array, below: number): void {
    const j = this.columns;
    const [cosines, sines, right] = [this.#cosines, this.#sines, this.#right];
    for (let i = 0; i < j; i++) {
      const [upper, lower] = [column[i]!, column[i + 1]!];
      column[i] = cosines[i]! * upper + sines[i]! * lower;
      column[i + 1] = cosines[i]! * lower - sines[i]! * upper;
    }
    const length = Math.hypot(column[j]!, below);
    cosines[j] = length === 0 ? 1 : column[j]! / length;
    sines[j] = length === 0 ? 0 : below / length;
    column[j] = length;
    right[j + 1] = -sines[j]! * right[j]!;
    right[j] = cosines[j]! * right[j]!;
    this.#triangle.push(column);
  }

  solve(): number[] {
    const count = this.isSingular ? this.#triangle.findIndex((column, j) => column[j] === 0) : this.columns;
    for (let used = count; used > 0; used--) {
      const y = this.#solveWith(used);
      if (y.every(Number.isFinite)) return y;
    }
    return [];
  }

  #solveWith(count: number): number[] {
    const y = [...this.#right.subarray(0, count)];
    for (let j = count - 1; j >= 0; j--) {
      y[j]! /= this.#triangle[j]![j]!;
      for (let i = 0; i < j; i++) y[i]! -= this.#triangle[j]![i]! * y[j]!;
    }
    return y;
  }
}
