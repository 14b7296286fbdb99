/** Breadth-first searches of a graph, whose `edgePtr` and `neighbours` are arrays of 32-bit integers, as all arrays here. */
import { at, put } from './words';

/**
 * Searches from a vertex. The vertices that it finds are written to the queue, level by level. A search writes its mark for each of them, and finds none whose
 * mark is as great already.
 *
 * @param enough the search ends as soon as its levels have so many vertices
 * @param widths gets the number of vertices of each level; has room for one number per vertex
 * @returns the number of levels
 */
export function searchLevels(
  edgePtr: usize,
  neighbours: usize,
  first: i32,
  queue: usize,
  seenBy: usize,
  mark: i32,
  enough: i32,
  widths: usize,
): i32 {
  put(queue, 0, first);
  put(seenBy, first, mark);
  let levels = 0;
  let end = 1;
  for (let next = 0; next < end && next < enough; ) {
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

/** Returns the greatest number of neighbours of a vertex. Each vertex that has more than `most` neighbours gets the mark. */
export function markHubs(n: i32, edgePtr: usize, most: i32, seenBy: usize, mark: i32): i32 {
  let greatest = 0;
  for (let v = 0; v < n; v++) {
    const degree = at(edgePtr, v + 1) - at(edgePtr, v);
    if (degree > most) put(seenBy, v, mark);
    greatest = max(greatest, degree);
  }
  return greatest;
}
