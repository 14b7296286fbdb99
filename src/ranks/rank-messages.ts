/** What a program exchanges itself: the calls of a communicator that take arrays of numbers to other ranks, and bring theirs. */
import { integer, oneOf } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { type ElementArray, type ElementArrayConstructor, placeOfType, typeOf } from './elements.js';
import { Mailbox } from './mailbox.js';
import type { Meeting } from './meeting.js';
import { REDUCTIONS, type Reduction } from './reduction-tree.js';

/** Tags are below this. Chosen: MPI's are, too. */
const TAGS = 2 ** 31;

/** The part of a communicator that exchanges arrays. */
export abstract class RankMessages {
  /** From 0 to `size` − 1. */
  readonly rank: number;
  readonly size: number;
  readonly #mailbox: Mailbox;

  /** Made by `joinRanks`. */
  constructor({ transport }: Meeting) {
    this.rank = transport.rank;
    this.size = transport.size;
    this.#mailbox = new Mailbox(transport);
  }

  /** @throws SparlaneError `argument` after `dispose` */
  protected abstract alive(): Meeting;

  /**
   * Sends a copy of an array to one rank, which calls `receive`. It does not wait, so two ranks may both send before they receive. Only these two ranks
   * take part. A message that nobody receives is dropped when the ranks end.
   *
   * @param array of any length, up to 1 GiB; its type and length are sent, too
   * @param to a rank, which may be this one
   * @param tag an integer from 0 to 2³¹ − 1. Messages from one rank to another with the same tag are received in the order in which they were sent
   * @throws SparlaneError `argument`; `backend` if a rank has failed or the ranks are out of step
   *
   * @example
   * comm.send(Float64Array.of(1, 2), (comm.rank + 1) % comm.size);
   * const fromLeft = comm.receive((comm.rank + comm.size - 1) % comm.size);
   */
  send(array: ElementArray, to: number, tag = 0): void {
    integer('to', to, 0, this.size - 1);
    integer('tag', tag, 0, TAGS - 1);
    this.alive();
    this.#mailbox.send(checkElements('array', array), to, tag);
  }

  /**
   * Returns the next array that a rank has sent to this one with a tag, and waits for it.
   *
   * @param from a rank, which may be this one
   * @param tag as of `send`
   * @param type of the array. Default `Float64Array`
   * @throws SparlaneError `argument` if the array has another type: it stays, for a call with the right one; `backend` if it never comes: that rank has ended,
   *   or waits for this one, itself or through others
   */
  receive<A extends ElementArray = Float64Array>(
    from: number,
    tag = 0,
    type: ElementArrayConstructor<A> = Float64Array as unknown as ElementArrayConstructor<A>,
  ): A {
    integer('from', from, 0, this.size - 1);
    integer('tag', tag, 0, TAGS - 1);
    if (placeOfType(type) < 0)
      throw mismatch('argument', 'type', 'Float64Array, Float32Array, Uint32Array, Int32Array or Uint8Array', type);
    this.alive();
    return this.#mailbox.receive(from, tag, type);
  }

  /** Waits until all ranks have called it. @throws SparlaneError `backend` if one never will, as do all that ranks do together */
  barrier(): void {
    this.alive().combine('barrier', new Float64Array(), Math.max);
  }

  /**
   * array ← that of rank `root`, on all ranks. Together.
   *
   * @param array as many bytes on every rank
   * @throws SparlaneError `shape` if they are not
   */
  broadcast<A extends ElementArray>(array: A, root = 0): A {
    integer('root', root, 0, this.size - 1);
    this.alive().broadcast(checkElements('array', array), root);
    return array;
  }

  /** The elements of rank 0, those of rank 1, …, of as many as each has, as a new array on all ranks. Together. */
  allgather<A extends ElementArray>(array: A): A {
    return this.alive().gather(checkElements('array', array)).all;
  }

