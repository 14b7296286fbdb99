/**
 * Aᵀ of a matrix whose rows are dealt to ranks. What a rank finds for its ghost columns is sent to their owners while its own columns are
 * multiplied, and added there.
 *
 * Source: PETSc's MatMultTranspose_MPIAIJ.
 * Cost: that of both transposed parts; per ghost 8 bytes sent and an add, and per row with ghosts 8 bytes; two messages per neighbour.
 * The same bits in every run with the same ranks: own rows are summed first, then what other ranks found, in their order.
 */
import type { Owned } from '../core/owned.js';
import { Vector } from '../memory/vector.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import { type ComplexMaps, LinearOperator } from '../operators/operator.js';
import type { TransposeOptions } from '../operators/transpose-options.js';
import { AtPlaces } from './at-places.js';
import type { DistributedOperator, DistributedParts } from './distributed-operator.js';
import { type ElementExchange, exchangeOf } from './element-exchange.js';
import type { HaloPlan } from './halo.js';

/** y ← α Aᵀ x + β y: x is dealt like the rows of A, y like its columns. All ranks apply it together. */
export class TransposedRows extends LinearOperator {
  readonly #A: DistributedOperator;
  readonly #parts: TransposedParts;
  readonly #owned: Owned;

  /** Takes ownership of what `owned` has. */
  constructor(A: DistributedOperator, parts: TransposedParts, owned: Owned) {
    super(A.space, A.cols, A.rows, A.vectorType);
    this.#A = A;
    this.#parts = parts;
    this.#owned = owned;
  }

  /** A itself. */
  transposed(): DistributedOperator {
    return this.#A;
  }

  override get complexMaps(): ComplexMaps | undefined {
    return this.#parts.own.complexMaps;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    const { own, ghost, boundary, boundaryX, found, returned, exchange, adds } = this.#parts;
    // What was found and returned last may still be in use.
    if (found.space !== this.space) found.space.after(this.space);
    if (found.length > 0) {
      if (boundaryX.length > 0) boundary.pick(x, boundaryX);
      ghost.apply(boundaryX.length > 0 ? boundaryX : x, found, alpha);
    }
    exchange.start(found);
    try {
      own.apply(x, y, alpha, beta);
    } finally {
      exchange.finish();
    }
    let at = 0;
    for (const { places, length } of adds) {
      places.add(returned, y, at);
      at += length;
    }
    // Where nothing is added, too, x must not change before it has been read.
    if (adds.length === 0 && found.space !== this.space) this.space.after(found.space);
  }

  /** One line: `TransposedRows of DistributedOperator (rank 1 of 4, rows 250 to 499 of 1000)`. */
  override toString(): string {
    return `TransposedRows of ${this.#A}`;
  }

  protected override release(): void {
    this.#owned[Symbol.dispose]();
  }
}

interface TransposedParts {
  readonly own: MatrixOperator;
  /** On a device, it and its vectors are in a space beside that of the own part. */
  readonly ghost: MatrixOperator;
  readonly boundary: AtPlaces;
  /** Elements of x of the rows with ghosts; empty if it is x itself. */
  readonly boundaryX: Vector;
  /** What this rank finds for its ghosts. */
  readonly found: Vector;
  /** What others found for elements of this rank, in the order of the sends of A. */
  readonly returned: Vector;
  /** Where these belong, for each neighbour. */
  readonly adds: readonly { readonly places: AtPlaces; readonly length: number }[];
  readonly exchange: ElementExchange;
}

/** Called by all ranks. @param owned gets what the operator needs beside A @throws as `DistributedOperator.transposed` */
export function transposedOperator(
  A: DistributedOperator,
  { engine, meeting, own, ghost, boundary, plan, name }: DistributedParts,
  options: TransposeOptions,
  owned: Owned,
): TransposedRows {
  const count = plan.sends.reduce((sum, { places }) => sum + places.length, 0);
  const made = meeting.together(
    () => {
      const vector = (length: number) => owned.own(new Vector(ghost.space, A.vectorType, length));
      const operators = { own: own.transposed(options), ghost: ghost.transposed() };
      const isX = A.space.heap !== undefined && ghost.rows === A.rows;
      return {
        ...operators,
        boundary,
        boundaryX: vector(isX ? 0 : ghost.rows),
        found: vector(ghost.cols),
        returned: vector(count),
        adds: plan.sends.map(({ places }) => {
          return { places: owned.own(new AtPlaces(ghost.space, places)), length: places.length };
        }),
      };
    },
    () => {},
  );
  const title = ['product', `the transpose of ${name}`] as const;
  const exchange = owned.own(exchangeOf(meeting, engine, reversed(plan), made.returned, title));
  return new TransposedRows(A, { ...made, exchange }, owned);
}

/** Messages go the other way: those of a neighbour arrive after those of the neighbours before. */
function reversed({ sends, receives }: HaloPlan): HaloPlan {
  let last = 0;
  return {
    sends: receives.map(({ rank, begin, end }) => {
      return { rank, places: Uint32Array.from({ length: end - begin }, (_, i) => begin + i) };
    }),
    receives: sends.map(({ rank, places: { length } }) => {
      last += length;
      return { rank, begin: last - length, end: last };
    }),
  };
}
