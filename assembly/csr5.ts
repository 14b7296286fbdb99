/**
 * CSR5: y ← α A x + β y over the units [begin, end), a unit being a run of tiles. Layout: `src/formats/csr5.ts`.
 *
 * A tile is computed in two passes. First all its entries, step by step: four of them, one per lane, side by side in
 * memory. The running sums of the lanes are stored after every step, whether a row ends there or not, and masked to zero
 * where one does; no branch depends on where rows end, and that is what makes short uneven rows cheap. Then the rows: each
 * bit of the flags is the place of a finished sum, and they are in the order of the rows, so y is written one after the
 * other. A row that comes from the lanes before, or from the tile before, gets its first pieces in between (`joinLanes`).
 *
 * What bounds it: for short rows some 35 instructions per step and 10 per row; the bus where rows are longer than about 8.
 * A tile amid one row has no flags and is only summed up.
 */
import { leaveCarry, NO_ROW } from './carry';
import { gather32, gather64, madd32, madd64, put, values32, values64 } from './lanes';

@unmanaged
class Csr5Header {
  rows!: u32;
  /** Full tiles; the tail is one more. */
  tiles!: u32;
  /** Steps of a tile; at most 16. */
  sigma!: u32;
  tilesPerUnit!: u32;
  /** Entries of the tail. */
  tail!: u32;
  /** Bytes of a unit's sums. */
  sumsBytes!: u32;
  tilePtr!: usize;
  tileDesc!: usize;
  emptyOffset!: usize;
  colIdx!: usize;
  values!: usize;
  /** A tile's running sums; each part uses those of its first unit. */
  sums!: usize;
}

/** Bit of tilePtr: rows without entries lie between those of the tile. */
const EMPTY_ROWS: u32 = 0x80000000;

/** log2 of the bytes of a tile's description: flags (u64), yOffset and segOffset (u32), where its emptyOffset begins (u32). */
const DESC_SHIFT: usize = 4;

export function csr5_spmv_f64(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  part<f64, f64>(changetype<Csr5Header>(header), x, y, begin, end, carry, alpha, beta);
}

export function csr5_spmv_mixed(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  part<f32, f64>(changetype<Csr5Header>(header), x, y, begin, end, carry, alpha, beta);
}

export function csr5_spmv_f32(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  part<f32, f32>(changetype<Csr5Header>(header), x, y, begin, end, carry, <f32>alpha, <f32>beta);
}

/** Writes the rows from the one that the first unit begins in up to the one that the next part begins in. */
function part<V, X>(header: Csr5Header, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: X, beta: X): void {
  if (begin == end) {
    leaveCarry(carry, NO_ROW, 0);
    return;
  }
  const sigma = header.sigma;
  const sums = header.sums + begin * header.sumsBytes;
  const first = begin * header.tilesPerUnit;
  const last = min(end * header.tilesPerUnit, header.tiles + 1);
  const entry = <usize>first * sigma << 2;
  let colIdx = header.colIdx + (entry << 2);
  let values = header.values + (entry << alignof<V>());
  let row = first == 0 ? 0 : firstRow(header, first);
  let open: X = 0;
  let ends: u64 = 0;
  for (let tile = first, full = min(last, header.tiles); tile < full; tile++) {
    ends = load<u64>(header.tileDesc + (<usize>tile << DESC_SHIFT));
    if (ends == 0) {
      open += sizeof<X>() == 4 ? <X>sum32<V>(x, colIdx, values, sigma) : <X>sum64<V>(x, colIdx, values, sigma);
    } else {
      if (sizeof<X>() == 4) open = <X>segments32<V>(x, colIdx, values, sums, sigma, ends, <f32>open);
      else open = <X>segments64<V>(x, colIdx, values, sums, sigma, ends, <f64>open);
      row = writeTile<X>(header, tile, ends, sums, y, row, alpha, beta);
    }
    colIdx += <usize>sigma << 4;
    values += <usize>sigma << (2 + alignof<V>());
  }
  if (last > header.tiles) {
    row = tail<V, X>(header, x, colIdx, values, y, row, open, alpha, beta);
    clear<X>(y, row, header.rows, beta);
    leaveCarry(carry, NO_ROW, 0);
    return;
  }
  const next = firstRow(header, last);
  clear<X>(y, row, next, beta);
  if (ends >> (47 + sigma)) leaveCarry(carry, NO_ROW, 0);
  else leaveCarry(carry, next, <f64>(alpha * open));
}

