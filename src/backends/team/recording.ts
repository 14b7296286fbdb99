/**
 * Recordings in the heap. Adjacent vector operations of one length and type become one program. Programs and products of stored
 * matrices are one fork-join up to the next program with a dot product, which the caller completes. Products, and scalars computed between
 * programs, keep their order.
 */
import { blocksOf, factorsOf, resultsOf } from '../../memory/operation-blocks.js';
import type { Recorder } from '../../memory/recordings.js';
import { type Coefficient, isOnBlocks, type VectorOperation } from '../../memory/space.js';
import { MAX_OPERATIONS, type VectorProgram } from './vector-program.js';

/**
 * Operations that one program can run. Coefficients are read before a program runs and dot products set their scalars after it, so no
 * operation may have a factor that a dot product of the same list sets.
 */
export class OperationList {
  #width: number;
  #length: number;
  #operations: VectorOperation[] = [];

  constructor(width: number, length: number) {
    this.#width = width;
    this.#length = length;
  }

  get width(): number {
    return this.#width;
  }

  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#operations.length === 0;
  }

  /** Whether an operation may be the next one of the list. */
  takes(width: number, length: number, operation: VectorOperation): boolean {
    if (width !== this.#width || length !== this.#length || this.#operations.length === MAX_OPERATIONS) return false;
    if (this.#operations.length > 0 && [operation, this.#operations[0]!].some(isAlone)) return false;
    return !factorsOf(operation).some((slot) => this.sets(slot));
  }

  add(operation: VectorOperation): void {
    this.#operations.push(operation);
  }

  /** Removes and returns all operations. */
  takeAll(): readonly VectorOperation[] {
    return this.#operations.splice(0);
  }

  /** Whether one of its dot products sets a scalar. */
  sets(slot: number): boolean {
    return this.#operations.some((operation) => resultsOf(operation).includes(slot));
  }

  /** Whether a scalar is a factor of one of its operations. */
  reads(slot: number): boolean {
    return this.#operations.some((operation) => factorsOf(operation).includes(slot));
  }
}

/** Whether an operation is the only one of its program: a scatter writes to all chunks, and chunks of blocks are rows. */
function isAlone(operation: VectorOperation): boolean {
  return operation.kind === 'scatter' || isOnBlocks(operation);
}

export class HeapRecorder implements Recorder {
  readonly blocks: Set<number> = new Set();
  /** What a launch does, in order. Only products without a kernel for blocks may allocate memory of the heap, at their first launch. */
  readonly actions: (() => void)[] = [];
  readonly #newProgram: () => VectorProgram;
  readonly #programs: VectorProgram[] = [];
  readonly #hold: (product: () => void) => void;
  readonly #sumsOf: (operations: readonly VectorOperation[]) => (() => void) | undefined;
  #open = new OperationList(0, 0);
  /** The latest actions, if nobody but a later task needs their results: with a program that follows they are queued for it. */
  readonly #waiting: { readonly at: number; readonly queue: () => void }[] = [];

  /**
   * @param hold runs a product whose last task may be queued until the next program
   * @param sumsOf what completes the dot products of a program
   */
  constructor(
    newProgram: () => VectorProgram,
    hold: (product: () => void) => void,
    sumsOf: (operations: readonly VectorOperation[]) => (() => void) | undefined,
  ) {
    this.#newProgram = newProgram;
    this.#hold = hold;
    this.#sumsOf = sumsOf;
  }

  run(width: number, length: number, operations: readonly VectorOperation[]): void {
    for (const operation of operations) {
      if (!this.#open.takes(width, length, operation)) {
        this.finish();
        this.#open = new OperationList(width, length);
      }
      this.#open.add(operation);
      for (const block of blocksOf(operation)) this.blocks.add(block);
    }
  }

  /**
   * A scalar computed from others. If the open program neither sets its inputs nor uses its result, it is computed before the program, which
   * stays open.
   */
  compute(compute: () => void, factors: readonly Coefficient[], slot: number): void {
    const inputs = factors.flatMap((factor) => factor.slot ?? []);
    if ([...inputs, slot].some((one) => this.#open.sets(one)) || this.#open.reads(slot)) this.finish();
    this.actions.push(compute);
    for (const block of [...inputs, slot]) this.blocks.add(block);
  }

  /** @param isPlanned whether the product does nothing after its last task */
  product(product: () => void, blocks: readonly number[], isPlanned: boolean): void {
    this.finish();
    if (isPlanned) this.#waiting.push({ at: this.actions.length, queue: () => this.#hold(product) });
    else this.#waiting.length = 0;
    this.actions.push(product);
    for (const block of blocks) this.blocks.add(block);
  }

  /** Closes the open program, if there is one. @throws SparlaneError `heap` if it does not fit */
  finish(): void {
    const { width, length } = this.#open;
    if (this.#open.isEmpty) return;
    const program = this.#newProgram();
    this.#programs.push(program);
    const operations = this.#open.takeAll();
    program.write(width, length, operations);
    for (const { at, queue } of this.#waiting.splice(0)) this.actions[at] = queue;
    if (program.needsNobody) this.#waiting.push({ at: this.actions.length, queue: () => program.queue() });
    this.actions.push(() => program.run());
    const sums = this.#sumsOf(operations);
    if (sums !== undefined) this.actions.push(sums);
  }

  /** Frees its programs; called once. */
  [Symbol.dispose](): void {
    for (const program of this.#programs) program[Symbol.dispose]();
  }
}
