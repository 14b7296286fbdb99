/** `multiply` of sparse matrices. */
import type { Matrix } from 'mathjs';
import type { FloatArray, Vector } from 'sparlane';
import { addDirectProduct } from './direct-product.js';
import { finiteNumbers, isFrozen } from './kept-matrices.js';
import { isMatrix, type Link } from './link.js';
import { appended, arraysOf, type DenseArrays, numbersOf, type SparseArrays, sparseOf, wrong } from './matrices.js';

/** Returns A B, or undefined where mathjs is to compute it. */
export function product(link: Link, a: Matrix, b: unknown): unknown {
  const left = arraysOf(a);
  if (left.mathjs !== 'SparseMatrix') return undefined;
  if (isVector(b)) return productOfVectors(link, a, left, b);
  const right = isMatrix(b) ? arraysOf(b) : undefined;
  if (right === undefined || left.size[1] !== right.size[0] || right.size.length > 2) return undefined;
  if (right.mathjs === 'SparseMatrix') return productOfSparse(link, left, right);
  if (left.index.length < link.minEntries) return undefined;
  const numbers = right.size[1] === 0 ? undefined : numbersOf(right);
  if (numbers === undefined) return undefined;
  const [, columns = 1] = right.size;
  const byColumn = columnOfProduct(left, numbers, columns) ?? columnsByEngine(link, a, left, numbers, columns);
  return byColumn && sparseOfColumns(link, byColumn, columns, left, right);
}

/** Returns S x for one column, and undefined if the arrays are frozen: then the engine is faster, since it need not search for changes. */
function columnOfProduct(left: SparseArrays, x: Float64Array, columns: number): Float64Array | undefined {
  if (columns > 1 || isFrozen(left)) return undefined;
  const y = new Float64Array(left.size[0]);
  return addDirectProduct(left, x, y) ? y : undefined;
}

/** Multiplies a vector or a block of the engine, whatever the number of entries, since mathjs has no product for it. */
function productOfVectors({ engine, kept }: Link, a: Matrix, arrays: SparseArrays, x: Vector): Vector {
  const [rows, cols] = arrays.size;
  const y = engine.vector(rows, { columns: x.columns });
  const areInHeap = x.space.heap !== undefined && y.space.heap !== undefined;
  try {
    const isDirect = areInHeap && x.columns === 1 && x.length === cols && !isFrozen(arrays);
    if (isDirect && x.data instanceof Float64Array && addDirectProduct(arrays, x.data, y.data)) return y;
    const operator = kept.operatorOf(a, arrays);
    if (operator === undefined) throw wrong('S', 'a SparseMatrix of finite numbers', 'other values');
    operator.apply(x, y);
    return y;
  } catch (error) {
    y.dispose();
    throw error;
  }
}

/** Returns the columns of S X, one after the other. @param numbers the rows of X */
function columnsByEngine(
  { engine, kept }: Link,
  a: Matrix,
  left: SparseArrays,
  numbers: Float64Array,
  columns: number,
): FloatArray | undefined {
  const operator = kept.operatorOf(a, left);
  if (operator === undefined) return undefined;
  using x = engine.vector(numbers, { columns });
  using y = engine.vector(operator.rows, { columns });
  operator.apply(x, y);
  return y.toArray({ order: 'column' });
}

/** Returns a SparseMatrix, as mathjs does for one column, too. */
function sparseOfColumns(
  { math }: Link,
  byColumn: FloatArray,
  columns: number,
  left: SparseArrays,
  right: DenseArrays,
): Matrix {
  const [rows] = left.size;
  const ptr = [0];
  // Arrays that grow take up to three times as long.
  const index = new Array<number>(byColumn.length);
  const values = new Array<number>(byColumn.length);
  let stored = 0;
  for (let j = 0; j < columns; j++) {
    for (let i = 0; i < rows; i++) {
      const value = byColumn[j * rows + i]!;
      if (value === 0) continue;
      index[stored] = i;
      values[stored++] = value;
    }
    ptr.push(stored);
  }
  index.length = stored;
  values.length = stored;
  return sparseOf(math, { size: [rows, columns], ptr, index, values, datatype: commonType(left, right) });
}

/** Compressed columns are the rows of the transpose, so (A B)ᵀ = Bᵀ Aᵀ is computed without transposing anything. */
function productOfSparse({ math, engine, minEntries }: Link, left: SparseArrays, right: SparseArrays): unknown {
  if (left.index.length + right.index.length < minEntries) return undefined;
  const [values, others] = [finiteNumbers(left.values), finiteNumbers(right.values)];
  if (values === undefined || others === undefined) return undefined;
  const c = engine.multiplyMatrices(transposed(right, others), transposed(left, values));
  const arrays = { ptr: appended([], c.rowPtr), index: appended([], c.colIdx), values: appended([], c.values) };
  return sparseOf(math, { ...arrays, size: [c.cols, c.rows], datatype: commonType(left, right) });
}

function transposed({ size, ptr, index }: SparseArrays, values: Float64Array) {
  return { rows: size[1], cols: size[0], rowPtr: ptr, colIdx: index, values };
}

/** Vectors of the library have no class to test for: it is not exported. */
function isVector(value: unknown): value is Vector {
  return typeof (value as Vector | null)?.copyColumnTo === 'function';
}

/** Returns the type of elements that both matrices declare. */
function commonType(left: SparseArrays, right: SparseArrays | DenseArrays): string | undefined {
  return left.datatype === right.datatype ? left.datatype : undefined;
}
