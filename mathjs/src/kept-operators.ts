/**
 * The operators of sparse matrices, kept as long as the matrix lives and does not change. mathjs lets anybody write into the arrays of a
 * matrix (`set`, `swapRows`, `_values[k] = …`) and tells nobody. So with every use all entries are compared with a copy of those laid out: exact,
 * but several times the time of a product. Arrays that are frozen cannot change: of these the identity is compared.
 *
 * The comparison takes 3.6 ns an entry (1.2 M entries, a busy AMD EPYC, Node 20, 22 November 2026). `set` of typed arrays reads the same arrays in
 * 1.3 ns, but makes numbers of all elements, so that it takes '4', `true` and a Fraction for numbers; loops by four, and copies in plain or
 * Int32Arrays, gain nothing or a sixth.
 */
import type { Matrix } from 'mathjs';
import type { Engine, MatrixOperator } from 'sparlane';
import { type SparseArrays, sparseArrays } from './matrices.js';

/** The entries of which an operator was made. */
interface Kept {
  readonly rows: number;
  readonly colPtr: Uint32Array;
  readonly rowIdx: Uint32Array;
  readonly values: Float64Array;
  readonly operator: MatrixOperator;
  /** The arrays of the matrix, if they were frozen when they had these entries. */
  frozen: SparseArrays | undefined;
}

export class KeptOperators implements Disposable {
  readonly #engine: Engine;
  #kept: WeakMap<Matrix, Kept> = new WeakMap<Matrix, Kept>();
  /** All operators in use. The matrices are not among them, so that they can be collected. */
  readonly #operators: Set<MatrixOperator> = new Set<MatrixOperator>();
  readonly #collected: FinalizationRegistry<MatrixOperator> = new FinalizationRegistry<MatrixOperator>((operator) =>
    this.#release(operator),
  );

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * The operator of a matrix as it is now; undefined if some value is no finite number: mathjs skips products with 0, IEEE arithmetic does
   * not. It is valid until the next call.
   */
  of(matrix: Matrix, arrays: SparseArrays): MatrixOperator | undefined {
    const known = this.#kept.get(matrix);
    if (known !== undefined && isUnchanged(known, arrays)) return known.operator;
    if (known !== undefined) {
      this.#kept.delete(matrix);
      this.#collected.unregister(matrix);
      this.#release(known.operator);
    }
    const values = finiteNumbers(arrays.values);
    if (values === undefined) return undefined;
    const [rows, cols] = arrays.size;
    const csc = { rows, colPtr: Uint32Array.from(arrays.ptr), rowIdx: Uint32Array.from(arrays.index), values };
    const operator = this.#engine.operator({ ...csc, cols }, { padding: false });
    this.#kept.set(matrix, { ...csc, operator, frozen: ifFrozen(arrays) });
    this.#operators.add(operator);
    this.#collected.register(matrix, operator, matrix);
    return operator;
  }

  /** Disposes all operators. */
  [Symbol.dispose](): void {
    for (const operator of this.#operators) this.#release(operator);
    this.#kept = new WeakMap();
  }

  #release(operator: MatrixOperator): void {
    this.#operators.delete(operator);
    operator.dispose();
  }
}

/** The values as f64; undefined if there are none, or one is not a finite number. */
export function finiteNumbers(values: readonly unknown[] | undefined): Float64Array | undefined {
  if (values === undefined) return undefined;
  const numbers = new Float64Array(values.length);
  for (let k = 0; k < numbers.length; k++) {
    const value = values[k];
    if (!Number.isFinite(value)) return undefined;
    numbers[k] = value as number;
  }
  return numbers;
}

/**
 * Freezes the arrays of a SparseMatrix: whoever tries to change it gets a TypeError, and products need not look for changes. Its `clone()` is not
 * frozen.
 *
 * @returns the matrix
 */
export function freeze(matrix: Matrix): Matrix {
  const { ptr, index, values } = sparseArrays('matrix', matrix);
  for (const array of [ptr, index, values]) if (array !== undefined) Object.freeze(array);
  return matrix;
}

function ifFrozen(arrays: SparseArrays): SparseArrays | undefined {
  return [arrays.ptr, arrays.index, arrays.values].every(Object.isFrozen) ? arrays : undefined;
}

/** Whether a matrix has the same entries in the same order. 0 and −0 are the same. */
function isUnchanged(kept: Kept, now: SparseArrays): boolean {
  const { frozen, rows, colPtr, rowIdx, values } = kept;
  if (now.size[0] !== rows) return false;
  if (frozen?.ptr === now.ptr && frozen.index === now.index && frozen.values === now.values) return true;
  const isSame =
    areSameIndices(colPtr, now.ptr) && areSameIndices(rowIdx, now.index) && areSameValues(values, now.values ?? []);
  if (isSame) kept.frozen = ifFrozen(now);
  return isSame;
}

// Two loops, each of which the engine compiles for one type of array.

function areSameIndices(indices: Uint32Array, now: readonly number[]): boolean {
  if (now.length !== indices.length) return false;
  for (let k = 0; k < indices.length; k++) if (indices[k] !== now[k]) return false;
  return true;
}

function areSameValues(values: Float64Array, now: readonly unknown[]): boolean {
  if (now.length !== values.length) return false;
  for (let k = 0; k < values.length; k++) if (values[k] !== now[k]) return false;
  return true;
}
