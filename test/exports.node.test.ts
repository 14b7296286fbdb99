/**
 * With any argument, a function of the package throws only a SparlaneError. A new export must be added to the table, or
 * to the list of those tested elsewhere.
 */
import { describe, expect, test } from 'vitest';
import * as sparlane from '#dist/index.node.js';

type Call = (...args: never[]) => unknown;

/** A correct call: the function, and its arguments, each of which is replaced in turn. */
interface RightCall {
  readonly call: Call;
  readonly args: readonly unknown[];
}

/** Tested in the tests of their files: they are asynchronous, or write streams. */
const ELSEWHERE = [
  'createEngine',
  'cudaStatus',
  'factorAsync',
  'galleryRows',
  'joinRanks',
  'mpiStatus',
  'openFile',
  'read',
  'readBlock',
  'readMatrixMarket',
  'readMatrixMarketVector',
  'readRows',
  'readVector',
  'runRanks',
  'save',
  'saveStream',
  'solveAsync',
  'solveRows',
  'write',
  'writeMatrixMarket',
  'writeMatrixMarketVector',
];

const engine = await sparlane.createEngine({ threads: 1 });
const matrix = sparlane.csrMatrix({ rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [1, 0], values: [3, 4] });
const order = Uint32Array.of(1, 0);
const x = Float64Array.of(5, 6);
const operator = engine.operator(matrix, { format: 'csr' });
const stored = operator.matrix;
const diagonal = { rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [0, 1], values: [3, 4] };
const builder = () => new sparlane.CsrBuilder(2, 2);

class Zero extends sparlane.LinearOperator {
  // biome-ignore lint/complexity/noUselessConstructor: the one of the base class is protected
  constructor(...args: [sparlane.Space, number, number, Float64ArrayConstructor | Float32ArrayConstructor]) {
    super(...args);
  }

  protected override run(_x: sparlane.Vector, y: sparlane.Vector, _alpha: number, beta: number): void {
    y.scale(beta);
  }
}

/** One element of two unknowns. */
const assembly = new sparlane.Assembly([0, 1], { perElement: 2 });
const assembled = assembly.matrix([2, -1, -1, 2]);

