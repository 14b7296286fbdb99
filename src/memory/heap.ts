/**
 * The shared heap: one WebAssembly memory that all threads access, and the allocation of its bytes.
 *
 * First fit over an address-ordered list of free ranges. Freed neighbours are merged. Only the thread that created the
 * heap allocates, so the lists are plain JavaScript. With the hundreds of blocks of an engine, an allocation costs well
 * under a microsecond. (`@thi.ng/malloc` keeps its lists in one ArrayBuffer of fixed length; this memory grows.)
 *
 * Growing a shared memory moves nothing: earlier views stay valid, with their old length.
 */
import { integer } from '../core/checks.js';
import { SparlaneError } from '../core/errors.js';

/** A cache line. Two blocks never share one, which prevents false sharing between threads. */
export const ALIGNMENT = 64;
const PAGE_BYTES = 65_536;
const MAX_PAGES = 65_536;
/** The last line of 4 GiB is never allocated either, because the end of a block must be a 32-bit address. */
const LAST_LINE = MAX_PAGES * PAGE_BYTES - ALIGNMENT;
/** What leads beyond the limit of WebAssembly, which no option raises. */
const BEYOND_ONE_MEMORY =
  '; products, with jacobi or without preconditioner, use several memories; all else needs ranks, which have one each: joinRanks, docs/ranks.md';
/** Growth is rounded up to this size, so a thousand small vectors do not cost a thousand system calls. */
const GROWTH_PAGES = 16;

interface FreeRange {
  address: number;
  bytes: number;
}

interface ViewConstructor<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): T;
}

interface NumberView {
  set(source: ArrayLike<number>): void;
}

/** A `Heap` takes these options. */
export interface HeapOptions {
  /** Maximum size of the memory in bytes, rounded down to 64 KiB. Default and limit: 4 GiB. */
  maximumBytes?: number;
}

/** The memory that an engine's threads share: a WebAssembly memory, and what is allocated in it. */
export class Heap {
  readonly memory: WebAssembly.Memory;
  readonly maximumBytes: number;
  /**
   * The buffer objects of the existing views. A shared memory gets a new buffer object over the same bytes each time it
   * grows and, in V8, also when any other shared memory of the thread grows.
   */
  readonly #buffers = new WeakSet<ArrayBufferLike>();
  readonly #free: FreeRange[] = [];
  readonly #blocks = new Map<number, number>();
  /** Blocks with several holders, by address: the number of holders beyond the first. */
  readonly #holders = new Map<number, number>();
  #bytesInUse = 0;

  /** @throws SparlaneError `heap` if the platform cannot create a shared memory of `maximumBytes`. */
  constructor(options: HeapOptions = {}) {
    const limit = integer(
      'maximumBytes',
      options.maximumBytes ?? MAX_PAGES * PAGE_BYTES,
      PAGE_BYTES,
      MAX_PAGES * PAGE_BYTES,
    );
    const maximum = Math.floor(limit / PAGE_BYTES);
    this.maximumBytes = maximum * PAGE_BYTES;
    try {
      this.memory = new WebAssembly.Memory({ initial: 1, maximum, shared: true });
    } catch (cause) {
      throw new SparlaneError(
        'heap',
        `heap: expected room for a shared memory of up to ${this.maximumBytes} bytes, got ${cause}`,
        { maximumBytes: this.maximumBytes },
        { cause },
      );
    }
    // Line 0 is never allocated, so address 0 can mean "none".
    this.#free.push({ address: ALIGNMENT, bytes: PAGE_BYTES - ALIGNMENT });
  }

  /** Whether it was made for less than one WebAssembly memory can hold. */
  get isLimited(): boolean {
    return this.maximumBytes < LAST_LINE;
  }

  /** The end of an error's text: what to use for more than one WebAssembly memory holds; nothing if the memory was made for less. */
  get wayOut(): string {
    return this.isLimited ? '' : BEYOND_ONE_MEMORY;
  }

  /** Allocated bytes, padding to whole cache lines included. */
  get bytesInUse(): number {
    return this.#bytesInUse;
  }

  /** Present size of the memory in bytes; at most `maximumBytes`. */
  get byteLength(): number {
    return this.memory.buffer.byteLength;
  }

  /** Bytes that can still be allocated, growth included; not necessarily in one piece. */
  get bytesFree(): number {
    return Math.min(this.maximumBytes, LAST_LINE) - ALIGNMENT - this.#bytesInUse;
  }

