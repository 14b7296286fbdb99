/**
 * With any argument, functions of the package and methods of its objects throw nothing but a SparlaneError that says what was expected. The
 * functions are those that the package exports, and the methods those that the declarations show; a new one needs no line here. A right
 * argument is found by the name of its parameter: a name that is not known is called with odd values only.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as asynchronous from '#dist/async/index.node.js';
import * as sparlane from '#dist/index.node.js';
import * as pictures from '#dist/pictures/index.js';
import {
  type Call,
  callOddly,
  FEW_ODD,
  ODD,
  parametersOf,
  publicMethods,
  type RightArguments,
} from './odd-arguments.js';
import { fewOrAll } from './soak.js';

const engine = await sparlane.createEngine({ threads: 1, complex: true });
const asyncEngine = await asynchronous.createAsyncEngine({ threads: 1 });
const matrix = sparlane.gallery('laplace1d3', { nx: 3 });
const operator = engine.operator(matrix, { format: 'csr' });
const complex = sparlane.complexFrom(matrix);
const numbers = Float64Array.of(1, 2, 3);
const order = Uint32Array.of(1, 0, 2);

/** For all functions and methods. */
const RIGHT: RightArguments = {
  engine: () => engine,
  owner: () => engine,
  A: () => operator,
  operator: () => operator,
  ...Object.fromEntries(['matrix', 'input', 'a'].map((name) => [name, () => matrix])),
  links: () => ({ ...matrix, values: matrix.values.map(Math.abs) }),
  ...Object.fromEntries(['b', 'x', 'values'].map((name) => [name, () => numbers])),
  y: () => new Float64Array(3),
  target: () => new Float64Array(3),
  B: () => engine.vector(3, { columns: 2 }),
  options: () => ({}),
  ...Object.fromEntries(['order', 'first', 'second'].map((name) => [name, () => order])),
  ordering: () => ({ rowOrder: order }),
  spec: () => 'jacobi',
  name: () => 'laplace1d3',
  given: () => ({ nx: 3 }),
  range: () => [0, 1],
  url: () => 'gallery:laplace1d3?nx=3',
  text: () => '{ "version": 1, "date": "2026-11-21", "machine": { "cpu": "", "threads": 1, "binary": "simd" } }',
  ...Object.fromEntries(['rows', 'cols', 'length'].map((name) => [name, () => 3])),
  ...Object.fromEntries(['row', 'col', 'begin', 'offset', 'j', 'beta'].map((name) => [name, () => 0])),
  ...Object.fromEntries(
    ['alpha', 'value', 'factor', 'columns', 'end', 'blockSize', 'k'].map((name) => [name, () => 1]),
  ),
  ...Object.fromEntries(['product', 'step', 'task'].map((name) => [name, () => () => {}])),
  repeat: () => 1,
  args: () => [],
  lines: () => 'rows',
  norm: () => 'two',
  scaling: () => ({ rows: numbers }),
  unknowns: () => [0],
  content: () => matrix,
  // The library makes it: its members are not replaced.
  decision: () => Object.assign(Object.create({}), engine.operator(matrix).decision),
  solutions: () => {
    const { x, ...solution } = sparlane.cg(operator, numbers);
    x.dispose();
    return [solution];
  },
  elements: () => [0, 1],
  t: () => 0.5,
  f: () => Math.exp,
  places: () => [0, 2],
  dimensions: () => 1,
  graph: () => ({ ...matrix, values: matrix.values.map(Math.abs) }),
};

/** Where a name means something else. */
const OTHERS: Readonly<Record<string, RightArguments>> = {
  addMatrices: { b: () => matrix },
  multiplyMatrices: { b: () => matrix },
  kroneckerProduct: { b: () => matrix },
  Assembly: { options: () => ({ perElement: 2 }) },
  adjointMatrix: { matrix: () => complex },
  complexFrom: { re: () => matrix, im: () => matrix, symmetry: () => 'symmetric' },
  complexMatrix: { input: () => complex },
  complexOperator: { matrix: () => complex },
  realEquivalent: { matrix: () => complex },
  LinearOperator: { space: () => engine.space, vectorType: () => Float64Array },
  checkPermutation: { name: () => 'order' },
  toCsr: { matrix: () => operator.matrix },
  write: { name: () => 'matrix.mtx' },
};

/** Of ranks, and of files in Node: their tests are in `test/ranks` and `test/io`. */
const ELSEWHERE = new Set(
  [
    ...readFileSync(new URL('../dist/index.node.js', import.meta.url), 'utf8').matchAll(
      /\{(.*)\} from '\.\/(?:ranks|io)\//g,
    ),
  ]
    .flatMap(([, names]) => names!.split(','))
    .map((name) => name.trim()),
);

/** They start threads with each call. */
const SLOW = ['createEngine', 'createAsyncEngine'];
const few = FEW_ODD.slice(0, fewOrAll(2, FEW_ODD.length));

const coverage = { right: 0, all: 0, calls: 0 };

async function expectSparlaneErrors(call: Call, own: RightArguments = {}, odd = ODD): Promise<void> {
  const { isRight, calls, failures } = await callOddly(call, (name) => (own[name] ?? RIGHT[name])?.(), odd);
  coverage.all++;
  coverage.calls += calls;
  if (isRight) coverage.right++;
  expect(failures.slice(0, 3)).toEqual([]);
}

afterAll(async () => {
  await asyncEngine.dispose();
  await engine.dispose();
});

