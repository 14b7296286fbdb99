/**
 * Lines of the usual form, `row column value` with one blank between, of which the ends of all tokens are known → entries: one loop without
 * a call, whose branches are predicted.
 *
 * A token is read by its last digits: 8 bytes of an index or 16 of a value that end with it, of which those before it are masked. How long
 * it is costs no branch. Row, column and value become numbers of eight digits together.
 *
 * Source: Lemire 2018, eight digits at once, simdjson; here 32, by vectors.
 */
// biome-ignore-all lint/correctness/noPrecisionLoss: of 64 bits
import { normalBits } from './nearest-double';
import { ENDS } from './token-ends';

/** Entries of one call. */
export const MOST_ENTRIES: u32 = 8192;
/** Entries that were read: rows and columns from 0, u32, and values, f64. */
export const ROWS: usize = memory.data(4 * 8192, 16);
export const COLS: usize = memory.data(4 * 8192, 16);
export const VALUES: usize = memory.data(8 * 8192, 16);

/** Triangles in which the last call found entries: 1 is the lower, 2 the upper one. */
export let usualTriangles: u32 = 0;

/** 24 zeros, then 24 bytes of ones: 16 or 8 of them mask all but the last bytes. */
export const MASKS: usize = memory.data<i64>([0, 0, 0, -1, -1, -1]);
const POWERS_OF_TEN: usize = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]);
const WHOLE_POWERS_OF_TEN: usize = memory.data<u64>([
  1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000,
  100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
]);
/** Digits of a mantissa below 2⁵³. */
const EXACT_DIGITS: usize = 15;
const EXACT_POWER: u32 = 22;
/** Behind the point. With one more before it, a mantissa is below 2⁶⁴; without, below 2⁶³. */
const MAX_DIGITS: usize = 18;
export const MAX_INDEX_DIGITS: usize = 8;

/** Vectors, from memory: as constants they would be made anew for each entry. */
export const DIGIT_VECTORS: usize = memory.data<u64>(
  [
    0x3030303030303030, 0x3030303030303030, 0x7676767676767676, 0x7676767676767676, 0x0a010a010a010a01, 0x0a010a010a010a01, 0x0001006400010064,
    0x0001006400010064, 0x0001271000012710, 0x0001271000012710,
  ],
  16,
);

/** Whether the three bytes behind row, column and value, lowest first, are blanks and a newline. */
@inline
function areMarks(bytes: u32): bool {
  return bytes === 0x0a2020 || bytes === 0x0a0909 || bytes === 0x0a2009 || bytes === 0x0a0920;
}

/**
 * Reads up to `lines` lines, of which the first begins at `start`, and stops before one that is not usual. Returns the number of entries.
 *
 * @param token the number of the first token's end
 * @param used entries that were read before
 * @param skew whether entries of the diagonal are not usual
 */
