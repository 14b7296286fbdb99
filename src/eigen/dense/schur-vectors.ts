/**
 * Eigenvectors of a quasi-triangular T, by substitution from the row of an eigenvalue upwards.
 *
 * Source: Golub & Van Loan, Matrix Computations, 2013, section 7.6.4; small divisors and growth as in LAPACK's dtrevc.
 * Cost: n² operations for each real vector, four times that for a complex one.
 */
import { blocksOf, type SchurBlock } from './reorder.js';
import type { Schur } from './schur.js';

/** x with T x = λ x and norm 1, for the eigenvalue above the real axis of a pair. */
export interface SchurVector {
  readonly real: Float64Array;
  /** Zeros if λ is real. */
  readonly imaginary: Float64Array;
}

/** Elements beyond are scaled down, so that those of defective matrices do not overflow. */
const LARGE = 1e100;

/** The vector of a block of T. */
export function schurVector(schur: Schur, block: SchurBlock): SchurVector {
  const { T, size } = schur;
  const { at, width, real: a, imaginary: w } = block;
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  if (width === 1) re[at] = 1;
  else {
    // −i w x₁ + b x₂ = 0
    const b = T[at * size + at + 1]!;
    if (Math.abs(b) >= w) [re[at], im[at + 1]] = [1, w / b];
    else [im[at], re[at + 1]] = [-b / w, 1];
  }
  const largest = T.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const least = Math.max(Number.EPSILON * largest, Number.MIN_VALUE / Number.EPSILON);
  const above = blocksOf(schur).filter((other) => other.at < at);
  for (const other of above.reverse()) {
    const rows = Array.from({ length: other.width }, (_, k) => {
      const row = (other.at + k) * size;
      let [real, imaginary] = [0, 0];
      for (let j = other.at + other.width; j < at + width; j++) {
        real -= T[row + j]! * re[j]!;
        imaginary -= T[row + j]! * im[j]!;
      }
      const diagonal = row + other.at;
      const equation = Array.from({ length: other.width }, (_, j) => complex(T[diagonal + j]!, 0));
      equation[k] = complex(T[diagonal + k]! - a, -w);
      return { equation, right: complex(real, imaginary) };
    });
    const solution =
      other.width === 1 ? [quotient(rows[0]!.right, rows[0]!.equation[0]!, least)] : solvePair(rows, least);
    for (const [k, value] of solution.entries()) [re[other.at + k], im[other.at + k]] = [value.re, value.im];
    if (solution.some(({ re, im }) => Math.hypot(re, im) > LARGE)) normalize(re, im);
  }
  normalize(re, im);
  return { real: re, imaginary: im };
}

function normalize(re: Float64Array, im: Float64Array): void {
  const norm = Math.hypot(...re, ...im);
  for (const part of [re, im]) part.set(part.map((value) => value / norm));
}

interface Complex {
  readonly re: number;
  readonly im: number;
}

interface Equation {
  readonly equation: readonly Complex[];
  readonly right: Complex;
}

const complex = (re: number, im: number): Complex => ({ re, im });

/** x − y z */
function less(x: Complex, y: Complex, z: Complex): Complex {
  return complex(x.re - (y.re * z.re - y.im * z.im), x.im - (y.re * z.im + y.im * z.re));
}

/** x / y. @param least the size of a y that is smaller */
function quotient(x: Complex, y: Complex, least: number): Complex {
  const size = Math.hypot(y.re, y.im);
  if (!(size >= least)) return complex(x.re / least, x.im / least);
  const [re, im] = [y.re / size, y.im / size];
  return complex((x.re * re + x.im * im) / size, (x.im * re - x.re * im) / size);
}

/** Two equations by elimination, the one with the larger first element first. */
function solvePair(rows: readonly Equation[], least: number): Complex[] {
  const sizeOf = ({ equation }: Equation) => Math.hypot(equation[0]!.re, equation[0]!.im);
  const [upper, lower] = [...rows].sort((one, other) => sizeOf(other) - sizeOf(one)) as [Equation, Equation];
  const factor = quotient(lower.equation[0]!, upper.equation[0]!, least);
  const last = less(lower.equation[1]!, factor, upper.equation[1]!);
  const second = quotient(less(lower.right, factor, upper.right), last, least);
  return [quotient(less(upper.right, upper.equation[1]!, second), upper.equation[0]!, least), second];
}
