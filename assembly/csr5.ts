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
import { putLanes, putRows, runningSums, sumAt, tileSum } from './csr5-tile';
import { put } from './lanes';

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
  /** 0 where no tile is marked. */
  emptyOffsetPtr!: usize;
  emptyOffset!: usize;
  colIdx!: usize;
  values!: usize;
  /** A tile's running sums; each part uses those of its first unit. */
  sums!: usize;
}

/** Bit of tilePtr: rows without entries lie between those of the tile. */
const EMPTY_ROWS: u32 = 0x80000000;

/** log2 of the bytes of a tile's description: for each lane a u32 with its flags in the lower half. */
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
    const desc = header.tileDesc + (<usize>tile << DESC_SHIFT);
    ends = endsOf(desc);
    if (ends == 0) {
      open += tileSum<V, X>(x, colIdx, values, sigma);
    } else if (ends == (ends & 0xffff) * 0x1_0001_0001_0001 && ends >> (47 + sigma)) {
      const to = y + (<usize>firstRow(header, tile) << alignof<X>());
      const stride = <usize>load<u8>(desc, 6) << alignof<X>();
      clear<X>(y, row, firstRow(header, tile), beta);
      putLanes<V, X>(x, colIdx, values, <u32>ends & 0xffff, to, stride, open, alpha, beta);
      row = firstRow(header, tile) + <u32>popcnt(ends);
      open = 0;
    } else {
      open = runningSums<V, X>(x, colIdx, values, desc, sigma, sums, open);
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

/** The flags of a tile: bit 16 lane + step; in the tail, bit k is entry k. */
// @ts-ignore: decorator
@inline
function endsOf(desc: usize): u64 {
  const low = load<u16>(desc) | (<u32>load<u16>(desc, 4) << 16);
  const high = load<u16>(desc, 8) | (<u32>load<u16>(desc, 12) << 16);
  return low | (<u64>high << 32);
}

/** The rows [row, end), which have no entries. */
function clear<X>(y: usize, row: u32, end: u32, beta: X): void {
  for (; row < end; row++) put<X>(y + (<usize>row << alignof<X>()), <X>0, <X>0, beta);
}

/** Writes the rows that end in a tile, and those without entries between them; returns the row after the last. */
function writeTile<X>(header: Csr5Header, tile: u32, ends: u64, sums: usize, y: usize, row: u32, alpha: X, beta: X): u32 {
  const ptr = load<u32>(header.tilePtr + (<usize>tile << 2));
  const base = ptr & ~EMPTY_ROWS;
  clear<X>(y, row, base, beta);
  if (ptr & EMPTY_ROWS) return writeAround<X>(emptyOffsetOf(header, tile), base, ends, sums, y, alpha, beta);
  putRows<X>(y + (<usize>base << alignof<X>()), ends, sums, alpha, beta);
  return base + <u32>popcnt(ends);
}

/** Address of the offsets of the rows that end in a tile. */
// @ts-ignore: decorator
@inline
function emptyOffsetOf(header: Csr5Header, tile: u32): usize {
  return header.emptyOffset + (<usize>load<u32>(header.emptyOffsetPtr + (<usize>tile << 2)) << 2);
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

/** The entries behind the last tile, in the order of the matrix; bit k of the flags is entry k. Returns the row after the last. */
function tail<V, X>(header: Csr5Header, x: usize, colIdx: usize, values: usize, y: usize, row: u32, open: X, alpha: X, beta: X): u32 {
  const tile = header.tiles;
  const ptr = load<u32>(header.tilePtr + (<usize>tile << 2));
  const base = ptr & ~EMPTY_ROWS;
  const ends = endsOf(header.tileDesc + (<usize>tile << DESC_SHIFT));
  let emptyOffset = ptr & EMPTY_ROWS ? emptyOffsetOf(header, tile) : 0;
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
