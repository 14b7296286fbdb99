/** Preconditioners made of operators and vector operations: they compute in any space, and a recording joins their operations. */
import type { CsrMatrix } from '../core/csr.js';
import { assemble, type Owned } from '../core/owned.js';
import { type Dtype, type FloatArray, vectorArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import { Shuffle } from '../operators/shuffle.js';
import { type Made, Preconditioner, type PreconditionerReport } from './preconditioner.js';

export abstract class ComposedPreconditioner extends Preconditioner {
  /** M⁻¹ x, if it is scaled or added. */
  #product: Vector | undefined;

  protected constructor(space: Space, made: Made, isSymmetric: boolean) {
    super(space, made, isSymmetric);
  }

  /** y ← M⁻¹ x, by operators and vector operations alone, without allocations. */
  protected abstract compute(x: Vector, y: Vector): void;

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    if (alpha === 1 && beta === 0) {
      this.compute(x, y);
      return;
    }
    this.#product ??= y.like();
    this.compute(x, this.#product);
    y.axpby(alpha, this.#product, beta);
  }

  protected override get isComposed(): boolean {
    return true;
  }

  protected override release(): void {
    this.#product?.dispose();
  }
}

/** What a preconditioner is made of; they are freed together with it. */
export class Parts {
  readonly #engine: Engine;
  readonly #preparation: Made;
  readonly #owned: Owned;
  readonly #sizes: (() => number)[] = [];

  constructor(engine: Engine, preparation: Made, owned: Owned) {
    this.#engine = engine;
    this.#preparation = preparation;
    this.#owned = owned;
  }

  /** As many vectors, as long as x; their contents are undefined. @throws SparlaneError `heap` if they do not fit */
  vectors(count: number): Vector[] {
    const { matrix, dtype } = this.#preparation;
    return Array.from({ length: count }, () => {
      const vector = this.#owned.own(new Vector(this.#engine.space, vectorArray(dtype), matrix.rows));
      this.#sizes.push(() => vector.byteLength);
      return vector;
    });
  }

  /** A vector as consecutive parts of these lengths, none of them 0, in its memory. */
  slices(vector: Vector, lengths: readonly number[]): Vector[] {
    const { space, type, block } = vector;
    let at = 0;
    return lengths.map((length) => {
      const bytes = length * type.BYTES_PER_ELEMENT;
      const slice = space.slice(block, at, bytes);
      at += bytes;
      this.#owned.own({ [Symbol.dispose]: () => space.releaseSlice(slice) });
      return new Vector(space, type, length, slice);
    });
  }

  /** @throws SparlaneError `heap` if it does not fit */
  operator(matrix: CsrMatrix): ChangingOperator {
    const operator = this.#owned.own(new ChangingOperator(this.#engine, matrix, this.#preparation.dtype));
    this.#sizes.push(() => operator.bytes);
    return operator;
  }

  /** A preconditioner that was made for this one. */
  preconditioner(M: Preconditioner): Preconditioner {
    this.#sizes.push(() => M.bytes);
    return this.#owned.own(M);
  }

  /** @throws SparlaneError `heap` if it does not fit */
  shuffle(order: Uint32Array): Shuffle {
    this.#sizes.push(() => 2 * order.byteLength);
    return this.#owned.own(new Shuffle(this.#engine.space, order));
  }

  get bytes(): number {
    return this.#sizes.reduce((sum, size) => sum + size(), 0);
  }
}

/** A preconditioner as its functions. */
export interface Composition {
  /** y ← M⁻¹ x, by operators and vector operations alone, without allocations. */
  readonly compute: (x: Vector, y: Vector) => void;
  /** Computes it again from other values of A, of the same pattern. @throws SparlaneError `structure` if it cannot be made of them */
  readonly refill: (values: FloatArray) => void;
  /** Stored numbers. */
  readonly entries: number;
  /** Whether M is symmetric if A is, where it follows from what was made. */
  readonly isSymmetric?: boolean;
  /** What `explain` says in addition. */
  readonly report?: () => Partial<PreconditionerReport>;
}

/**
 * A preconditioner from its functions. If `make` throws, nothing stays allocated.
 *
 * @param isSymmetric whether M is if A is
 * @throws SparlaneError as `make`
 */
export function compose(
  engine: Engine,
  preparation: Made,
  isSymmetric: boolean,
  make: (parts: Parts) => Composition,
): Preconditioner {
  return assemble((owned) => {
    const parts = new Parts(engine, preparation, owned);
    return new MadeOfParts(engine.space, preparation, isSymmetric, make(parts), parts, owned);
  });
}

class MadeOfParts extends ComposedPreconditioner {
  readonly #composition: Composition;
  readonly #parts: Parts;
  readonly #owned: Owned;

  constructor(
    space: Space,
    preparation: Made,
    isSymmetric: boolean,
    composition: Composition,
    parts: Parts,
    owned: Owned,
  ) {
    super(space, preparation, composition.isSymmetric ?? isSymmetric);
    this.#composition = composition;
    this.#parts = parts;
    this.#owned = owned;
  }

  protected override compute(x: Vector, y: Vector): void {
    this.#composition.compute(x, y);
  }

  protected override refill(values: FloatArray): void {
    this.#composition.refill(values);
  }

  override get bytes(): number {
    return this.#parts.bytes;
  }

  override explain(): PreconditionerReport {
    const { spec, rows, bytes, setupMs } = this;
    const { entries, report } = this.#composition;
    return { spec, rows, entries, ...report?.(), bytes, setupMs };
  }

  protected override release(): void {
    super.release();
    this.#owned[Symbol.dispose]();
  }
}

/**
 * The operator of a matrix whose values change. It is stored as `csr`, whose bits do not depend on the number of threads, as those of the
 * format that `auto` selects may.
 */
export class ChangingOperator implements Disposable {
  readonly #engine: Engine;
  readonly #matrix: CsrMatrix;
  readonly #dtype: Dtype;
  #operator: MatrixOperator;

  /** @throws SparlaneError `heap` if it does not fit */
  constructor(engine: Engine, matrix: CsrMatrix, dtype: Dtype) {
    this.#engine = engine;
    this.#matrix = matrix;
    this.#dtype = dtype;
    this.#operator = engine.operator(matrix, { format: 'csr', dtype });
  }

  get operator(): MatrixOperator {
    return this.#operator;
  }

  get bytes(): number {
    return this.#operator.matrix.bytes;
  }

  /** Other values in the same pattern: in place in the heap; a device gets a new operator. */
  refill(values: FloatArray): void {
    const { entries } = this.#operator.matrix;
    if (this.#operator.space.heap !== undefined && entries !== undefined) {
      entries.values.set(values);
      return;
    }
    const made = this.#engine.operator({ ...this.#matrix, values }, { format: 'csr', dtype: this.#dtype });
    this.#operator.dispose();
    this.#operator = made;
  }

  [Symbol.dispose](): void {
    this.#operator.dispose();
  }
}
