/**
 * `multiply` and `lusolve` of an instance of mathjs, computed by an engine where it can; chains and expressions use them too. Everything
 * else, and every error, is left to mathjs.
 */
import type { MathJsInstance, Matrix } from 'mathjs';
import type { Engine, MatrixOperator, Vector } from 'sparlane';
import { finiteNumbers, KeptMatrices } from './kept-matrices.js';
import { arraysOf, type DenseArrays, denseOf, numbersOf, type SparseArrays, sparseOf, wrong } from './matrices.js';

declare module 'mathjs' {
  interface MathJsInstance {
    /** Of an accelerated instance: a new vector of the engine, which the caller disposes. */
    multiply(S: Matrix, x: Vector<Float64Array>): Vector<Float64Array>;
  }
}

export interface AccelerateOptions {
  /** Sparse matrices of fewer entries are left to mathjs. Default 1000. */
  readonly minEntries?: number;
  /**
   * Of `lusolve`: ‖b − A x‖ ≤ rtol · ‖b‖, from 0 to 1, or a residual of rounding errors alone. Default 1e-12. If it is not reached, mathjs solves the
   * system.
   */
  readonly rtol?: number;
}

const MIN_ENTRIES = 1000;
/** Near the residual of a direct solver. */
const RTOL = 1e-12;

/** A function of two arguments, of types that its signature names. */
type Binary = (a: Matrix, b: unknown) => unknown;
type Signatures = Readonly<Record<string, Binary>>;
interface TypedFunction {
  readonly signatures: Signatures;
}
type Replaced = Readonly<Record<'multiply' | 'lusolve', TypedFunction>>;
/** What the types of mathjs do not declare. */
type Internals = Replaced & { readonly typed: (name: string, signatures: Signatures) => TypedFunction };

/** The instances whose functions are replaced. */
const accelerated = new WeakSet<MathJsInstance>();

/**
 * Imports `multiply` and `lusolve` into an instance of mathjs.
 *
 * `multiply(S, D)` and `multiply(S, T)`, for sparse S and T of finite numbers and dense D of numbers, return a SparseMatrix, as in mathjs;
 * sums may be rounded in another order, and elements of D below 1e-15 are not taken for 0. `multiply(S, x)` with a vector or a block of
 * vectors of the engine returns a new one, which the caller disposes; no vector is copied. The operator of S is kept until S changes, which
 * is noticed by comparing all its entries, or is collected. A
 * matrix whose arrays are frozen (`freeze`) is not compared.
 *
 * `lusolve(S, b)` solves by the factors of S, which are kept as the operator is; above 32,768 rows, or on a GPU, the library chooses between factors and
 * iterations. It returns a DenseMatrix of one column, as in mathjs.
 *
 * @returns `dispose` restores the functions and frees operators and factors. To be disposed before the engine
 * @throws SparlaneError `argument` for a wrong option, or for an instance that is accelerated already
 */
export function accelerate(math: MathJsInstance, engine: Engine, options: AccelerateOptions = {}): Disposable {
  const { minEntries = MIN_ENTRIES, rtol = RTOL } = options;
  if (!(minEntries >= 0)) throw wrong('minEntries', 'a number from 0 on', minEntries);
  if (!(rtol >= 0 && rtol <= 1)) throw wrong('rtol', 'a number from 0 to 1', rtol);
  if (accelerated.has(math)) throw wrong('math', 'an instance that is not accelerated', 'one that is');
  const { multiply, lusolve, typed } = math as unknown as Internals;
  const link: Link = { math, engine, kept: new KeptMatrices(engine), minEntries, rtol };
  const replace = (
    name: string,
    { signatures }: TypedFunction,
    replacement: (link: Link, ...args: Parameters<Binary>) => unknown,
    hooks: readonly string[],
  ) => {
    const hooked = hooks.map((types): [string, Binary] => {
      const original = signatures[types]!;
      return [types, (a, b) => replacement(link, a, b) ?? original(a, b)];
    });
    return typed(name, { ...signatures, ...Object.fromEntries(hooked) });
  };
  put(math, {
    // A vector of the engine is no type of mathjs. `SparseMatrix,DenseMatrix` would never be reached behind `Matrix,Matrix`.
    multiply: replace('multiply', multiply, product, ['Matrix,Matrix', 'SparseMatrix,any']),
    lusolve: replace('lusolve', lusolve, solution, ['SparseMatrix,Array', 'SparseMatrix,Matrix']),
  });
  accelerated.add(math);
  return {
    [Symbol.dispose]: () => {
      if (!accelerated.delete(math)) return;
      put(math, { multiply, lusolve });
      link.kept[Symbol.dispose]();
    },
  };
}

function put(math: MathJsInstance, functions: Replaced): void {
  math.import({ ...functions }, { override: true });
}