/** The row of a tile's first entry. */
// @ts-ignore: decorator
@inline
function firstRow(header: Csr5Header, tile: u32): u32 {
  return load<u32>(header.tilePtr + (<usize>tile << 2)) & ~EMPTY_ROWS;
}

/** The rows [row, end), which have no entries. */
function clear<X>(y: usize, row: u32, end: u32, beta: X): void {
  for (; row < end; row++) put<X>(y + (<usize>row << alignof<X>()), <X>0, <X>0, beta);
}

/** The sum of a tile amid one row. */
function sum64<V>(x: usize, colIdx: usize, values: usize, sigma: u32): f64 {
  let sum0 = f64x2.splat(0);
  let sum1 = f64x2.splat(0);
  for (; sigma > 0; sigma--) {
    sum0 = madd64(sum0, values64<V>(values, 0, 0), gather64<u32>(x, colIdx, 0));
    sum1 = madd64(sum1, values64<V>(values, 0, 2), gather64<u32>(x, colIdx, 2));
    colIdx += 16;
    values += 4 << alignof<V>();
  }
  const sum = f64x2.add(sum0, sum1);
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

function sum32<V>(x: usize, colIdx: usize, values: usize, sigma: u32): f32 {
  let sum = f32x4.splat(0);
  for (; sigma > 0; sigma--) {
    sum = madd32(sum, values32<V>(values, 0, 0), gather32<u32>(x, colIdx, 0));
    colIdx += 16;
    values += 4 << alignof<V>();
  }
  const low = f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1);
  const high = f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3);
  return low + high;
}

/** Leaves the running sums of a tile's lanes, joined, at `sums`; returns that of the row which the tile leaves open. */
function segments64<V>(x: usize, colIdx: usize, values: usize, sums: usize, sigma: u32, ends: u64, open: f64): f64 {
  const ends0 = i64x2.replace_lane(i64x2.splat(ends), 1, ends >> 16);
  const ends1 = i64x2.replace_lane(i64x2.splat(ends >> 32), 1, ends >> 48);
  let sum0 = f64x2.splat(0);
  let sum1 = f64x2.splat(0);
  let bit = i64x2.splat(1);
  let at = sums;
  for (const last = sums + (<usize>sigma << 5); at < last; at += 32) {
    sum0 = madd64(sum0, values64<V>(values, 0, 0), gather64<u32>(x, colIdx, 0));
    sum1 = madd64(sum1, values64<V>(values, 0, 2), gather64<u32>(x, colIdx, 2));
    v128.store(at, sum0);
    v128.store(at, sum1, 16);
    sum0 = v128.and(sum0, i64x2.eq(v128.and(ends0, bit), i64x2.splat(0)));
    sum1 = v128.and(sum1, i64x2.eq(v128.and(ends1, bit), i64x2.splat(0)));
    bit = i64x2.add(bit, bit);
    colIdx += 16;
    values += 4 << alignof<V>();
  }
  open = joinLane<f64>(sums, <u32>ends & 0xffff, open, f64x2.extract_lane(sum0, 0));
  open = joinLane<f64>(sums + 8, <u32>ends >> 16, open, f64x2.extract_lane(sum0, 1));
  open = joinLane<f64>(sums + 16, <u32>(ends >> 32) & 0xffff, open, f64x2.extract_lane(sum1, 0));
  return joinLane<f64>(sums + 24, <u32>(ends >> 48), open, f64x2.extract_lane(sum1, 1));
}

function segments32<V>(x: usize, colIdx: usize, values: usize, sums: usize, sigma: u32, ends: u64, open: f32): f32 {
  const low = i64x2.replace_lane(i64x2.splat(ends), 1, ends >> 32);
  const flags = i32x4.replace_lane(i32x4.replace_lane(low, 1, <u32>ends >> 16), 3, <u32>(ends >> 48));
  let sum = f32x4.splat(0);
  let bit = i32x4.splat(1);
  let at = sums;
  for (const last = sums + (<usize>sigma << 4); at < last; at += 16) {
    sum = madd32(sum, values32<V>(values, 0, 0), gather32<u32>(x, colIdx, 0));
    v128.store(at, sum);
    sum = v128.and(sum, i32x4.eq(v128.and(flags, bit), i32x4.splat(0)));
    bit = i32x4.add(bit, bit);
    colIdx += 16;
    values += 4 << alignof<V>();
  }
  open = joinLane<f32>(sums, <u32>ends & 0xffff, open, f32x4.extract_lane(sum, 0));
  open = joinLane<f32>(sums + 4, <u32>ends >> 16, open, f32x4.extract_lane(sum, 1));
  open = joinLane<f32>(sums + 8, <u32>(ends >> 32) & 0xffff, open, f32x4.extract_lane(sum, 2));
  return joinLane<f32>(sums + 12, <u32>(ends >> 48), open, f32x4.extract_lane(sum, 3));
}