const CALLS: Record<string, readonly RightCall[]> = {
  Assembly: [
    { call: (elements, options) => new sparlane.Assembly(elements, options), args: [[0, 1], { perElement: 2 }] },
    { call: (numbers) => assembly.matrix(numbers), args: [[1, 2, 3, 4]] },
    { call: (given, numbers) => assembly.update(given, numbers), args: [assembled, [1, 2, 3, 4]] },
    { call: (numbers) => assembly.vector(numbers), args: [[1, 2]] },
  ],
  CsrBuilder: [
    { call: (rows, cols, options) => new sparlane.CsrBuilder(rows, cols, options), args: [2, 2, { field: 'real' }] },
    { call: (...entry: [number, number, number]) => built(builder(), 'add', entry), args: [0, 1, 2.5] },
    { call: (...all: [[], [], []]) => built(builder(), 'addAll', all), args: [[0], [1], [2.5]] },
  ],
  LinearOperator: [
    {
      call: (...args: ConstructorParameters<typeof Zero>) => new Zero(...args),
      args: [engine.space, 2, 3, Float32Array],
    },
  ],
  SparlaneError: [
    { call: (code, text, detail, options) => new sparlane.SparlaneError(code, text, detail, options), args: ['shape'] },
  ],
  addMatrices: [{ call: sparlane.addMatrices, args: [matrix, matrix, 2, 3] }],
  applyDirichlet: [{ call: sparlane.applyDirichlet, args: [assembled, [1, 2], [0], [3]] }],
  diagonalOf: [{ call: sparlane.diagonalOf, args: [matrix] }],
  kroneckerProduct: [{ call: sparlane.kroneckerProduct, args: [matrix, matrix] }],
  multiplyMatrices: [{ call: sparlane.multiplyMatrices, args: [matrix, matrix] }],
  normsOf: [{ call: sparlane.normsOf, args: [matrix, 'rows', 'max'] }],
  scaleMatrix: [{ call: sparlane.scaleMatrix, args: [matrix, { rows: x }] }],
  sliceRows: [{ call: sparlane.sliceRows, args: [matrix, 0, 1] }],
  sumsOf: [{ call: sparlane.sumsOf, args: [matrix, 'columns'] }],
  ...Object.fromEntries(
    (['bicgstab', 'cg', 'chebyshev', 'fgmres', 'gmres', 'lsmr', 'lsqr', 'minres'] as const).map((name) => [
      name,
      // biome-ignore lint/performance/noDynamicNamespaceImportAccess: a test
      [{ call: sparlane[name], args: [operator, x, { rtol: 1e-4 }] }],
    ]),
  ),
  bandk: [{ call: sparlane.bandk, args: [matrix, { k: 2 }] }],
  byRowLength: [{ call: sparlane.byRowLength, args: [matrix] }],
  checkPermutation: [{ call: sparlane.checkPermutation, args: ['order', order, 2] }],
  composePermutations: [{ call: sparlane.composePermutations, args: [order, order] }],
  csrMatrix: [
    { call: sparlane.csrMatrix, args: [matrix] },
    ...(['rows', 'cols', 'rowPtr', 'colIdx', 'values', 'field', 'symmetry'] as const).map((name) => ({
      call: (given: never) => sparlane.csrMatrix({ ...matrix, [name]: given }),
      args: [matrix[name]],
    })),
  ],
  blockCg: [{ call: sparlane.blockCg, args: [operator, engine.vector(2, { columns: 2 })] }],
  cgMany: [{ call: sparlane.cgMany, args: [operator, engine.vector(2, { columns: 2 })] }],
  pageRank: [{ call: sparlane.pageRank, args: [engine, matrix, { damping: 0.5 }] }],
  powerIteration: [{ call: sparlane.powerIteration, args: [engine.operator(diagonal), { rtol: 1e-4 }] }],
  factor: [{ call: sparlane.factor, args: [engine, diagonal, { method: 'cholesky' }] }],
  functionOperator: [{ call: sparlane.functionOperator, args: [engine, 2, 3, () => {}, { dtype: 'f32' }] }],
  normalJacobi: [{ call: sparlane.normalJacobi, args: [engine.operator(diagonal)] }],
  jacobi: [{ call: sparlane.jacobi, args: [engine.operator(diagonal)] }],
  gallery: [{ call: sparlane.gallery, args: ['laplace1d3', { nx: 3 }] }],
  galleryRightHandSide: [{ call: sparlane.galleryRightHandSide, args: ['laplace1d3', { nx: 3 }, [1, 2]] }],
  hubsFirst: [{ call: sparlane.hubsFirst, args: [matrix] }],
  inversePermutation: [{ call: sparlane.inversePermutation, args: [order] }],
  matrixStatistics: [{ call: sparlane.matrixStatistics, args: [matrix] }],
  parseGalleryUrl: [{ call: sparlane.parseGalleryUrl, args: ['gallery:laplace1d3?nx=3'] }],
  parseTuning: [
    {
      call: sparlane.parseTuning,
      args: ['{ "version": 1, "date": "2026-11-21", "machine": { "cpu": "", "threads": 1, "binary": "simd" } }'],
    },
  ],
  partition: [{ call: sparlane.partition, args: [matrix, 2, { order: 'rcm' }] }],
  permuteMatrix: [{ call: sparlane.permuteMatrix, args: [matrix, { rowOrder: order, colOrder: order }] }],
  permuteVector: [{ call: sparlane.permuteVector, args: [x, order, Float64Array.of(0, 0)] }],
  permuted: [{ call: sparlane.permuted, args: [engine.operator(matrix), { rowOrder: order }] }],
  precondition: [{ call: sparlane.precondition, args: [engine, diagonal, 'ic0', { dtype: 'f32' }] }],
  promoteBlocks: [{ call: sparlane.promoteBlocks, args: [matrix, 2] }],
  rcm: [{ call: sparlane.rcm, args: [matrix] }],
  rowsOfRank: [{ call: sparlane.rowsOfRank, args: [matrix, sparlane.partition(matrix, 2), 1] }],
  transposeMatrix: [{ call: sparlane.transposeMatrix, args: [matrix] }],
  createSolver: [{ call: sparlane.createSolver, args: [engine, matrix, { rtol: 1e-4 }] }],
  solve: [{ call: sparlane.solve, args: [engine, matrix, x, { rtol: 1e-4 }] }],
  toCsr: [{ call: sparlane.toCsr, args: [stored] }],
};

/** Values that replace each argument. */
const WRONG = [undefined, null, 5, 'x', {}, [], Symbol('x'), 7n, () => {}, Number.NaN];

function built(target: sparlane.CsrBuilder, method: 'add' | 'addAll', args: readonly unknown[]): sparlane.CsrMatrix {
  Reflect.apply(target[method], target, args);
  return target.build();
}

const functions = Object.entries(sparlane).filter(([, value]) => typeof value === 'function');

describe('the exports', () => {
  test('are all in the table', () => {
    const names = functions.map(([name]) => name);
    expect(names.sort()).toEqual([...Object.keys(CALLS), ...ELSEWHERE].sort());
  });

  test.each(Object.entries(CALLS))('%s accepts valid arguments', (_, calls) => {
    for (const { call, args } of calls) expect(() => call(...(args as never[]))).not.toThrow();
  });

  test.each(Object.entries(CALLS))('%s throws nothing but a SparlaneError', (_, calls) => {
    for (const { call, args } of calls) {
      for (const place of args.keys()) {
        for (const wrong of WRONG) expectSparlaneError(call, args.with(place, wrong));
      }
    }
  });
});

function expectSparlaneError(call: Call, args: readonly unknown[]): void {
  try {
    call(...(args as never[]));
  } catch (error) {
    const text = args.map((arg) => (typeof arg === 'object' ? JSON.stringify(arg) : String(arg))).join(', ');
    expect(error, `called with ${text}`).toBeInstanceOf(sparlane.SparlaneError);
  }
}
