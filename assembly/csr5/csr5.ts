/**
 * CSR5: y ← α A x + β y over the units [begin, end), a unit being a run of tiles. Layout: `src/formats/csr5/csr5.ts`.
 *
 * There are three cases of tiles. A tile inside one row is only summed. If equal rows fill the lanes, they are summed in place,
 * four side by side. Any other tile is computed in two passes. The first pass is over entries, four per step, one of each lane:
 * the running sums of the lanes are stored after every step, whether a row ends there or not, and masked to zero where one ends.
 * The second pass is over rows: every flag is the place of a finished sum, lane after lane in the order of the rows. Between the
 * passes, open sums from the lanes before, or from the tile before, are added to the first sum of a lane. No branch depends on
 * row ends except the exit of the second pass; this makes short uneven rows cheap (a misprediction per tile, not per row).
 *
 * Bound: instructions, some 35 per step and 15 per row (CSR is bound by mispredictions on such rows); for equal rows, the bus.
 *
 * Two tiles in turn from two halves of a part, as in CSR, are half as fast if the columns are random: the prefetcher uses the
 * address of the load instruction, which both places share. With a copy of the code for each place, random columns gain a sixth
 * and stencils lose a tenth. (AMD EPYC Zen 4, one thread, f64, November 2026.)
 */
import { Csr5Header, EMPTY_ROWS, NO_ROW } from '../../build/headers';
import { leaveCarry } from '../carry';
import { Branching, put, putEmpty, rowSum } from '../lanes';
import { Operands } from '../operands';
import { putLanes, putRows, runningSums, sumAt } from './tile';

/** log2 of the bytes of a tile's description: for each lane a u32 with its flags in the lower half. */
const DESC_SHIFT: usize = 4;

/** Byte of a description: the number of rows that end in lane 0, or, in a tile of whole rows, in every lane. */
const Y_OFFSET_OF_LANE_1: usize = 6;

export function csr5_spmv<V, X>(header: Csr5Header, operands: Operands, begin: u32, end: u32): void {
  part<V, X>(header, operands.x, operands.y, begin, end, operands.carry, <X>operands.alpha, <X>operands.beta);
}

/** Writes the rows from the first row of the first unit up to the first row of the next part. */
function part<V, X>(header: Csr5Header, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: X, beta: X): void {
  if (begin === end) {
    leaveCarry(carry, NO_ROW, 0);
    return;
  }
  const full = header.tiles;
  const last = min(end * header.tilesPerUnit, full + 1);
  const sums = header.sums + begin * header.sumsBytes;
  if (begin === 0) putEmpty<X>(y, 0, firstRow(header, 0), beta);
  let open: X = 0;
  for (let tile = begin * header.tilesPerUnit; tile < min(last, full); tile++) {
    open = fullTile<V, X>(header, x, y, tile, sums, open, alpha, beta);
  }
  if (last > full) {
    tail<V, X>(header, x, y, open, alpha, beta);
    leaveCarry(carry, NO_ROW, 0);
  } else if (rowEndsBefore(header, last)) {
    leaveCarry(carry, NO_ROW, 0);
  } else {
    leaveCarry(carry, firstRow(header, last), <f64>(alpha * open));
  }
}

/** The row of a tile's first entry. */
@inline
function firstRow(header: Csr5Header, tile: u32): u32 {
  return load<u32>(header.tilePtr + ((<usize>tile) << 2)) & ~EMPTY_ROWS;
}

/** The flags of a tile: bit 16 lane + step; in the tail, bit k is entry k. */
@inline
function endsOf(desc: usize): u64 {
  const low = load<u16>(desc) | ((<u32>load<u16>(desc, 4)) << 16);
  const high = load<u16>(desc, 8) | ((<u32>load<u16>(desc, 12)) << 16);
  return low | ((<u64>high) << 32);
}

/** Whether a row ends with the last entry of the tile before. */
function rowEndsBefore(header: Csr5Header, tile: u32): bool {
  const desc = header.tileDesc + ((<usize>(tile - 1)) << DESC_SHIFT);
  return load<u16>(desc, 12) >> (header.sigma - 1) !== 0;
}

/**
 * Writes the rows that end in a tile, and empty rows up to the first row of the next tile. `open` is the open sum of its first
 * row from the tiles before; returns the open sum of its last row.
 */
