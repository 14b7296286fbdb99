/** Complex systems, and how far x is from a solution. */
import fc from 'fast-check';
import { over, times } from '#dist/complex/arithmetic.js';
import { type Complex, type ComplexMatrix, complexFrom, complexMatrix } from '#dist/core/complex.js';
import { gallery } from '#dist/index.node.js';

const NX = 20;

/** −Δ u − k² u with a damping: complex symmetric, and indefinite. */
export function helmholtz(k2 = 0.3, damping = 0.2): ComplexMatrix {
  const { rows, cols, rowPtr, colIdx, values } = gallery('laplace2d5', { nx: NX, ny: NX });
  const pairs = new Float64Array(2 * values.length);
  for (let i = 0; i < rows; i++) {
    for (let e = rowPtr[i]!; e < rowPtr[i + 1]!; e++) {
      const isDiagonal = colIdx[e] === i;
      pairs[2 * e] = values[e]! - (isDiagonal ? k2 : 0);
      pairs[2 * e + 1] = isDiagonal ? damping : 0;
    }
  }
  return complexMatrix({ rows, cols, rowPtr, colIdx, values: pairs, symmetry: 'symmetric' });
}

/** A Laplacian in a magnetic field: its links have phases. Hermitian, positive definite. */
export function magnetic(phase = 0.3): ComplexMatrix {
  const { rows, cols, rowPtr, colIdx } = gallery('laplace2d5', { nx: NX, ny: NX });
  const pairs = new Float64Array(2 * colIdx.length);
  for (let i = 0; i < rows; i++) {
    for (let e = rowPtr[i]!; e < rowPtr[i + 1]!; e++) {
      const j = colIdx[e]!;
      const angle = j === i ? 0 : Math.sign(j - i) * phase * (Math.abs(j - i) === 1 ? Math.floor(i / NX) : 1);
      pairs[2 * e] = j === i ? 4.2 : -Math.cos(angle);
      pairs[2 * e + 1] = j === i ? 0 : -Math.sin(angle);
    }
  }
  return complexMatrix({ rows, cols, rowPtr, colIdx, values: pairs, symmetry: 'hermitian' });
}

/** Convection with complex diffusion: neither symmetric nor Hermitian. */
export function convection(): ComplexMatrix {
  const re = gallery('convection2d', { nx: NX, ny: NX });
  const im = gallery('laplace2d5', { nx: NX, ny: NX });
  return complexFrom(re, { ...im, values: im.values.map((value) => 0.4 * value), field: 'real' }, 'general');
}

/** What the diagonal of a random matrix has: both parts, one, none, or as little as rounding errors. */
export type Diagonal = 'complex' | 'real' | 'imaginary' | 'zero' | 'tiny';

/** Complex symmetric, with random entries; every diagonal entry is stored. */
export function randomComplexSymmetric(diagonal: Diagonal, most = 60): fc.Arbitrary<ComplexMatrix> {
  const value = fc.integer({ min: -100, max: 100 }).map((hundredths) => hundredths / 100);
  const size = { complex: 1, real: 1, imaginary: 1, zero: 0, tiny: 1e-9 }[diagonal];
  return fc.integer({ min: 1, max: most }).chain((n) => {
    const index = fc.nat({ max: n - 1 });
    const own = fc.array(fc.tuple(value, value), { minLength: n, maxLength: n });
    const others = fc.array(fc.tuple(index, index, value, value), { maxLength: 3 * n });
    return fc.tuple(own, others).map(([diagonals, entries]) => {
      const [rowIdx, colIdx, values]: [number[], number[], number[]] = [[], [], []];
      const add = (i: number, j: number, re: number, im: number) => {
        rowIdx.push(i);
        colIdx.push(j);
        values.push(re, im);
      };
      diagonals.forEach(([re, im], i) => {
        add(i, i, diagonal === 'imaginary' ? 0 : size * re, diagonal === 'real' ? 0 : size * im);
      });
      for (const [i, j, re, im] of entries) {
        if (i === j) continue;
        add(i, j, re, im);
        add(j, i, re, im);
      }
      return complexMatrix({ rows: n, cols: n, rowIdx, colIdx, values, symmetry: 'symmetric' });
    });
  });
}

/** The same matrix with other diagonal entries. */
export function withDiagonal(matrix: ComplexMatrix, entryOf: (row: number) => Complex): ComplexMatrix {
  const values = matrix.values.slice();
  for (let i = 0; i < matrix.rows; i++)
    for (let e = matrix.rowPtr[i]!; e < matrix.rowPtr[i + 1]!; e++)
      if (matrix.colIdx[e] === i) values.set([entryOf(i).re, entryOf(i).im], 2 * e);
  return complexMatrix({ ...matrix, values });
}

/** z of ILU(0) in complex arithmetic, in the order of the rows. */
export function solveIncompleteLu({ rows, rowPtr, colIdx, values }: ComplexMatrix, r: Float64Array): Float64Array {
  const entry = Array.from(colIdx, (_, e): Complex => ({ re: values[2 * e]!, im: values[2 * e + 1]! }));
  const z = Array.from({ length: rows }, (_, i): Complex => ({ re: r[2 * i]!, im: r[2 * i + 1]! }));
  const diagonal = Array.from({ length: rows }, (_, i) => colIdx.indexOf(i, rowPtr[i]));
  const minus = (a: Complex, b: Complex): Complex => ({ re: a.re - b.re, im: a.im - b.im });
  for (let i = 0; i < rows; i++)
    for (let e = rowPtr[i]!; e < diagonal[i]!; e++) {
      const k = colIdx[e]!;
      entry[e] = over(entry[e]!, entry[diagonal[k]!]!);
      z[i] = minus(z[i]!, times(entry[e]!, z[k]!));
      for (let f = diagonal[k]! + 1; f < rowPtr[k + 1]!; f++) {
        const target = colIdx.indexOf(colIdx[f]!, rowPtr[i]);
        if (target < 0 || target >= rowPtr[i + 1]!) continue;
        entry[target] = minus(entry[target]!, times(entry[e]!, entry[f]!));
      }
    }
  for (let i = rows - 1; i >= 0; i--) {
    for (let e = diagonal[i]! + 1; e < rowPtr[i + 1]!; e++) z[i] = minus(z[i]!, times(entry[e]!, z[colIdx[e]!]!));
    z[i] = over(z[i]!, entry[diagonal[i]!]!);
  }
  return Float64Array.from(z.flatMap(({ re, im }) => [re, im]));
}

/** ‖b − A x‖ / ‖b‖ in plain arithmetic. */
export function residualOf(
  { rows, rowPtr, colIdx, values }: ComplexMatrix,
  x: ArrayLike<number>,
  b: ArrayLike<number>,
): number {
  let [squares, all] = [0, 0];
  for (let i = 0; i < rows; i++) {
    let [re, im] = [b[2 * i]!, b[2 * i + 1]!];
    all += re * re + im * im;
    for (let e = rowPtr[i]!; e < rowPtr[i + 1]!; e++) {
      const [ar, ai, xr, xi] = [values[2 * e]!, values[2 * e + 1]!, x[2 * colIdx[e]!]!, x[2 * colIdx[e]! + 1]!];
      re -= ar * xr - ai * xi;
      im -= ar * xi + ai * xr;
    }
    squares += re * re + im * im;
  }
  return Math.sqrt(squares / all);
}

/** A right-hand side with both parts. */
export function rightSide({ rows }: ComplexMatrix): Float64Array {
  return Float64Array.from({ length: 2 * rows }, (_, i) => Math.sin(3 * i) + (i % 7 === 0 ? 1 : 0));
}
