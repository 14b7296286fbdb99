/** Breadth-first searches of a graph. Arrays are 32-bit integers. */
import { at, put } from './words';

/**
 * Searches from the vertex `queue[begin]`, behind which the vertices follow as they are found, level by level. A search writes its mark for each vertex that it
 * finds, and finds none whose mark is as great already.
 *
 * @param enough the search ends before a level that begins with so many vertices found
 * @param widths the number of vertices of each level is written there: at most n
 * @returns the number of levels
 */
export function searchLevels(
  edgePtr: usize,
  neighbours: usize,
  queue: usize,
  begin: i32,
  seenBy: usize,
  mark: i32,
  enough: i32,
  widths: usize,
): i32 {
  put(seenBy, at(queue, begin), mark);
  let levels = 0;
  let end = begin + 1;
  for (let next = begin; next < end && next - begin < enough; ) {
    const last = end;
    put(widths, levels++, last - next);
    for (; next < last; next++) {
      const v = at(queue, next);
      for (let k = at(edgePtr, v), endOfRow = at(edgePtr, v + 1); k < endOfRow; k++) {
        const neighbour = at(neighbours, k);
        if (<u32>at(seenBy, neighbour) >= <u32>mark) continue;
        put(seenBy, neighbour, mark);
        put(queue, end++, neighbour);
      }
    }
  }
  return levels;
}

/** Returns the greatest number of neighbours of a vertex. Each vertex that has more than `most` gets the mark. */
export function markHubs(n: i32, edgePtr: usize, most: i32, seenBy: usize, mark: i32): i32 {
  let greatest = 0;
  for (let v = 0; v < n; v++) {
    const degree = at(edgePtr, v + 1) - at(edgePtr, v);
    if (degree > most) put(seenBy, v, mark);
    greatest = max(greatest, degree);
  }
  return greatest;
}
