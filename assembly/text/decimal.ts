/**
 * Decimal text → the nearest double. Digits are read eight at a time, in a 64-bit word.
 *
 * Source: Clinger, "How to read floating point numbers accurately", PLDI 1990, for mantissas below 2⁵³ and powers of ten up to 10²²;
 *   Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51(8), 2021, with the proof of Mushtak and
 *   Lemire, "Fast number parsing without fallback", 2023, for 19 digits and any power; eight digits at once: Lemire 2018, simdjson.
 * Differs: of more than 19 digits, the first 19 and the next larger 19 must round to the same double, else the number is undecided.
 */
import { nearestBits } from './nearest-double';

const POWERS_OF_TEN: usize = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]);
const EXACT_POWER: i32 = 22;
const SHIFTS: usize = memory.data<u64>([1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000]);

const MAX_DIGITS: u32 = 19;
const ZEROS: u64 = (0x30303030 << 32) | 0x30303030;
/** Carries a byte of 10 … 127 into its highest bit. */
const TO_TEN: u64 = (0x76767676 << 32) | 0x76767676;
const HIGH_BITS: u64 = (0x80808080 << 32) | 0x80808080;
const SIGN: u64 = 1 << 63;

/** The byte after the last number that was scanned; 0 if there was none, or if it is undecided. */
export let after: usize = 0;

/** Eight bytes, digits as 0 … 9, the first in the lowest byte. */
@inline
export function eightBytes(at: usize): u64 {
  return load<u64>(at) ^ ZEROS;
}

/** How many of the first bytes are digits. A carry of the sum only reaches bytes after the first that is none. */
@inline
export function digitCount(bytes: u64): u32 {
  return u32(ctz(((bytes + TO_TEN) | bytes) & HIGH_BITS) >> 3);
}

/** The value of the first `count` digits, 1 … 8: the others are shifted out, and zeros shifted in before the first. */
@inline
export function digitsValue(bytes: u64, count: u32): u64 {
  const digits = bytes << (64 - (count << 3));
  const pairs = digits * 10 + (digits >> 8);
  const low = (pairs & 0x000000ff000000ff) * 0x000f424000000064;
  const high = ((pairs >> 16) & 0x000000ff000000ff) * 0x0000271000000001;
  return (low + high) >> 32;
}

@inline
export function shifted(value: u64, count: u32): u64 {
  return value * load<u64>(SHIFTS + ((<usize>count) << 3));
}

/** Whether all eight bytes are digits. */
@inline
function areDigits(bytes: u64): bool {
  return (((bytes + TO_TEN) | bytes) & HIGH_BITS) === 0;
}

/** The byte after the digits that `readDigits` read. */
let behind: usize = 0;

/**
 * The mantissa with the digits from `at` on appended. Where a number goes on behind the digits is known from branches, which are predicted:
 * the next number need not wait for this one.
 */
@inline
function readDigits(mantissa: u64, at: usize): u64 {
  let bytes = eightBytes(at);
  while (areDigits(bytes)) {
    mantissa = mantissa * 100000000 + digitsValue(bytes, 8);
    at += 8;
    bytes = eightBytes(at);
  }
  const count = digitCount(bytes);
  if (count > 0) {
    mantissa = shifted(mantissa, count) + digitsValue(bytes, count);
    at += count;
  }
  behind = at;
  return mantissa;
}

/** Reads `[+-] digits [. digits] [e|E|d|D [+-] digits]`, and sets `after`. Some byte behind the number is none of these. */
export function scanDecimal(begin: usize): f64 {
  after = 0;
  let at = begin;
  let byte: u32 = load<u8>(at);
  const sign: u64 = byte === 0x2d ? SIGN : 0;
  // No branch: signs of values cannot be predicted.
  at += usize(u32(byte === 0x2d) | u32(byte === 0x2b));
  const first = at;
  // Most numbers have one digit before the point.
  let mantissa: u64 = load<u8>(at) ^ 0x30;
  if (mantissa < 10 && load<u8>(at, 1) === 0x2e) {
    at++;
  } else {
    mantissa = readDigits(0, at);
    at = behind;
  }
  let digits = u32(at - first);
  let power: i32 = 0;
  byte = load<u8>(at);
  if (byte === 0x2e) {
    const fraction = ++at;
    mantissa = readDigits(mantissa, at);
    at = behind;
    power = -i32(at - fraction);
    digits += u32(at - fraction);
    byte = load<u8>(at);
  }
  if (digits === 0) return 0;
  let exponent: i32 = 0;
  const end = at;
  byte |= 0x20;
  if (byte === 0x65 || byte === 0x64) {
    byte = load<u8>(++at);
    const shrinks = byte === 0x2d;
    if (shrinks || byte === 0x2b) at++;
    const begun = at;
    for (let digit: u32 = load<u8>(at) ^ 0x30; digit < 10; digit = load<u8>(++at) ^ 0x30) exponent = exponent * 10 + i32(digit);
    if (at === begun || at - begun > 7) return 0;
    if (shrinks) exponent = -exponent;
    power += exponent;
  }
  if (digits > MAX_DIGITS) return longDecimal(first, end, exponent, sign, at);
  after = at;
  if (mantissa >> 53 === 0 && power <= EXACT_POWER && power >= -EXACT_POWER) {
    const exact = f64(mantissa);
    const value =
      power < 0 ? exact / load<f64>(POWERS_OF_TEN + ((<usize>-power) << 3)) : exact * load<f64>(POWERS_OF_TEN + ((<usize>power) << 3));
    return sign !== 0 ? -value : value;
  }
  return reinterpret<f64>(sign | nearestBits(mantissa, power));
}

/** A number of more than 19 digits, leading zeros included, from `first` to `end`, then an exponent until `next`. */
function longDecimal(first: usize, end: usize, exponent: i32, sign: u64, next: usize): f64 {
  let mantissa: u64 = 0;
  let digits: u32 = 0;
  let power = exponent;
  let isFraction = false;
  let isCut = false;
  for (let at = first; at < end; at++) {
    const digit = u64(load<u8>(at) ^ 0x30);
    if (digit > 9) {
      isFraction = true;
    } else if (digits < MAX_DIGITS) {
      mantissa = mantissa * 10 + digit;
      if (mantissa !== 0) digits++;
      if (isFraction) power--;
    } else {
      if (digit !== 0) isCut = true;
      if (!isFraction) power++;
    }
  }
  const bits = nearestBits(mantissa, power);
  if (isCut && nearestBits(mantissa + 1, power) !== bits) return 0;
  after = next;
  return reinterpret<f64>(sign | bits);
}