const exported = [sparlane, asynchronous, pictures].flatMap((module) => Object.entries(module));
const functions = exported.filter(([name, value]) => typeof value === 'function' && !ELSEWHERE.has(name)) as [
  string,
  Call,
][];

/** A class as a function that makes its objects; an abstract one by a class of its own. */
function calling(value: Call): Call {
  const isClass = String(value).startsWith('class');
  if (!isClass) return value;
  const Base = value as unknown as new (...args: readonly unknown[]) => object;
  class Derived extends Base {
    protected run(): void {}
  }
  const make = (...args: readonly unknown[]) => new Derived(...args);
  return Object.assign(make, { toString: () => String(value) });
}

test.each(functions.filter(([name]) => name !== 'SparlaneError'))('%s', async (name, value) => {
  await expectSparlaneErrors(calling(value), OTHERS[name], SLOW.includes(name) ? few : ODD);
});

test('an error may be made of anything', () => {
  for (const odd of ODD)
    expect(() => new sparlane.SparlaneError(odd as never, String(odd?.toString ?? ''))).not.toThrow();
});

describe('methods', () => {
  const vector = (columns = 1) => engine.vector(3, { columns });
  const ofVectors = (columns: number): RightArguments => ({
    ...Object.fromEntries(['x', 'd', 'y'].map((name) => [name, () => vector(columns)])),
    a: () => 2,
    b: () => 3,
    as: () => [1],
    xs: () => [vector(columns)],
    ys: () => [vector()],
    result: () => engine.scalar(),
    results: () => Array.from({ length: columns }, () => engine.scalar()),
    c: () => engine.vector(columns, { columns }),
    source: () => new Float64Array(3 * columns),
    target: () => new Float64Array(3 * columns),
  });
  const nothing = { elementMatrices: () => [1, 2, 3, 4], elementVectors: () => [1, 2], values: () => matrix.values };

  /** By the name of the variable that a program would give it; with the names that mean something else here. */
  const OBJECTS: Record<string, readonly [make: () => object | Promise<object>, own?: RightArguments]> = {
    engine: [() => engine, { source: () => 3, b: () => matrix }],
    operator: [() => engine.operator(matrix, { format: 'csr' })],
    complexOperator: [
      () => sparlane.complexOperator(engine, complex),
      { x: () => new Float64Array(6), y: () => new Float64Array(6), alpha: () => ({ re: 0, im: 1 }) },
    ],
    transposed: [() => engine.operator({ ...matrix, symmetry: 'general' }, { format: 'csr' }).transposed()],
    functionOperator: [() => sparlane.functionOperator(engine, 3, 3, () => {})],
    vector: [() => vector(), ofVectors(1)],
    block: [() => vector(2), ofVectors(2)],
    scalar: [() => engine.scalar(), { a: () => 1, b: () => 2 }],
    recording: [() => engine.record(() => {})],
    preconditioner: [() => sparlane.precondition(engine, matrix, 'jacobi'), nothing],
    solver: [() => sparlane.createSolver(engine, matrix), nothing],
    factorization: [() => sparlane.factor(engine, matrix), nothing],
    heapMatrix: [() => engine.matrix(matrix), { b: () => matrix }],
    builder: [() => new sparlane.CsrBuilder(3, 3), { rowIdx: () => [0], colIdx: () => [0], values: () => [1] }],
    assembly: [
      () => new sparlane.Assembly([0, 1, 2], { perElement: 3 }),
      { elementMatrices: () => new Float64Array(9), elementVectors: () => numbers },
    ],
    // Arrays of a matrix may be moved to the worker.
    asyncEngine: [() => asyncEngine, { source: () => 3, matrix: () => structuredClone({ ...matrix }) }],
    asyncOperator: [() => asyncEngine.operator(matrix)],
    asyncVector: [() => asyncEngine.vector(3)],
    asyncSolver: [() => asyncEngine.solver(matrix), nothing],
    asyncFactorization: [() => asyncEngine.factor(matrix), nothing],
  };

  describe.each(Object.entries(OBJECTS))('of %s', (_, [make, own]) => {
    let object: Record<string, Call>;
    beforeAll(async () => {
      object = (await make()) as Record<string, Call>;
    });

    test('throw nothing but a SparlaneError', async () => {
      const methods = publicMethods(object).filter((name) => name !== 'dispose');
      for (const name of methods) {
        const call = (...args: readonly unknown[]) => object[name]!(...args);
        const named = Object.assign(call, { toString: () => String(object[name]) });
        await expectSparlaneErrors(named, own).catch((error: Error) => {
          error.message = `${name}: ${error.message}`;
          throw error;
        });
      }
    });
  });
});

test('after all that, the engines compute', async () => {
  const y = new Float64Array(3);
  operator.apply(numbers, y);
  expect([...y]).toEqual([0, 0, 4]);
  const { x } = await asyncEngine.solve(matrix, y);
  for (const [i, value] of x.entries()) expect(value).toBeCloseTo(numbers[i]!, 7);
  expect((await asyncEngine.status()).open).toBe(0);
});

test('nearly all right calls are right, so that odd values get past the first check', () => {
  expect(coverage.all).toBeGreaterThan(100);
  expect(coverage.right / coverage.all).toBeGreaterThan(0.9);
  expect(coverage.calls).toBeGreaterThan(10_000);
});

test('parameters are read from the built code', () => {
  const call = new Function('return (A, b = [1, (2)], { signal } = {}, _rest = f(1, 2)) => {}')();
  expect(parametersOf(call)).toEqual(['A', 'b', 'options', 'rest']);
});
