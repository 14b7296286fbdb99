/**
 * Matrices of mathjs in and out. They are read by `toJSON` and made by `fromJSON`, the serialization of mathjs, which copies nothing: a
 * SparseMatrix is the arrays of compressed columns, a DenseMatrix an array of rows.
 */
import type { MathJsInstance, Matrix } from 'mathjs';
import { type Engine, type FloatArray, type MatrixInput, SparlaneError, transposeMatrix, type Vector } from 'sparlane';

/** A SparseMatrix as mathjs serializes it: the arrays of the matrix themselves. Without values it is a pattern. */
export interface SparseArrays {
  readonly mathjs: 'SparseMatrix';
  readonly values?: unknown[];
  readonly index: number[];
  readonly ptr: number[];
  readonly size: readonly [number, number];
  readonly datatype?: string | undefined;
}

/** A DenseMatrix as mathjs serializes it. One size: a vector, an array of numbers; two: an array of rows. */
export interface DenseArrays {
  readonly mathjs: 'DenseMatrix';
  readonly data: unknown[];
  readonly size: readonly number[];
  readonly datatype?: string | undefined;
}

/** An array of rows, or of numbers, which mathjs takes for a DenseMatrix. */
export type NestedNumbers = readonly (readonly number[])[] | readonly number[];

export function arraysOf(matrix: Matrix): SparseArrays | DenseArrays {
  return matrix.toJSON();
}

/** An array as a DenseMatrix. Its size is that of its first elements, as mathjs finds it. */
export function denseArraysOf(array: unknown[]): DenseArrays {
  return { mathjs: 'DenseMatrix', data: array, size: sizeOf(array) };
}

function sizeOf(array: readonly unknown[]): number[] {
  const [first] = array;
  return Array.isArray(first) ? [array.length, ...sizeOf(first)] : [array.length];
}

/**
 * A matrix of mathjs as an input of `engine.operator`, `engine.matrix`, `solve` and all others: compressed columns of a SparseMatrix, and rows of a
 * DenseMatrix with two dimensions or of an array, `[[1, 2], [3, 4]]`. The arrays are those of the matrix, not copies; the library copies
 * what it keeps, so that later changes of the matrix do not change an operator. Of its elements all must be numbers, which the library checks.
 *
 * @throws SparlaneError `argument` for anything else
 */
export function matrixInput(matrix: Matrix | NestedNumbers): MatrixInput {
  const arrays = jsonOf('matrix', matrix);
  const { size } = arrays;
  if (arrays.mathjs === 'DenseMatrix') {
    if (size.length !== 2) throw wrong('matrix', 'one with two dimensions', `one of size ${size}`);
    return arrays.data as number[][];
  }
  const { index, ptr, values } = arrays;
  const [rows, cols] = arrays.size;
  return { rows, cols, colPtr: ptr, rowIdx: index, ...(values && { values: values as number[] }) };
}

/** A matrix of the library, or arrays, as a SparseMatrix. O(rows + cols + nnz); its arrays are new. @throws as `csrMatrix` */
export function sparseMatrix(math: MathJsInstance, matrix: MatrixInput): Matrix {
  // The rows of Aᵀ are the columns of A.
  const { rows, cols, rowPtr, colIdx, values } = transposeMatrix(matrix);
  const arrays = { ptr: appended([], rowPtr), index: appended([], colIdx), values: appended([], values) };
  return sparseOf(math, { ...arrays, size: [cols, rows] });
}

/**
 * A DenseMatrix or an array where the engine computes: one of size [n] or [n, 1] as a vector, one of [n, k] as a block of k vectors. It is disposed by
 * the caller.
 *
 * @throws SparlaneError `argument` for any other matrix, or elements that are not numbers; `heap` if it does not fit
 */
export function vectorOf(engine: Engine, matrix: Matrix | NestedNumbers): Vector<Float64Array> {
  const arrays = jsonOf('matrix', matrix);
  const [rows, columns = 1, third] = arrays.size;
  if (arrays.mathjs !== 'DenseMatrix' || rows === undefined || third !== undefined || columns === 0)
    throw wrong('matrix', 'a dense matrix with one or two dimensions', `${arrays.mathjs} of ${arrays.size}`);
  const numbers = numbersOf(arrays);
  if (numbers === undefined) throw wrong('matrix', 'numbers only, in rows of one length', 'others');
  return engine.vector(numbers, { columns });
}