export function readUsualLines(start: usize, token: u32, lines: u32, used: u32, rows: u32, cols: u32, isInteger: bool, skew: bool): u32 {
  const zeros = v128.load(DIGIT_VECTORS);
  const toHighBit = v128.load(DIGIT_VECTORS, 16);
  const tens = v128.load(DIGIT_VECTORS, 32);
  const hundreds = v128.load(DIGIT_VECTORS, 48);
  const tenThousands = v128.load(DIGIT_VECTORS, 64);
  let ends = (<usize>token) << 2;
  let place = (<usize>used) << 2;
  const begin = place;
  const stop = place + ((<usize>lines) << 2);
  let lower: u32 = 0;
  let upper: u32 = 0;
  while (place < stop) {
    const rowEnd = usize(load<u32>(ends, ENDS));
    const colEnd = usize(load<u32>(ends, ENDS + 4));
    const end = usize(load<u32>(ends, ENDS + 8));
    if (!areMarks(u32(load<u8>(rowEnd)) | (u32(load<u8>(colEnd)) << 8) | (u32(load<u8>(end)) << 16))) break;
    const rowDigits = rowEnd - start;
    const colDigits = colEnd - rowEnd - 1;
    // Of numbers below 8, and of no others, the bits together are below 8.
    if (((rowDigits - 1) | (colDigits - 1)) >= MAX_INDEX_DIGITS) break;

    // A value is digits alone, or a digit, a point, digits, and perhaps an exponent.
    const tail = end - 24;
    const byte: u32 = load<u8>(colEnd, 1);
    const isNegative = u32(byte === 0x2d);
    // No branch: signs of values cannot be predicted.
    const first = colEnd + 1 + usize(isNegative | u32(byte === 0x2b));
    let whole: u64 = 0;
    let digitsTail = tail;
    let count = end - first;
    let power: i32 = 0;
    if (load<u8>(first, 1) === 0x2e) {
      whole = u64(load<u8>(first)) - 0x30;
      if (isInteger || whole > 9) break;
      let last = load<u32>(tail, 20);
      if (last & 0x40404040) {
        power = i32(last >>> 24) - 0x30;
        if (u32(power) > 9) break;
        digitsTail = tail - 3;
        const ten = ((last >>> 16) & 0xff) - 0x30;
        if (ten <= 9) {
          power += i32(ten) * 10;
          digitsTail--;
          last <<= 8;
        }
        // `e`, `E`, `d` or `D`, and a sign.
        const mark = ((last >>> 8) & 0xffff) | 0x21;
        if (mark === 0x2d65) power = -power;
        else if (mark !== 0x2b65) break;
      }
      count = digitsTail + 24 - first - 2;
      power -= i32(count);
    } else if (count === 0) {
      break;
    }
    if (count > MAX_DIGITS) break;

    const indices = v128.and(
      v128.xor(v128.load_lane<u64>(colEnd - 8, v128.load_zero<u64>(rowEnd - 8), 1), zeros),
      v128.load_lane<u64>(colDigits, v128.load_zero<u64>(rowDigits, MASKS + 16), 1, MASKS + 16),
    );
    const digits = v128.and(v128.xor(v128.load(digitsTail, 8), zeros), v128.load(count, MASKS + 8));
    if (i8x16.bitmask(i8x16.add_sat_u(i8x16.max_u(indices, digits), toHighBit)) !== 0) break;
    const twos = i16x8.shr_u(i16x8.mul(indices, tens), 8);
    const valueTwos = i16x8.shr_u(i16x8.mul(digits, tens), 8);
    const fours = i16x8.narrow_i32x4_u(i32x4.dot_i16x8_s(twos, hundreds), i32x4.dot_i16x8_s(valueTwos, hundreds));
    const eights = i32x4.dot_i16x8_s(fours, tenThousands);
    const pair = u64(i64x2.extract_lane(eights, 0));
    const row = u32(pair) - 1;
    const col = u32(pair >> 32) - 1;
    if (row >= rows || col >= cols || (skew && row === col)) break;

    const sixteen = u64(i64x2.extract_lane(eights, 1));
    let mantissa = (sixteen & 0xffffffff) * 100000000 + (sixteen >> 32);
    if (count > 16) {
      const more = (load<u64>(digitsTail) ^ 0x3030303030303030) & load<u64>(count, MASKS);
      const tenth = (more >> 48) & 0xff;
      if (tenth > 9 || more >> 56 > 9) break;
      mantissa += (tenth * 10 + (more >> 56)) * 10000000000000000;
    }
    mantissa += whole * load<u64>(count << 3, WHOLE_POWERS_OF_TEN);
    let bits: u64 = 0;
    if ((power === 0 && whole === 0) || (count < EXACT_DIGITS && u32(-power) <= EXACT_POWER)) {
      const exact = f64(i64(mantissa));
      bits = reinterpret<u64>(exact / load<f64>(usize(-power) << 3, POWERS_OF_TEN));
    } else if (mantissa !== 0) {
      bits = normalBits(mantissa, power);
    }
    store<u64>(place << 1, bits | (u64(isNegative) << 63), VALUES);
    store<u32>(place, row, ROWS);
    store<u32>(place, col, COLS);
    // The sign bit of a difference of numbers below 10⁸.
    lower |= col - row;
    upper |= row - col;
    place += 4;
    ends += 12;
    start = end + 1;
  }
  usualTriangles = (lower >>> 31) | ((upper >>> 31) << 1);
  return u32((place - begin) >> 2);
}
