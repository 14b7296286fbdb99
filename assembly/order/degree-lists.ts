/** Doubly linked lists have the vertices of each degree, and give one of the least degree. */
import { at, filled, NONE, put, reserve } from './words';

let firsts: usize = 0;
let next: usize = 0;
let previous: usize = 0;
/** Of each vertex; it does not change while the vertex is in a list. */
let degree: usize = 0;
/** No list below this degree has a vertex. */
let least: i32 = 0;

export function reserveLists(vertices: i32, degrees: usize): void {
  firsts = filled(vertices, NONE);
  next = reserve(vertices);
  previous = reserve(vertices);
  degree = degrees;
  least = 0;
}

/** Puts a vertex first in the list of its degree. */
@inline
export function insert(v: i32): void {
  const own = at(degree, v);
  const after = at(firsts, own);
  put(next, v, after);
  put(previous, v, NONE);
  if (after !== NONE) put(previous, after, v);
  put(firsts, own, v);
  if (own < least) least = own;
}

@inline
export function remove(v: i32): void {
  const before = at(previous, v);
  const after = at(next, v);
  if (after !== NONE) put(previous, after, before);
  if (before !== NONE) put(next, before, after);
  else put(firsts, at(degree, v), after);
}

/** Takes a vertex of least degree; there must be one. */
export function takeLeast(): i32 {
  while (at(firsts, least) === NONE) least++;
  const v = at(firsts, least);
  remove(v);
  return v;
}
