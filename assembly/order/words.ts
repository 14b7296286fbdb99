/** Arrays of 32-bit integers in the memory of this module, one behind the other. */

export const NONE: i32 = -1;

/** Where free memory begins. */
let top: usize = __heap_base;

const PAGE_BYTES: usize = 1 << 16;

/** Frees all arrays. */
export function freeAll(): void {
  top = __heap_base;
}

/** The address of a new array, whose contents are undefined. It traps where there is no memory. */
export function reserve(words: i32): usize {
  const address = top;
  top += (<usize>words) << 2;
  const bytes = <usize>memory.size() * PAGE_BYTES;
  if (top > bytes && memory.grow(i32((top - bytes + PAGE_BYTES - 1) / PAGE_BYTES)) < 0) unreachable();
  return address;
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
