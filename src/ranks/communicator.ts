/** A communicator: what one rank of a distributed run does together with the others. */
import type { IndexArray } from '../core/arrays.js';
import { callback, integer, knownKeys } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { Dtype, VectorOf } from '../core/types.js';
import type { VectorOptions } from '../engine/create-vector.js';
import type { Engine } from '../engine/engine.js';
import type { Scalar } from '../memory/scalar.js';
import type { Space } from '../memory/space.js';
import type { Vector } from '../memory/vector.js';
import type { Preconditioner } from '../preconditioners/preconditioner.js';
import { type PreconditionOptions, precondition, preconditionerOf, specOfPairs } from '../preconditioners/registry.js';
import { type AssemblyEntries, RankAssembly, type RankAssemblyOptions } from './assembly-rows.js';
import { compare } from './comparison.js';
import { type ComplexDistributedOptions, type ComplexRankRows, distributeComplex } from './complex-rows.js';
import { type DistributedOptions, distribute, type RankRows } from './distribute.js';
import { DistributedOperator } from './distributed-operator.js';
import { engineOfGroup, splitMeeting } from './group.js';
import type { Meeting } from './meeting.js';
import { OVER_RANKS } from './multigrid/multigrid.js';
import { overlapping } from './overlap.js';
import { RankMessages } from './rank-messages.js';
import { type Redistribution, redistribute } from './redistribute.js';
import type { TransportKind } from './transport.js';

/** Colors and keys of a split are 32-bit integers, as MPI's. */
const LIMIT = 2 ** 31;

/** Options of `comm.precondition`. */
export interface RankPreconditionOptions extends PreconditionOptions {
  /**
   * 1: each rank solves with its own elements and those that it gets for a product of A, by additive Schwarz if the kind is symmetric, else
   * by restricted additive Schwarz. Fewer iterations, for two messages to each neighbour. Default 0.
   */
  readonly overlap?: 0 | 1;
}

/**
 * One rank of several, made by `joinRanks`. Every rank runs the same program: what is said here to be done together must be called by all
 * ranks, in the same order. A rank that calls something else, ends or fails gives the others an error that names it.
 *
 * Its vectors live where its engine computes, in the heap or on a device. A vector of all ranks consists of a vector on each of them, its part; `data` is the part of this
 * rank in the heap. Operations on vectors are done together if they have a sum: `dot`, `norm`, `dots`, `columnDots`, `gram`. A scalar has the same bits
 * on all ranks.
 *
 * @example
 * await using comm = await joinRanks({ ranks: 4 });
 * using A = comm.operator({ firstRow, rows, cols, rowPtr, colIdx, values }); // this rank's rows
 * using M = comm.precondition(A, 'ic0');
 * const { x, iterations } = cg(A, comm.vector(b), { preconditioner: M });
 * if (comm.rank === 0) console.log(iterations);
 */
export class Communicator extends RankMessages implements AsyncDisposable, Disposable {
  /** How the ranks reach each other. */
  readonly transport: TransportKind;
  /** This rank's engine: its operators and preconditioners map this rank's parts of vectors, without the others. */
  readonly engine: Engine;
  readonly #meeting: Meeting;
  readonly #whole: Communicator | undefined;
  #disposal: Promise<void> | undefined;

  /** Made by `joinRanks`, and by `split` of `whole`. */
  constructor(meeting: Meeting, engine: Engine, whole?: Communicator) {
    super(meeting);
    this.transport = meeting.transport.kind;
    this.engine = engine;
    this.#meeting = meeting;
    this.#whole = whole;
  }

  /** The space of vectors of which each rank has a part. */
  get space(): Space {
    return this.engine.space;
  }

  /** As `engine.vector`: this rank's part of a vector. */
  vector<D extends Dtype = 'f64'>(
    source: number | ArrayLike<number>,
    options: VectorOptions<D> = {},
  ): Vector<VectorOf<D>> {
    return this.engine.vector(source, options);
  }

  /** As `engine.scalar`. A number that is given must be the same on all ranks. */
  scalar(value = 0): Scalar {
    return this.engine.scalar(value);
  }

