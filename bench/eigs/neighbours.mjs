/** The graph of the nearest neighbours of points, as clustering makes it of data: several groups of points in a space of some dimensions, which overlap a little. */

import { normal, randomStream, unit } from '../../dist/gallery/draw.js';
import { CsrBuilder } from '../../dist/index.node.js';

const SEED = 6;
/** Chosen: so that factors are large, as those of real data. */
const DIMENSIONS = 5;
const GROUPS = 10;
/** The width of the cube of the groups' centres; the groups have the standard deviation 1. */
const WIDTH = 5;
/** A leaf of the tree has at most so many points. */
const LEAF = 24;

/** @returns a symmetric matrix of ones: an edge where one of two points is among the `count` nearest of the other */
export function neighbours(n, count) {
  const random = randomStream(SEED, 'structure');
  const centres = Float64Array.from({ length: GROUPS * DIMENSIONS }, () => WIDTH * unit(random));
  const points = new Float64Array(n * DIMENSIONS);
  for (let i = 0; i < n; i++) {
    const group = Math.floor(GROUPS * unit(random));
    for (let d = 0; d < DIMENSIONS; d++) points[i * DIMENSIONS + d] = centres[group * DIMENSIONS + d] + normal(random);
  }
  const tree = split(
    points,
    Uint32Array.from({ length: n }, (_, i) => i),
    0,
  );
  const edges = new Set();
  for (let i = 0; i < n; i++)
    for (const { point } of nearest(tree, points, i, count)) edges.add(Math.min(i, point) * n + Math.max(i, point));
  const builder = new CsrBuilder(n, n, { symmetry: 'symmetric' });
  for (const edge of edges) builder.add(Math.floor(edge / n), edge % n, 1);
  return builder.build();
}

/** A tree of halves (Bentley 1975): the axes take turns. */
function split(points, members, axis) {
  if (members.length <= LEAF) return { members };
  const at = (i) => points[i * DIMENSIONS + axis];
  const sorted = members.sort((i, j) => at(i) - at(j));
  const middle = members.length >> 1;
  const next = (axis + 1) % DIMENSIONS;
  const halves = [sorted.slice(0, middle), sorted.slice(middle)];
  return { axis, border: at(sorted[middle]), halves: halves.map((half) => split(points, half, next)) };
}

/** The `count` points nearest to point i, ascending. */
function nearest(tree, points, i, count) {
  const found = [];
  const visit = (node) => {
    if (node.members !== undefined) {
      for (const point of node.members) if (point !== i) offer(point);
      return;
    }
    const distance = points[i * DIMENSIONS + node.axis] - node.border;
    const [near, far] = distance < 0 ? node.halves : node.halves.toReversed();
    visit(near);
    if (found.length < count || distance * distance <= found.at(-1).square) visit(far);
  };
  const offer = (point) => {
    let square = 0;
    for (let d = 0; d < DIMENSIONS; d++) square += (points[i * DIMENSIONS + d] - points[point * DIMENSIONS + d]) ** 2;
    if (found.length === count && square >= found[count - 1].square) return;
    if (found.length === count) found.pop();
    let place = found.length;
    while (place > 0 && found[place - 1].square > square) place--;
    found.splice(place, 0, { point, square });
  };
  visit(tree);
  return found;
}
