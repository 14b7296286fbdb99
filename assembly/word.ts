/** Arrays of u32, which all layouts use for pointers and indices. */

/** The address of an element of an array of u32. */
@inline
export function word(array: usize, index: u32): usize {
  return array + ((<usize>index) << 2);
}
