/**
 * PKT: y ← α A x + β y over the packets [begin, end). Layout: `src/formats/pkt/pkt.ts`. The entries between packets are a
 * second stage, `coo`.
 *
 * The x of a packet is gathered, its lanes process the entries, and its sums are scattered to y. A lane's sum is kept in a
 * register and stored at every step: the store of a row's last entry writes the row's sum. A comparison with the rows of the
 * step before clears the lanes in which a new row begins. The end of a row costs neither a branch nor a load.
 *
 * Tried: stores only at row ends cause mispredictions (random geometric graph 4.5 ms instead of 2.7 ms, 27-point Laplacian 3.0
 * instead of 2.9); adding to the sum in memory, as in the paper, waits for the store before it (3.0 and 3.6 ms). (AMD EPYC Zen 4, one
 * thread, f64, a busy machine, November 2026.)
 */
import { PktHeader } from '../../build/headers';
import { madd32, madd64, put, valueShift, values32, values64 } from '../lanes';
import { Operands } from '../operands';

/** log2 of the entries in a step. */
const LANES_SHIFT: usize = 2;

export function pkt_spmv<V, X>(header: PktHeader, operands: Operands, begin: u32, end: u32): void {
  packets<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

/**
 * All packets of the range use the scratch memory of its first packet, which stays in cache. Ranges are disjoint: no other
 * range begins there, except empty ones.
 */
function packets<V, X>(header: PktHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const room = (<usize>header.room) << alignof<X>();
  const xLocal = header.scratch + 2 * room * begin;
  const yLocal = xLocal + room;
  for (let packet = begin; packet < end; packet++) {
    const ptr = header.packetPtr + ((<usize>packet) << 2);
    const order = header.order + ((<usize>load<u32>(ptr)) << 2);
    const count = load<u32>(ptr, 4) - load<u32>(ptr);
    gather<X>(order, count, x, xLocal, yLocal);
    steps<V, X>(header, packet, xLocal, yLocal);
    scatter<X>(order, count, yLocal, y, alpha, beta);
  }
}

/** xLocal ← x[order], yLocal ← 0. */
function gather<X>(order: usize, count: u32, x: usize, xLocal: usize, yLocal: usize): void {
  const last = xLocal + ((<usize>count) << alignof<X>());
  while (xLocal < last) {
    store<X>(xLocal, load<X>(x + ((<usize>load<u32>(order)) << alignof<X>())));
    store<X>(yLocal, <X>0);
    order += 4;
    xLocal += sizeof<X>();
    yLocal += sizeof<X>();
  }
}

/** y[order] ← α · yLocal + β · y[order]. */
function scatter<X>(order: usize, count: u32, yLocal: usize, y: usize, alpha: X, beta: X): void {
  const last = yLocal + ((<usize>count) << alignof<X>());
  while (yLocal < last) {
    put<X>(y + ((<usize>load<u32>(order)) << alignof<X>()), load<X>(yLocal), alpha, beta);
    order += 4;
    yLocal += sizeof<X>();
  }
}

/** yLocal ← A x of one packet, for the rows that have entries in it. */
function steps<V, X>(header: PktHeader, packet: u32, xLocal: usize, yLocal: usize): void {
  const ptr = header.stepPtr + ((<usize>packet) << 2);
  let at = header.packed + ((<usize>load<u32>(ptr)) << (LANES_SHIFT + 2));
  const last = header.packed + ((<usize>load<u32>(ptr, 4)) << (LANES_SHIFT + 2));
  let values = header.values + ((<usize>load<u32>(ptr)) << (LANES_SHIFT + valueShift<V>()));
  let rows = i32x4.splat(-1);
  let low = i64x2.splat(0);
  let high = low;
  for (; at < last; at += 4 << LANES_SHIFT, values += sizeof<V>() << LANES_SHIFT) {
    const rowsNow = i32x4.shr_u(v128.load(at), 16);
    const same = i32x4.eq(rowsNow, rows);
    rows = rowsNow;
    if (sizeof<X>() === 4) {
      low = madd32(v128.and(low, same), values32<V>(values, 0, 0), gather32of16(xLocal, at));
      v128.store32_lane(yLocal + row16<X>(at, 0), low, 0);
      v128.store32_lane(yLocal + row16<X>(at, 1), low, 1);
      v128.store32_lane(yLocal + row16<X>(at, 2), low, 2);
      v128.store32_lane(yLocal + row16<X>(at, 3), low, 3);
    } else {
      low = madd64(v128.and(low, i64x2.extend_low_i32x4_s(same)), values64<V>(values, 0, 0), gather64of16(xLocal, at, 0));
      high = madd64(v128.and(high, i64x2.extend_high_i32x4_s(same)), values64<V>(values, 0, 2), gather64of16(xLocal, at, 2));
      v128.store64_lane(yLocal + row16<X>(at, 0), low, 0);
      v128.store64_lane(yLocal + row16<X>(at, 1), low, 1);
      v128.store64_lane(yLocal + row16<X>(at, 2), high, 0);
      v128.store64_lane(yLocal + row16<X>(at, 3), high, 1);
    }
  }
}

/** Byte offset of the sum that lane `lane` of a step adds to. */
@inline
function row16<X>(at: usize, lane: usize): usize {
  return (<usize>load<u16>(at + 4 * lane, 2)) << alignof<X>();
}

/** Address of the element of x that lane `lane` of a step multiplies. */
@inline
function column16<X>(xLocal: usize, at: usize, lane: usize): usize {
  return xLocal + ((<usize>load<u16>(at + 4 * lane)) << alignof<X>());
}

/** x of the lanes `lane` and `lane` + 1. */
@inline
function gather64of16(xLocal: usize, at: usize, lane: usize): v128 {
  return v128.load64_lane(column16<f64>(xLocal, at, lane + 1), v128.load64_zero(column16<f64>(xLocal, at, lane)), 1);
}

/** x of the four lanes. */
@inline
function gather32of16(xLocal: usize, at: usize): v128 {
  let lanes = v128.load32_zero(column16<f32>(xLocal, at, 0));
  lanes = v128.load32_lane(column16<f32>(xLocal, at, 1), lanes, 1);
  lanes = v128.load32_lane(column16<f32>(xLocal, at, 2), lanes, 2);
  return v128.load32_lane(column16<f32>(xLocal, at, 3), lanes, 3);
}
