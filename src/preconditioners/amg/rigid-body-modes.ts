/** The rigid body modes of elasticity: the near-null space for multigrid. */
import { asFloats, type NumberArray } from '../../core/arrays.js';
import { integer } from '../../core/checks.js';
import { mismatch } from '../../core/errors.js';

/**
 * Translations and rotations of an elastic body: 3 vectors in two dimensions, 6 in three. Unknowns are displacements, node by node; a row of a
 * fixed unknown belongs to them as any other.
 *
 * @param coordinates of the nodes: x, y (, z) of the first, then of the second …
 * @param dimension 2 or 3
 * @throws SparlaneError `argument` for another dimension; `shape` for coordinates that are not a multiple of it
 *
 * @example
 * precondition(engine, K, 'amg?block=3', { nearNullSpace: rigidBodyModes(coordinates, 3) });
 */
export function rigidBodyModes(coordinates: NumberArray, dimension: 2 | 3): Float64Array[] {
  integer('dimension', dimension, 2, 3);
  const points = asFloats('coordinates', coordinates);
  const { length } = points;
  if (length % dimension !== 0)
    throw mismatch('shape', 'coordinates', `a multiple of ${dimension} numbers`, length, { length });
  const center = centerOf(points, dimension);
  const at = (node: number, axis: number) => points[node + axis]! - center[axis]!;
  const modes: Float64Array[] = [];
  const add = (displacement: (node: number) => readonly number[]) => {
    const mode = new Float64Array(length);
    for (let node = 0; node < length; node += dimension) mode.set(displacement(node), node);
    modes.push(mode);
  };
  const axes = Array.from({ length: dimension }, (_, axis) => axis);
  for (const axis of axes) add(() => axes.map((other) => (other === axis ? 1 : 0)));
  // Rotations in the plane of two axes.
  for (const one of axes)
    for (const two of axes.slice(one + 1))
      add((node) => axes.map((axis) => (axis === one ? -at(node, two) : axis === two ? at(node, one) : 0)));
  return modes;
}

/** Rotations about the center are nearly orthogonal to translations. */
function centerOf(points: ArrayLike<number>, dimension: number): Float64Array {
  const sums = new Float64Array(dimension);
  for (let k = 0; k < points.length; k++) sums[k % dimension]! += points[k]!;
  return sums.map((sum) => sum / Math.max(1, points.length / dimension));
}