  /**
   * The operator of a matrix whose rows are dealt to the ranks. Together.
   *
   * Elements of y are dealt like rows; those of x, too, if the matrix is square, else evenly. An error on one rank is thrown on all.
   *
   * @param rows this rank's rows, with the columns of the whole matrix. Those of rank 0 come first, then those of rank 1, …
   * @throws SparlaneError `structure`, `shape` or `argument` for invalid rows or options, or rows that do not follow those of the rank
   *   before; `heap` if it does not fit; `fill-in` as `engine.operator`. Nothing stays allocated
   */
  operator(rows: RankRows, options: DistributedOptions = {}): DistributedOperator {
    return distribute(this.alive(), this.engine, rows, options);
  }

  /**
   * The same for a complex matrix: elements are pairs (re, im), and the operator's `rows` and `cols` count their numbers, as those of `complexOperator`. `transposed`
   * is the conjugate transpose. On CPUs. Together.
   *
   * @param rows this rank's rows, with the columns of the whole matrix, and two values for each entry
   * @throws SparlaneError as `operator` and `complexOperator`; `backend` for ranks on devices, or that have joined without `complex: true`
   */
  complexOperator(rows: ComplexRankRows, options: ComplexDistributedOptions = {}): DistributedOperator {
    return distributeComplex(this.alive(), this.engine, rows, options);
  }

  /**
   * A preconditioner of A whose factors ignore the entries between ranks: block Jacobi over the ranks, and within a rank what `spec` names.
   * With `jacobi` it is that of A itself, and with `amg` multigrid of A itself, whose levels are dealt to the ranks as A is. Together; an error
   * on one rank is thrown on all.
   *
   * @param A square
   * @param options `overlap: 1`: factors include the elements that a product gets from other ranks; it cannot be updated. `nearNullSpace`: this rank's parts
   *   of the vectors
   * @throws SparlaneError as `precondition`
   */
  precondition(A: DistributedOperator, spec: string, options: RankPreconditionOptions = {}): Preconditioner {
    if (!(A instanceof DistributedOperator)) throw mismatch('argument', 'A', 'an operator of a communicator', A);
    knownKeys('options', options, { dtype: true, nearNullSpace: true, overlap: true });
    const { overlap = 0, ...made } = options;
    integer('overlap', overlap, 0, 1);
    const meeting = this.alive();
    const named = A.complexMaps === undefined ? spec : specOfPairs(spec);
    const name = meeting.transport.calls.name('preconditioner');
    const modes = Array.isArray(made.nearNullSpace) ? made.nearNullSpace.length : 0;
    compare(meeting, name, {
      ...{ A: A.name, spec: String(spec), dtype: made.dtype ?? 'default', overlap, nearNullSpace: modes },
    });
    const { kind } = meeting.together(
      () => preconditionerOf(named),
      () => {},
    );
    const makeOverRanks = this.size > 1 ? OVER_RANKS.get(kind) : undefined;
    if (makeOverRanks !== undefined && overlap === 1)
      throw mismatch('argument', 'overlap', `0 for ${kind.name}, which spans all ranks`, overlap);
    const wish = { meeting, engine: this.engine, A, name, spec: named, options: made };
    if (makeOverRanks !== undefined) return makeOverRanks(wish);
    if (overlap === 1) return overlapping(wish);
    return meeting.together(
      () => precondition(this.engine, A.ownMatrix(), named, made),
      (M) => M.dispose(),
    );
  }

  /**
   * Sends each row to the rank that `part` names, where those of rank 0 come first, then those of rank 1, …, each in their former order. Columns of a square matrix are
   * renumbered as its rows. `permute` of the result brings b to the new places, and `restore` brings x back. No rank holds the whole matrix. Together.
   *
   * @param rows this rank's rows, as of `operator`
   * @param part the new rank of each of them
   * @throws SparlaneError `shape` or `argument` for another number of ranks, or ranks that are not there; and as `operator`; on all ranks
   *
   * @example
   * const { rows: moved, permute, restore } = comm.redistribute(rows, part);
   * using A = comm.operator(moved);
   * const { x } = cg(A, comm.vector(permute(b)));
   * const solution = restore(x.toArray());
   */
  redistribute(rows: RankRows, part: IndexArray): Redistribution {
    this.alive();
    return redistribute(this, rows, part);
  }

