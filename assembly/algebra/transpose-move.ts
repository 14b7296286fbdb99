/** The steps of a transposition that move entries: `fill` of `transpose.ts`, and `spread` of `transpose-buckets.ts`. Entries are moved row by row. */
import { BUCKET_SHIFT, TransposeHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { next } from './transpose';
import { SLICE, windowOf } from './windows';

/** Where an entry goes, as a type parameter: to its place, or to the end of the bucket of its place. */
type ToPlace = u8;
type ToBucket = u16;

export function transpose_fill<V>(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  moveParts<V, ToPlace>(header, begin, end);
}

export function transpose_spread<V>(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  moveParts<V, ToBucket>(header, begin, end);
}

@inline
function moveParts<V, T>(header: TransposeHeader, begin: u32, end: u32): void {
  for (let part = begin; part < end; part++) {
    const buckets = header.bucketPtr + <usize>part * ((<usize>header.buckets) << 2);
    const row = load<u32>(word(header.partPtr, part));
    moveRows<V, T>(header, windowOf(header, part).places, buckets, row, load<u32>(word(header.partPtr, part), 4));
  }
}

function moveRows<V, T>(header: TransposeHeader, places: usize, buckets: usize, row: u32, end: u32): void {
  if (end - row > SLICE) {
    const middle = row + ((end - row) >> 1);
    moveRows<V, T>(header, places, buckets, row, middle);
    moveRows<V, T>(header, places, buckets, middle, end);
    return;
  }
  const idx = header.idx;
  const moved = header.moved;
  const records = header.records;
  let ptr = word(header.rowPtr, row);
  const k = load<u32>(ptr);
  let col = word(header.colIdx, k);
  let value = header.values + ((<usize>k) << alignof<V>());
  for (; row < end; row++) {
    ptr += 4;
    for (const last = word(header.colIdx, load<u32>(ptr)); col < last; col += 4) {
      const place = next(word(places, load<u32>(col)));
      if (sizeof<T>() === sizeof<ToPlace>()) {
        store<u32>(word(idx, place), row);
        store<V>(moved + ((<usize>place) << alignof<V>()), load<V>(value));
      } else {
        const at = next(word(buckets, place >> BUCKET_SHIFT));
        const record = records + ((<usize>at) << 4);
        store<u64>(record, ((<u64>row) << 32) | <u64>place);
        store<V>(record, load<V>(value), 8);
      }
      value += sizeof<V>();
    }
  }
}
