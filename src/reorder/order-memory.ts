/**
 * The WebAssembly module of orders and matchings (`assembly/order/`), which runs on the caller's thread, in memories of its own: their arrays are integers of 32 bits
 * at addresses. JavaScript took 3 times as long, and 5 times in the first call of a process.
 */
import { SparlaneError } from '../core/errors.js';
import { ORDER_WASM } from './order.wasm.js';

/** Addresses and counts; see `assembly/order/`. */
interface OrderExports {
  readonly memory: WebAssembly.Memory;
  freeAll(): void;
  reserve(words: number): number;
  amdReserve(vertices: number, neighbours: number): number;
  neighboursAt(): number;
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
  symmetrize(n: number, ptr: number, idx: number, newPtr: number, newIdx: number): number;
  largestProduct(n: number, ptr: number, idx: number, sizes: number, rows: number): number;
  blockTriangular(n: number, ptr: number, idx: number, rowOf: number, order: number, blockPtr: number): number;
}

const PAGE_BYTES = 65_536;
/** Its size is an integer of 32 bits. */
const MOST_BYTES = 2 ** 32 - PAGE_BYTES;

/** So many memories wait for the next call, unless they are larger. */
const MOST_IDLE = 2;
const MOST_IDLE_BYTES = 2 ** 26;

const idle: OrderMemory[] = [];
let compiled: WebAssembly.Module | undefined;

/** Disposed: its arrays are gone, and it may be used by the next call. */
export class OrderMemory implements Disposable {
  readonly run: OrderExports;

  private constructor() {
    compiled ??= new WebAssembly.Module(Uint8Array.from(atob(ORDER_WASM), (letter) => letter.charCodeAt(0)));
    this.run = new WebAssembly.Instance(compiled).exports as unknown as OrderExports;
  }

  /**
   * @param words room for so many integers, those of the called function included
   * @throws SparlaneError `heap` if there is no such room
   */
  static take(words: number): OrderMemory {
    const memory = idle.pop() ?? new OrderMemory();
    memory.#makeRoom(4 * words + PAGE_BYTES);
    return memory;
  }

  #makeRoom(bytes: number): void {
    const { memory } = this.run;
    const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES);
    if (missing <= 0) return;
    try {
      if (bytes > MOST_BYTES) throw new RangeError('more than an address reaches');
      memory.grow(missing);
    } catch (cause) {
      const message = `memory: expected room for the analysis of a factorization, ${bytes} bytes, got ${String(cause)}`;
      throw new SparlaneError('heap', message, { bytes });
    }
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