  /** First address that is never allocated at the present size. */
  get #end(): number {
    return Math.min(this.byteLength, LAST_LINE);
  }

  /**
   * Allocates a block of at least `bytes` bytes at a 64-byte boundary. Its contents are uninitialized.
   *
   * @throws SparlaneError `heap` with the requested and the free bytes, and beyond 4 GiB with the way there; the heap is unchanged.
   */
  alloc(bytes: number): number {
    integer('bytes', bytes, 0, Number.MAX_SAFE_INTEGER);
    const size = Math.max(Math.ceil(bytes / ALIGNMENT), 1) * ALIGNMENT;
    let index = this.#free.findIndex((range) => range.bytes >= size);
    if (index < 0) index = this.#grow(size, bytes);
    const range = this.#free[index]!;
    const { address } = range;
    range.address += size;
    range.bytes -= size;
    if (range.bytes === 0) this.#free.splice(index, 1);
    this.#blocks.set(address, size);
    this.#bytesInUse += size;
    return address;
  }

  /** Adds a holder to a block: one more `free` is needed. @throws SparlaneError `argument` as `free` */
  hold(address: number): void {
    this.bytesOf(address);
    this.#holders.set(address, (this.#holders.get(address) ?? 0) + 1);
  }

  /** Size of a block, at least what was asked for. @throws SparlaneError `argument` as `free` */
  bytesOf(address: number): number {
    const bytes = this.#blocks.get(address);
    if (bytes !== undefined) return bytes;
    throw new SparlaneError('argument', `address: expected a block in use, got ${address}`, { address });
  }

  /** Frees a block, or removes one of its holders. @throws SparlaneError `argument` if `address` is not a block in use. */
  free(address: number): void {
    const bytes = this.bytesOf(address);
    const others = this.#holders.get(address) ?? 0;
    if (others > 0) {
      if (others === 1) this.#holders.delete(address);
      else this.#holders.set(address, others - 1);
      return;
    }
    this.#blocks.delete(address);
    this.#bytesInUse -= bytes;
    this.#release(address, bytes);
  }

  /** A typed array over a block; `address` need not be the first byte of the block. */
  view<T>(type: ViewConstructor<T>, address: number, length: number): T {
    const { buffer } = this.memory;
    this.#buffers.add(buffer);
    return new type(buffer, address, length);
  }

  /** Whether a typed array lies in this heap. */
  owns(view: ArrayBufferView): boolean {
    return this.#buffers.has(view.buffer) || view.buffer === this.memory.buffer;
  }

  /** A group of blocks that are freed together. */
  scope(): HeapScope {
    return new HeapScope(this);
  }

  /** Makes an object that owns a scope. If `make` throws, its allocations are freed. */
  build<T>(make: (scope: HeapScope) => T): T {
    const scope = this.scope();
    try {
      return make(scope);
    } catch (error) {
      scope[Symbol.dispose]();
      throw error;
    }
  }

  /** Inserts a free range in address order and merges it with its neighbours. */
  #release(address: number, bytes: number): void {
    const free = this.#free;
    let low = 0;
    for (let high = free.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (free[middle]!.address < address) low = middle + 1;
      else high = middle;
    }
    const before = free[low - 1];
    const after = free[low];
    const joinsBefore = before !== undefined && before.address + before.bytes === address;
    const joinsAfter = after !== undefined && address + bytes === after.address;
    if (joinsBefore) {
      before.bytes += bytes + (joinsAfter ? after.bytes : 0);
      if (joinsAfter) free.splice(low, 1);
    } else if (joinsAfter) {
      after.address = address;
      after.bytes += bytes;
    } else {
      free.splice(low, 0, { address, bytes });
    }
  }

  /** Grows the memory until its last free range holds `size` bytes; returns that range's index. */
  #grow(size: number, bytesAsked: number): number {
    const end = this.#end;
    const last = this.#free.at(-1);
    const tail = last !== undefined && last.address + last.bytes === end ? last.bytes : 0;
    const available = (this.maximumBytes - this.byteLength) / PAGE_BYTES;
    const needed = Math.ceil((size - tail) / (GROWTH_PAGES * PAGE_BYTES)) * GROWTH_PAGES;
    const isBeyond = end + size - tail > Math.min(this.maximumBytes, LAST_LINE);
    try {
      if (isBeyond) throw new RangeError('the memory is at its limit');
      this.memory.grow(Math.min(needed, available));
    } catch (cause) {
      const detail = { bytesAsked, bytesFree: this.bytesFree, bytesInUse: this.#bytesInUse };
      const text = `heap: expected a free block of ${bytesAsked} bytes, got ${this.bytesFree} bytes free in all`;
      throw new SparlaneError('heap', `${text}${isBeyond ? this.wayOut : ''}`, detail, { cause });
    }
    this.#release(end, this.#end - end);
    return this.#free.length - 1;
  }
}

/** Blocks that are freed together: those of a matrix, a plan or an unfinished conversion. */
export class HeapScope implements Disposable {
  readonly heap: Heap;
  readonly #addresses: number[] = [];
  #bytes = 0;

  constructor(heap: Heap) {
    this.heap = heap;
  }

  /** Bytes requested so far. */
  get bytes(): number {
    return this.#bytes;
  }

  alloc(bytes: number): number {
    const address = this.heap.alloc(bytes);
    this.#addresses.push(address);
    this.#bytes += bytes;
    return address;
  }

  /** A typed array in a new block, uninitialized. Its `byteOffset` is its address. */
  array<T>(type: ViewConstructor<T>, length: number): T {
    return this.heap.view(type, this.alloc(length * type.BYTES_PER_ELEMENT), length);
  }

  /** A copy of numbers, as a typed array in a new block. */
  copy<T extends NumberView>(type: ViewConstructor<T>, source: ArrayLike<number>): T {
    const array = this.array(type, source.length);
    array.set(source);
    return array;
  }

  /** Holds the block of an array too: it is freed with the last of its holders. `array` begins where the block does. */
  share(array: ArrayBufferView): void {
    this.heap.hold(array.byteOffset);
    this.#addresses.push(array.byteOffset);
    this.#bytes += array.byteLength;
  }

  /** Frees one block before the others. `array` begins where the block does. */
  free(array: ArrayBufferView): void {
    this.#addresses.splice(this.#addresses.indexOf(array.byteOffset), 1);
    this.#bytes -= array.byteLength;
    this.heap.free(array.byteOffset);
  }

  /** Frees every block that has no other holder. Afterwards the scope is empty and may be used again. */
  [Symbol.dispose](): void {
    for (const address of this.#addresses.splice(0)) this.heap.free(address);
    this.#bytes = 0;
  }
}
