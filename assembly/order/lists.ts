/** Lists of integers in one array, each at a place of its own with gaps between them. */
import { at, put } from './words';

/**
 * Moves the lists to the front of the array, in the order of their places.
 *
 * @param lists entries ≥ 0
 * @param start the place of each list; new ones are written
 * @param length that of each list; 0: it has no place
 * @param used the lists lie before this place
 * @returns the place behind the last list
 */
export function moveToFront(lists: usize, start: usize, length: usize, count: i32, used: i32): i32 {
  // The first entry of each list gives way to its owner v, as −1 − v.
  for (let v = 0; v < count; v++) {
    if (at(length, v) === 0) continue;
    const place = at(start, v);
    put(start, v, at(lists, place));
    put(lists, place, -1 - v);
  }
  let write = 0;
  for (let read = 0; read < used; ) {
    const found = at(lists, read++);
    if (found >= 0) continue;
    const owner = -1 - found;
    put(lists, write, at(start, owner));
    put(start, owner, write++);
    for (let k = at(length, owner) - 1; k > 0; k--) put(lists, write++, at(lists, read++));
  }
  return write;
}
