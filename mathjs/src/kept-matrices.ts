/**
 * What is made of sparse matrices, operators and solvers, kept as long as the matrix lives and does not change. mathjs lets anybody write into the arrays
 * of a matrix (`set`, `swapRows`, `_values[k] = …`) and tells nobody. So with every use all entries are compared with a copy of those laid out: exact,
 * but several times the time of a product. Arrays that are frozen cannot change: of these the identity is compared.
 *
 * The comparison takes 1.9 to 4 ns an entry, and 4 to 6 with one element a step (50,000 to 1.2 M entries, CPU time on a busy Intel Xeon, Node 20,
 * 27 November 2026). Sixteen elements a step, or index and value in one loop, gain nothing. `set` of typed arrays reads the same arrays in
 * 1.2 ns, but makes numbers of all elements, so that it takes '4', `true` and a Fraction for numbers.
 */
import type { Matrix } from 'mathjs';
import type { Engine, MatrixOperator } from 'sparlane';
import { KeptSolver } from './kept-solver.js';
import { type SparseArrays, sparseArrays } from './matrices.js';

/** Matrices whose factors are kept: those that were used last. A matrix that is collected is not noticed before the event loop turns. */
const MOST_SOLVERS = 8;

/** The entries of a matrix, and what was made of them. */
interface Kept {
  readonly rows: number;
  readonly cols: number;
  readonly colPtr: Int32Array;
  readonly rowIdx: Int32Array;
  readonly values: Float64Array;
  operator: MatrixOperator | undefined;
  solver: KeptSolver | undefined;
  /** The arrays of the matrix, if they were frozen when they had these entries. */
  frozen: SparseArrays | undefined;
}

/** Keeps what was made of the matrices that mathjs and the engine share. */
export class KeptMatrices implements Disposable {
  readonly #engine: Engine;
  #kept: WeakMap<Matrix, Kept> = new WeakMap<Matrix, Kept>();
  /** All entries in use. The matrices are not among them, so that they can be collected. */
  readonly #used: Set<Kept> = new Set<Kept>();
  /** Those of `#used` that have a solver, the latest one last. */
  readonly #solvers: Set<Kept> = new Set<Kept>();
  readonly #collected: FinalizationRegistry<Kept> = new FinalizationRegistry<Kept>((kept) => this.#release(kept));

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * The operator of a matrix as it is now; undefined if some value is no finite number: mathjs skips products with 0, IEEE arithmetic does
   * not. It is valid until the next call.
   */
  operatorOf(matrix: Matrix, arrays: SparseArrays): MatrixOperator | undefined {
    const kept = this.#of(matrix, arrays);
    if (kept !== undefined) kept.operator ??= this.#engine.operator(kept, { padding: false });
    return kept?.operator;
  }

  /** Returns the solver of a square matrix as it is now, under the conditions of `operatorOf`. */
  solverOf(matrix: Matrix, arrays: SparseArrays): KeptSolver | undefined {
    const kept = this.#of(matrix, arrays);
    if (kept === undefined) return undefined;
    this.#solvers.delete(kept);
    this.#solvers.add(kept);
    if (this.#solvers.size > MOST_SOLVERS) this.#releaseSolver(this.#solvers.values().next().value!);
    kept.solver ??= new KeptSolver(this.#engine, kept);
    return kept.solver;
  }

  #of(matrix: Matrix, arrays: SparseArrays): Kept | undefined {
    const known = this.#kept.get(matrix);
    if (known !== undefined && isUnchanged(known, arrays)) return known;
    if (known !== undefined) {
      this.#kept.delete(matrix);
      this.#collected.unregister(matrix);
      this.#release(known);
    }
    const values = finiteNumbers(arrays.values);
    if (values === undefined) return undefined;
    const [rows, cols] = arrays.size;
    const entries = {
      rows,
      cols,
      colPtr: Int32Array.from(arrays.ptr),
      rowIdx: Int32Array.from(arrays.index),
      values,
    };
    const kept = { ...entries, operator: undefined, solver: undefined, frozen: ifFrozen(arrays) };
    this.#kept.set(matrix, kept);
    this.#used.add(kept);
    this.#collected.register(matrix, kept, matrix);
    return kept;
  }

  /** Disposes all operators and solvers. */
  [Symbol.dispose](): void {
    for (const kept of this.#used) this.#release(kept);
    this.#kept = new WeakMap();
  }

  #release(kept: Kept): void {
    this.#used.delete(kept);
    kept.operator?.dispose();
    this.#releaseSolver(kept);
  }

  #releaseSolver(kept: Kept): void {
    this.#solvers.delete(kept);
    kept.solver?.[Symbol.dispose]();
    kept.solver = undefined;
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

/** Whether the arrays of a matrix are frozen, so that it cannot change. */
export function isFrozen({ ptr, index, values }: SparseArrays): boolean {
  return Object.isFrozen(values) && Object.isFrozen(index) && Object.isFrozen(ptr);
}

function ifFrozen(arrays: SparseArrays): SparseArrays | undefined {
  return isFrozen(arrays) ? arrays : undefined;
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

// There are two functions because each is compiled for the types of arrays that it has met. They compare eight elements a step because a step takes
// longer than a comparison.

function areSameIndices(indices: Int32Array, now: readonly number[]): boolean {
  const { length } = indices;
  if (now.length !== length) return false;
  const rest = length % 8;
  for (let k = 0; k < rest; k++) if (indices[k] !== now[k]) return false;
  for (let k = rest; k < length; k += 8)
    if (
      indices[k] !== now[k] ||
      indices[k + 1] !== now[k + 1] ||
      indices[k + 2] !== now[k + 2] ||
      indices[k + 3] !== now[k + 3] ||
      indices[k + 4] !== now[k + 4] ||
      indices[k + 5] !== now[k + 5] ||
      indices[k + 6] !== now[k + 6] ||
      indices[k + 7] !== now[k + 7]
    )
      return false;
  return true;
}

function areSameValues(values: Float64Array, now: readonly unknown[]): boolean {
  const { length } = values;
  if (now.length !== length) return false;
  const rest = length % 8;
  for (let k = 0; k < rest; k++) if (values[k] !== now[k]) return false;
  for (let k = rest; k < length; k += 8)
    if (
      values[k] !== now[k] ||
      values[k + 1] !== now[k + 1] ||
      values[k + 2] !== now[k + 2] ||
      values[k + 3] !== now[k + 3] ||
      values[k + 4] !== now[k + 4] ||
      values[k + 5] !== now[k + 5] ||
      values[k + 6] !== now[k + 6] ||
      values[k + 7] !== now[k + 7]
    )
      return false;
  return true;
}
