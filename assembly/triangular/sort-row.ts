/** Sorts the columns of a row, and a number for each of them. A sorted row costs one comparison per entry. */
import { word } from '../word';

/** The longest row for the quadratic sort. */
const INSERTION_SORT_LIMIT: u32 = 32;

/** Entries [begin, end) of both arrays of u32. */
export function sortRow(columns: usize, numbers: usize, begin: u32, end: u32): void {
  let sorted = begin + 1;
  while (sorted < end && at(columns, sorted - 1) <= at(columns, sorted)) sorted++;
  if (sorted >= end) return;
  if (end - begin > INSERTION_SORT_LIMIT) {
    heapSort(word(columns, begin), word(numbers, begin), end - begin);
    return;
  }
  for (let k = sorted; k < end; k++) {
    const column = at(columns, k);
    const number = at(numbers, k);
    let hole = k;
    for (; hole > begin && at(columns, hole - 1) > column; hole--) {
      put(columns, hole, at(columns, hole - 1));
      put(numbers, hole, at(numbers, hole - 1));
    }
    put(columns, hole, column);
    put(numbers, hole, number);
  }
}

/** Source: Williams 1964. */
function heapSort(columns: usize, numbers: usize, count: u32): void {
  for (let root = count >> 1; root > 0; root--) sift(columns, numbers, root - 1, count, at(columns, root - 1), at(numbers, root - 1));
  for (let end = count - 1; end > 0; end--) {
    const column = at(columns, end);
    const number = at(numbers, end);
    put(columns, end, at(columns, 0));
    put(numbers, end, at(numbers, 0));
    sift(columns, numbers, 0, end, column, number);
  }
}

/** Puts an entry into the heap below a hole. */
function sift(columns: usize, numbers: usize, hole: u32, count: u32, column: u32, number: u32): void {
  for (let child: u32 = 2 * hole + 1; child < count; child = 2 * hole + 1) {
    if (child + 1 < count && at(columns, child + 1) > at(columns, child)) child++;
    if (at(columns, child) <= column) break;
    put(columns, hole, at(columns, child));
    put(numbers, hole, at(numbers, child));
    hole = child;
  }
  put(columns, hole, column);
  put(numbers, hole, number);
}

@inline
function at(array: usize, index: u32): u32 {
  return load<u32>(word(array, index));
}

@inline
function put(array: usize, index: u32, value: u32): void {
  store<u32>(word(array, index), value);
}
