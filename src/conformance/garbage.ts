/** Garbage in the free memory of a heap, so that an array that a conversion leaves uninitialized is found, whatever was there before. */
import { ALIGNMENT, type Heap } from '../memory/heap.js';

/**
 * NaN as f32, and twice as f64. As an index of numbers of 4 or 8 bytes it is almost 4 GiB away, so that a kernel traps; with all bits set it
 * would be the element before the first, since addresses have 32 bits.
 */
const GARBAGE = 0x7ff0_0001;
/** More than a conformance matrix takes in any format. */
const BYTES = 1 << 20;
/** Lines in the gaps between blocks in use, which a heap allocates first. An engine without vectors has no gap. */
const LINES = 32;

/** Fills the free memory that a heap allocates next. */
export function spoilFreeMemory(heap: Heap): void {
  using scope = heap.scope();
  const sizes = [BYTES, ...new Array<number>(LINES).fill(ALIGNMENT)];
  for (const bytes of sizes) scope.array(Uint32Array, bytes / 4).fill(GARBAGE);
}
