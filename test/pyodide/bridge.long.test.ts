/** examples/pyodide in Node, with the core of Pyodide: what crosses the border, and what does not last there. NumPy and SciPy are not tested. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadPyodide, type PyodideAPI } from 'pyodide';
import { createEngine, type Engine, factor, type MatrixInput, SparlaneError, solve } from 'sparlane';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

/** The example is JavaScript, which the TypeScript project of the tests does not contain. */
const BRIDGE = '../../examples/pyodide/bridge.mjs';
const { installSparlane } = await import(BRIDGE);

const pathOf = (name: string) => fileURLToPath(new URL(`../../examples/pyodide/${name}`, import.meta.url));

/** The worked example of the formats, in rows and in columns. */
const SETUP = `
from array import array
import json
import sparlane

class Sparse:
    """As SciPy's matrices have it."""
    def __init__(self, shape, indptr, indices, data):
        self.shape, self.indptr, self.indices, self.data = shape, indptr, indices, data

class Compressed(Sparse):
    def __init__(self, format, *rest):
        super().__init__(*rest)
        self.format = format

def rows(indices='i', pointers='i', values='d'):
    return Sparse((4, 3), array(pointers, [0, 2, 2, 3, 6]), array(indices, [0, 2, 2, 0, 1, 2]), array(values, [10, 20, 30, 40, 50, 60]))

def view(typecode, numbers):
    return memoryview(array(typecode, numbers))

def block(numbers, shape):
    return view('d', numbers).cast('B').cast('d', shape)

tridiagonal = Compressed('csr', (3, 3), array('i', [0, 2, 5, 7]), array('i', [0, 1, 0, 1, 2, 1, 2]), array('d', [4, -1, -1, 4, -1, -1, 4]))
`;
const TRIDIAGONAL: MatrixInput = [
  [4, -1, 0],
  [-1, 4, -1],
  [0, -1, 4],
];
const PRODUCT = [70, 0, 90, 320];

let engine: Engine;
let pyodide: PyodideAPI;
beforeAll(async () => {
  [engine, pyodide] = await Promise.all([createEngine({ threads: 2 }), loadPyodide()]);
  installSparlane(pyodide, engine, readFileSync(pathOf('sparlane.py'), 'utf8'));
  pyodide.runPython(SETUP);
});
afterAll(() => engine.dispose());

/** The value of an expression of Python. */
const pythonOf = (expression: string): unknown => JSON.parse(pyodide.runPython(`json.dumps(${expression})`));

/** The exception that a statement of Python raises. */
function raisedBy(statement: string): unknown {
  pyodide.runPython(
    `try: ${statement}\nexcept Exception as error: raised = [isinstance(error, ValueError), str(error), error.code]`,
  );
  return pythonOf('raised');
}

describe('a matrix', () => {
  test.each([
    ['rows without a format', 'rows()'],
    ['64-bit indices and integers', "rows('q', 'q', 'q')"],
    ['unsigned indices and f32', "rows('L', 'I', 'f')"],
    ['columns', "Compressed('csc', (4, 3), [0, 2, 3, 6], [0, 3, 3, 0, 2, 3], [10, 40, 50, 20, 30, 60])"],
    ['lists', 'Sparse((4, 3), [0, 2, 2, 3, 6], [0, 2, 2, 0, 1, 2], [10, 20, 30, 40, 50, 60])'],
    [
      'not in order, with duplicates',
      'Sparse((4, 3), [0, 3, 3, 4, 7], [2, 0, 2, 2, 2, 1, 0], [5, 10, 15, 30, 60, 50, 40])',
    ],
    [
      'elements apart',
      "Sparse((4, 3), rows().indptr, view('i', [2, 1, 0, 2, 2, 0])[::-1], view('d', [10, 0, 20, 0, 30, 0, 40, 0, 50, 0, 60, 0])[::2])",
    ],
  ])('of %s', (_, matrix) => {
    expect(pythonOf(`(sparlane.Operator(${matrix}) @ [1, 2, 3]).tolist()`)).toEqual(PRODUCT);
  });

  test('of another format of SciPy is converted by SciPy, or refused', () => {
    pyodide.runPython('class Coordinates:\n    format = "coo"\n    def tocsr(self): return rows()');
    expect(pythonOf('(sparlane.Operator(Coordinates()) @ [1, 2, 3]).tolist()')).toEqual(PRODUCT);
    expect(raisedBy("sparlane.Operator(Compressed('bsr', (4, 3), [0], [0], [0]))")).toEqual([
      true,
      'A.format: expected csr or csc, got bsr',
      'argument',
    ]);
  });

  test('is read from the memory of Python, and copied once', () => {
    const made = vi.spyOn(engine, 'matrix');
    pyodide.runPython('rows_in_python = rows(); operator = sparlane.Operator(rows_in_python)');
    const [{ rowPtr, colIdx, values }] = made.mock.calls[0] as unknown as [Record<string, Float64Array>];
    const memory = (pyodide as unknown as { _module: { HEAP8: Int8Array } })._module.HEAP8.buffer;
    for (const array of [rowPtr, colIdx, values]) expect(array!.buffer).toBe(memory);
    made.mockRestore();
    // Neither a change of the array, nor another memory after growth is noticed.
    pyodide.runPython('rows_in_python.data[0] = 7; more = bytearray(100_000_000)');
    expect(memory.byteLength).toBe(0);
    expect(pythonOf('(operator @ [1, 2, 3]).tolist()')).toEqual(PRODUCT);
    pyodide.runPython('del more, operator');
  });
});

