/**
 * Operators of the sparse tensors that came last. A graph model passes the same constant matrix at each prediction; it is laid out in the engine
 * once. A matrix is recognized by its numbers, all of which are compared: tensors of the backend `cpu` share the arrays of their callers, which may
 * write to them, so that the same tensor may be another matrix.
 */
import type { Engine, MatrixOperator } from 'sparlane';
import { wrong } from './sparse-mat-mul.js';

/** A sparse tensor of rank 2, in TensorFlow's layout. */
export interface SparseTensor {
  readonly rows: number;
  readonly cols: number;
  /** Length 2 nnz: row and column of each entry, in any order. The values of the same row and column are added. */
  readonly indices: Int32Array;
  /** Length nnz. */
  readonly values: Float32Array;
}

interface Kept {
  readonly tensor: SparseTensor;
  readonly operator: MatrixOperator;
}

export class KeptMatrices {
  readonly #engine: Engine;
  readonly #limit: number;
  /** The one that came last is the last. */
  readonly #kept: Kept[] = [];
  #disposed = false;

  /** @param limit how many operators are kept, from 1 */
  constructor(engine: Engine, limit: number) {
    this.#engine = engine;
    this.#limit = limit;
  }

  /**
   * The operator of a matrix, for the caller's next product only: a later call may dispose it.
   *
   * @param columns the columns of that product, from 0. The engine chooses the format of a new operator for as many
   * @throws SparlaneError `argument` after `dispose`; and as `engine.operator`
   */
  operatorOf(tensor: SparseTensor, columns: number): MatrixOperator {
    if (this.#disposed) throw wrong('argument', 'SparseTensorDenseMatMul', 'a registered operation', 'a disposed one');
    const at = this.#kept.findIndex((kept) => isSame(kept.tensor, tensor));
    const kept = at < 0 ? this.#laidOut(tensor, columns) : this.#kept.splice(at, 1)[0]!;
    this.#kept.push(kept);
    return kept.operator;
  }

  dispose(): void {
    this.#disposed = true;
    for (const { operator } of this.#kept.splice(0)) operator.dispose();
  }

  #laidOut({ rows, cols, indices, values }: SparseTensor, columns: number): Kept {
    if (this.#kept.length === this.#limit) this.#kept.shift()!.operator.dispose();
    const rowIdx = Int32Array.from(values, (_, k) => indices[2 * k]!);
    const colIdx = Int32Array.from(values, (_, k) => indices[2 * k + 1]!);
    const options = { dtype: 'f32', columns: Math.max(columns, 1) } as const;
    const operator = this.#engine.operator({ rows, cols, rowIdx, colIdx, values }, options);
    return { tensor: { rows, cols, indices: indices.slice(), values: values.slice() }, operator };
  }
}

/** Values are compared as bits: a matrix with NaN is recognized, and −0 is not 0. */
function isSame(a: SparseTensor, b: SparseTensor): boolean {
  return a.rows === b.rows && a.cols === b.cols && equal(bits(a.values), bits(b.values)) && equal(a.indices, b.indices);
}

const bits = ({ buffer, byteOffset, length }: Float32Array) => new Int32Array(buffer, byteOffset, length);

function equal(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}
