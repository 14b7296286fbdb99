/** Disjoint sets of vertices as singly linked lists, each known by its first vertex. At first each vertex is one. */
import { at, filled, NONE, put, reserve } from './words';

let next: usize = 0;
/** Of a first vertex: the last one of its list. */
let last: usize = 0;

export function reserveMembers(vertices: i32): void {
  next = filled(vertices, NONE);
  last = reserve(vertices);
  for (let v = 0; v < vertices; v++) put(last, v, v);
}

/** Appends the list of v to that of `into`. */
@inline
export function join(into: i32, v: i32): void {
  put(next, at(last, into), v);
  put(last, into, at(last, v));
}

/** Copies the list of `first` to `order`, from place `to` on. Returns the place after it. */
export function copy(first: i32, order: usize, to: i32): i32 {
  let place = to;
  for (let v = first; v !== NONE; v = at(next, v)) put(order, place++, v);
  return place;
}
