/**
 * The shared heap: one WebAssembly memory that every thread sees, and who owns which bytes of it.
 *
 * First fit over an address-ordered list of free ranges, neighbours merged when they are freed. Only the thread that made
 * the heap allocates, so the lists are plain JavaScript and an allocation costs well under a microsecond at the hundreds of
 * blocks an engine holds. (`@thi.ng/malloc` keeps its lists in one ArrayBuffer of fixed length; this memory grows.)
 *
 * Growing a shared memory moves nothing: views made before stay valid, they just end where they ended.
 */
import { integer } from '../core/checks.js';
import { SparlaneError } from '../core/errors.js';

/** A cache line: no two blocks share one, so no two threads write to one by accident. */
export const ALIGNMENT = 64;
const PAGE_BYTES = 65_536;
const MAX_PAGES = 65_536;
/** The last line of 4 GiB is never handed out either: a block's end must be a 32-bit address. */
const LAST_LINE = MAX_PAGES * PAGE_BYTES - ALIGNMENT;
/** Growth is rounded up to this, so that a thousand small vectors are not a thousand system calls. */
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

export interface HeapOptions {
  /** Most bytes the memory may grow to, rounded down to 64 KiB. Default and limit: 4 GiB. */
  maximumBytes?: number;
}

export class Heap {
  readonly memory: WebAssembly.Memory;
  readonly maximumBytes: number;
  /**
   * The buffer objects under the views that were made: a shared memory gets a new one, of the same bytes, each time it
   * grows, and in V8 also when any other shared memory of the thread grows.
   */
  readonly #buffers = new WeakSet<ArrayBufferLike>();
  readonly #free: FreeRange[] = [];
  readonly #blocks = new Map<number, number>();
  #bytesInUse = 0;

  /** @throws SparlaneError `heap` where the platform cannot make a shared memory of `maximumBytes`. */
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
    // Line 0 is never handed out, so that address 0 can mean "none".
    this.#free.push({ address: ALIGNMENT, bytes: PAGE_BYTES - ALIGNMENT });
  }

  /** Bytes handed out, padding to whole cache lines included. */
  get bytesInUse(): number {
    return this.#bytesInUse;
  }

  /** Bytes the memory has now; at most `maximumBytes`. */
  get byteLength(): number {
    return this.memory.buffer.byteLength;
  }

  /** Bytes that could still be handed out, growth included; not necessarily in one piece. */
  get bytesFree(): number {
    return Math.min(this.maximumBytes, LAST_LINE) - ALIGNMENT - this.#bytesInUse;
  }

  /** First address that is never handed out at the present size. */
  get #end(): number {
    return Math.min(this.byteLength, LAST_LINE);
  }

  /**
   * A block of at least `bytes` bytes at a 64-byte boundary; its contents are whatever they were.
   *
   * @throws SparlaneError `heap` with the bytes asked for and the bytes free; the heap stays as it was.
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

  /** Gives a block back. @throws SparlaneError `argument` where `address` is not a block in use. */
  free(address: number): void {
    const bytes = this.#blocks.get(address);
    if (bytes === undefined) {
      throw new SparlaneError('argument', `address: expected a block in use, got ${address}`, { address });
    }
    this.#blocks.delete(address);
    this.#bytesInUse -= bytes;
    this.#release(address, bytes);
  }

  /** A view of a block as typed array; `address` need not be the block's first byte. */
  view<T>(type: ViewConstructor<T>, address: number, length: number): T {
    const { buffer } = this.memory;
    this.#buffers.add(buffer);
    return new type(buffer, address, length);
  }

  /** Whether a typed array lies in this heap. */
  owns(view: ArrayBufferView): boolean {
    return this.#buffers.has(view.buffer) || view.buffer === this.memory.buffer;
  }

  /** A group of blocks that live and die together. */
  scope(): HeapScope {
    return new HeapScope(this);
  }

  /** Makes something that owns a scope; what was allocated for it is freed again where `make` throws. */
  build<T>(make: (scope: HeapScope) => T): T {
    const scope = this.scope();
    try {
      return make(scope);
    } catch (error) {
      scope[Symbol.dispose]();
      throw error;
    }
  }

  /** Puts a range back in address order and merges it with its neighbours. */
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
    try {
      if (end + size - tail > Math.min(this.maximumBytes, LAST_LINE))
        throw new RangeError('the memory is at its limit');
      this.memory.grow(Math.min(needed, available));
    } catch (cause) {
      const detail = { bytesAsked, bytesFree: this.bytesFree, bytesInUse: this.#bytesInUse };
      const text = `heap: expected a free block of ${bytesAsked} bytes, got ${this.bytesFree} bytes free in all`;
      throw new SparlaneError('heap', text, detail, { cause });
    }
    this.#release(end, this.#end - end);
    return this.#free.length - 1;
  }
}

/** Blocks that are freed together: what a matrix, a plan or an unfinished conversion owns. */
export class HeapScope implements Disposable {
  readonly heap: Heap;
  readonly #addresses: number[] = [];
  #bytes = 0;

  constructor(heap: Heap) {
    this.heap = heap;
  }

  /** Bytes asked for so far. */
  get bytes(): number {
    return this.#bytes;
  }

  alloc(bytes: number): number {
    const address = this.heap.alloc(bytes);
    this.#addresses.push(address);
    this.#bytes += bytes;
    return address;
  }

  /** A typed array of its own block; its contents are whatever they were. Its `byteOffset` is its address. */
  array<T>(type: ViewConstructor<T>, length: number): T {
    return this.heap.view(type, this.alloc(length * type.BYTES_PER_ELEMENT), length);
  }

  /** Numbers in a typed array of its own block. */
  copy<T extends NumberView>(type: ViewConstructor<T>, source: ArrayLike<number>): T {
    const array = this.array(type, source.length);
    array.set(source);
    return array;
  }

  /** A header block: 32-bit words, the ABI between formats and kernels. Returns its address. */
  header(words: readonly number[]): number {
    return this.copy(Uint32Array, words).byteOffset;
  }

  /** Frees every block. Afterwards the scope is empty and may be used again. */
  [Symbol.dispose](): void {
    for (const address of this.#addresses.splice(0)) this.heap.free(address);
    this.#bytes = 0;
  }
}
