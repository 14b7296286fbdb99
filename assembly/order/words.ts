/** The memory of this module has arrays of 32-bit integers and of f64, one behind the other; each is known by its address. */

export const NONE: i32 = -1;

/** Free memory begins here. */
let top: usize = __heap_base;

const PAGE_BYTES: u64 = 1 << 16;
/** The memory has at most this many pages, one less than 4 GiB: its size in bytes must fit in 32 bits. */
const MOST_PAGES: u64 = 0xffff;

/** Frees all arrays. */
export function freeAll(): void {
  top = __heap_base;
}

/** Returns the address at which the next array begins. */
export function mark(): usize {
  return top;
}

/** Frees all arrays that were reserved after `mark` returned this address. */
export function release(mark: usize): void {
  top = mark;
}

/** The address of a new array, whose contents are undefined. `unreachable` where there is no memory for it. */
export function reserve(words: i32): usize {
  const address = top;
  const end = <u64>top + ((<u64>(<u32>words)) << 2);
  const pages = (end + PAGE_BYTES - 1) / PAGE_BYTES;
  if (pages > MOST_PAGES) unreachable();
  const missing = i32(pages) - memory.size();
  if (missing > 0 && memory.grow(missing) < 0) unreachable();
  top = <usize>end;
  return address;
}

/** The address of a new array in which each integer has a value. */
export function filled(words: i32, value: i32): usize {
  const array = reserve(words);
  fill(array, words, value);
  return array;
}

@inline
export function at(array: usize, k: i32): i32 {
  return load<i32>(array + ((<usize>(<u32>k)) << 2));
}

@inline
export function put(array: usize, k: i32, value: i32): void {
  store<i32>(array + ((<usize>(<u32>k)) << 2), value);
}

@inline
export function add(array: usize, k: i32, value: i32): void {
  put(array, k, at(array, k) + value);
}

@inline
export function fill(array: usize, words: i32, value: i32): void {
  for (let k = 0; k < words; k++) put(array, k, value);
}

/** The address of a new array of f64. */
export function reserveReals(count: i32): usize {
  top = (top + 7) & ~7;
  return reserve(2 * count);
}

@inline
export function real(array: usize, k: i32): f64 {
  return load<f64>(array + ((<usize>(<u32>k)) << 3));
}

@inline
export function putReal(array: usize, k: i32, value: f64): void {
  store<f64>(array + ((<usize>(<u32>k)) << 3), value);
}
