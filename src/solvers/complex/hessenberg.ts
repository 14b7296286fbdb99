/** The small problem of gmres with complex coefficients, on the host. */
import { conjugateOf, magnitude, over, times, ZERO } from '../../complex/arithmetic.js';
import type { Complex } from '../../core/complex.js';
import type { SmallProblem } from '../gmres-cycles.js';

/** min ‖β e₁ − H y‖₂ for a complex Hessenberg matrix H, made triangular column by column with Givens rotations [c s; −s̄ c]. */
export class ComplexHessenbergProblem implements SmallProblem<Complex[], Complex> {
  readonly #triangle: Complex[][] = [];
  readonly #rotations: { readonly c: number; readonly s: Complex }[] = [];
  readonly #right: Complex[];

  constructor(beta: number) {
    this.#right = [{ re: beta, im: 0 }];
  }

  get columns(): number {
    return this.#triangle.length;
  }

  get residualNorm(): number {
    return magnitude(this.#right[this.columns]!);
  }

  get isSingular(): boolean {
    return this.#triangle.some((column, j) => magnitude(column[j]!) === 0);
  }

  add(column: Complex[], below: number): void {
    let next = column[0]!;
    this.#rotations.forEach((rotation, i) => {
      [column[i], next] = rotated(rotation, next, column[i + 1]!);
    });
    const size = magnitude(next);
    const length = Math.hypot(size, below);
    const phase = size === 0 ? { re: 1, im: 0 } : over(next, { re: size, im: 0 });
    const share = length === 0 ? 0 : below / length;
    const rotation = { c: length === 0 ? 1 : size / length, s: times(phase, { re: share, im: 0 }) };
    column[this.columns] = times(phase, { re: length, im: 0 });
    const [now, rest] = rotated(rotation, this.#right[this.columns]!, ZERO);
    this.#right[this.columns] = now;
    this.#right.push(rest);
    this.#rotations.push(rotation);
    this.#triangle.push(column);
  }

  solve(): Complex[] {
    const first = this.#triangle.findIndex((column, j) => magnitude(column[j]!) === 0);
    for (let used = first < 0 ? this.columns : first; used > 0; used--) {
      const y = this.#solveWith(used);
      if (y.every(({ re, im }) => Number.isFinite(re) && Number.isFinite(im))) return y;
    }
    return [];
  }

  #solveWith(count: number): Complex[] {
    const y = this.#right.slice(0, count);
    for (let j = count - 1; j >= 0; j--) {
      y[j] = over(y[j]!, this.#triangle[j]![j]!);
      for (let i = 0; i < j; i++) {
        const { re, im } = times(this.#triangle[j]![i]!, y[j]!);
        y[i] = { re: y[i]!.re - re, im: y[i]!.im - im };
      }
    }
    return y;
  }
}

/** Returns (c u + s l, −s̄ u + c l). */
function rotated({ c, s }: { readonly c: number; readonly s: Complex }, u: Complex, l: Complex): [Complex, Complex] {
  const [sl, su] = [times(s, l), times(conjugateOf(s), u)];
  return [
    { re: c * u.re + sl.re, im: c * u.im + sl.im },
    { re: c * l.re - su.re, im: c * l.im - su.im },
  ];
}
