/**
 * The WebAssembly module of orders and matchings (`assembly/order/`), which runs on the caller's thread, in memories of its own: their arrays are integers of 32 bits
 * at addresses. Minimum degree of 5-point 300² took 3 times as long in JavaScript, and 5 times in the first call of a process (CPU time, AMD EPYC, Node 20, 26 November 2026).
 */
import { bytesOfBase64 } from '../core/base64.js';
import { SparlaneError } from '../core/errors.js';
import { ORDER_WASM } from './order.wasm.js';

/** Addresses and counts; see `assembly/order/`. */
interface OrderExports {
  readonly memory: WebAssembly.Memory;
  freeAll(): void;
  reserve(words: number): number;
  amdReserve(vertices: number, neighbours: number): number;
  amdBegin(): void;
  amdEliminate(most: number): number;
  amdOrder(): number;
  moveToFront(lists: number, start: number, length: number, count: number, used: number): number;
  relabel(n: number, edgePtr: number, neighbours: number, order: number, newPtr: number, newNeighbours: number): void;
  eliminationTree(n: number, edgePtr: number, neighbours: number, parent: number): void;
  postorder(n: number, parent: number, weights: number, order: number): void;
  columnCounts(n: number, edgePtr: number, neighbours: number, parent: number, post: number, counts: number): void;
  diagonalBlocks(
    n: number,
    ptr: number,
    idx: number,
    rowOf: number,
    order: number,
    blocks: number,
    blockPtr: number,
    blockOf: number,
    newPtr: number,
    newIdx: number,
  ): void;
  removeDiagonal(n: number, ptr: number, idx: number): number;
  searchLevels(
    edgePtr: number,
    neighbours: number,
    first: number,
    queue: number,
    seenBy: number,
    mark: number,
    enough: number,
    widths: number,
  ): number;
  markHubs(n: number, edgePtr: number, most: number, seenBy: number, mark: number): number;
  symmetrize(n: number, ptr: number, idx: number, newPtr: number, newIdx: number): number;
  largestProduct(n: number, ptr: number, idx: number, sizes: number, rows: number): number;
  partitionGraph(
    n: number,
    edgePtr: number,
    neighbours: number,
    vertexWeights: number,
    edgeWeights: number,
    parts: number,
    imbalance: number,
    partOf: number,
  ): void;
  blockTriangular(n: number, ptr: number, idx: number, rowOf: number, order: number, blockPtr: number): number;
}

/** So many memories wait for the next call, unless they are larger. */
const MOST_IDLE = 2;
const MOST_IDLE_BYTES = 2 ** 26;

const idle: OrderMemory[] = [];
let compiled: WebAssembly.Module | undefined;

/** A memory grows as its functions ask. Disposed, it has no arrays any more, and may be used by the next call. */
export class OrderMemory implements Disposable {
  /** Each throws a SparlaneError `heap` where there is no memory. */
  readonly run: OrderExports;

  private constructor() {
    compiled ??= new WebAssembly.Module(bytesOfBase64(ORDER_WASM));
    const { memory, ...functions } = new WebAssembly.Instance(compiled).exports as { memory: WebAssembly.Memory };
    const entries = Object.entries(functions as Record<string, (...parameters: number[]) => number>);
    const refusing = entries.map(([name, run]) => [name, refusingWithCode(run, memory)]);
    this.run = { memory, ...Object.fromEntries(refusing) };
  }

  static take(): OrderMemory {
    return idle.pop() ?? new OrderMemory();
  }

  /** The address of an array without values. */
  reserve(words: number): number {
    return this.run.reserve(words) >>> 0;
  }

  /** The address of a copy. */
  place(array: Uint32Array | Int32Array): number {
    const address = this.reserve(array.length);
    this.write(address, array);
    return address;
  }

  write(address: number, array: Uint32Array | Int32Array): void {
    new Uint32Array(this.run.memory.buffer, address, array.length).set(array);
  }

  /** A copy of the array at an address. */
  read(address: number, length: number): Uint32Array {
    return new Uint32Array(this.run.memory.buffer, address >>> 0, length).slice();
  }

  [Symbol.dispose](): void {
    this.run.freeAll();
    if (idle.length < MOST_IDLE && this.run.memory.buffer.byteLength <= MOST_IDLE_BYTES) idle.push(this);
  }
}

/** `unreachable` is only run where an array has no room (`assembly/order/words.ts`). */
function refusingWithCode(run: (...parameters: number[]) => number, memory: WebAssembly.Memory): typeof run {
  return (...parameters) => {
    try {
      return run(...parameters);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      const { byteLength } = memory.buffer;
      const message = `memory: expected room for an analysis, got no more than ${byteLength} bytes (${error.message})`;
      throw new SparlaneError('heap', message, { byteLength });
    }
  };
}
