/**
 * Matrices that stay in the shared heap, and what all threads compute with them: sums, products, transposes, slices, scaling, folds. The
 * results stay there too, so a chain of operations (Rᵀ A R, A + σ I, D⁻¹ A) copies nothing, and an operator of `csr` keeps the arrays.
 *
 * The functions of `algebra/` do the same on the caller's thread with arrays of the caller, which are better for one operation: copying a
 * 5-point matrix of 5 M entries into the heap and the result out takes longer than most operations.
 */

import { checkSizes, symmetryOfSum } from '../algebra/add.js';
import { symmetryOfKronecker } from '../algebra/kronecker.js';
import { matricesThatFit } from '../algebra/multiply.js';
import { newMatrix } from '../algebra/new-matrix.js';
import { checkSlice, type Fold, type LineKind, NORMS, type Norm } from '../algebra/rows.js';
import type { TeamContext } from '../backends/team/backend.js';
import { runOnTeam } from '../backends/team/run-loop.js';
import { asFloats, type NumberArray } from '../core/arrays.js';
import { finite, knownKeys, oneOf } from '../core/checks.js';
import { type CsrMatrix, inspectedMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { printsAsText } from '../core/inspect.js';
import { trustOwner } from '../core/trusted.js';
import type { Field, FloatArray, Symmetry } from '../core/types.js';
import { copied } from '../formats/layout/copy-loop.js';
import { keep } from '../formats/layout/keep.js';
import { READ_PAST } from '../formats/layout/read-past.js';
import type { HeapScope } from '../memory/heap.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';
import { diagonalOnTeam, foldColumns, foldRows, scaleOnTeam } from './lines.js';
import { multiplyOnTeam } from './multiplication.js';
import { placeEntries } from './place-entries.js';
import { addOnTeam, kroneckerOnTeam } from './row-pairs.js';
import { inHeap } from './stage.js';
import { transposeOnTeam } from './transposition.js';

/** The factors of `HeapMatrix.scaled`, f64. A vector in the heap is used without copying. */
export interface HeapScaling {
  /** One for each row. Default: ones. */
  readonly rows?: Vector | NumberArray;
  /** One for each column. Default: ones. */
  readonly cols?: Vector | NumberArray;
}

/**
 * A canonical CSR matrix whose arrays lie in the heap: a matrix like any other for `engine.operator` and the functions of the library.
 * Its arrays are not to be written to, nor used after `dispose`. Every method that returns a matrix or a vector makes a new one, which
 * the caller disposes; other matrices are copied into the heap for the operation, unless they are there. Its results depend on nothing
 * but the matrices, above all not on the number of threads.
 */
export class HeapMatrix implements CsrMatrix, Disposable {
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly field: Field;
  readonly symmetry: Symmetry;
  readonly #context: TeamContext;
  readonly #space: Space;
  readonly #scope: HeapScope;
  #csr: CsrMatrix | undefined;

  /** Takes ownership of the scope, which has the arrays. Made by `engine.matrix`. */
  constructor(context: TeamContext, space: Space, scope: HeapScope, csr: CsrMatrix) {
    this.rows = csr.rows;
    this.cols = csr.cols;
    this.nnz = csr.nnz;
    this.field = csr.field;
    this.symmetry = csr.symmetry;
    this.#context = context;
    this.#space = space;
    this.#scope = scope;
    this.#csr = csr;
    trustOwner(this, () => this.#alive);
  }

  /** @throws SparlaneError `argument` for a disposed matrix, as all members but the sizes */
  get rowPtr(): Uint32Array {
    return this.#alive.rowPtr;
  }

  get colIdx(): Uint32Array {
    return this.#alive.colIdx;
  }

  /** f64; f32 if the source had f32, and in transposes and slices of such a matrix. */
  get values(): FloatArray {
    return this.#alive.values;
  }

  /** Bytes in the heap, those included that are shared with other matrices or operators. */
  get bytes(): number {
    return this.#scope.bytes;
  }

  get #alive(): CsrMatrix {
    if (this.#csr === undefined) throw mismatch('argument', 'matrix', 'one that is in use', 'a disposed matrix');
    return this.#csr;
  }

  /** A copy outside of the heap. */
  toCsr(): CsrMatrix {
    const { rowPtr, colIdx, values, ...facts } = this.#alive;
    return { ...facts, rowPtr: rowPtr.slice(), colIdx: colIdx.slice(), values: values.slice() };
  }

  /**
   * α A + β B, as `addMatrices`.
   *
   * @throws SparlaneError `shape` if the sizes differ; `argument`; `heap` if there is no room; and as `csrMatrix`
   */
  add(b: MatrixInput, alpha = 1, beta = 1): HeapMatrix {
    const factors = [finite('alpha', alpha), finite('beta', beta)] as const;
    return this.#withOther(b, (scope, left, right) => {
      checkSizes(left, right);
      const sum = addOnTeam(this.#context, scope, left, right, ...factors);
      return newMatrix({ ...sum, symmetry: symmetryOfSum(left, right) });
    });
  }

  /** A B, as `multiplyMatrices`. @throws SparlaneError `shape` if the sizes do not fit; `heap` if there is no room; and as `csrMatrix` */
  multiply(b: MatrixInput): HeapMatrix {
    return this.#withOther(b, (scope, left, right) =>
      newMatrix(multiplyOnTeam(this.#context, scope, ...matricesThatFit(left, right))),
    );
  }

  /** A ⊗ B, as `kroneckerProduct`. @throws SparlaneError `argument` if it is too large; `heap` if there is no room; and as `csrMatrix` */
  kronecker(b: MatrixInput): HeapMatrix {
    return this.#withOther(b, (scope, left, right) =>
      newMatrix({
        ...kroneckerOnTeam(this.#context, scope, left, right),
        symmetry: symmetryOfKronecker(left, right),
      }),
    );
  }

  /** Aᵀ. @throws SparlaneError `heap` if there is no room */
  transposed(): HeapMatrix {
    const { field, symmetry } = this;
    return this.#make((scope) => ({ ...transposeOnTeam(this.#context, scope, this.#alive), field, symmetry }));
  }

  /**
   * diag(rows) A diag(cols), which shares the positions of its entries with A. With the same factors for both a symmetric matrix stays
   * symmetric.
   *
   * @throws SparlaneError `shape` for a wrong number of factors; `argument`; `heap` if there is no room
   */
  scaled(scaling: HeapScaling): HeapMatrix {
    knownKeys('scaling', scaling, { rows: true, cols: true });
    const { rows, cols, nnz, rowPtr, colIdx } = this.#alive;
    return this.#make((scope) => {
      using work = scope.heap.scope();
      const byRow = this.#factors(work, 'scaling.rows', scaling.rows, rows);
      const byColumn =
        scaling.cols === scaling.rows && rows === cols
          ? byRow
          : this.#factors(work, 'scaling.cols', scaling.cols, cols);
      const values = scope.array(Float64Array, nnz + READ_PAST).subarray(0, nnz);
      scaleOnTeam(this.#context, this.#alive, byRow, byColumn, values);
      for (const array of [rowPtr, colIdx]) scope.share(array);
      const symmetry = scaling.rows === scaling.cols ? this.symmetry : 'general';
      return newMatrix({ rows, cols, rowPtr, colIdx, values, symmetry });
    });
  }

  /** The rows [begin, end), with all columns. @param end default: all @throws SparlaneError `argument`; `heap` if there is no room */
  slice(begin: number, end?: number): HeapMatrix {
    const { rows, cols, rowPtr, colIdx, values, field } = this.#alive;
    const [first, last] = checkSlice(rows, begin, end);
    const [from, to] = [rowPtr[first]!, rowPtr[last]!];
    return this.#make((scope) => {
      const ptr = scope.array(Uint32Array, last - first + 1);
      for (let i = first; i <= last; i++) ptr[i - first] = rowPtr[i]! - from;
      const arrays = { colIdx: colIdx.subarray(from, to), values: values.subarray(from, to) };
      const copies = placeEntries(this.#context, scope, arrays);
      return { ...newMatrix({ rows: last - first, cols, rowPtr: ptr, ...copies }), field };
    });
  }

  /** The diagonal, of length min(rows, cols); 0 for absent entries. @throws SparlaneError `heap` if there is no room */
  diagonal(): Vector<Float64Array> {
    const context = this.#context;
    return this.#vector(Math.min(this.rows, this.cols), (result) => diagonalOnTeam(context, this.#alive, result));
  }

  /**
   * The sum of each row, or of each column. Sums of columns of large matrices are those of up to 64 parts of the rows, in order.
   *
   * @throws SparlaneError `argument`; `heap` if there is no room
   */
  sums(lines: LineKind): Vector<Float64Array> {
    return this.#folded(lines, 'sum');
  }

  /** The norm of each row, or of each column, as `normsOf`. @throws SparlaneError `argument`; `heap` if there is no room */
  norms(lines: LineKind, norm: Norm = 'two'): Vector<Float64Array> {
    if (oneOf('norm', norm, NORMS) !== 'two') return this.#folded(lines, norm as 'one' | 'max');
    using greatest = this.#folded(lines, 'max');
    const norms = this.#folded(lines, 'squares', greatest.data);
    const { data } = norms;
    for (let line = 0; line < data.length; line++) data[line] = greatest.data[line]! * Math.sqrt(data[line]!);
    return norms;
  }

  #folded(lines: LineKind, fold: Fold, greatest?: Float64Array): Vector<Float64Array> {
    const byRow = oneOf('lines', lines, ['rows', 'columns']) === 'rows';
    const run = byRow ? foldRows : foldColumns;
    const length = byRow ? this.rows : this.cols;
    return this.#vector(length, (result) => run(this.#context, this.#alive, fold, result, greatest));
  }

  #vector(length: number, write: (result: Float64Array) => void): Vector<Float64Array> {
    const vector = new Vector<Float64Array>(this.#space, Float64Array, length);
    try {
      write(vector.data);
      return vector;
    } catch (error) {
      vector.dispose();
      throw error;
    }
  }

  #factors(
    work: HeapScope,
    name: string,
    given: Vector | NumberArray | undefined,
    length: number,
  ): FloatArray | undefined {
    if (given === undefined) return undefined;
    if (given instanceof Vector && given.columns !== 1)
      throw mismatch('shape', name, 'one column', `${given.columns} columns`);
    const isHere = given instanceof Vector && given.space === this.#space && given.type === Float64Array;
    const numbers = given instanceof Vector ? (isHere ? given.data : given.toArray()) : asFloats(name, given);
    if (numbers.length !== length) throw mismatch('shape', name, `length ${length}`, numbers.length, { length });
    return isHere ? numbers : work.copy(Float64Array, numbers);
  }

  #make(compute: (scope: HeapScope) => CsrMatrix): HeapMatrix {
    return this.#context.heap.build((scope) => new HeapMatrix(this.#context, this.#space, scope, compute(scope)));
  }

  #withOther(b: MatrixInput, compute: (scope: HeapScope, left: CsrMatrix, right: CsrMatrix) => CsrMatrix): HeapMatrix {
    const context = this.#context;
    using staging = context.heap.scope();
    const right = inspectedMatrix(b, inHeap(staging, runOnTeam(context)));
    return this.#make((scope) => compute(scope, this.#alive, right));
  }

  /** One line, also for `console.log` in Node: `HeapMatrix (1000 × 1000, 4996 entries, heap)`. */
  toString(): string {
    const state = this.#csr === undefined ? ', disposed' : '';
    return `HeapMatrix (${this.rows} × ${this.cols}, ${this.nnz} entries, heap${state})`;
  }

  /** Frees the arrays, unless other matrices or operators share them. A second call has no effect. */
  dispose(): void {
    this.#csr = undefined;
    this.#scope[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

printsAsText(HeapMatrix.prototype);

/** A copy of a matrix in the heap, checked as by `csrMatrix`, by all threads. */
export function heapMatrix(context: TeamContext, space: Space, input: MatrixInput): HeapMatrix {
  using scope = context.heap.scope();
  const staging = inHeap(scope, runOnTeam(context));
  const given = inspectedMatrix(input, staging);
  const runLoop = runOnTeam(context);
  return context.heap.build((own) => {
    const kept = keep(own, staging.copies, given.rowPtr, Uint32Array);
    const rowPtr = kept ?? copied(own, given.rowPtr, Uint32Array, runLoop);
    return new HeapMatrix(context, space, own, {
      ...given,
      rowPtr,
      ...placeEntries(context, own, given, staging.copies),
    });
  });
}
