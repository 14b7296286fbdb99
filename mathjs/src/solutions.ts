/** `lusolve` and `inv` of sparse matrices, by the factors of the matrix, which are kept. */
import type { ConfigOptions, Matrix } from 'mathjs';
import { finiteNumbers } from './kept-matrices.js';
import { isMatrix, type Link, squareArrays } from './link.js';
import { arraysOf, denseArraysOf, denseOf, numbersOf, type SparseArrays, sparseOf } from './matrices.js';

/** Columns of an inverse that are solved together. Chosen. */
const COLUMNS = 32;

/** Up to so many rows mathjs has a formula for the inverse, with fewer rounding errors. */
const ROWS_OF_FORMULA = 2;

/** The orders of `slu` are 0 to 3. */
const MOST_ORDER = 3;

/**
 * x of A x = b, or undefined where mathjs is to solve it.
 *
 * @param order, threshold how mathjs is to order and pivot: no matter here, if they are right
 */
export function solution(link: Link, a: Matrix, b: unknown, order: unknown = 0, threshold: unknown = 1): unknown {
  if (!(Number.isInteger(order) && isWithin(order, MOST_ORDER) && isWithin(threshold, 1))) return undefined;
  const left = squareArrays(link, a);
  const right = left && rightSide(b, left.size[0]);
  if (left === undefined || right === undefined) return undefined;
  const x = link.kept.solverOf(a, left)?.solve(right, link.rtol);
  if (x === undefined) return undefined;
  const data = Array.from(x, (value) => [value]);
  return denseOf(link.math, { data, size: [data.length, 1] });
}

function isWithin(value: unknown, most: number): boolean {
  return (value as number) >= 0 && (value as number) <= most;
}

/** Returns A⁻¹ as a SparseMatrix, without the elements that mathjs takes for 0, or undefined where mathjs is to compute it. */
export function inverse(link: Link, a: Matrix): unknown {
  const left = squareArrays(link, a);
  if (left === undefined || left.size[0] <= ROWS_OF_FORMULA) return undefined;
  const [rows] = left.size;
  const solver = link.kept.solverOf(a, left);
  const zero = greatestZero(link);
  const [ptr, index, values]: [number[], number[], number[]] = [[0], [], []];
  for (let first = 0; first < rows; first += COLUMNS) {
    const columns = Math.min(COLUMNS, rows - first);
    const units = new Float64Array(rows * columns);
    for (let j = 0; j < columns; j++) units[j * rows + first + j] = 1;
    const x = solver?.solveColumns(units, link.rtol);
    if (x === undefined) return undefined;
    for (let j = 0; j < columns; j++) {
      for (let i = 0; i < rows; i++) {
        const value = x[j * rows + i]!;
        if (Math.abs(value) <= zero) continue;
        index.push(i);
        values.push(value);
      }
      ptr.push(index.length);
    }
  }
  return sparseOf(link.math, { size: [rows, rows], ptr, index, values, datatype: undefined });
}

/** mathjs takes numbers up to this modulus for 0. */
function greatestZero({ math }: Link): number {
  // With an argument it would change the configuration.
  return (math.config as () => ConfigOptions)().absTol ?? 0;
}

/**
 * b of a system with so many rows, a vector or a matrix of one column.
 *
 * @returns undefined for another shape, or for elements that are not numbers
 */
function rightSide(b: unknown, rows: number): Float64Array | undefined {
  const arrays = isMatrix(b) ? arraysOf(b) : denseArraysOf(b as unknown[]);
  const [length, columns = 1, third] = arrays.size;
  if (length !== rows || columns !== 1 || third !== undefined) return undefined;
  return arrays.mathjs === 'SparseMatrix' ? firstColumn(arrays) : numbersOf(arrays);
}

function firstColumn({ size, index, values }: SparseArrays): Float64Array | undefined {
  const numbers = finiteNumbers(values);
  if (numbers === undefined) return undefined;
  const column = new Float64Array(size[0]);
  for (let k = 0; k < numbers.length; k++) column[index[k]!] = numbers[k]!;
  return column;
}
