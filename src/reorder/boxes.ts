/**
 * Parts of points in boxes: the points are halved by their weight along the longest side of their box, and so are the halves.
 *
 * Source: Berger & Bokhari, "A partitioning strategy for nonuniform problems on multiprocessors", 1987: recursive coordinate bisection.
 * Cost: O(dimensions · points · (log points + log parts)): each axis is sorted once, and its order is kept when points are divided.
 */

/**
 * Returns the part of each point, from 0.
 *
 * @param coordinates `dimensions` numbers a point, one point after the other
 * @param weights of the points
 * @param parts with an odd number, the halves have shares of the weight in proportion to their parts
 */
export function boxesOf(
  coordinates: Float64Array,
  dimensions: number,
  weights: Uint32Array,
  parts: number,
): Uint32Array {
  const partOf = new Uint32Array(weights.length);
  const at = (point: number, axis: number) => coordinates[point * dimensions + axis]!;
  /** Each axis has the points in ascending order here; points at the same place keep their own order. */
  const along = Array.from({ length: dimensions }, (_, axis) =>
    Uint32Array.from(weights.keys()).sort((one, other) => at(one, axis) - at(other, axis)),
  );
  const isLeft = new Uint8Array(weights.length);
  const boxes = [{ first: 0, parts, begin: 0, end: weights.length }];
  for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
    const { first, parts: count, begin, end } = box;
    if (count === 1 || begin === end) {
      for (let i = begin; i < end; i++) partOf[along[0]![i]!] = first;
      continue;
    }
    const sides = along.map((points, axis) => at(points[end - 1]!, axis) - at(points[begin]!, axis));
    const longest = along[sides.indexOf(Math.max(...sides))]!;
    const leftParts = count >>> 1;
    const middle = placeOfShare(longest, weights, begin, end, leftParts / count);
    for (let i = begin; i < end; i++) isLeft[longest[i]!] = i < middle ? 1 : 0;
    for (const points of along) if (points !== longest) divide(points, isLeft, begin, end);
    boxes.push(
      { first, parts: leftParts, begin, end: middle },
      { first: first + leftParts, parts: count - leftParts, begin: middle, end },
    );
  }
  return partOf;
}

/** Returns the place before which the weight is nearest to a share of all. */
function placeOfShare(points: Uint32Array, weights: Uint32Array, begin: number, end: number, share: number): number {
  let total = 0;
  for (let i = begin; i < end; i++) total += weights[points[i]!]!;
  let before = 0;
  for (let i = begin; i < end; i++) {
    const weight = weights[points[i]!]!;
    if (before + weight / 2 > share * total) return i;
    before += weight;
  }
  return end;
}

/** Moves the points of the left half before the others; both keep their order. */
function divide(points: Uint32Array, isLeft: Uint8Array, begin: number, end: number): void {
  const right = points.subarray(begin, end).filter((point) => isLeft[point] === 0);
  let write = begin;
  for (let i = begin; i < end; i++) if (isLeft[points[i]!] === 1) points[write++] = points[i]!;
  points.set(right, write);
}
