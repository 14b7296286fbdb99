/**
 * The present command of a team, in words of shared memory that rank 0 writes and the members read.
 *
 *     line 0   EPOCH     see below; SLEEPERS, members asleep on this word
 *     line 1   ARRIVED, members that arrived; NAP, always 0
 *     then     two BANKS of STAGES: two lines for each stage: KERNEL HEADER PARTS WORKERS BOUNDS COUNT, and its operands
 *              without a carry slot (`kernels/abi.ts`)
 *
 * EPOCH is the epoch of the command's first stage, a multiple of 4, plus the bank of the command: 0 or 1. Stage s has the
 * epoch EPOCH + 4 s. Commands alternate between the banks: while one is being written, EPOCH is that of the command before
 * it, which is in the other bank. A member reads EPOCH, then a stage of its bank, then EPOCH again: if it is the same, that
 * bank has not been written meanwhile. So a command changes the word that all members poll once.
 */
import { OperandBlock } from '../kernels/operands.js';
import { EPOCH_STEP } from './claims.js';
import { Signal } from './signal.js';
import { MAX_STAGES, type TaskStage } from './task.js';

const EPOCH = 0;
const SLEEPERS = 1;
const ARRIVED = 16;
const NAP = 17;
const STAGES = 32;
const STAGE_WORDS = 32;
const BANK_WORDS = MAX_STAGES * STAGE_WORDS;
const WORDS = STAGES + 2 * BANK_WORDS;

/** Words of a stage. */
const KERNEL = 0;
const HEADER = 1;
const PARTS = 2;
const WORKERS = 3;
const BOUNDS = 4;
const COUNT = 5;
const OPERANDS = 16;

export const COMMAND_BYTES: number = 4 * WORDS;

/** Orders in place of a kernel's index: no work, stay; no work, leave; or no work, go to the control block of another memory. */
export const AT_EASE = -1;
export const STAND_DOWN = -2;
export const MOVE = -3;

/** The place of a control block. */
export interface Post {
  /** The number of a memory of the team: 0 for the first one. */
  readonly memory: number;
  /** The address of the block in it. */
  readonly address: number;
}

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
      { length: 2 * MAX_STAGES },
      (_, stage) => new OperandBlock(memory, address + 4 * (STAGES + stage * STAGE_WORDS + OPERANDS)),
    );
    this.signal = new Signal(this.#words, EPOCH, SLEEPERS);
  }

  /** Members that have arrived so far, including those that have left. */
  get arrived(): number {
    return Atomics.load(this.#words, ARRIVED);
  }

  /** Returns how many members are asleep until the next command. */
  get sleepers(): number {
    return Atomics.load(this.#words, SLEEPERS);
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
    return epochOf(this.signal.load());
  }

  /** The epoch of the next command. */
  get next(): number {
    return (this.epoch + EPOCH_STEP * this.#count) | 0;
  }

  /** Writes the first `count` stages as the command of the epoch `next`, and wakes the members. */
  publish(stages: readonly TaskStage[], count: number): void {
    const words = this.#words;
    const bank = this.#nextBank;
    for (let stage = 0; stage < count; stage++) {
      const { task, operands } = stages[stage]!;
      const at = placeOf(bank, stage);
      words[at + KERNEL] = task.kernel;
      words[at + HEADER] = task.header;
      words[at + PARTS] = task.bounds.length - 1;
      words[at + WORKERS] = Math.min(task.workers ?? this.#ranks, this.#ranks);
      words[at + BOUNDS] = task.bounds.byteOffset;
      words[at + COUNT] = count;
      this.#operands[bank * MAX_STAGES + stage]!.copyFrom(operands);
    }
    this.#open(bank, count);
  }

  /** The same for an order. @param to where `MOVE` leads; a member reads its memory as the header and its address as the bounds */
  order(order: number, to?: Post): void {
    const bank = this.#nextBank;
    const at = placeOf(bank, 0);
    this.#words[at + KERNEL] = order;
    this.#words[at + HEADER] = to?.memory ?? 0;
    this.#words[at + BOUNDS] = to?.address ?? 0;
    this.#words[at + COUNT] = 1;
    this.#open(bank, 1);
  }

  /** The bank that no member reads any more, unless it is late: it then finds another epoch. */
  get #nextBank(): number {
    return 1 - bankOf(this.signal.load());
  }

  #open(bank: number, count: number): void {
    const epoch = this.next;
    this.#count = count;
    // Releases the command: a member that loads this word sees all words of its bank.
    Atomics.store(this.#words, EPOCH, epoch + bank);
    this.signal.wake();
  }

  /** Reads a stage into `into` and its operands into `own`. @returns false if the command is no longer the present one */
  read(epoch: number, stage: number, into: StageRead, own: OperandBlock): boolean {
    const words = this.#words;
    const opened = this.signal.load();
    const bank = bankOf(opened);
    const at = placeOf(bank, stage);
    into.kernel = words[at + KERNEL]!;
    into.header = words[at + HEADER]! >>> 0;
    into.parts = words[at + PARTS]!;
    into.workers = words[at + WORKERS]!;
    into.bounds = words[at + BOUNDS]! >>> 0;
    into.count = words[at + COUNT]!;
    own.copyFrom(this.#operands[bank * MAX_STAGES + stage]!);
    return this.signal.load() === opened && epochOf(opened) === epoch;
  }
}

/** The epoch in the word that members wait on. */
export function epochOf(word: number): number {
  return word & -EPOCH_STEP;
}

function bankOf(word: number): number {
  return word & 1;
}

/** The first word of a stage. */
function placeOf(bank: number, stage: number): number {
  return STAGES + bank * BANK_WORDS + stage * STAGE_WORDS;
}
