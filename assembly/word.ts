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

/** Returns the first place of an ascending array whose number is at least `value`. */
export function lowerBound(numbers: usize, count: u32, value: u32): u32 {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<u32>(word(numbers, middle)) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