/** The numbers of a DenseMatrix row by row; undefined if some element is not a number, or a row has another length. */
export function numbersOf({ data, size }: DenseArrays): Float64Array | undefined {
  const [rows = 0, columns = 1] = size;
  const numbers = new Float64Array(rows * columns);
  for (let i = 0, at = 0; i < rows; i++) {
    const row = size.length === 1 ? data : (data[i] as unknown[] | undefined);
    const first = size.length === 1 ? i : 0;
    if (size.length === 2 && row?.length !== columns) return undefined;
    for (let j = 0; j < columns; j++, at++) {
      const value = row?.[first + j];
      if (typeof value !== 'number') return undefined;
      numbers[at] = value;
    }
  }
  return numbers;
}

/** A vector as a DenseMatrix of size [n], or a block of k vectors as one of size [n, k]. On a device it waits for earlier operations. */
export function denseMatrix(math: MathJsInstance, vector: Vector): Matrix {
  const { length, columns } = vector;
  const numbers = vector.toArray();
  if (columns === 1) return denseOf(math, { data: appended([], numbers), size: [length] });
  const rows = Array.from({ length }, (_, i) => appended([], numbers.subarray(i * columns, (i + 1) * columns)));
  return denseOf(math, { data: rows, size: [length, columns] });
}

/**
 * Appends numbers to an array for mathjs. `Array.from` takes two to four times as long (10⁴ and 250,000 numbers, a busy Intel Xeon, Node 20, 27 November
 * 2026).
 *
 * @param array `[]` of the caller: V8 stores integers in another way than fractions, and remembers for each `[]` of the source what came
 */
export function appended(array: number[], numbers: Uint32Array | FloatArray): number[] {
  for (let k = 0; k < numbers.length; k++) array.push(numbers[k]!);
  return array;
}

/** A SparseMatrix of these arrays, which are not copied. mathjs takes plain arrays only. */
export function sparseOf(math: MathJsInstance, arrays: Omit<SparseArrays, 'mathjs'>): Matrix {
  return classes(math).SparseMatrix.fromJSON(arrays);
}

/** A DenseMatrix of these arrays, which are not copied. */
export function denseOf(math: MathJsInstance, arrays: Omit<DenseArrays, 'mathjs'>): Matrix {
  return classes(math).DenseMatrix.fromJSON(arrays);
}

interface MatrixClass {
  fromJSON(arrays: object): Matrix;
}

/** The classes of an instance, which its type does not declare. */
function classes(math: MathJsInstance): { readonly SparseMatrix: MatrixClass; readonly DenseMatrix: MatrixClass } {
  return math as unknown as { SparseMatrix: MatrixClass; DenseMatrix: MatrixClass };
}

/** @throws SparlaneError `argument` for any other matrix */
export function sparseArrays(name: string, matrix: Matrix): SparseArrays {
  const arrays = jsonOf(name, matrix);
  if (arrays.mathjs !== 'SparseMatrix') throw wrong(name, 'a SparseMatrix of mathjs', arrays.mathjs);
  return arrays;
}

function jsonOf(name: string, matrix: Matrix | NestedNumbers): SparseArrays | DenseArrays {
  if (Array.isArray(matrix)) return denseArraysOf(matrix);
  const arrays = typeof (matrix as Matrix)?.toJSON === 'function' ? arraysOf(matrix as Matrix) : undefined;
  if (arrays?.mathjs !== 'SparseMatrix' && arrays?.mathjs !== 'DenseMatrix')
    throw wrong(name, 'a matrix of mathjs or an array', typeof matrix);
  return arrays;
}

/** Returns the error for an argument, in the words of the library. */
export function wrong(name: string, expected: string, got: unknown): SparlaneError {
  return new SparlaneError('argument', `${name}: expected ${expected}, got ${got}`);
}
