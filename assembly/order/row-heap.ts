/** A binary heap of rows by their distance; a row whose distance became smaller is there twice. */
import { at, NONE, put, putReal, real, reserve, reserveReals } from './words';

let distance: usize = 0;
let rows: usize = 0;
let keys: usize = 0;
let length: i32 = 0;

/** @param distances of the rows @param most pushes between two calls of `empty` */
export function reserveHeap(distances: usize, most: i32): void {
  distance = distances;
  rows = reserve(most);
  keys = reserveReals(most);
  length = 0;
}

export function push(row: i32): void {
  const key = real(distance, row);
  let place = length++;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (real(keys, parent) <= key) break;
    put(rows, place, at(rows, parent));
    putReal(keys, place, real(keys, parent));
    place = parent;
  }
  put(rows, place, row);
  putReal(keys, place, key);
}

/** Takes the nearest row; NONE if there is none. */
export function pop(): i32 {
  if (length === 0) return NONE;
  const first = at(rows, 0);
  length--;
  const row = at(rows, length);
  const key = real(keys, length);
  if (length === 0) return first;
  let place = 0;
  for (let child = 1; child < length; child = 2 * place + 1) {
    if (child + 1 < length && real(keys, child + 1) < real(keys, child)) child++;
    if (real(keys, child) >= key) break;
    put(rows, place, at(rows, child));
    putReal(keys, place, real(keys, child));
    place = child;
  }
  put(rows, place, row);
  putReal(keys, place, key);
  return first;
}

export function empty(): void {
  length = 0;
}
