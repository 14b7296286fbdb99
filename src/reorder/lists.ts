/** Lists of integers in one array, each at a place of its own with gaps between them. */

/**
 * Moves the lists to the front of the array, in the order of their places.
 *
 * @param lists entries ≥ 0
 * @param start the place of each list; new ones are written
 * @param length that of each list; 0: it has no place
 * @param used the lists lie before this place
 * @returns the place behind the last list
 */
export function moveToFront(lists: Int32Array, start: Int32Array, length: Int32Array, used: number): number {
  // The first entry of each list gives way to its owner v, as −1 − v.
  for (let v = 0; v < length.length; v++) {
    if (length[v] === 0) continue;
    const at = start[v]!;
    start[v] = lists[at]!;
    lists[at] = -1 - v;
  }
  let write = 0;
  for (let at = 0; at < used; ) {
    const found = lists[at++]!;
    if (found >= 0) continue;
    const owner = -1 - found;
    lists[write] = start[owner]!;
    start[owner] = write++;
    for (let k = length[owner]! - 1; k > 0; k--) lists[write++] = lists[at++]!;
  }
  return write;
}