describe('a product', () => {
  test.each([
    ['f64', "array('d', [1, 2, 3])"],
    ['f32', "array('f', [1, 2, 3])"],
    ['integers', "array('q', [1, 2, 3])"],
    ['backwards', "memoryview(array('d', [3, 2, 1]))[::-1]"],
  ])('by a vector of %s', (_, x) => {
    expect(pythonOf(`(sparlane.Operator(rows()) @ ${x}).tolist()`)).toEqual(PRODUCT);
  });

  test('by a block', () => {
    expect(pythonOf('(sparlane.Operator(rows()) @ block([1, 1, 2, 0, 3, 1], [3, 2])).tolist()')).toEqual([
      [70, 30],
      [0, 0],
      [90, 30],
      [320, 100],
    ]);
  });
});

test('solve has the solution of the library, also in the sense of least squares', () => {
  pyodide.runPython('found = sparlane.solve(tridiagonal, [2, 4, 10], rtol=1e-12)');
  using x = solve(engine, TRIDIAGONAL, [2, 4, 10], { rtol: 1e-12 }).x;
  expect(pythonOf('found.x.tolist()')).toEqual([...x.data]);
  expect(pythonOf('[found.converged, found.reason]')).toEqual([true, 'tolerance']);
  // (0, 10) is the nearest to (0, 9), (0, 10), (0, 11).
  const line = 'Sparse((3, 2), [0, 1, 3, 5], [0, 0, 1, 0, 1], [1, 1, 1, 1, 2])';
  const [a, b] = pythonOf(`sparlane.solve(${line}, [9, 10, 11]).x.tolist()`) as [number, number];
  expect(a).toBeCloseTo(9, 6);
  expect(b).toBeCloseTo(1, 6);
});

test('factor solves for vectors and blocks', () => {
  pyodide.runPython("factors = sparlane.factor(tridiagonal, method='ldlt')");
  using F = factor(engine, TRIDIAGONAL, { method: 'ldlt' });
  expect(pythonOf('factors.solve([2, 4, 10]).tolist()')).toEqual([...F.solve([2, 4, 10])]);
  const rows = pythonOf('factors.solve(block([2, 4, 4, 8, 10, 20], [3, 2])).tolist()') as number[][];
  expect(rows.flat().map((value) => Number(value.toFixed(12)))).toEqual([1, 2, 2, 4, 3, 6]);
});

test('eigs has values and vectors, also with a mass matrix', () => {
  pyodide.runPython("pairs = sparlane.eigs(tridiagonal, 2, which='largest')");
  const values = pythonOf('pairs.values.tolist()') as number[];
  expect(values[0]).toBeCloseTo(4 + Math.SQRT2, 12);
  expect(values[1]).toBeCloseTo(4, 12);
  const vectors = pythonOf('pairs.vectors.tolist()') as number[][];
  expect(vectors.map(([first]) => Math.abs(first!))).toEqual(
    [0.5, Math.SQRT1_2, 0.5].map((value) => expect.closeTo(value, 12)),
  );
  expect(pythonOf('[pairs.converged, pairs.reason]')).toEqual([2, 'tolerance']);
  expect(pythonOf('sparlane.eigs(tridiagonal, 1, tridiagonal).values.tolist()')).toEqual([expect.closeTo(1, 12)]);
});

describe('an error is a ValueError with the text and the code of the library', () => {
  test.each([
    ['sparlane.Operator(tridiagonal) @ [1, 2]', () => engine.operator(TRIDIAGONAL).apply([1, 2], new Float64Array(3))],
    ['sparlane.solve(tridiagonal, [1, 2, 3], rtol=7)', () => solve(engine, TRIDIAGONAL, [1, 2, 3], { rtol: 7 })],
    ["sparlane.factor(tridiagonal, order='x')", () => factor(engine, TRIDIAGONAL, { order: 'x' as 'amd' })],
    [
      'sparlane.factor(Sparse((2, 2), [0, 1, 2], [0, 0], [1, 2]))',
      () =>
        factor(engine, [
          [1, 0],
          [2, 0],
        ]),
    ],
  ])('%s', (statement, call) => {
    let error: unknown;
    try {
      call();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(SparlaneError);
    const { message, code } = error as SparlaneError;
    expect(raisedBy(statement)).toEqual([true, message, code]);
  });
});

test('nothing stays in the memory of the engine', () => {
  pyodide.runPython(`
def use():
    operator = sparlane.Operator(tridiagonal)
    factors = sparlane.factor(operator)
    operator @ factors.solve(sparlane.solve(operator, [1, 2, 3]).x)
    sparlane.eigs(operator, 1)
    try: operator @ [1]
    except ValueError: pass`);
  // The first calls allocate what all later ones use.
  pyodide.runPython('use()');
  const before = engine.heap.bytesInUse;
  pyodide.runPython('use()');
  expect(engine.heap.bytesInUse).toBe(before);
  pyodide.runPython('operator = sparlane.Operator(tridiagonal)');
  expect(engine.heap.bytesInUse).toBeGreaterThan(before);
  pyodide.runPython('operator.dispose(); operator.dispose(); del operator');
  expect(engine.heap.bytesInUse).toBe(before);
});

test('the program runs', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [pathOf('pyodide.mjs')]);
  expect(stdout).toMatch(/^3600 unknowns, 17760 entries; the product is that of Python: True\n/);
  expect(stdout).toMatch(
    /\nsolve: True, tolerance; x differs from that by factors by (0\.0e\+00|\d\.\de-\d\d) of 273\.9\n/,
  );
  expect(Number(/values are wrong by (\S+)/.exec(stdout)![1])).toBeLessThan(1e-9);
  expect(stdout).toMatch(/\nSparlaneError: x: expected length 3600, got 2\n$/);
});
