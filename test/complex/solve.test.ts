/** What `solve` takes for complex matrices. */
import { afterAll, describe, expect, test } from 'vitest';
import { complexOperator } from '#dist/complex/operator.js';
import { type Complex, type ComplexMatrix, complexFrom, complexMatrix } from '#dist/core/complex.js';
import { type CsrMatrix, cocg, createEngine, gallery, solve } from '#dist/index.node.js';
import { convection, helmholtz, magnetic, residualOf, rightSide, withDiagonal } from './systems.js';

const engine = await createEngine({ threads: 2, complex: true });
afterAll(() => engine.dispose());

const box = gallery('laplace3d7', { nx: 24, ny: 24, nz: 24 });
const dampedBox = () => withDiagonal(complexFrom(box), () => ({ re: 5.8, im: 0.4 }));

/** Links i and −i in place of −1. */
function hermitianBox(): ComplexMatrix {
  const matrix = withDiagonal(complexFrom(box), () => ({ re: 6.2, im: 0 }));
  const values = matrix.values.slice();
  for (let i = 0; i < matrix.rows; i++)
    for (let e = matrix.rowPtr[i]!; e < matrix.rowPtr[i + 1]!; e++)
      if (matrix.colIdx[e] !== i) values.set([0, matrix.colIdx[e]! > i ? 1 : -1], 2 * e);
  return complexMatrix({ ...matrix, values, symmetry: 'hermitian' });
}

test.each([
  ['complex symmetric, small', 'direct', helmholtz()],
  ['complex symmetric, in three dimensions', 'cocg', dampedBox()],
  ['Hermitian definite, small', 'direct', magnetic()],
  ['Hermitian definite, in three dimensions', 'cg', hermitianBox()],
  ['neither, small', 'direct', convection()],
  ['neither, in three dimensions', 'bicgstab', withDiagonal(hermitianBox(), () => ({ re: 6, im: 1 }))],
] as const)('%s: %s', (_, method, matrix) => {
  const b = rightSide(matrix);
  const { x, converged, decision } = solve(engine, matrix, b);
  expect([converged, decision.method]).toEqual([true, method]);
  expect(residualOf(matrix, x.data, b)).toBeLessThan(1.01e-8);
  x.dispose();
});

test('the facts say which symmetry it has', () => {
  const factsOf = (matrix: ComplexMatrix) => {
    const { x, decision } = solve(engine, matrix, rightSide(matrix), { maxIterations: 1 });
    x.dispose();
    return decision.facts;
  };
  expect(factsOf(helmholtz())).toMatchObject({ symmetric: false, signedSymmetry: true, complexSymmetric: true });
  expect(factsOf(magnetic())).toMatchObject({ symmetric: true });
  expect(factsOf(magnetic())).not.toHaveProperty('complexSymmetric');
  expect(factsOf(convection())).not.toHaveProperty('signedSymmetry');
  // A real matrix of opposite numbers across the diagonal, whose real equivalent has signs that no complex symmetric matrix has.
  const saddle = { rows: 2, cols: 2, rowPtr: [0, 2, 4], colIdx: [0, 1, 0, 1], values: [2, 0, 1, 0, -1, 0, 1, 0] };
  const facts = factsOf(complexMatrix(saddle));
  expect(facts).toMatchObject({ symmetric: false, signedSymmetry: true });
  expect(facts).not.toHaveProperty('complexSymmetric');
});

test('where cocg breaks down, another method goes on', () => {
  // Of 1 and i in turn the sum of squares is 0, and so is rᵀ r.
  const matrix = dampedBox();
  const diagonal = complexMatrix({
    ...matrix,
    values: matrix.values.map((value) => (Math.abs(value) === 1 ? 0 : value)),
  });
  const b = Float64Array.from({ length: 2 * matrix.rows }, (_, k) => (k % 4 === 0 || k % 4 === 3 ? 1 : 0));
  using A = complexOperator(engine, diagonal);
  const alone = cocg(A, b);
  expect(alone.reason).toBe('breakdown');
  alone.x.dispose();
  const { x, converged } = solve(engine, diagonal, b);
  expect(converged).toBe(true);
  x.dispose();
});

test('jacobi by name divides by complex numbers', () => {
  const matrix = withDiagonal(helmholtz(), () => ({ re: 0, im: 5 }));
  const b = rightSide(matrix);
  using A = complexOperator(engine, matrix);
  const { x, converged, decision } = solve(engine, A, b, { method: 'gmres', preconditioner: 'jacobi' });
  expect([converged, decision.preconditioner]).toEqual([true, 'jacobi']);
  expect(residualOf(matrix, x.data, b)).toBeLessThan(1.01e-8);
  x.dispose();
});

describe('a null space of constants has two for each part, 1 and i', () => {
  /** The Laplacian of a grid without boundary values, twice if there are two parts. */
  const neumann = (factor: Complex, parts: number): ComplexMatrix => {
    const { rows, cols, colIdx, rowPtr, values }: CsrMatrix = gallery('laplace2d5', { nx: 12, ny: 11 });
    const [rowIdx, columns, pairs]: [number[], number[], number[]] = [[], [], []];
    for (let part = 0; part < parts; part++)
      for (let i = 0; i < rows; i++) {
        const others = rowPtr[i + 1]! - rowPtr[i]! - 1;
        for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
          const own = colIdx[k] === i ? others : values[k]!;
          rowIdx.push(i + part * rows);
          columns.push(colIdx[k]! + part * rows);
          pairs.push(factor.re * own, factor.im * own);
        }
      }
    const size = { rows: parts * rows, cols: parts * cols };
    return complexMatrix({ ...size, rowIdx, colIdx: columns, values: pairs });
  };

  test.each([
    ['recognized', { re: 1, im: 0.5 }, 1, {}],
    ['recognized in two parts', { re: 1, im: 0.5 }, 2, {}],
    ['real', { re: 1, im: 0 }, 1, {}],
    ['imaginary', { re: 0, im: 1 }, 1, {}],
    ['by iterations', { re: 1, im: 0.5 }, 1, { method: 'cocg' }],
    ['by name', { re: 1, im: 0.5 }, 1, { nullSpace: 'constant' }],
    ['as a vector', { re: 1, im: 0.5 }, 1, { nullSpace: [Float64Array.from({ length: 264 }, (_, k) => (k + 1) % 2)] }],
  ] as const)('%s', (_, factor, parts, options) => {
    const matrix = neumann(factor, parts);
    const b = rightSide(matrix);
    const { x, converged, relativeResidual } = solve(engine, matrix, b, options);
    expect(converged).toBe(true);
    expect(relativeResidual).toBeLessThan(1.01e-8);
    const [n, pairs] = [264, x.data];
    for (let part = 0; part < parts; part++)
      for (const which of [0, 1]) {
        const own = [...pairs.subarray(n * part, n * (part + 1))].filter((_, k) => k % 2 === which);
        expect(Math.abs(own.reduce((sum, value) => sum + value, 0))).toBeLessThan(1e-9);
      }
    x.dispose();
  });
});
