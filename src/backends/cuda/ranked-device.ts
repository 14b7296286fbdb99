/**
 * The device of a rank, which has its part of every vector: dot products are completed over the ranks. A recording is a graph, or a list of calls where
 * ranks reach each other through the host.
 */
import { blocksOf } from '../../memory/operation-blocks.js';
import { type Recorder, Recordings } from '../../memory/recordings.js';
import type { Coefficient, Ranks, Recording, ScalarOperation, Space, VectorOperation } from '../../memory/space.js';
import type { DeviceInfo } from '../backend.js';
import type { PeerCalls, RankedSpace, RecordedTogether } from '../device-peers.js';
import type { CudaAddon } from './addon.js';
import { CudaDevice } from './device.js';

/** The calls of a step, and the blocks that they use. */
class CallRecorder implements Recorder {
  readonly calls: (() => void)[] = [];
  readonly blocks: Set<number> = new Set();

  push(call: () => void, blocks: readonly number[]): void {
    this.calls.push(call);
    for (const block of blocks) this.blocks.add(block);
  }

  [Symbol.dispose](): void {}
}

/** The graph of a rank waits on the device for the graphs of the others, so all ranks must launch it. */
class RankedGraph implements Recording {
  readonly #graph: Recording;
  readonly #peers: PeerCalls;

  constructor(graph: Recording, peers: PeerCalls) {
    this.#graph = graph;
    this.#peers = peers;
  }

  launch(): void {
    this.#peers.launch();
    this.#graph.launch();
  }

  dispose(): void {
    this.#graph.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

export class RankedDevice extends CudaDevice implements RankedSpace {
  readonly ranks: Ranks;
  readonly #recordings = new Recordings<CallRecorder>((block) => super.release(block));
  #peers: PeerCalls | undefined;
  #recorded: RecordedTogether | undefined;

  constructor(addon: CudaAddon, place: number, info: DeviceInfo, ranks: Ranks) {
    super(addon, place, info);
    this.ranks = ranks;
  }

  joinPeers(calls: PeerCalls): void {
    this.#peers = calls;
  }

  get hasPeers(): boolean {
    return this.#peers !== undefined;
  }

  get recorded(): RecordedTogether | undefined {
    return this.#recorded;
  }

  override get recordProduct(): Space['recordProduct'] {
    const { recorder } = this.#recordings;
    return recorder && ((product, blocks) => recorder.push(product, blocks));
  }

  override refuseRecording(what: string): void {
    this.#recordings.refuse(what);
  }

  override allocate(bytes: number): number {
    this.refuseRecording('an allocation');
    return super.allocate(bytes);
  }

  override release(object: number): void {
    this.#recordings.release(object);
  }

  override clear(block: number, bytes: number): void {
    this.refuseRecording('fill');
    super.clear(block, bytes);
  }

  override send(...copy: Parameters<CudaDevice['send']>): void {
    this.refuseRecording('an upload');
    super.send(...copy);
  }

  override fetch(...copy: Parameters<CudaDevice['fetch']>): void {
    this.refuseRecording('a download');
    super.fetch(...copy);
  }

  override run(width: number, length: number, operations: readonly VectorOperation[]): void {
    const run = () => this.#run(width, length, operations);
    const { recorder } = this.#recordings;
    if (recorder === undefined) run();
    else recorder.push(run, operations.flatMap(blocksOf));
  }

  /** Runs operations, whose dot products are sums over ranks. Those of blocks come here one by one. */
  #run(width: number, length: number, operations: readonly VectorOperation[]): void {
    if (this.#peers === undefined) {
      this.#runThenSum(width, length, operations);
      return;
    }
    const dots = operations.filter(({ kind }) => kind === 'dot').length;
    if (this.#recorded !== undefined) this.#recorded.sums += dots;
    else if (dots > 0) this.#peers.sum(dots);
    super.run(width, length, operations);
  }

  /** Adds dot products over the ranks by the host, as late as an operation may need them. */
  #runThenSum(width: number, length: number, operations: readonly VectorOperation[]): void {
    let slots: number[] = [];
    for (const operation of operations) {
      const isDot = operation.kind === 'dot';
      if (!isDot && slots.length > 0) this.#sum(slots);
      if (!isDot) slots = [];
      super.run(width, length, [operation]);
      if (isDot) slots.push(operation.slot);
    }
    if (slots.length > 0) this.#sum(slots);
  }

  /** Adds scalars over the ranks by copies to the host and back. */
  #sum(slots: readonly number[]): void {
    const width = Float64Array.BYTES_PER_ELEMENT;
    const numbers = new Float64Array(slots.length);
    slots.forEach((slot, i) => {
      this.fetch(slot, 0, new Uint8Array(numbers.buffer, width * i, width));
    });
    this.synchronize();
    this.ranks.sum(numbers);
    slots.forEach((slot, i) => {
      this.send(slot, 0, numbers.subarray(i, i + 1));
    });
  }

  override compute(operation: ScalarOperation, a: Coefficient, b: Coefficient, slot: number): void {
    const compute = () => super.compute(operation, a, b, slot);
    const { recorder } = this.#recordings;
    if (recorder === undefined) {
      compute();
      return;
    }
    const blocks = [a.slot, b.slot, slot].filter((block) => block !== undefined);
    recorder.push(compute, blocks);
  }

  override record(step: () => void): Recording {
    return this.#peers === undefined ? this.#recordCalls(step) : this.#recordGraph(step, this.#peers);
  }

  /** All ranks record it together, and launch it together. */
  #recordGraph(step: () => void, peers: PeerCalls): Recording {
    const recorded = { sums: 0, products: 0 };
    this.#recorded = recorded;
    let graph: Recording;
    try {
      graph = super.record(step);
    } finally {
      this.#recorded = undefined;
    }
    try {
      this.ranks.compare('the recording', { ...recorded });
      return new RankedGraph(graph, peers);
    } catch (error) {
      graph.dispose();
      throw error;
    }
  }

  #recordCalls(step: () => void): Recording {
    const recorder = new CallRecorder();
    const run = () => {
      for (const call of recorder.calls) call();
    };
    return this.#recordings.record(recorder, step, () => this.collect(run));
  }

  override [Symbol.dispose](): void {
    this.#peers?.[Symbol.dispose]();
    super[Symbol.dispose]();
  }
}
