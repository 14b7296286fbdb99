/** Binary search. */

/** The first place from `begin` on whose number is at least `value`. */
export function lowerBound(ascending: Uint32Array, value: number, begin = 0): number {
  let [low, high] = [begin, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
