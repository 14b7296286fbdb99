/** A binary heap of vertices by integer keys, the greatest first. A vertex is there once, and its key may change. */
import { at, filled, NONE, put, reserve } from './words';

let heap: usize = 0;
/** By vertex: its place in the heap, or NONE. */
let places: usize = 0;
let keys: usize = 0;
let length: i32 = 0;

export function reserveGains(vertices: i32): void {
  heap = reserve(vertices);
  places = filled(vertices, NONE);
  keys = reserve(vertices);
  length = 0;
}

export function isEmpty(): bool {
  return length === 0;
}

export function clear(): void {
  for (let i = 0; i < length; i++) put(places, at(heap, i), NONE);
  length = 0;
}

@inline
export function has(v: i32): bool {
  return at(places, v) !== NONE;
}

/** The greatest key. */
@inline
export function greatest(): i32 {
  return at(keys, at(heap, 0));
}

@inline
export function keyOf(v: i32): i32 {
  return at(keys, v);
}

/** Inserts a vertex, or changes its key. */
export function set(v: i32, key: i32): void {
  let place = at(places, v);
  if (place === NONE) place = length++;
  else if (key < at(keys, v)) {
    put(keys, v, key);
    sink(v, place);
    return;
  }
  put(keys, v, key);
  rise(v, place);
}

export function remove(v: i32): void {
  const place = at(places, v);
  if (place === NONE) return;
  put(places, v, NONE);
  const last = at(heap, --length);
  if (last === v) return;
  if (at(keys, last) > at(keys, v)) rise(last, place);
  else sink(last, place);
}

/** Takes the vertex with the greatest key of a heap that is not empty. */
export function take(): i32 {
  const v = at(heap, 0);
  remove(v);
  return v;
}

function rise(v: i32, from: i32): void {
  const key = at(keys, v);
  let place = from;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    const above = at(heap, parent);
    if (at(keys, above) >= key) break;
    put(heap, place, above);
    put(places, above, place);
    place = parent;
  }
  put(heap, place, v);
  put(places, v, place);
}

function sink(v: i32, from: i32): void {
  const key = at(keys, v);
  let place = from;
  for (let child = 2 * place + 1; child < length; child = 2 * place + 1) {
    if (child + 1 < length && at(keys, at(heap, child + 1)) > at(keys, at(heap, child))) child++;
    const below = at(heap, child);
    if (at(keys, below) <= key) break;
    put(heap, place, below);
    put(places, below, place);
    place = child;
  }
  put(heap, place, v);
  put(places, v, place);
}
