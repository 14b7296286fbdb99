/** The space of the shared heap: vectors are views of it. */
import type { FloatArray } from '../../core/types.js';
import { clearWith } from '../../formats/layout/copy-loop.js';
import type { Heap } from '../../memory/heap.js';
import type { Coefficient, Ranks, Recording, ScalarOperation, Space, VectorOperation } from '../../memory/space.js';
import type { TeamContext } from './backend.js';
import { copyOnTeam } from './copy.js';
import { HeapArithmetic } from './heap-arithmetic.js';
import { runOnTeam } from './run-loop.js';

export class HeapSpace implements Space {
  readonly name = 'heap';
  readonly heap: Heap;
  readonly ranks: Ranks | undefined;
  readonly #context: TeamContext;
  readonly #arithmetic: HeapArithmetic;

  /** @param ranks the ranks that share its vectors, if there are several */
  constructor(context: TeamContext, ranks?: Ranks) {
    this.heap = context.heap;
    this.#context = context;
    this.ranks = ranks;
    this.#arithmetic = new HeapArithmetic(context, this);
  }

  get recordProduct(): Space['recordProduct'] {
    return this.#arithmetic.recordProduct;
  }

  refuseRecording(what: string): void {
    this.#arithmetic.refuseRecording(what);
  }

  allocate(bytes: number): number {
    this.refuseRecording('an allocation');
    return this.heap.alloc(bytes);
  }

  release(block: number): void {
    this.#arithmetic.release(block);
  }

  slice(block: number, offsetBytes: number): number {
    return block + offsetBytes;
  }

  releaseSlice(): void {}

  /** Each thread writes its part, so that new pages are mapped by all. */
  clear(block: number, bytes: number): void {
    this.refuseRecording('fill');
    clearWith(runOnTeam(this.#context), this.heap.view(Uint32Array, block, bytes / Uint32Array.BYTES_PER_ELEMENT));
  }

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
    const [to, at] = [block + offsetBytes, source + sourceOffsetBytes];
    if (from instanceof HeapSpace && copyOnTeam(this.#context, to, from.#context.team, at, bytes)) return;
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
    this.#arithmetic.run(width, length, operations);
  }

  compute(operation: ScalarOperation, a: Coefficient, b: Coefficient, slot: number): void {
    this.#arithmetic.compute(operation, a, b, slot);
  }

  record(step: () => void): Recording {
    return this.#arithmetic.record(step);
  }
}