function fullTile<V, X>(header: Csr5Header, x: usize, y: usize, tile: u32, sums: usize, open: X, alpha: X, beta: X): X {
  const sigma = header.sigma;
  const entry = (<usize>tile * sigma) << 2;
  const colIdx = header.colIdx + (entry << 2);
  const values = header.values + (entry << alignof<V>());
  const desc = header.tileDesc + ((<usize>tile) << DESC_SHIFT);
  const ends = endsOf(desc);
  if (ends === 0) return open + rowSum<V, u32, X, Branching>(x, colIdx, values, 0, sigma << 2);
  const ptr = load<u32>(header.tilePtr + ((<usize>tile) << 2));
  let row = ptr & ~EMPTY_ROWS;
  const at = y + ((<usize>row) << alignof<X>());
  if (ptr & EMPTY_ROWS) {
    open = runningSums<V, X>(x, colIdx, values, desc, sigma, sums, open);
    row = putAround<X>(emptyOffsetOf(header, tile), row, ends, sums, y, alpha, beta);
  } else {
    if (isOfWholeRows(ends, sigma)) {
      const stride = (<usize>load<u8>(desc, Y_OFFSET_OF_LANE_1)) << alignof<X>();
      putLanes<V, X>(x, colIdx, values, <u32>ends & 0xffff, at, stride, open, alpha, beta);
      open = 0;
    } else {
      open = runningSums<V, X>(x, colIdx, values, desc, sigma, sums, open);
      putRows<X>(at, ends, sums, alpha, beta);
    }
    row += <u32>popcnt(ends);
  }
  putEmpty<X>(y, row, firstRow(header, tile + 1), beta);
  return open;
}

/** Whether every lane ends with a row and has rows of the same lengths as the others; only the first row may be open. */
@inline
function isOfWholeRows(ends: u64, sigma: u32): bool {
  return ends === (ends & 0xffff) * 0x1_0001_0001_0001 && ends >> (47 + sigma) !== 0;
}

/** Address of the offsets of the rows that end in a tile. */
@inline
function emptyOffsetOf(header: Csr5Header, tile: u32): usize {
  return header.emptyOffset + ((<usize>load<u32>(header.emptyOffsetPtr + ((<usize>tile) << 2))) << 2);
}

/** Writes the rows of a marked tile and the empty rows between them; returns the row after the last. */
function putAround<X>(emptyOffset: usize, first: u32, ends: u64, sums: usize, y: usize, alpha: X, beta: X): u32 {
  let row = first;
  for (; ends !== 0; ends &= ends - 1) {
    const ended = first + load<u32>(emptyOffset);
    putEmpty<X>(y, row, ended, beta);
    put<X>(y + ((<usize>ended) << alignof<X>()), sumAt<X>(sums, ends), alpha, beta);
    row = ended + 1;
    emptyOffset += 4;
  }
  return row;
}

/** Computes the entries after the last full tile, in order, and writes all remaining rows. */
function tail<V, X>(header: Csr5Header, x: usize, y: usize, open: X, alpha: X, beta: X): void {
  const tile = header.tiles;
  const entry = (<usize>tile * header.sigma) << 2;
  const colIdx = header.colIdx + (entry << 2);
  const values = header.values + (entry << alignof<V>());
  const ends = endsOf(header.tileDesc + ((<usize>tile) << DESC_SHIFT));
  const marked = load<u32>(header.tilePtr + ((<usize>tile) << 2)) >= EMPTY_ROWS;
  let emptyOffset = marked ? emptyOffsetOf(header, tile) : 0;
  const first = firstRow(header, tile);
  let row = first;
  for (let k: usize = 0; k < header.tail; k++) {
    open += <X>load<V>(values + (k << alignof<V>())) * load<X>(x + ((<usize>load<u32>(colIdx + (k << 2))) << alignof<X>()));
    if (((ends >> k) & 1) === 0) continue;
    const ended = marked ? first + load<u32>(emptyOffset) : row;
    emptyOffset += 4;
    putEmpty<X>(y, row, ended, beta);
    put<X>(y + ((<usize>ended) << alignof<X>()), open, alpha, beta);
    row = ended + 1;
    open = 0;
  }
  putEmpty<X>(y, row, header.rows, beta);
}