  /**
   * Makes the pattern of a matrix to which every rank adds numbers in any rows; each entry is added up on the rank that owns its row. Together.
   *
   * @param entries the rows and columns of this rank's numbers, in the whole matrix
   * @throws SparlaneError `structure` for rows or columns out of range, `shape` for lengths that differ, `argument`; on all ranks
   */
  assembly(entries: AssemblyEntries, options: RankAssemblyOptions): RankAssembly {
    this.alive();
    return new RankAssembly(this, entries, options);
  }

  /**
   * Divides the ranks into groups, as MPI_Comm_split: those that give the same color get a communicator of their own, with ranks from 0 on. Groups do not
   * wait for each other. They compute with the heap and the threads of this communicator's engine, on vectors of their own: `group.vector`, `group.operator`. Together.
   *
   * A group lives until it is disposed, or this communicator is; under MPI a rank can be in 2000 of them, those that are disposed included. Ranks of several
   * groups that wait for each other get an error, which names them as ranks of all.
   *
   * @param color from 0 to 2³¹ − 1. undefined: this rank is in no group, and gets undefined
   * @param key the order of the ranks in a group, by this number, from −2³¹ to 2³¹ − 1, then by their rank here. Default 0
   * @throws SparlaneError `argument`; `backend` for ranks on devices, or too many groups
   *
   * @example
   * const group = comm.split(comm.rank % 2);
   * const sum = group.allreduce(comm.rank); // of the even ranks on these, of the odd ones on those
   */
  split(color: number, key?: number): Communicator;
  split(color: number | undefined, key?: number): Communicator | undefined;
  split(color: number | undefined, key = 0): Communicator | undefined {
    if (color !== undefined) integer('color', color, 0, LIMIT - 1);
    integer('key', key, -LIMIT, LIMIT - 1);
    const meeting = this.alive();
    if (this.space.heap === undefined) throw mismatch('backend', 'split', 'ranks on CPUs', 'ranks on devices');
    const group = splitMeeting(meeting, color, key);
    return group && new Communicator(group, engineOfGroup(this.engine, group), this);
  }

  /**
   * Calls a function on every rank, which returns at once: what is awaited is awaited before. If it throws on one, all throw the same error, so that
   * ranks stay together.
   *
   * @throws the error of the first rank that has one: its name, its message after `rank 2: `, and, if JavaScript or the library defines it, its class. The
   *   rank is `detail.rank` of a SparlaneError, and `rank` of others
   */
  together<T>(make: () => T): T {
    callback('make', make);
    return this.alive().together(
      () => checkReturned(make()),
      () => {},
    );
  }

  protected override alive(): Meeting {
    if (this.#disposal !== undefined)
      throw mismatch('argument', 'communicator', 'one that is in use', 'a disposed communicator');
    this.#whole?.alive();
    return this.#meeting;
  }

  /** One line: `Communicator (rank 1 of 4, threads)`. */
  override toString(): string {
    return `Communicator (rank ${this.rank} of ${this.size}, ${this.transport})`;
  }

  /** Leaves the ranks and, unless they are a group, disposes the engine. Optional: a rank leaves when its thread or process ends. Idempotent. */
  dispose(): Promise<void> {
    this.#disposal ??= this.#leave();
    return this.#disposal;
  }

  async #leave(): Promise<void> {
    this.#meeting.transport.leave();
    if (this.#whole === undefined) await this.engine.dispose();
  }

  [Symbol.dispose](): void {
    void this.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}

/** @throws SparlaneError `argument` for a promise, whose error would come after the ranks have agreed that there is none */
function checkReturned<T>(made: T): T {
  if (!(made instanceof Promise)) return made;
  made.catch(() => {});
  throw mismatch('argument', 'make', 'a function that does not return a promise', made);
}