interface Link extends Required<AccelerateOptions> {
  readonly math: MathJsInstance;
  readonly engine: Engine;
  readonly kept: KeptMatrices;
}

/** A B, or undefined where mathjs is to compute it. */
function product(link: Link, a: Matrix, b: unknown): unknown {
  const left = arraysOf(a);
  if (left.mathjs !== 'SparseMatrix') return undefined;
  if (isVector(b)) return productOfVectors(link, a, left, b);
  const right = isMatrix(b) ? arraysOf(b) : undefined;
  if (right === undefined || left.size[1] !== right.size[0] || right.size.length > 2) return undefined;
  if (right.mathjs === 'SparseMatrix') return productOfSparse(link, left, right);
  if (left.index.length < link.minEntries) return undefined;
  const numbers = right.size[1] === 0 ? undefined : numbersOf(right);
  const operator = numbers && link.kept.operatorOf(a, left);
  return operator && productOfNumbers(link, operator, left, right, numbers);
}

/** Of a vector or a block of the engine, whatever the number of entries: mathjs has no product for it. */
function productOfVectors({ engine, kept }: Link, a: Matrix, arrays: SparseArrays, x: Vector): Vector {
  const operator = kept.operatorOf(a, arrays);
  if (operator === undefined) throw wrong('S', 'a SparseMatrix of finite numbers', 'other values');
  const y = engine.vector(operator.rows, { columns: x.columns });
  try {
    operator.apply(x, y);
    return y;
  } catch (error) {
    y.dispose();
    throw error;
  }
}

/** A SparseMatrix of one column for a vector, as in mathjs. */
function productOfNumbers(
  { math, engine }: Link,
  operator: MatrixOperator,
  left: SparseArrays,
  right: DenseArrays,
  numbers: Float64Array,
): Matrix {
  const { rows } = operator;
  const [, columns = 1] = right.size;
  using x = engine.vector(numbers, { columns });
  using y = engine.vector(rows, { columns });
  operator.apply(x, y);
  const byColumn = y.toArray({ order: 'column' });
  const [ptr, index, values]: [number[], number[], number[]] = [[0], [], []];
  for (let j = 0; j < columns; j++) {
    for (let i = 0; i < rows; i++) {
      const value = byColumn[j * rows + i]!;
      if (value === 0) continue;
      index.push(i);
      values.push(value);
    }
    ptr.push(index.length);
  }
  return sparseOf(math, { size: [rows, columns], ptr, index, values, datatype: commonType(left, right) });
}

/** Compressed columns are the rows of the transpose, so (A B)ᵀ = Bᵀ Aᵀ is computed without transposing anything. */
function productOfSparse({ math, engine, minEntries }: Link, left: SparseArrays, right: SparseArrays): unknown {
  if (left.index.length + right.index.length < minEntries) return undefined;
  const [values, others] = [finiteNumbers(left.values), finiteNumbers(right.values)];
  if (values === undefined || others === undefined) return undefined;
  const c = engine.multiplyMatrices(transposed(right, others), transposed(left, values));
  const arrays = { ptr: Array.from(c.rowPtr), index: Array.from(c.colIdx), values: Array.from(c.values) };
  return sparseOf(math, { ...arrays, size: [c.cols, c.rows], datatype: commonType(left, right) });
}

function transposed({ size, ptr, index }: SparseArrays, values: Float64Array) {
  return { rows: size[1], cols: size[0], rowPtr: ptr, colIdx: index, values };
}

/** x of A x = b, or undefined where mathjs is to solve it. */
function solution({ math, kept, minEntries, rtol }: Link, a: Matrix, b: unknown): unknown {
  const left = arraysOf(a) as SparseArrays;
  const [rows, cols] = left.size;
  if (rows !== cols || left.index.length < minEntries) return undefined;
  const right = arraysOf(isMatrix(b) ? b : math.matrix(b as number[]));
  const [length, columns = 1, third] = right.size;
  if (right.mathjs !== 'DenseMatrix' || length !== rows || columns !== 1 || third !== undefined) return undefined;
  const numbers = numbersOf(right);
  const x = numbers && kept.solverOf(a, left)?.solve(numbers, rtol);
  if (x === undefined) return undefined;
  const column = Array.from(x, (value) => [value]);
  return denseOf(math, { data: column, size: [rows, 1], datatype: right.datatype });
}

/** Vectors of the library have no class to test for: it is not exported. */
function isVector(value: unknown): value is Vector {
  return typeof (value as Vector | null)?.copyColumnTo === 'function';
}

/** Complex numbers and units have `type` and `toJSON`, too. */
function isMatrix(value: unknown): value is Matrix {
  return (value as { isMatrix?: unknown } | null | undefined)?.isMatrix === true;
}

/** The type of the elements that both matrices declare. */
function commonType(left: SparseArrays, right: SparseArrays | DenseArrays): string | undefined {
  return left.datatype === right.datatype ? left.datatype : undefined;
}
