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
import { LinearOperator } from '../operators/operator.js';
import type { TransposeOptions } from '../operators/transpose-options.js';
import type { DistributedOperator, DistributedParts } from './distributed-operator.js';
import type { HaloPlan } from './halo.js';
import type { Meeting } from './meeting.js';
import type { Exchange } from './transport.js';

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

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    const { own, exchange } = this.#parts;
    this.#findForOthers(x, alpha);
    exchange.start();
    own.apply(x, y, alpha, beta);
    exchange.finish();
    this.#addReturned(y);
  }

  #findForOthers(x: Vector, alpha: number): void {
    const { ghost, boundaryRows, boundaryX, found, plan, exchange } = this.#parts;
    const [from, to] = [x.data, boundaryX.data];
    for (let i = 0; i < to.length; i++) to[i] = from[boundaryRows[i]!]!;
    ghost.apply(boundaryRows.length === x.length ? x : boundaryX, found, alpha);
    plan.receives.forEach(({ begin, end }, i) => {
      exchange.outgoing(i).set(found.data.subarray(begin, end));
    });
  }

  #addReturned(y: Vector): void {
    const { plan, returned } = this.#parts;
    const [sums, own] = [returned.data, y.data];
    let at = 0;
    for (const { places } of plan.sends) for (let k = 0; k < places.length; k++) own[places[k]!]! += sums[at++]!;
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
  readonly ghost: MatrixOperator;
  readonly boundaryRows: Uint32Array;
  /** Elements of x of the rows with ghosts; empty if all rows have some: it is then x itself. */
  readonly boundaryX: Vector;
  /** What this rank finds for its ghosts. */
  readonly found: Vector;
  /** What others found for elements of this rank, in the order of the sends of A. */
  readonly returned: Vector;
  /** Of A: messages go the other way. */
  readonly plan: HaloPlan;
  readonly exchange: Exchange;
}

/** Called by all ranks. @param owned gets what the operator needs beside A @throws as `DistributedOperator.transposed` */
export function transposeRows(
  meeting: Meeting,
  A: DistributedOperator,
  { own, ghost, boundaryRows, plan }: DistributedParts,
  options: TransposeOptions,
  owned: Owned,
): TransposedRows {
  const count = plan.sends.reduce((sum, { places }) => sum + places.length, 0);
  const made = meeting.together(
    () => {
      const vector = (length: number) => owned.own(new Vector(A.space, A.vectorType, length));
      const operators = { own: own.transposed(options), ghost: ghost.transposed() };
      return {
        ...operators,
        boundaryX: vector(ghost.rows === A.rows ? 0 : ghost.rows),
        found: vector(ghost.cols),
        returned: vector(count),
      };
    },
    () => {},
  );
  let end = 0;
  const exchange = owned.own(
    meeting.transport.exchange(
      A.vectorType,
      plan.receives.map(({ rank, begin, end: last }) => ({ rank, count: last - begin })),
      plan.sends.map(({ rank, places: { length } }) => {
        end += length;
        return { rank, into: made.returned.data.subarray(end - length, end) };
      }),
    ),
  );
  return new TransposedRows(A, { ...made, boundaryRows, plan, exchange }, owned);
}
