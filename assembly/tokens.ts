/**
 * Tokens of which begin and end are known → numbers, by their last digits: 16 bytes that end with the token, of which those before it are
 * masked. How long a token is costs no branch.
 *
 * Source: Lemire 2018, eight digits at once, simdjson; here 16, by three multiplications of vectors.
 */
import { nearestBits } from './nearest-double';

/** 24 zeros, then 24 bytes of ones: 16 or 8 of them mask all but the last bytes. */
const MASKS: usize = memory.data<i64>([0, 0, 0, -1, -1, -1]);
const POWERS_OF_TEN: usize = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]);
const WHOLE_POWERS_OF_TEN: usize = memory.data<u64>([
  1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000,
  100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
]);
/** Digits of a mantissa below 2⁵³. */
const EXACT_DIGITS: usize = 15;
const EXACT_POWER: i32 = 22;
/** With one more, a mantissa is below 2⁶⁴. */
const MAX_DIGITS: usize = 18;
const MAX_INDEX_DIGITS: usize = 8;
const NOT_ONE: u64 = u64.MAX_VALUE;

/** Digits as 0 … 9, in their order → two numbers of eight digits, the first in the lower half. */
@inline
function eightAndEight(digits: v128): u64 {
  const pairs = i16x8.shr_u(i16x8.mul(digits, i16x8.splat(2561)), 8);
  const fours = i32x4.dot_i16x8_s(pairs, i16x8(100, 1, 100, 1, 100, 1, 100, 1));
  const eights = i32x4.dot_i16x8_s(i16x8.narrow_i32x4_u(fours, fours), i16x8(10000, 1, 10000, 1, 10000, 1, 10000, 1));
  return i64x2.extract_lane(eights, 0);
}

@inline
function areDigits(bytes: v128): bool {
  return i8x16.all_true(i8x16.lt_u(bytes, i8x16.splat(10)));
}

/** Two tokens of 1 … 8 digits → the first in the lower half, the second in the upper one; 0 for others. */
@inline
export function readPair(begin: usize, end: usize, secondBegin: usize, secondEnd: usize): u64 {
  const length = end - begin;
  const secondLength = secondEnd - secondBegin;
  if (u32(length - 1 >= MAX_INDEX_DIGITS) | u32(secondLength - 1 >= MAX_INDEX_DIGITS)) return 0;
  const bytes = v128.load_lane<u64>(secondEnd - 8, v128.load_zero<u64>(end - 8), 1);
  const mask = v128.load_lane<u64>(MASKS + 16 + secondLength, v128.load_zero<u64>(MASKS + 16 + length), 1);
  const digits = v128.and(v128.xor(bytes, i8x16.splat(0x30)), mask);
  return areDigits(digits) ? eightAndEight(digits) : 0;
}

/** The number of the `count` digits before `end`, at most 18; `NOT_ONE` if one of them is no digit. */
@inline
function lastDigits(end: usize, count: usize): u64 {
  const zeros = i8x16.splat(0x30);
  const digits = v128.and(v128.xor(v128.load(end - 16), zeros), v128.load(MASKS + 8 + count));
  const first = v128.and(v128.xor(v128.load_zero<u64>(end - 24), zeros), v128.load_zero<u64>(MASKS + count));
  if (!areDigits(v128.or(digits, first))) return NOT_ONE;
  const number = eightAndEight(digits);
  // Of the first eight, two at most are digits.
  const bytes = u64(i64x2.extract_lane(first, 0));
  const leading = ((bytes >> 48) & 0xff) * 10 + (bytes >> 56);
  return leading * 10000000000000000 + (number & 0xffffffff) * 100000000 + (number >> 32);
}

/** A token of an optional sign and up to 18 digits; NaN for others. */
@inline
export function readWhole(begin: usize, end: usize): f64 {
  const byte: u32 = load<u8>(begin);
  const sign = u64(byte === 0x2d);
  const count = end - begin - usize(u32(byte === 0x2d) | u32(byte === 0x2b));
  if (count - 1 >= MAX_DIGITS) return NaN;
  const number = lastDigits(end, count);
  if (number === NOT_ONE) return NaN;
  return reinterpret<f64>(reinterpret<u64>(f64(number)) | (sign << 63));
}

/** A token of an optional sign, a digit, a point, up to 18 digits, and an optional exponent with a sign and one or two digits; NaN for others. */
@inline
export function readReal(begin: usize, end: usize): f64 {
  let byte: u32 = load<u8>(begin);
  const sign = u64(byte === 0x2d) << 63;
  // No branch: signs of values cannot be predicted.
  const first = begin + usize(u32(byte === 0x2d) | u32(byte === 0x2b));
  if (load<u8>(first, 1) !== 0x2e) return readWhole(begin, end);
  const whole = u64(load<u8>(first)) - 0x30;
  if (whole > 9) return NaN;
  let digitsEnd = end;
  let power: i32 = 0;
  if (load<u32>(end - 4) & 0x40404040) {
    let digit = u32(load<u8>(end - 1)) - 0x30;
    let mark = end - 2;
    if (digit > 9) return NaN;
    power = i32(digit);
    byte = load<u8>(mark);
    if (byte >= 0x30) {
      digit = byte - 0x30;
      if (digit > 9) return NaN;
      power += i32(digit) * 10;
      byte = load<u8>(--mark);
    }
    if (byte === 0x2d) power = -power;
    else if (byte !== 0x2b) return NaN;
    digitsEnd = mark - 1;
    if ((load<u8>(digitsEnd) | 0x20) !== 0x65) return NaN;
  }
  const count = digitsEnd - first - 2;
  if (count > MAX_DIGITS) return NaN;
  const fraction = lastDigits(digitsEnd, count);
  if (fraction === NOT_ONE) return NaN;
  power -= i32(count);
  const mantissa = fraction + whole * load<u64>(WHOLE_POWERS_OF_TEN + (count << 3));
  if (count < EXACT_DIGITS && power >= -EXACT_POWER && power <= 0) {
    const exact = f64(mantissa) / load<f64>(POWERS_OF_TEN + ((<usize>-power) << 3));
    return reinterpret<f64>(reinterpret<u64>(exact) | sign);
  }
  return reinterpret<f64>(nearestBits(mantissa, power) | sign);
}
