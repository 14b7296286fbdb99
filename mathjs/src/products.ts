/** `multiply` of sparse matrices. */
import type { Matrix } from 'mathjs';
import type { MatrixOperator, Vector } from 'sparlane';
import { finiteNumbers } from './kept-matrices.js';
import { isMatrix, type Link } from './link.js';
import { arraysOf, type DenseArrays, numbersOf, type SparseArrays, sparseOf, wrong } from './matrices.js';

/** A B, or undefined where mathjs is to compute it. */
export function product(link: Link, a: Matrix, b: unknown): unknown {
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

/** Vectors of the library have no class to test for: it is not exported. */
function isVector(value: unknown): value is Vector {
  return typeof (value as Vector | null)?.copyColumnTo === 'function';
}

/** The type of the elements that both matrices declare. */
function commonType(left: SparseArrays, right: SparseArrays | DenseArrays): string | undefined {
  return left.datatype === right.datatype ? left.datatype : undefined;
}
