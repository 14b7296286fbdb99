/**
 * Lines of a pattern in the usual form, `row column` with one blank between, of which the ends of all tokens are known → entries: two lines
 * a step, whose four indices become numbers together, as those of `usual-lines.ts` do.
 */
import { ENDS } from './token-ends';
import { COLS, DIGIT_VECTORS, MASKS, MAX_INDEX_DIGITS, ROWS } from './usual-lines';

/** Triangles in which the last call found entries: 1 is the lower, 2 the upper one. */
export let patternTriangles: u32 = 0;

/** The digits of a row and a column, each the last ones of 8 bytes, as 0 … 9; others are 0. */
@inline
function digitsOf(rowEnd: usize, colEnd: usize, rowDigits: usize, colDigits: usize, zeros: v128): v128 {
  return v128.and(
    v128.xor(v128.load_lane<u64>(colEnd - 8, v128.load_zero<u64>(rowEnd - 8), 1), zeros),
    v128.load_lane<u64>(colDigits, v128.load_zero<u64>(rowDigits, MASKS + 16), 1, MASKS + 16),
  );
}

/** Whether the bytes behind two rows and two columns, lowest first, are blanks and newlines. */
@inline
function areMarks(bytes: u32): bool {
  return bytes === 0x0a200a20 || bytes === 0x0a090a09;
}

/**
 * Reads up to `lines` lines, an even number, of which the first begins at `start`, and stops before two of which one is not usual. Returns
 * the number of entries.
 *
 * @param token the number of the first token's end
 * @param used entries that were read before
 */
export function readPatternLines(start: usize, token: u32, lines: u32, used: u32, rows: u32, cols: u32): u32 {
  const zeros = v128.load(DIGIT_VECTORS);
  const toHighBit = v128.load(DIGIT_VECTORS, 16);
  const tens = v128.load(DIGIT_VECTORS, 32);
  const hundreds = v128.load(DIGIT_VECTORS, 48);
  const tenThousands = v128.load(DIGIT_VECTORS, 64);
  const ones = i32x4.splat(1);
  const sizes = i64x2.splat((i64(cols) << 32) | i64(rows));
  let ends = (<usize>token) << 2;
  let place = (<usize>used) << 2;
  const begin = place;
  const stop = place + ((<usize>lines) << 2);
  let signs = i32x4.splat(0);
  while (place < stop) {
    const rowEnd = usize(load<u32>(ends, ENDS));
    const colEnd = usize(load<u32>(ends, ENDS + 4));
    const nextRowEnd = usize(load<u32>(ends, ENDS + 8));
    const nextColEnd = usize(load<u32>(ends, ENDS + 12));
    const marks = u32(load<u8>(rowEnd)) | (u32(load<u8>(colEnd)) << 8) | (u32(load<u8>(nextRowEnd)) << 16) | (u32(load<u8>(nextColEnd)) << 24);
    if (!areMarks(marks)) break;
    const rowDigits = rowEnd - start;
    const colDigits = colEnd - rowEnd - 1;
    const nextRowDigits = nextRowEnd - colEnd - 1;
    const nextColDigits = nextColEnd - nextRowEnd - 1;
    // Of numbers below 8, and of no others, the bits together are below 8.
    if (((rowDigits - 1) | (colDigits - 1) | (nextRowDigits - 1) | (nextColDigits - 1)) >= MAX_INDEX_DIGITS) break;
    const digits = digitsOf(rowEnd, colEnd, rowDigits, colDigits, zeros);
    const nextDigits = digitsOf(nextRowEnd, nextColEnd, nextRowDigits, nextColDigits, zeros);
    if (i8x16.bitmask(i8x16.add_sat_u(i8x16.max_u(digits, nextDigits), toHighBit)) !== 0) break;
    const twos = i16x8.shr_u(i16x8.mul(digits, tens), 8);
    const nextTwos = i16x8.shr_u(i16x8.mul(nextDigits, tens), 8);
    const fours = i16x8.narrow_i32x4_u(i32x4.dot_i16x8_s(twos, hundreds), i32x4.dot_i16x8_s(nextTwos, hundreds));
    const indices = i32x4.sub(i32x4.dot_i16x8_s(fours, tenThousands), ones);
    // An index 0 became the greatest number.
    if (v128.any_true(i32x4.ge_u(indices, sizes))) break;
    // Differences of numbers below 10⁸: row − column, column − row, of each line.
    signs = v128.or(signs, i32x4.sub(indices, i32x4.shuffle(indices, indices, 1, 0, 3, 2)));
    const ordered = i32x4.shuffle(indices, indices, 0, 2, 1, 3);
    v128.store_lane<u64>(place, ordered, 0, ROWS);
    v128.store_lane<u64>(place, ordered, 1, COLS);
    place += 8;
    ends += 16;
    start = nextColEnd + 1;
  }
  const negative = u32(i32x4.bitmask(signs));
  patternTriangles = u32((negative & 0b1010) !== 0) | (u32((negative & 0b0101) !== 0) << 1);
  return u32((place - begin) >> 2);
}
