/** Vertices by a hash: singly linked lists, as many as there are vertices. */
import { at, filled, NONE, put, reserve } from './words';

/** The vertex behind each one in its bucket. */
let next: usize = 0;
let hashes: usize = 0;
let firsts: usize = 0;
let count: u32 = 0;

export function reserveBuckets(vertices: i32): void {
  next = reserve(vertices);
  hashes = reserve(vertices);
  firsts = filled(vertices, NONE);
  count = vertices;
}

/** Puts a vertex first in the bucket of a sum. */
@inline
export function add(v: i32, sum: u32): void {
  const hash = <i32>(sum % count);
  put(next, v, at(firsts, hash));
  put(firsts, hash, v);
  put(hashes, v, hash);
}

/** Empties the bucket that v was put into. Returns its first vertex; NONE if it is empty. */
@inline
export function empty(v: i32): i32 {
  const hash = at(hashes, v);
  const first = at(firsts, hash);
  put(firsts, hash, NONE);
  return first;
}

/** The vertex behind v, or NONE. */
@inline
export function after(v: i32): i32 {
  return at(next, v);
}

/** Takes the vertex behind `before` out of its bucket; it still knows the one behind itself. */
@inline
export function removeAfter(before: i32): void {
  put(next, before, at(next, at(next, before)));
}
