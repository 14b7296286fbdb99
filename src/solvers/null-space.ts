/**
 * Systems whose matrix has a null space: A z = 0 and Aᵀ z = 0, as of Neumann problems and of Laplacians of graphs. Then A x = b has a solution where (z, b) = 0, and
 * many of them: b is projected, and x is the one with (z, x) = 0, the shortest. The null space of a complex matrix has i z with each z.
 */
import { addMatrices } from '../algebra/add.js';
import { diagonalOf } from '../algebra/diagonal.js';
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { norm2 } from '../core/norms.js';
import { largestOfRows } from '../core/symmetry.js';
import type { FloatArray } from '../core/types.js';
import { floatsOf } from '../operators/numbers.js';
import type { VectorInput, VectorLike } from '../operators/operator.js';
import { type ConnectedParts, connectedParts } from '../reorder/parts.js';

/** |A z|ᵢ over (|A| |z|)ᵢ, at most: of constants that are recognized, and of vectors that are given. */
const RECOGNIZED = 1e-12;
const ACCEPTED = 1e-6;

/** What is left of a vector that depends on others, over its norm, at most. */
const DEPENDENT = 1e-10;

/** `auto`: constants of all parts of the graph, if they are recognized. */
export type NullSpaceOption = 'auto' | 'none' | 'constant' | readonly VectorInput[];

/** Of a matrix that is square. @param there to the order of the matrix @param isComplex whether its rows are pairs (re, im) @throws SparlaneError `argument` */
export function nullSpaceOf(
  matrix: CsrMatrix,
  option: NullSpaceOption,
  there: (name: string, x: VectorInput) => VectorLike,
  isComplex: boolean,
): NullSpace | undefined {
  if (option === 'none') return undefined;
  if (option === 'auto') return NullSpace.recognized(matrix, isComplex);
  const withTurned = (z: FloatArray) => (isComplex ? [z, timesI(z)] : [z]);
  if (option === 'constant') return NullSpace.of(matrix, withTurned(new Float64Array(matrix.rows).fill(1)));
  if (!Array.isArray(option)) throw mismatch('argument', 'nullSpace', 'auto | none | constant, or vectors', option);
  if (option.length === 0) return undefined;
  const numbers = (option as readonly VectorInput[]).map((z, k) => {
    const given = floatsOf(there(`nullSpace[${k}]`, z));
    if (given.length === matrix.rows) return given;
    throw mismatch('shape', `nullSpace[${k}]`, `length ${matrix.rows}`, given.length);
  });
  return NullSpace.of(matrix, numbers.flatMap(withTurned));
}

/** Vectors z, of which b and x have no part. */
export abstract class NullSpace {
  abstract readonly rows: number;

  /**
   * Constants of each part of the graph, if they are the null space: the parts are not connected with each other.
   *
   * @param matrix square @param isComplex whether its rows are pairs (re, im): real and imaginary parts then have constants of their own
   */
  static recognized(matrix: CsrMatrix, isComplex: boolean): NullSpace | undefined {
    if (matrix.rows < 2 || !annihilates(matrix, new Float64Array(matrix.rows).fill(1), RECOGNIZED)) return undefined;
    const parts = connectedParts(matrix);
    const largest = largestOfRows(matrix, matrix.values);
    if (largest.every((value) => value === 0)) return undefined;
    // Zeros that are stored connect nothing; a vertex without edges is a part.
    if (parts.partOf.some((part, i) => largest[i] === 0 && parts.sizes[part]! > 1)) return undefined;
    return new ConstantParts(isComplex ? splitPairs(parts) : parts);
  }

  /** @param given in the order of the matrix @throws SparlaneError `argument` for vectors that A or Aᵀ does not take to 0 */
  static of(matrix: CsrMatrix, given: readonly FloatArray[]): NullSpace {
    const basis: Float64Array[] = [];
    for (const [k, numbers] of given.entries()) {
      const z = Float64Array.from(numbers);
      const before = norm2(z);
      if (!(before > 0 && annihilates(matrix, z, ACCEPTED)))
        throw mismatch('argument', `nullSpace[${k}]`, 'a vector z with A z = 0 and Aᵀ z = 0', 'another one');
      for (let turn = 0; turn < 2; turn++) for (const one of basis) subtract(z, one);
      const norm = norm2(z);
      if (norm > DEPENDENT * before) basis.push(z.map((value) => value / norm));
    }
    return new Basis(basis);
  }

  /** Removes the part in the null space, in place. @returns its norm */
  abstract project(v: FloatArray): number;

