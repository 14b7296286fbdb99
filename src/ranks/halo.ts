/** The halo of a product: which rank sends which elements of x to whom. */
import { lowerBound } from '../core/search.js';

/** A range of rows or columns for each rank: rank r has bounds[r] … bounds[r + 1] − 1. */
export type Bounds = Float64Array;

/** Elements that go to one rank, or come from it. */
export interface Neighbour {
  readonly rank: number;
  /** Own elements to send, ascending; or places of ghosts. */
  readonly places: Uint32Array;
}

export interface HaloPlan {
  readonly sends: readonly Neighbour[];
  /** The ghosts of an owner are a range. */
  readonly receives: readonly { readonly rank: number; readonly begin: number; readonly end: number }[];
}

/** The ghosts of each owner, which are a range. @param columns the columns of each rank */
export function rangesOfOwners(ghosts: Uint32Array, columns: Bounds): HaloPlan['receives'] {
  return Array.from({ length: columns.length - 1 }, (_, rank) => {
    const begin = lowerBound(ghosts, columns[rank]!);
    return { rank, begin, end: lowerBound(ghosts, columns[rank + 1]!, begin) };
  }).filter(({ begin, end }) => begin < end);
}

/** Returns, for each rank, the ghosts that it owns, by their global numbers. */
export function ghostsByOwner(ghosts: Uint32Array, columns: Bounds): readonly Float64Array[] {
  const lists = Array.from({ length: columns.length - 1 }, () => new Float64Array());
  for (const { rank, begin, end } of rangesOfOwners(ghosts, columns))
    lists[rank] = Float64Array.from(ghosts.subarray(begin, end));
  return lists;
}

/** Returns the columns of each rank: those with the numbers of its rows if the matrix is square, otherwise as many as other ranks have, give or take one. */
export function columnBounds(rowBounds: ArrayLike<number>, cols: number): Bounds {
  const size = rowBounds.length - 1;
  const isSquare = rowBounds[size] === cols;
  return Float64Array.from(rowBounds, (bound, rank) => (isSquare ? bound : Math.floor((cols * rank) / size)));
}

/** All places of some sends, one after the other. */
export function placesOf(sends: HaloPlan['sends']): Uint32Array {
  const all = new Uint32Array(sends.reduce((sum, { places }) => sum + places.length, 0));
  let at = 0;
  for (const { places } of sends) {
    all.set(places, at);
    at += places.length;
  }
  return all;
}
