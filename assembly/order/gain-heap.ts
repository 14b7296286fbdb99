/**
 * A binary heap has vertices by their gains, the greatest first. Of equal gains that which was set last comes first, so moves follow each other along a
 * border. A vertex is there once, and its gain may change.
 */
import { at, filled, NONE, put, reserve, reserveReals } from './words';

let heap: usize = 0;
/** Each vertex has its place in the heap here, or NONE. */
let places: usize = 0;
/** Each vertex has a key of 64 bits here: its gain in the upper half, and in the lower one the number of the call that set it. */
let keys: usize = 0;
let calls: u32 = 0;
let length: i32 = 0;

export function reserveGains(vertices: i32): void {
  heap = reserve(vertices);
  places = filled(vertices, NONE);
  keys = reserveReals(vertices);
  calls = 0;
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

/** Returns the greatest gain in a heap that is not empty. */
@inline
export function greatest(): i32 {
  return gainOf(at(heap, 0));
}

@inline
export function gainOf(v: i32): i32 {
  return <i32>(key(v) >> 32);
}

@inline
function key(v: i32): i64 {
  return load<i64>(keys + ((<usize>v) << 3));
}

/** Inserts a vertex, or changes its gain. */
export function set(v: i32, gain: i32): void {
  const place = at(places, v);
  const before = key(v);
  calls++;
  const after = ((<i64>gain) << 32) | <i64>calls;
  store<i64>(keys + ((<usize>v) << 3), after);
  if (place === NONE) rise(v, length++);
  else if (after < before) sink(v, place);
  else rise(v, place);
}

export function remove(v: i32): void {
  const place = at(places, v);
  if (place === NONE) return;
  put(places, v, NONE);
  const last = at(heap, --length);
  if (last === v) return;
  if (key(last) > key(v)) rise(last, place);
  else sink(last, place);
}

/** Takes the vertex with the greatest gain of a heap that is not empty. */
export function take(): i32 {
  const v = at(heap, 0);
  remove(v);
  return v;
}

function rise(v: i32, from: i32): void {
  const own = key(v);
  let place = from;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    const above = at(heap, parent);
    if (key(above) >= own) break;
    put(heap, place, above);
    put(places, above, place);
    place = parent;
  }
  put(heap, place, v);
  put(places, v, place);
}

function sink(v: i32, from: i32): void {
  const own = key(v);
  let place = from;
  for (let child = 2 * place + 1; child < length; child = 2 * place + 1) {
    if (child + 1 < length && key(at(heap, child + 1)) > key(at(heap, child))) child++;
    const below = at(heap, child);
    if (key(below) <= own) break;
    put(heap, place, below);
    put(places, below, place);
    place = child;
  }
  put(heap, place, v);
  put(places, v, place);
}
