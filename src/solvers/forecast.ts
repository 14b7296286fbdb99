/**
 * How many iterations a method will still take. Of cg by the spectrum of M⁻¹ A, which its own coefficients give (the matrix of Lanczos); of the others by the
 * residuals so far.
 *
 * Source: Golub & Van Loan, Matrix Computations, 2013, §10.2 (the matrix of Lanczos) and §11.3 (the bound by the condition).
 */
import { extremeEigenvalues } from '../algebra/tridiagonal.js';
import type { Progress } from './method.js';

/** Iterations of cg over the bound ½ √κ ln(2 / ε): on the systems of `bench/solve/choice-problems.mjs` 0.3 to 0.9. */
const SHARE_OF_BOUND = 0.6;

/** The residuals of an unsteady method say nothing of more than this many times the iterations so far. */
const HORIZON = 8;

/** A spectrum whose ends are not found yet gives too few iterations: 0.5 to 10 times as many were left, 2 in the mean. */
const NOT_FOUND = 2;

/** Share of the least eigenvalue before above which it is found. */
const FOUND = 0.9;

/** A stalled method has left more than this share of the residual in the second half of its checks. */
const PROGRESS = 0.9;

export interface Remaining {
  readonly iterations: number;
  /** The same, as far as it may be believed. */
  readonly surely: number;
  /** Whether the spectrum says it. */
  readonly isFound: boolean;
}

export class Forecast {
  readonly #trusted: number;
  readonly #norms: number[] = [];
  readonly #diagonal: number[] = [];
  readonly #beside: number[] = [];
  #iterations = 0;
  #before = 0;
  /** The least eigenvalue at the forecast before. */
  #smallest = Number.POSITIVE_INFINITY;

  /** @param trusted a spectrum whose ends are not found yet is believed for so many times the iterations */
  constructor(trusted: number) {
    this.#trusted = trusted;
  }

  get iterations(): number {
    return this.#iterations;
  }

  add({ iterations, residualNorm, coefficients }: Progress): void {
    // A method that begins again has another matrix of Lanczos.
    if (iterations === 0) [this.#diagonal.length, this.#beside.length, this.#before] = [0, 0, 0];
    this.#iterations += iterations;
    const last = this.#norms.at(-1) ?? Number.POSITIVE_INFINITY;
    // The best so far: the residuals of cg and bicgstab rise in between.
    this.#norms.push(Math.min(last, Number.isFinite(residualNorm) ? residualNorm : last));
    if (coefficients === undefined) return;
    const [alpha, beta] = coefficients;
    this.#diagonal.push(1 / alpha + this.#before);
    this.#beside.push(Math.sqrt(beta) / alpha);
    this.#before = beta / alpha;
  }

  /** Iterations until the residual norm is at most `tolerance`. */
  remaining(tolerance: number): Remaining {
    const last = this.#norms.at(-1)!;
    if (last <= tolerance) return { iterations: 0, surely: 0, isFound: true };
    const spectral = this.#bySpectrum(last / tolerance);
    if (spectral?.isFound) return { ...spectral, surely: spectral.iterations };
    const iterations = spectral?.iterations ?? Math.log(last / tolerance) / this.#rate();
    const guessed = Math.min(NOT_FOUND * iterations, HORIZON * this.#iterations);
    const known = spectral === undefined ? 0 : Math.min(iterations, this.#trusted * this.#iterations);
    return { iterations, surely: Math.max(known, guessed), isFound: false };
  }

  /** Whether the second half of the iterations has changed next to nothing. @param patience checks before it may be said */
  isStalled(patience: number): boolean {
    const { length } = this.#norms;
    return length > patience && this.#norms.at(-1)! > PROGRESS * this.#norms[length >> 1]!;
  }

  /** The decrease of the logarithm per iteration: that of all iterations, or of the later half, whichever is more. */
  #rate(): number {
    const { length } = this.#norms;
    const over = (from: number) => Math.log(this.#norms[from]! / this.#norms.at(-1)!) / (length - 1 - from);
    const perStep = Math.max(over(0), over(length >> 1));
    return (perStep * (length - 1)) / Math.max(this.#iterations, 1);
  }

  /** `isFound`: the end of the spectrum does not move any more. */
  #bySpectrum(ratio: number): { readonly iterations: number; readonly isFound: boolean } | undefined {
    if (this.#diagonal.length < 2) return undefined;
    const { smallest, greatest } = extremeEigenvalues(this.#diagonal, this.#beside.slice(0, -1));
    const isFound = smallest > FOUND * this.#smallest;
    this.#smallest = smallest;
    if (!(smallest > 0)) return { iterations: Number.POSITIVE_INFINITY, isFound: false };
    return { iterations: SHARE_OF_BOUND * 0.5 * Math.sqrt(greatest / smallest) * Math.log(2 * ratio), isFound };
  }
}
