/**
 * The present command of a team, in words of shared memory that rank 0 writes and the members read.
 *
 *     line 0   EPOCH     see below; SLEEPERS, members asleep on this word
 *     line 1   ARRIVED, members that arrived; NAP, always 0
 *     then     STAGES    two lines for each stage: KERNEL HEADER PARTS WORKERS BOUNDS COUNT, and its operands without a
 *                        carry slot (`kernels/abi.ts`)
 *
 * EPOCH is the epoch of the command's first stage, or one less while a command is being written. Stage s has the epoch
 * EPOCH + 4 s. A member reads EPOCH, then a stage, then EPOCH again, so the stage belongs to the command (a sequence
 * lock).
 */
import { OperandBlock } from '../kernels/operands.js';
import { EPOCH_STEP } from './claims.js';
import { Signal } from './signal.js';
import { MAX_STAGES, type Stage } from './task.js';

const EPOCH = 0;
const SLEEPERS = 1;
const ARRIVED = 16;
const NAP = 17;
const STAGES = 32;
const STAGE_WORDS = 32;
const WORDS = STAGES + MAX_STAGES * STAGE_WORDS;

/** Words of a stage. */
const KERNEL = 0;
const HEADER = 1;
const PARTS = 2;
const WORKERS = 3;
const BOUNDS = 4;
const COUNT = 5;
const OPERANDS = 16;

export const COMMAND_BYTES: number = 4 * WORDS;

/** Orders in place of a kernel's index: no work, stay; or no work, leave. */
export const AT_EASE = -1;
export const STAND_DOWN = -2;

/** Any wait that reaches the operating system is long enough: its only purpose is to leave the core. */
const YIELD_MS = 0.02;

/** A stage as a member has read it. */
export interface StageRead {
  kernel: number;
  header: number;
  parts: number;
  workers: number;
  /** Address of parts + 1 units. */
  bounds: number;
  /** The number of stages of the command. */
  count: number;
}

export class Command {
  readonly #words: Int32Array;
  readonly #ranks: number;
  readonly #operands: readonly OperandBlock[];
  /** EPOCH, for members that wait. */
  readonly signal: Signal;
  /** The number of stages of the latest command; for rank 0. */
  #count = 1;

  constructor(memory: WebAssembly.Memory, address: number, ranks: number) {
    this.#words = new Int32Array(memory.buffer, address, WORDS);
    this.#ranks = ranks;
    this.#operands = Array.from(
      { length: MAX_STAGES },
      (_, stage) => new OperandBlock(memory, address + 4 * (STAGES + stage * STAGE_WORDS + OPERANDS)),
    );
    this.signal = new Signal(this.#words, EPOCH, SLEEPERS);
  }

  /** Members that have arrived so far, including those that have left. */
  get arrived(): number {
    return Atomics.load(this.#words, ARRIVED);
  }

  arrive(): void {
    Atomics.add(this.#words, ARRIVED, 1);
  }

  /** Leaves the core for a moment. */
  nap(): void {
    Atomics.wait(this.#words, NAP, 0, YIELD_MS);
  }

  /** The block as new, before the first member arrives. @param epoch a multiple of 4 */
  clear(epoch: number): void {
    this.#words.fill(0);
    this.#words[EPOCH] = epoch;
    this.#words[STAGES + KERNEL] = AT_EASE;
    this.#words[STAGES + COUNT] = 1;
  }

  /** The epoch of the latest command. */
  get epoch(): number {
    return Atomics.load(this.#words, EPOCH);
  }

  /** The epoch of the next command. */
  get next(): number {
    return (this.epoch + EPOCH_STEP * this.#count) | 0;
  }

  /** Writes the first `count` stages as the command of the epoch `next`, and wakes the members. */
  publish(stages: readonly Stage[], count: number): void {
    const words = this.#words;
    const epoch = this.#begin(count);
    for (let stage = 0; stage < count; stage++) {
      const { task, operands } = stages[stage]!;
      const at = STAGES + stage * STAGE_WORDS;
      words[at + KERNEL] = task.kernel;
      words[at + HEADER] = task.header;
      words[at + PARTS] = task.bounds.length - 1;
      words[at + WORKERS] = Math.min(task.workers ?? this.#ranks, this.#ranks);
      words[at + BOUNDS] = task.bounds.byteOffset;
      words[at + COUNT] = count;
      this.#operands[stage]!.copyFrom(operands);
    }
    this.#end(epoch);
  }

  /** The same for an order. */
  order(order: number): void {
    const epoch = this.#begin(1);
    this.#words[STAGES + KERNEL] = order;
    this.#words[STAGES + COUNT] = 1;
    this.#end(epoch);
  }

  #begin(count: number): number {
    const epoch = this.next;
    this.#count = count;
    // Before any word of the command changes: a member that reads a changed word also reads an epoch that is not a
    // multiple of 4.
    Atomics.store(this.#words, EPOCH, epoch - 1);
    return epoch;
  }

  #end(epoch: number): void {
    // Releases the command: a member that loads this epoch sees all its words.
    Atomics.store(this.#words, EPOCH, epoch);
    this.signal.wake();
  }

  /** Reads a stage into `into` and its operands into `own`. @returns false if the command is no longer the present one */
  read(epoch: number, stage: number, into: StageRead, own: OperandBlock): boolean {
    const words = this.#words;
    const at = STAGES + stage * STAGE_WORDS;
    into.kernel = words[at + KERNEL]!;
    into.header = words[at + HEADER]! >>> 0;
    into.parts = words[at + PARTS]!;
    into.workers = words[at + WORKERS]!;
    into.bounds = words[at + BOUNDS]! >>> 0;
    into.count = words[at + COUNT]!;
    own.copyFrom(this.#operands[stage]!);
    return this.epoch === epoch;
  }
}