/** Adds what is open to the first row that ends in a lane; returns what is open behind it. `tail`: the lane's last sum. */
// @ts-ignore: decorator
@inline
function joinLane<X>(sums: usize, ends: u32, open: X, tail: X): X {
  if (ends == 0) return open + tail;
  const first = sums + (<usize>ctz(ends) << (2 + alignof<X>()));
  store<X>(first, load<X>(first) + open);
  return tail;
}

/** Writes the rows that end in a tile, and those without entries between them; returns the row after the last. */
function writeTile<X>(header: Csr5Header, tile: u32, ends: u64, sums: usize, y: usize, row: u32, alpha: X, beta: X): u32 {
  const ptr = load<u32>(header.tilePtr + (<usize>tile << 2));
  const base = ptr & ~EMPTY_ROWS;
  clear<X>(y, row, base, beta);
  if (ptr & EMPTY_ROWS) {
    const from = load<u32>(header.tileDesc + (<usize>tile << DESC_SHIFT), 12);
    return writeAround<X>(header.emptyOffset + (<usize>from << 2), base, ends, sums, y, alpha, beta);
  }
  let at = y + (<usize>base << alignof<X>());
  for (let left = ends; left != 0; left &= left - 1) {
    put<X>(at, sumAt<X>(sums, left), alpha, beta);
    at += sizeof<X>();
  }
  return base + <u32>popcnt(ends);
}

/** The same where `emptyOffset` says which rows they are. */
function writeAround<X>(emptyOffset: usize, base: u32, ends: u64, sums: usize, y: usize, alpha: X, beta: X): u32 {
  let row = base;
  for (let left = ends; left != 0; left &= left - 1) {
    const ended = base + load<u32>(emptyOffset);
    clear<X>(y, row, ended, beta);
    put<X>(y + (<usize>ended << alignof<X>()), sumAt<X>(sums, left), alpha, beta);
    row = ended + 1;
    emptyOffset += 4;
  }
  return row;
}

/** The sum where the first of the flags is: bit 16 lane + step, and 4 step + lane in memory. */
// @ts-ignore: decorator
@inline
function sumAt<X>(sums: usize, ends: u64): X {
  const bit = <usize>ctz(ends);
  return load<X>(sums + ((((bit & 15) << 2) | (bit >> 4)) << alignof<X>()));
}

/** The entries behind the last tile, in the order of the matrix; bit k of the flags is entry k. Returns the row after the last. */
function tail<V, X>(header: Csr5Header, x: usize, colIdx: usize, values: usize, y: usize, row: u32, open: X, alpha: X, beta: X): u32 {
  const tile = header.tiles;
  const desc = header.tileDesc + (<usize>tile << DESC_SHIFT);
  const ptr = load<u32>(header.tilePtr + (<usize>tile << 2));
  const base = ptr & ~EMPTY_ROWS;
  const ends = load<u64>(desc);
  let emptyOffset = header.emptyOffset + (<usize>load<u32>(desc, 12) << 2);
  let ended: u32 = 0;
  for (let k: u32 = 0; k < header.tail; k++) {
    open += <X>load<V>(values) * load<X>(x + (<usize>load<u32>(colIdx) << alignof<X>()));
    colIdx += 4;
    values += sizeof<V>();
    if (((ends >> k) & 1) == 0) continue;
    const at = base + (ptr & EMPTY_ROWS ? load<u32>(emptyOffset) : ended);
    clear<X>(y, row, at, beta);
    put<X>(y + (<usize>at << alignof<X>()), open, alpha, beta);
    open = 0;
    ended++;
    emptyOffset += 4;
    row = at + 1;
  }
  return row;
}
