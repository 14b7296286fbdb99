/** Binary search. */

/** The first place from `begin` on whose number is at least `value`; `end` if there is none before it. */
export function lowerBound(ascending: Uint32Array, value: number, begin = 0, end: number = ascending.length): number {
  let [low, high] = [begin, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
