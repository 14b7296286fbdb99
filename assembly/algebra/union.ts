/**
 * A union of columns with sums, which gives them back in order. The columns are a bitmap of three levels, each with a bit for every word
 * of the level below. It is in a room, of which there are as many as threads at work; a part takes one while it runs. Between two rows, a
 * room is clean:
 *
 *     bits     0: a bit per column
 *     tops     0: a bit per word of bits
 *     roofs    0: a bit per word of tops; one more word
 *     sums     −0: f64, one per column
 *     touched  u32, the words of bits that are not 0, in bytes from the first, in any order; one more
 *
 * Sums begin at −0, which changes no bit of what is added: nobody asks whether a term is the first of its sum.
 * Cost: 8.2 bytes per column, for each thread. Giving back: 12 bytes written per column of the union, and a branch per run of columns.
 */
import { RoomHeader } from '../../build/headers';
import { word } from '../word';

/** Most words of a union that are sorted. */
const FEW: usize = 24;

const FRESH: u32 = 0;
const TAKEN: u32 = 1;
const CLEAN: u32 = 2;
/** Searches for a room before a trap: rooms are missing only if threads were lost in them. */
const PATIENCE: u32 = 1 << 24;

/** The bytes of a bitmap, in whole words. */
@inline
function levelBytes(bits: usize): usize {
  return ((bits + 63) >> 6) << 3;
}

@inline
function topsOf(bits: usize, cols: usize): usize {
  return bits + levelBytes(cols);
}

@inline
function roofsOf(bits: usize, cols: usize): usize {
  return topsOf(bits, cols) + levelBytes(levelBytes(cols) >> 3);
}

@inline
export function sumsOf(bits: usize, cols: usize): usize {
  return roofsOf(bits, cols) + levelBytes(levelBytes(levelBytes(cols) >> 3) >> 3) + 8;
}

@inline
export function touchedOf(bits: usize, cols: usize): usize {
  return sumsOf(bits, cols) + (cols << 3);
}

/** The address of a free room, from now on this thread's. */
export function takeRoom(header: RoomHeader): usize {
  for (let search: u32 = 0; search < PATIENCE; search++) {
    for (let room: u32 = 0; room < header.rooms; room++) {
      const state = word(header.states, room);
      const before = atomic.load<u32>(state);
      // After the store of `leaveRoom`: what the thread before wrote in the room is there.
      if (before === TAKEN || atomic.cmpxchg<u32>(state, before, TAKEN) !== before) continue;
      const bits = header.room + <usize>room * header.roomBytes;
      if (before === FRESH) clearRoom(header, bits);
      return bits;
    }
  }
  unreachable();
  return 0;
}

function clearRoom(header: RoomHeader, bits: usize): void {
  const sums = sumsOf(bits, header.cols);
  memory.fill(bits, 0, sums - bits);
  const end = touchedOf(bits, header.cols);
  for (let at = sums; at < end; at += 8) store<f64>(at, -0.0);
}

/** Before the exchange of `takeRoom`: the next thread finds the room clean. */
export function leaveRoom(header: RoomHeader, bits: usize): void {
  const room = <u32>((bits - header.room) / header.roomBytes);
  atomic.store<u32>(word(header.states, room), CLEAN);
}

/** Adds a column to a union. Returns the end of `touched`. */
@inline
export function enter(bits: usize, col: u32, touched: usize): usize {
  const offset = (col >> 6) << 3;
  const before = load<u64>(bits + offset);
  store<u64>(bits + offset, before | ((<u64>1) << (col & 63)));
  store<u32>(touched, offset);
  return touched + ((<usize>(before === 0)) << 2);
}

/**
 * Gives back the columns of the union in order, to `colIdx`, and their sums, to `values`, from element `write` on, and cleans the room.
 * A few words are sorted: in a stencil of few entries they are almost in order. More words go through the upper levels.
 *
 * @param touched the end of the list
 * @returns the element after them
 */
@inline
export function drain(header: RoomHeader, bits: usize, touched: usize, colIdx: usize, values: usize, write: u32): u32 {
  let list = touchedOf(bits, header.cols);
  if (touched - list > FEW << 2) return drainLevels(header, bits, touched, colIdx, values, write);
  for (let next = list + 4; next < touched; next += 4) {
    const offset = load<u32>(next);
    let hole = next;
    for (; hole > list && load<u32>(hole - 4) > offset; hole -= 4) store<u32>(hole, load<u32>(hole - 4));
    store<u32>(hole, offset);
  }
  const sums = sumsOf(bits, header.cols);
  for (; list < touched; list += 4) write = drainWord(bits, load<u32>(list), sums, colIdx, values, write);
  return write;
}

function drainLevels(header: RoomHeader, bits: usize, touched: usize, colIdx: usize, values: usize, write: u32): u32 {
  const cols: usize = header.cols;
  const tops = topsOf(bits, cols);
  const roofs = roofsOf(bits, cols);
  const sums = sumsOf(bits, cols);
  for (let list = touchedOf(bits, cols); list < touched; list += 4) {
    const place = load<u32>(list) >> 3;
    const top = tops + ((place >> 6) << 3);
    const roof = roofs + ((place >> 12) << 3);
    store<u64>(top, load<u64>(top) | ((<u64>1) << (place & 63)));
    store<u64>(roof, load<u64>(roof) | ((<u64>1) << ((place >> 6) & 63)));
  }
  for (let high: usize = 0; high << 18 < cols; high++) {
    const roof = roofs + (high << 3);
    for (let some = load<u64>(roof); some !== 0; some &= some - 1) {
      const middle = (high << 6) | <usize>ctz(some);
      const top = tops + (middle << 3);
      for (let words = load<u64>(top); words !== 0; words &= words - 1)
        write = drainWord(bits, ((middle << 6) | <usize>ctz(words)) << 3, sums, colIdx, values, write);
      store<u64>(top, 0);
    }
    store<u64>(roof, 0);
  }
  return write;
}

@inline
function drainWord(bits: usize, offset: usize, sums: usize, colIdx: usize, values: usize, write: u32): u32 {
  const first = <u32>(offset << 3);
  let col = word(colIdx, write);
  let value = values + ((<usize>write) << 3);
  let mask = load<u64>(bits + offset);
  write += <u32>popcnt(mask);
  for (; mask !== 0; mask &= mask - 1) {
    const found = first | <u32>ctz(mask);
    const sum = sums + ((<usize>found) << 3);
    store<u32>(col, found);
    store<f64>(value, load<f64>(sum));
    store<f64>(sum, -0.0);
    col += 4;
    value += 8;
  }
  store<u64>(bits + offset, 0);
  return write;
}
