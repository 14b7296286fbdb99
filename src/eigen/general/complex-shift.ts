/**
 * The inverse of A − σ B for a complex σ, on real vectors of twice the size: (u; v) stands for u + i v, and the factors are those of
 * [A − σᵣ B, σᵢ B; −σᵢ B, A − σᵣ B].
 *
 * Source: Parlett & Saad 1987, "Complex shift and invert strategies for real matrices".
 * Differs: they iterate with the real part of the inverse on real vectors of size n, which is 0 where λ = σᵣ, and does not order the others by their
 *   distances from σ. Here the operator is the whole inverse, which orders them exactly. Its eigenvalues are all θ = 1 / (λ − σ) and their conjugates:
 *   a vector of θ is (z; −i z), one of a conjugate (z̄; i z̄), so that z is p + i q of (p; q), and 0 where the conjugate is meant.
 * Cost: a solve with 2 n unknowns, as theirs; bases of twice the size.
 */
import type { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import type { ComplexNumber } from './complex-residual.js';
import { WORST_CONDITION } from './general-search.js';
import type { RitzPair } from './krylov-decomposition.js';

/** A value of the answer, and the Ritz pair that has its vector. */
export interface RitzValue {
  readonly pair: RitzPair;
  readonly value: ComplexNumber;
  /** It is 2 for a complex value, which stands for its conjugate, too. */
  readonly width: 1 | 2;
  /** Whether it is the conjugate of the eigenvalue of the pair that belongs to a value. */
  readonly isMirrored: boolean;
}

/** A part of a Ritz vector of norm 1 that is shorter belongs to no eigenvalue. Chosen. */
const LEAST_PART = 0.05;

/** The imaginary part of a value that is looked at as real is at most this share of its distance from σ. Chosen. */
const NEARLY_REAL = 1e-2;

/** Values are looked at as one where they differ by less than this share of their distance from σ, and are one if the square of the sine of their vectors is less. Chosen. */
const SAME = 1e-6;
const PARALLEL = 1e-4;

type GetVector = (real: Vector, imaginary: Vector) => void;

interface FoldedVector {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

export class ComplexShift {
  readonly sigma: ComplexNumber;
  /** [A − σᵣ B, σᵢ B; −σᵢ B, A − σᵣ B] */
  readonly operator: LinearOperator;
  /** The real and the imaginary part of a vector of twice the size. */
  readonly #w: readonly [Vector, Vector];

  /** @param w two vectors of the operator to compute with */
  constructor(sigma: ComplexNumber, operator: LinearOperator, w: readonly [Vector, Vector]) {
    this.sigma = sigma;
    this.operator = operator;
    this.#w = w;
  }

  /**
   * The values of a Ritz pair: two where two eigenvalues are conjugates of each other beside σ.
   *
   * @param vector gives the Ritz vector
   */
  valuesOf(pair: RitzPair, vector: GetVector): RitzValue[] {
    const [wr, wi] = this.#w;
    vector(wr, wi);
    if (pair.width === 1) return [this.#valueOf(pair, false)];
    const lengths = [false, true].map((isMirrored) => ({ isMirrored, length: this.#partLength(isMirrored) }));
    const [longer, shorter] = lengths.sort((one, other) => other.length - one.length);
    const values = [this.#valueOf(pair, longer!.isMirrored)];
    if (shorter!.length >= LEAST_PART) values.push(this.#valueOf(pair, shorter!.isMirrored));
    return values;
  }

  #valueOf(pair: RitzPair, isMirrored: boolean): RitzValue {
    const [own, mirrored] = this.bothOf(pair);
    return { pair, value: isMirrored ? mirrored : own, width: 2, isMirrored };
  }

  /** σ + 1 / θ, and the same for the conjugate of θ. */
  bothOf({ real, imaginary }: ComplexNumber): readonly [own: ComplexNumber, mirrored: ComplexNumber] {
    const { sigma } = this;
    const size = Math.hypot(real, imaginary);
    const withSign = (sign: number) => ({
      real: sigma.real + real / size / size,
      // The imaginary part of 1 / θ has the other sign.
      imaginary: sigma.imaginary - (sign * imaginary) / size / size,
    });
    return [withSign(1), withSign(-1)];
  }

  /** Whether a value may be that of a real eigenvalue. */
  mayBeReal({ value: { real, imaginary } }: RitzValue): boolean {
    return Math.abs(imaginary) <= NEARLY_REAL * Math.hypot(real - this.sigma.real, this.sigma.imaginary);
  }

  /** Whether an imaginary part may be the error of a real eigenvalue: a search goes on until it is none, or more than that error may be. */
  isDoubtful({ pair, value, width }: RitzValue): boolean {
    const size = Math.hypot(pair.real, pair.imaginary);
    return width === 2 && Math.abs(value.imaginary) <= (WORST_CONDITION * pair.estimate) / size / size;
  }

  /**
   * A value as that of a real eigenvalue. Both parts of its vector z = u + i v are then multiples of one real vector; with v = t u, A u = (Re λ − t Im λ) B u.
   *
   * @param vector gives the Ritz vector
   */
  asReal(ritz: RitzValue, vector: GetVector): RitzValue {
    const { real: u, imaginary: v } = this.#folded(ritz, vector);
    const [squares, others, product] = [dot(u, u), dot(v, v), dot(u, v)];
    const { real, imaginary } = ritz.value;
    const moved = squares >= others ? real - (imaginary * product) / squares : real + (imaginary * product) / others;
    return { ...ritz, value: { real: moved, imaginary: 0 }, width: 1 };
  }

  /** Whether the conjugate of a complex value, which is nearer to σ, is known as that of another pair; a value that may be real has none. */
  isFarther(ritz: RitzValue, known: readonly RitzValue[]): boolean {
    const { real, imaginary } = ritz.value;
    if (imaginary > 0 === this.sigma.imaginary > 0) return false;
    const conjugate = { real, imaginary: -imaginary };
    return !this.mayBeReal(ritz) || known.some(({ value }) => this.#isNear(conjugate, value));
  }

  /**
   * Whether a value is one of those that are known: where θ is real, (z; −i z) and its product with i are two vectors of the basis for one of A.
   *
   * @param vectorOf gives the Ritz vector of a pair
   */
  isKnown(one: RitzValue, known: readonly RitzValue[], vectorOf: (pair: RitzPair) => GetVector): boolean {
    const near = known.filter((other) => this.#isNear(one.value, other.value));
    if (near.length === 0) return false;
    const own = this.#folded(one, vectorOf(one.pair));
    return near.some((other) => isParallel(own, this.#folded(other, vectorOf(other.pair))));
  }

  #isNear(one: ComplexNumber, other: ComplexNumber): boolean {
    const distance = Math.hypot(one.real - other.real, one.imaginary - other.imaginary);
    return distance <= SAME * Math.hypot(one.real - this.sigma.real, one.imaginary - this.sigma.imaginary);
  }

  /** The norm of p + i q over the greatest that it may have. */
  #partLength(isMirrored: boolean): number {
    const { squares } = this.#fold(isMirrored, undefined);
    return Math.sqrt((squares[0] + squares[1]) / 2);
  }

  /**
   * x + i y ← the vector of a value, of any norm; for a real value x alone.
   *
   * @param vector gives the Ritz vector, of one part for a pair of width 1
   */
  vectorOf(ritz: RitzValue, vector: GetVector, x: Vector, y: Vector): void {
    const { real, imaginary } = this.#folded(ritz, vector);
    x.data.set(real);
    y.data.set(imaginary);
  }

  /** p + i q; for a real value the longer one of its parts, both of which are vectors of it. */
  #folded({ pair, width, isMirrored }: RitzValue, vector: GetVector): FoldedVector {
    const [wr, wi] = this.#w;
    if (pair.width === 1) wi.fill(0);
    vector(wr, wi);
    const n = wr.length / 2;
    const [real, imaginary] = [new Float64Array(n), new Float64Array(n)];
    const { squares } = this.#fold(isMirrored, { real, imaginary });
    if (width === 2) return { real, imaginary };
    return { real: squares[1] > squares[0] ? imaginary : real, imaginary: new Float64Array(n) };
  }

  /** p + i q of (p; q), or that of its conjugate. @returns the squares of the norms of both parts */
  #fold(isMirrored: boolean, to: FoldedVector | undefined): { readonly squares: readonly [number, number] } {
    const [a, b] = [this.#w[0].data, this.#w[1].data];
    const n = a.length / 2;
    const sign = isMirrored ? -1 : 1;
    let [ofReal, ofImaginary] = [0, 0];
    for (let i = 0; i < n; i++) {
      const real = a[i]! - sign * b[n + i]!;
      const imaginary = sign * b[i]! + a[n + i]!;
      ofReal += real * real;
      ofImaginary += imaginary * imaginary;
      if (to === undefined) continue;
      to.real[i] = real;
      to.imaginary[i] = imaginary;
    }
    return { squares: [ofReal, ofImaginary] };
  }
}

function dot(x: Float64Array, y: Float64Array): number {
  return x.reduce((sum, value, i) => sum + value * y[i]!, 0);
}

/** Whether two complex vectors are multiples of each other, nearly. */
function isParallel(one: FoldedVector, other: FoldedVector): boolean {
  let [real, imaginary, square, otherSquare] = [0, 0, 0, 0];
  for (let i = 0; i < one.real.length; i++) {
    const [a, b, c, d] = [one.real[i]!, one.imaginary[i]!, other.real[i]!, other.imaginary[i]!];
    real += a * c + b * d;
    imaginary += a * d - b * c;
    square += a * a + b * b;
    otherSquare += c * c + d * d;
  }
  return real * real + imaginary * imaginary >= (1 - PARALLEL) * square * otherSquare;
}
