/**
 * A matrix whose rows are dealt to ranks. Each rank multiplies its own columns while the elements of x that its ghost columns need are on
 * their way, and adds the product of the ghost columns when they have arrived.
 *
 * Source: PETSc's MatMult_MPIAIJ. `halo.ts` says what differs.
 * Cost: that of the own part; per ghost 8 bytes sent, and per row with ghosts 16 bytes; two messages per neighbour.
 * The same bits in every run with the same ranks: own columns are summed first, then ghosts.
 */

import type { Backend } from '../backends/backend.js';
import type { NumberArray } from '../core/arrays.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { assemble, type Owned } from '../core/owned.js';
import type { FloatArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { Vector } from '../memory/vector.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import { type ComplexMaps, LinearOperator } from '../operators/operator.js';
import type { TransposeOptions } from '../operators/transpose-options.js';
import type { AtPlaces } from './at-places.js';
import type { ElementExchange } from './element-exchange.js';
import type { HaloPlan } from './halo.js';
import type { Meeting } from './meeting.js';
import { withNewValues } from './new-values.js';
import { type TransposedRows, transposedOperator } from './transposed-rows.js';

/** How the matrix of all ranks is distributed. Plain data. */
export interface DistributionReport {
  readonly rank: number;
  readonly ranks: number;
  /** Of all ranks. */
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  /** This rank's rows begin here; `ownRows` of them. */
  readonly firstRow: number;
  readonly ownRows: number;
  readonly own: { readonly nnz: number; readonly format: string };
  /** The columns that other ranks own, in the rows that have any, or all rows if half of them have. */
  readonly ghost: { readonly nnz: number; readonly format: string; readonly rows: number; readonly columns: number };
  readonly neighbours: readonly { readonly rank: number; readonly sends: number; readonly receives: number }[];
  /** Elements of x that this rank receives for a product; the most of any rank; those of all ranks. */
  readonly halo: { readonly own: number; readonly most: number; readonly total: number };
  /** Entries of the fullest rank over the mean of all ranks. */
  readonly imbalance: number;
  readonly setupMs: number;
}

export interface DistributedParts {
  /** As errors name it, the same on all ranks: operators are numbered in the order in which they are made. */
  readonly name: string;
  readonly engine: Engine;
  readonly meeting: Meeting;
  readonly own: MatrixOperator;
  /** On a device, it and its vectors are in a space beside that of the own part. */
  readonly ghost: MatrixOperator;
  readonly boundaryRows: Uint32Array;
  readonly boundary: AtPlaces;
  readonly exchange: ElementExchange;
  readonly plan: HaloPlan;
  /** The own columns begin here in the whole matrix. */
  readonly firstCol: number;
  /** The global columns of the ghosts, ascending. */
  readonly ghosts: Uint32Array;
  /** The ghosts' elements of x. */
  readonly ghostX: Vector;
  /** What ghosts add to the rows that have any; of no elements if it is added to y at once. */
  readonly ghostY: Vector;
  readonly report: DistributionReport;
}

/** Returns the backend on which ghosts arrive and are multiplied: on a device, beside the own columns. */
export function besideOf(engine: Engine): Backend | undefined {
  return engine.device === 'cuda' ? engine.gpus[0]!.beside : undefined;
}

/**
 * y ← α A x + β y, of which each rank has its part: `rows` and `cols` are the lengths of this rank's parts of y and x. All ranks apply it
 * together. Solvers take it like every other operator, and get the same scalars on all ranks.
 */
export class DistributedOperator extends LinearOperator {
  #parts: DistributedParts;
  readonly #owned: Owned;
  #transpose: TransposedRows | undefined;

  /** Made by `Communicator.operator`. Takes ownership of what `owned` has. */
  constructor(parts: DistributedParts, owned: Owned) {
    const { own } = parts;
    super(own.space, own.rows, own.cols, own.vectorType);
    this.#parts = parts;
    this.#owned = owned;
  }

  /** Returns the operator of the rows of this rank and the columns of its own elements, which is square if the matrix is. */
  get own(): MatrixOperator {
    return this.#parts.own;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    const { ghost, exchange, ghostX, ghostY, boundary, boundaryRows } = this.#parts;
    exchange.start(x);
    try {
      this.own.apply(x, y, alpha, beta);
    } finally {
      exchange.finish();
    }
    // Without ghosts, too, x must not change before it has been sent.
    if (boundaryRows.length === 0) this.#waitBeside();
    else if (ghostY.length === 0) ghost.apply(ghostX, y, alpha, 1);
    else {
      ghost.apply(ghostX, ghostY, alpha);
      boundary.add(ghostY, y);
    }
  }

  /** Those of the own part, whose y is that of this rank. */
  override get complexMaps(): ComplexMaps | undefined {
    return this.own.complexMaps;
  }

  #waitBeside(): void {
    if (this.#parts.ghost.space !== this.space) this.space.after(this.#parts.ghost.space);
  }

  /**
   * The operator of Aᵀ: x is dealt like the rows of A, y like its columns. Each rank transposes its rows, once; what it finds for ghost columns
   * is sent to their owners. It is disposed with A if not before. Together; an error on one rank is thrown on all.
   *
   * @param options for the part of a rank's own columns, as of `MatrixOperator.transposed`; only of the first call, until it is disposed
   * @throws SparlaneError as `MatrixOperator.transposed`
   *
   * @example
   * const { x } = lsmr(A, b); // uses it
   */
  transposed(options: TransposeOptions = {}): TransposedRows {
    if (this.disposed) throw mismatch('argument', 'operator', 'one that is in use', 'a disposed operator');
    if (this.#transpose === undefined || this.#transpose.disposed) {
      this.#transpose = assemble((owned) => transposedOperator(this, this.#parts, options, owned));
    }
    return this.#transpose;
  }

  /** As errors of ranks name it: `operator 2` for the second call of `comm.operator`. */
  get name(): string {
    return this.#parts.name;
  }

  /** How the matrix is distributed, and the halo: what a product sends. */
  explain(): DistributionReport {
    return this.#parts.report;
  }

  /** Who sends what in a product, and this rank's entries in ghost columns, one row for each boundary row. */
  halo(): Pick<DistributedParts, 'plan' | 'ghosts' | 'boundaryRows'> & { readonly matrix: CsrMatrix } {
    const { plan, ghosts, boundaryRows } = this.#parts;
    return { plan, ghosts, boundaryRows, matrix: this.#parts.ghost.toCsr() };
  }

  /** The columns and values of this rank's own part, in canonical order; columns are numbered from this rank's first one. */
  ownMatrix(): CsrMatrix {
    return this.own.toCsr();
  }

  /** Other values in the same patterns, of the own part and of the ghosts'; for parts that are `csr` in the heap. */
  refill(own: FloatArray, ghosts: FloatArray): void {
    this.own.matrix.entries!.values.set(own);
    this.#parts.ghost.matrix.entries!.values.set(ghosts);
  }

  /**
   * Takes other values in the same pattern, as for the next time step: who sends what to whom stays. Both parts are stored anew, in their formats; operators of Aᵀ are disposed. Together; an
   * error on one rank is thrown on all, and changes nothing.
   *
   * @param values one for each entry of this rank's rows, with the columns of each row ascending: `values` of the rows that `comm.operator` got, if theirs ascend
   * @throws SparlaneError `shape` for another number of values; `argument` for a complex operator; `heap` if both do not fit for a while
   */
  update(values: NumberArray): void {
    const { meeting, engine, firstCol, ghosts, boundaryRows } = this.#parts;
    const made = meeting.together(
      () => {
        if (this.disposed || this.complexMaps !== undefined)
          throw mismatch('argument', 'operator', 'one of real numbers that is in use', this);
        const stored = { own: this.own.toCsr(), ghost: this.#parts.ghost.toCsr(), boundaryRows, ghosts, firstCol };
        const { own, ghost } = withNewValues(stored, values);
        return assemble((owned) => {
          const optionsOf = ({ format, matrix: { dtype } }: MatrixOperator) => ({ format, dtype });
          const newOwn = owned.own(engine.operator(own, optionsOf(this.own)));
          const newGhost = owned.own(engine.operatorOn(besideOf(engine), ghost, optionsOf(this.#parts.ghost)));
          return [newOwn, newGhost, owned] as const;
        });
      },
      ([, , owned]) => owned[Symbol.dispose](),
    );
    this.#transpose?.dispose();
    this.own.dispose();
    this.#parts.ghost.dispose();
    const [own, ghost, owned] = made;
    this.#parts = { ...this.#parts, own, ghost };
    this.#owned.own(owned);
  }

  /** Of this rank's matrices and vectors. */
  get bytes(): number {
    const { ghostX, ghostY } = this.#parts;
    return this.own.matrix.bytes + this.#parts.ghost.matrix.bytes + ghostX.byteLength + ghostY.byteLength;
  }

  /** One line: `DistributedOperator (rank 1 of 4, rows 250 to 499 of 1000)`. */
  override toString(): string {
    const { rank, ranks, firstRow, ownRows, rows } = this.#parts.report;
    const range = ownRows === 0 ? 'no rows' : `rows ${firstRow} to ${firstRow + ownRows - 1}`;
    return `DistributedOperator (rank ${rank} of ${ranks}, ${range} of ${rows})`;
  }

  protected override release(): void {
    this.#transpose?.dispose();
    this.#owned[Symbol.dispose]();
  }
}
