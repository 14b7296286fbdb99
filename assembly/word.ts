/** Arrays of u32, which all layouts use for pointers and indices, and arrays of f64. */

/** The address of an element of an array of u32. */
@inline
export function word(array: usize, index: u32): usize {
  return array + ((<usize>index) << 2);
}

/** The address of an element of an array of f64. */
@inline
export function wide(array: usize, index: u32): usize {
  return array + ((<usize>index) << 3);
}