  /**
   * Returns the arrays of all ranks on rank `root`, in their order, and no array on the others. Together.
   *
   * @param array of any length
   */
  gather(array: Float64Array, root = 0): readonly Float64Array[] {
    integer('root', root, 0, this.size - 1);
    if (!(array instanceof Float64Array)) throw mismatch('argument', 'array', 'an array of f64', array);
    const nothing = new Float64Array();
    const parts = Array.from({ length: this.size }, (_, rank) => (rank === root ? array : nothing));
    const received = this.alive().allToAll(parts);
    return this.rank === root ? received : [];
  }

  /**
   * Returns the array that rank `root` has for this rank. Together.
   *
   * @param parts on the root one array for each rank, of any lengths; not read on the others
   */
  scatter(parts: readonly Float64Array[] | undefined, root = 0): Float64Array {
    integer('root', root, 0, this.size - 1);
    const nothing = Array.from({ length: this.size }, () => new Float64Array());
    return this.alltoall(this.rank === root ? parts! : nothing)[root]!;
  }

  /**
   * Sends each rank an array of its own, and returns what each has sent to this one. Ranks send only what is not empty. Together.
   *
   * @param parts one array for each rank, this one included; of any lengths
   */
  alltoall(parts: readonly Float64Array[]): readonly Float64Array[] {
    const isRight =
      Array.isArray(parts) && parts.length === this.size && parts.every((part) => part instanceof Float64Array);
    if (!isRight) throw mismatch('argument', 'parts', `${this.size} arrays of f64, one for each rank`, parts);
    return this.alive().allToAll(parts);
  }

  /**
   * Returns the sum, the maximum or the minimum over all ranks, on all ranks: the same bits on each of them and in every run. Together.
   *
   * @param numbers a number, or an array whose elements are replaced; as many on every rank
   * @throws SparlaneError `shape` if they are not
   */
  allreduce<N extends number | Float64Array>(numbers: N, reduction: Reduction = 'sum'): N extends number ? number : N {
    oneOf('reduction', reduction, REDUCTIONS);
    const { reduced, result } = reducible(numbers);
    this.alive().reduce(reduction, reduced);
    return result();
  }

  /**
   * The same in two calls: this one tells this rank's numbers and waits for nothing, `wait` of what it returns waits for those of the other ranks. What
   * ranks compute in between, together or alone, takes no longer by the latency of the reduction. The same bits as `allreduce`. Together, as is `wait`: one
   * reduction is under way at a time. Under MPI it goes on while a rank makes calls of `comm` or products.
   *
   * @param numbers a number, or an array of at most 14, which may change in between
   * @throws SparlaneError `argument` while another one is under way
   *
   * @example
   * const sum = comm.startAllreduce(own);
   * A.apply(x, y);
   * const total = sum.wait();
   */
  startAllreduce<N extends number | Float64Array>(numbers: N, reduction: Reduction = 'sum'): StartedReduction<N> {
    oneOf('reduction', reduction, REDUCTIONS);
    const { reduced, result } = reducible(numbers);
    const wait = this.alive().startReduce(reduction, reduced);
    return {
      wait() {
        wait();
        return result();
      },
    };
  }
}

/** A reduction that is under way. */
export interface StartedReduction<N extends number | Float64Array> {
  /** The result, on all ranks; the elements of an array are replaced. A second call returns the same. @throws as `allreduce` */
  wait(): N extends number ? number : N;
}

/** Numbers as an array, and what is returned when that is reduced. */
function reducible<N extends number | Float64Array>(numbers: N) {
  const isArray = numbers instanceof Float64Array;
  if (!isArray && typeof numbers !== 'number')
    throw mismatch('argument', 'numbers', 'a number or a Float64Array', numbers);
  const reduced: Float64Array = isArray ? numbers : Float64Array.of(numbers);
  return { reduced, result: () => (isArray ? reduced : reduced[0]!) as N extends number ? number : N };
}

function checkElements<A extends ElementArray>(name: string, array: A): A {
  if (typeOf(array) < 0) throw mismatch('argument', name, 'an array of f64, f32, u32, i32 or u8', array);
  return array;
}