  /** A row k for each z, so that the matrix of the numbers zₖ is not singular. */
  protected abstract pins(): readonly number[];

  /**
   * A + Σ aₖ eₖ eₖᵀ with a row k for each z: not singular, and with the same solution, in which xₖ = 0, of any b that was projected.
   *
   * Since zᵀ A = 0: zᵀ b = 0 = Σ aₖ zₖ xₖ for all z, and the matrix of the numbers zₖ is not singular.
   */
  pin(matrix: CsrMatrix): CsrMatrix {
    const pins = this.pins();
    const largest = largestOfRows(matrix, matrix.values);
    const diagonal = diagonalOf(matrix);
    const values = pins.map((k) => Math.abs(diagonal[k]!) || largest[k]! || 1);
    return addMatrices(matrix, csrMatrix({ rows: matrix.rows, cols: matrix.cols, rowIdx: pins, colIdx: pins, values }));
  }
}

/** Orthonormal vectors. */
class Basis extends NullSpace {
  readonly #basis: readonly Float64Array[];

  constructor(basis: readonly Float64Array[]) {
    super();
    this.#basis = basis;
  }

  get rows(): number {
    return this.#basis[0]!.length;
  }

  project(v: FloatArray): number {
    return Math.hypot(...this.#basis.map((z) => subtract(v, z)));
  }

  protected pins(): readonly number[] {
    const left = this.#basis.map((z) => z.slice());
    return left.map((z, n) => {
      const pin = z.reduce((best, value, i) => (Math.abs(value) > Math.abs(z[best]!) ? i : best), 0);
      for (const other of left.slice(n + 1)) {
        const factor = other[pin]! / z[pin]!;
        for (let i = 0; i < other.length; i++) other[i]! -= factor * z[i]!;
      }
      return pin;
    });
  }
}

/** For each part, the vector that is constant there and 0 elsewhere. */
class ConstantParts extends NullSpace {
  readonly #parts: ConnectedParts;

  constructor(parts: ConnectedParts) {
    super();
    this.#parts = parts;
  }

  get rows(): number {
    return this.#parts.partOf.length;
  }

  project(v: FloatArray): number {
    const { partOf, sizes } = this.#parts;
    const means = new Float64Array(sizes.length);
    for (let i = 0; i < partOf.length; i++) means[partOf[i]!]! += v[i]! / sizes[partOf[i]!]!;
    for (let i = 0; i < partOf.length; i++) v[i]! -= means[partOf[i]!]!;
    return norm2(means.map((mean, part) => mean * Math.sqrt(sizes[part]!)));
  }

  protected pins(): readonly number[] {
    return this.#parts.first;
  }
}

/** The parts of a graph of pairs, each without its imaginary parts, and these alone. */
function splitPairs({ partOf }: ConnectedParts): ConnectedParts {
  const numberOf = new Map<number, number>();
  const [sizes, first]: [number[], number[]] = [[], []];
  const split = partOf.map((part, i) => {
    const key = 2 * part + (i % 2);
    const number = numberOf.get(key) ?? first.push(i) - 1;
    numberOf.set(key, number);
    sizes[number] = (sizes[number] ?? 0) + 1;
    return number;
  });
  return { partOf: split, sizes, first };
}

/** i z, of pairs (re, im). */
function timesI(z: FloatArray): Float64Array {
  return Float64Array.from(z, (_, k) => (k % 2 === 0 ? -z[k + 1]! : z[k - 1]!));
}

/** v ← v − (z, v) z. @returns (z, v) */
function subtract(v: FloatArray, z: Float64Array): number {
  let dot = 0;
  for (let i = 0; i < z.length; i++) dot += z[i]! * v[i]!;
  for (let i = 0; i < z.length; i++) v[i]! -= dot * z[i]!;
  return dot;
}

/** Whether A z and Aᵀ z are 0 up to this share of the sums of moduli. */
function annihilates({ rows, rowPtr, colIdx, values }: CsrMatrix, z: Float64Array, share: number): boolean {
  const [sums, sizes] = [new Float64Array(rows), new Float64Array(rows)];
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    let size = 0;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const j = colIdx[k]!;
      const term = values[k]! * z[j]!;
      sum += term;
      size += Math.abs(term);
      const across = values[k]! * z[i]!;
      sums[j]! += across;
      sizes[j]! += Math.abs(across);
    }
    if (!(Math.abs(sum) <= share * size)) return false;
  }
  return sums.every((sum, j) => Math.abs(sum) <= share * sizes[j]!);
}
