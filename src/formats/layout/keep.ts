/** Arrays of a matrix that a layout can use as they are, instead of a copy. */
import type { HeapScope } from '../../memory/heap.js';
import type { LoopArray } from './loop.js';

/** Arrays that nobody writes any more, each at the beginning of its block of the heap. */
export type Keepable = ReadonlySet<ArrayBufferView>;

/**
 * The array and `past` places behind it, which are set to 0, if its block has room for them and its type is that of the
 * layout; the scope then holds the block. Otherwise undefined: the layout needs a copy.
 */
export function keep<T extends LoopArray>(
  scope: HeapScope,
  keepable: Keepable | undefined,
  array: LoopArray,
  type: { readonly BYTES_PER_ELEMENT: number; new (buffer: ArrayBufferLike, offset: number, length: number): T },
  past = 0,
): T | undefined {
  if (!keepable?.has(array) || !(array instanceof type)) return undefined;
  const { buffer, byteOffset, length } = array;
  if (scope.heap.bytesOf(byteOffset) < (length + past) * type.BYTES_PER_ELEMENT) return undefined;
  const kept = new type(buffer, byteOffset, length + past);
  scope.share(kept);
  kept.fill(0, length);
  return kept;
}
