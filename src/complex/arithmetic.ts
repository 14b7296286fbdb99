/**
 * What methods with complex coefficients compute with vectors of pairs: inner products and updates. Coefficients are numbers on the host, as those of
 * gmres are. An inner product is two real ones, of which one is with i times a vector.
 */
import { finite } from '../core/checks.js';
import type { Complex } from '../core/complex.js';
import { mismatch } from '../core/errors.js';
import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { ComplexMaps } from '../operators/operator.js';

export const ZERO: Complex = { re: 0, im: 0 };

/** A factor of a product. */
export type ComplexFactor = number | Complex;

/** @throws SparlaneError `argument` */
export function parts(name: string, factor: ComplexFactor): Complex {
  if (typeof factor === 'number') return { re: finite(name, factor), im: 0 };
  if (typeof factor !== 'object' || factor === null) throw mismatch('argument', name, 'a number or { re, im }', factor);
  return { re: finite(`${name}.re`, factor.re), im: finite(`${name}.im`, factor.im) };
}

export function times(a: Complex, b: Complex): Complex {
  return { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re };
}

/** Returns a / b, which is not finite for b = 0. It is scaled, so that squares of b neither overflow nor vanish (Smith 1962). */
export function over(a: Complex, b: Complex): Complex {
  if (Math.abs(b.re) >= Math.abs(b.im)) {
    const ratio = b.im / b.re;
    const scale = b.re + b.im * ratio;
    return { re: (a.re + a.im * ratio) / scale, im: (a.im - a.re * ratio) / scale };
  }
  const ratio = b.re / b.im;
  const scale = b.re * ratio + b.im;
  return { re: (a.re * ratio + a.im) / scale, im: (a.im * ratio - a.re) / scale };
}

export function conjugateOf({ re, im }: Complex): Complex {
  return { re, im: -im };
}

export function negated({ re, im }: Complex): Complex {
  return { re: -re, im: -im };
}

export function magnitude({ re, im }: Complex): number {
  return Math.hypot(re, im);
}

/** Inner products and updates of the vectors of one operator. */
export class ComplexArithmetic {
  readonly #maps: ComplexMaps;
  readonly #turned: Vector;
  readonly #scalars: readonly [Scalar, Scalar];

  /** @param turned a vector for the use of this object alone, as the scalars are */
  constructor(maps: ComplexMaps, turned: Vector, scalars: readonly [Scalar, Scalar]) {
    this.#maps = maps;
    this.#turned = turned;
    this.#scalars = scalars;
  }

  /** Returns xᴴ y. */
  dot(x: Vector, y: Vector): Complex {
    const turned = this.#turned;
    const [re, im] = this.#scalars;
    this.#maps.imaginary.apply(x, turned);
    y.dots([x, turned], [re, im]);
    return { re: re.value, im: im.value };
  }

  /** Returns xᵀ y; x and y may be the same. @param conjugate a vector that is overwritten */
  product(x: Vector, y: Vector, conjugate: Vector): Complex {
    this.#maps.conjugation.apply(x, conjugate);
    return this.dot(conjugate, y);
  }

  /** y ← a x + b y, for a real b. */
  axpby(a: Complex, x: Vector, b: number, y: Vector): void {
    y.axpby(a.re, x, b);
    if (a.im !== 0) this.#maps.imaginary.apply(x, y, a.im, 1);
  }

  /** y ← x + b y */
  xpby(x: Vector, b: Complex, y: Vector): void {
    if (b.im === 0) {
      y.axpby(1, x, b.re);
      return;
    }
    const turned = this.#turned;
    this.#maps.imaginary.apply(y, turned);
    y.axpby(1, x, b.re).axpy(b.im, turned);
  }
}
