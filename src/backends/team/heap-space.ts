/** The space of the shared heap: programs of vector operations run on the engine's team, scalars are computed by the caller's thread. */
import { mismatch } from '../../core/errors.js';
import type { FloatArray } from '../../core/types.js';
import type { Heap } from '../../memory/heap.js';
import { HeldBlocks } from '../../memory/held-blocks.js';
import type { Coefficient, Ranks, Recording, ScalarOperation, Space, VectorOperation } from '../../memory/space.js';
import type { TeamContext } from './backend.js';
import { sumOverRanks } from './rank-sums.js';
import { HeapRecording, OperationList, Recorder } from './recording.js';
import { Scalars, VectorProgram } from './vector-program.js';

const OPERATIONS: Readonly<Record<ScalarOperation, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
  root: (a) => Math.sqrt(a),
};

export class HeapSpace implements Space {
  readonly name = 'heap';
  readonly heap: Heap;
  readonly ranks: Ranks | undefined;
  readonly #context: TeamContext;
  readonly #scalars: Scalars;
  /** The program of operations outside of recordings. */
  readonly #program: VectorProgram;
  #recorder: Recorder | undefined;
  readonly #held: HeldBlocks;

  /** @param ranks with whom its vectors are shared */
  constructor(context: TeamContext, ranks?: Ranks) {
    this.heap = context.heap;
    this.ranks = ranks;
    this.#context = context;
    this.#scalars = new Scalars(context.heap);
    this.#program = this.#newProgram();
    this.#held = new HeldBlocks((block) => this.heap.free(block));
  }

  get recordProduct(): Space['recordProduct'] {
    const recorder = this.#recorder;
    return recorder && ((product, blocks, isPlanned) => recorder.product(product, blocks, isPlanned));
  }

  refuseRecording(what: string): void {
    if (this.#recorder === undefined) return;
    throw mismatch('argument', 'step', 'products, and operations on vectors and scalars', what);
  }

  allocate(bytes: number): number {
    this.refuseRecording('an allocation');
    return this.heap.alloc(bytes);
  }

  release(block: number): void {
    this.#held.release(block, this.#recorder?.blocks.has(block) === true);
  }

  slice(block: number, offsetBytes: number): number {
    return block + offsetBytes;
  }

  releaseSlice(): void {}

  upload(block: number, offsetBytes: number, source: FloatArray | Uint32Array): void {
    this.refuseRecording('an upload');
    const { length } = source;
    if (source instanceof Float64Array) this.heap.view(Float64Array, block + offsetBytes, length).set(source);
    else if (source instanceof Float32Array) this.heap.view(Float32Array, block + offsetBytes, length).set(source);
    else this.heap.view(Uint32Array, block + offsetBytes, length).set(source);
  }

  download(block: number, offsetBytes: number, target: FloatArray): void {
    this.refuseRecording('a download');
    const type = target instanceof Float64Array ? Float64Array : Float32Array;
    target.set(this.heap.view<FloatArray>(type, block + offsetBytes, target.length));
  }

  send(block: number, offsetBytes: number, source: FloatArray): void {
    this.upload(block, offsetBytes, source);
  }

  bring(
    block: number,
    offsetBytes: number,
    from: Space,
    source: number,
    sourceOffsetBytes: number,
    bytes: number,
  ): void {
    from.fetch(source, sourceOffsetBytes, this.heap.view(Uint8Array, block + offsetBytes, bytes));
  }

  fetch(block: number, offsetBytes: number, target: Uint8Array): void {
    target.set(this.heap.view(Uint8Array, block + offsetBytes, target.length));
  }

  reaches(other: Space): boolean {
    return other === this;
  }

  after(other: Space): void {
    other.synchronize();
  }

  synchronize(): void {}

  run(width: number, length: number, operations: readonly VectorOperation[]): void {
    if (this.#recorder !== undefined) {
      this.#recorder.run(width, length, operations);
      return;
    }
    const list = new OperationList(width, length);
    // Ranks add many dot products at once, however many programs those take: no operation reads any of them.
    const areDots = operations.every(({ kind }) => kind === 'dot');
    const runAll = () => {
      const program = list.takeAll();
      this.#program.write(width, length, program).run();
      if (!areDots) this.#sumsOf(program)?.();
    };
    for (const operation of operations) {
      if (!list.takes(width, length, operation)) runAll();
      list.add(operation);
    }
    if (!list.isEmpty) runAll();
    if (areDots) this.#sumsOf(operations)?.();
  }

  #sumsOf(operations: readonly VectorOperation[]): (() => void) | undefined {
    return this.ranks && sumOverRanks(this.heap, this.ranks, operations);
  }

  compute(operation: ScalarOperation, a: Coefficient, b: Coefficient, slot: number): void {
    const scalars = this.#scalars;
    const of = OPERATIONS[operation];
    const compute = () => scalars.set(slot, of(scalars.valueOf(a), scalars.valueOf(b)));
    if (this.#recorder === undefined) compute();
    else this.#recorder.compute(compute, [a, b], slot);
  }

  record(step: () => void): Recording {
    this.refuseRecording('a recording');
    const { team } = this.#context;
    const recorder = new Recorder(
      () => this.#newProgram(),
      (product) => team.hold(product),
      (operations) => this.#sumsOf(operations),
    );
    this.#recorder = recorder;
    try {
      step();
      recorder.finish();
    } catch (error) {
      recorder[Symbol.dispose]();
      this.#held.hold(recorder.blocks);
      this.#held.letGo(recorder.blocks);
      throw error;
    } finally {
      this.#recorder = undefined;
    }
    this.#held.hold(recorder.blocks);
    return new HeapRecording(this, recorder, () => this.#held.letGo(recorder.blocks));
  }

  #newProgram(): VectorProgram {
    return new VectorProgram(this.#context, this.#scalars);
  }
}
