/** Systems with which a solve may go wrong, and the reasons with which it may then end. */
import { addMatrices } from '../algebra/add.js';
import type { CsrMatrix } from '../core/csr.js';
import { gallery } from '../gallery/registry.js';
import type { MethodKind } from '../solvers/methods.js';
import type { Reason } from '../solvers/solution.js';
import type { SolveSystemOptions } from '../solvers/system.js';
import { sampleVector } from './matrices.js';
import { diagonal, residualOf } from './residuals.js';

/** A system that is no ordinary one, and the reasons with which a solve of it may end. */
export interface Awkward {
  readonly name: string;
  readonly matrix: CsrMatrix;
  readonly b: Float64Array;
  readonly options?: SolveSystemOptions;
  /** @param solves what the method is for; undefined if it is chosen */
  readonly expected: (solves: MethodKind['solves'] | undefined) => readonly Reason[];
}

export const FAILURES: readonly Reason[] = ['iterations', 'not-definite', 'breakdown', 'stagnated', 'not-finite'];

export function awkwardSystems(): Awkward[] {
  const matrix = gallery('laplace2d5', { nx: 7, ny: 6 });
  const n = matrix.rows;
  const b = Float64Array.from(sampleVector(n, 'real', 1));
  const spoiled = (value: number) => ({ ...matrix, values: matrix.values.map((v, k) => (k === 20 ? value : v)) });
  const always =
    (...reasons: readonly Reason[]) =>
    () =>
      reasons;
  const indefinite = addMatrices(matrix, diagonal(n, 1), 1, -1.3);
  // Zeros on the diagonal, and regular: a path of an even number of vertices.
  const path = addMatrices(gallery('laplace1d3', { nx: 30 }), diagonal(30, 1), -1, 2);
  const neumann = neumannLaplacian(40);
  const fromRange = residualOf(neumann, Float64Array.from(sampleVector(40, 'integer', 2)), new Float64Array(40));
  const leastSquares = (others: readonly Reason[]) => (solves: MethodKind['solves'] | undefined) =>
    solves === 'any' ? (['tolerance'] as const) : others;
  const random = ({ rows }: CsrMatrix) => Float64Array.from(sampleVector(rows, 'real', 1));
  const scaled = (factor: number) => ({ ...matrix, values: matrix.values.map((value) => factor * value) });
  return [
    { name: 'NaN in A', matrix: spoiled(Number.NaN), b, expected: always('not-finite') },
    { name: 'infinity in A', matrix: spoiled(Number.POSITIVE_INFINITY), b, expected: always('not-finite') },
    { name: 'NaN in b', matrix, b: b.with(3, Number.NaN), expected: always('not-finite') },
    { name: 'infinity in b', matrix, b: b.with(3, Number.NEGATIVE_INFINITY), expected: always('not-finite') },
    {
      name: 'indefinite',
      matrix: indefinite,
      b,
      // Between two checks, cg may come through.
      options: { checkEvery: 1 },
      expected: (solves) => (solves === 'definite' ? ['not-definite'] : ['tolerance']),
    },
    {
      name: 'negative definite',
      matrix: { ...matrix, values: matrix.values.map((value) => -value) },
      b,
      expected: (solves) => (solves === 'definite' ? ['not-definite'] : ['tolerance']),
    },
    {
      name: 'zero diagonal',
      matrix: path,
      b: Float64Array.from(sampleVector(30, 'real', 1)),
      expected: (solves) => (solves === 'definite' ? FAILURES : ['tolerance', ...FAILURES]),
    },
    { name: 'singular, with a solution', matrix: neumann, b: fromRange, expected: always('tolerance') },
    {
      name: 'singular, without a solution',
      matrix: neumann,
      b: new Float64Array(40).fill(1),
      options: { nullSpace: 'none' },
      expected: leastSquares(FAILURES),
    },
    { name: 'A = 0', matrix: scaled(0), b, expected: leastSquares(FAILURES) },
    {
      name: 'rotation',
      matrix: rotation(30),
      b: random(rotation(30)),
      expected: always('tolerance', ...FAILURES),
    },
    { name: 'far from normal', matrix: shear(200), b: random(shear(200)), expected: always('tolerance', ...FAILURES) },
    { name: 'overflows at once', matrix: scaled(1e300), b, expected: always('tolerance', ...FAILURES) },
    {
      name: 'overflows later',
      matrix: scaled(1e100),
      b: b.map((v) => 1e100 * v),
      expected: always('tolerance', ...FAILURES),
    },
    { name: 'tiny b', matrix, b: b.map((v) => 1e-200 * v), expected: always('tolerance') },
    { name: 'huge b', matrix, b: b.map((v) => 1e200 * v), expected: always('tolerance') },
    { name: 'tiny', matrix: scaled(1e-200), b, expected: always('tolerance', ...FAILURES) },
    {
      name: 'twice the same column',
      matrix: rectangle(40, 24),
      b: random(rectangle(40, 24)),
      expected: always('tolerance'),
    },
    {
      name: 'a wide rectangle',
      matrix: rectangle(24, 40),
      b: random(rectangle(24, 40)),
      expected: always('tolerance'),
    },
    { name: '5 × 0', matrix: rectangle(5, 0), b: new Float64Array(5).fill(1), expected: always('tolerance') },
    { name: '0 × 5', matrix: rectangle(0, 5), b: new Float64Array(0), expected: always('tolerance') },
    { name: 'b = 0', matrix, b: new Float64Array(n), expected: always('tolerance') },
    { name: 'b = 0, x0 given', matrix, b: new Float64Array(n), options: { x0: b }, expected: always('tolerance') },
    { name: '0 × 0', matrix: diagonal(0, 1), b: new Float64Array(0), expected: always('tolerance') },
    { name: '1 × 1', matrix: diagonal(1, 2), b: Float64Array.of(3), expected: always('tolerance') },
    {
      name: 'the solution as x0',
      matrix: diagonal(50, 4),
      b: new Float64Array(50).fill(8),
      options: { x0: new Float64Array(50).fill(2) },
      expected: always('tolerance'),
    },
    { name: 'x0 given', matrix, b, options: { x0: b.toReversed() }, expected: always('tolerance') },
    { name: 'NaN in x0', matrix, b, options: { x0: b.with(5, Number.NaN) }, expected: always('not-finite') },
    { name: 'no iterations', matrix, b, options: { maxIterations: 0 }, expected: always('iterations') },
    {
      name: 'stopped in its middle',
      matrix,
      b,
      options: { checkEvery: 1, onStep: ({ iteration }) => iteration < 3 },
      expected: always('stopped'),
    },
    { name: 'aborted', matrix, b, options: { signal: AbortSignal.abort() }, expected: always('stopped') },
    { name: 'aborted in its middle', matrix, b, options: abortedAt(3), expected: always('stopped') },
    {
      name: 'a tolerance of 0',
      matrix,
      b,
      options: { rtol: 0 },
      expected: always('stagnated', 'iterations', 'breakdown', 'tolerance', 'not-definite', 'not-finite'),
    },
  ];
}

/** A path with natural boundary: constants are its null space. */
function neumannLaplacian(n: number): CsrMatrix {
  const path = gallery('laplace1d3', { nx: n });
  const values = path.values.slice();
  values[0] = 1;
  values[values.length - 1] = 1;
  return { ...path, values };
}

/** Blocks (0 1; −1 0), scaled: every vector is orthogonal to its product. */
function rotation(n: number): CsrMatrix {
  const matrix = diagonal(n, 1);
  const colIdx = matrix.colIdx.map((i) => i ^ 1);
  return { ...matrix, colIdx, values: matrix.values.map((_, i) => (i % 2 === 0 ? 1 : -1) * (1 + ((i >> 1) % 5))) };
}

/** 1 on the diagonal, −3 above it: the inverse has elements of 3ⁿ. */
function shear(n: number): CsrMatrix {
  const { rowPtr, colIdx, values, ...path } = gallery('laplace1d3', { nx: n });
  const elements = values.map((_, k) => (colIdx[k]! > rowOf(rowPtr, k) ? -3 : colIdx[k]! < rowOf(rowPtr, k) ? 0 : 1));
  return { ...path, rowPtr, colIdx, values: elements, symmetry: 'general' };
}

function rowOf(rowPtr: Uint32Array, k: number): number {
  return rowPtr.findIndex((begin) => begin > k) - 1;
}

/** Dense; the last two columns are equal. */
function rectangle(rows: number, cols: number): CsrMatrix {
  const matrix = gallery('dense', { rows, cols });
  const values = matrix.values.map((value, k, all) => ((k + 1) % cols === 0 ? all[k - 1]! : value));
  return { ...matrix, values };
}

function abortedAt(iteration: number): SolveSystemOptions {
  const controller = new AbortController();
  return {
    checkEvery: 1,
    signal: controller.signal,
    onStep: (step) => step.iteration < iteration || controller.abort(),
  };
}
