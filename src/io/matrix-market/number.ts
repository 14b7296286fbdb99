/**
 * Decimal text → the nearest double, directly from the bytes, with the same bits as `Number()`.
 *
 * Three methods, each used only if it is exact:
 *   1. digits below 2⁵³ and a power of ten up to 10²²: both are doubles, so one product or quotient rounds once
 *      (Clinger, "How to read floating point numbers accurately", PLDI 1990);
 *   2. up to 30 digits and a power up to 10⁴⁴: the same in pairs of doubles, some 100 bits (Dekker, "A floating-point
 *      technique for extending the available precision", 1971), accepted if an error of 2⁻⁹⁵ cannot change the
 *      rounding;
 *   3. else `Number()` of the text.
 *
 * Nanoseconds per number on the 2-core development machine, Node 20: 12 for 6 digits, 24 for 14 digits and an exponent,
 * 50 for the 17 digits of a random double, 85 with an exponent, 250 with method 3. Without method 2, 17 digits took
 * 460.
 */

export interface Cursor {
  at: number;
}

const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const D = 0x64;
const E = 0x65;
const LOWER_CASE = 0x20;

const EXACT_INTEGERS = 2 ** 53;
const EXACT_POWERS = 22;
const POWERS: Float64Array = Float64Array.from({ length: EXACT_POWERS + 1 }, (_, k) => Number(`1e${k}`));

/**
 * Reads `[+-] digits [. digits] [e|E|d|D [+-] digits]` at `cursor.at` and moves the cursor after it. If no such number
 * is found, the cursor becomes −1. The last byte must not be part of a number; it may be a newline, for example.
 */
export function scanNumber(bytes: Uint8Array, cursor: Cursor): number {
  let at = cursor.at;
  let byte = bytes[at]!;
  const negative = byte === MINUS;
  if (negative || byte === PLUS) byte = bytes[++at]!;
  const begin = at;
  let mantissa = 0;
  for (; (byte ^ ZERO) < 10; byte = bytes[++at]!) mantissa = mantissa * 10 + (byte ^ ZERO);
  let digits = at - begin;
  let scale = 0;
  if (byte === POINT) {
    const fraction = ++at;
    for (byte = bytes[at]!; (byte ^ ZERO) < 10; byte = bytes[++at]!) mantissa = mantissa * 10 + (byte ^ ZERO);
    scale = fraction - at;
    digits -= scale;
  }
  byte |= LOWER_CASE;
  if (byte === E || byte === D) {
    byte = bytes[++at]!;
    const shrinks = byte === MINUS;
    if (shrinks || byte === PLUS) byte = bytes[++at]!;
    if ((byte ^ ZERO) >= 10) digits = 0;
    let exponent = 0;
    for (; (byte ^ ZERO) < 10; byte = bytes[++at]!) exponent = exponent * 10 + (byte ^ ZERO);
    scale += shrinks ? -exponent : exponent;
  }
  cursor.at = digits === 0 ? -1 : at;
  let value: number;
  if (mantissa < EXACT_INTEGERS && scale >= -EXACT_POWERS && scale <= EXACT_POWERS) {
    value = scale < 0 ? mantissa / POWERS[-scale]! : mantissa * POWERS[scale]!;
  } else {
    value = longNumber(bytes, begin, at, scale);
  }
  return negative ? -value : value;
}

/** A number of digits that always fits into one double without rounding. A long number has two such halves. */
const HALF_DIGITS = 15;

/** The value of an unsigned number by method 2 or 3; `scale` is the power of ten of its last digit. */
function longNumber(bytes: Uint8Array, begin: number, end: number, scale: number): number {
  let high = 0;
  let low = 0;
  let highDigits = 0;
  let lowDigits = 0;
  for (let k = begin; k < end; k++) {
    const digit = bytes[k]! ^ ZERO;
    if (digit >= 10) {
      if (bytes[k] !== POINT) break;
    } else if (highDigits < HALF_DIGITS) {
      high = high * 10 + digit;
      if (high > 0) highDigits++;
    } else {
      low = low * 10 + digit;
      lowDigits++;
    }
  }
  const wide = lowDigits <= HALF_DIGITS && scale >= -WIDE_POWERS && scale <= WIDE_POWERS;
  const value = wide ? wideNumber(high, low, lowDigits, scale) : Number.NaN;
  return Number.isNaN(value) ? Number(decimalText(bytes, begin, end)) : value;
}

/** 10ᵏ as an exact sum of two doubles: 5⁴⁴ has 103 bits. */
const WIDE_POWERS = 44;
const WIDE_HIGH: Float64Array = Float64Array.from({ length: WIDE_POWERS + 1 }, (_, k) => Number(10n ** BigInt(k)));
const WIDE_LOW: Float64Array = WIDE_HIGH.map((high, k) => Number(10n ** BigInt(k) - BigInt(high)));

/** Far above the error of the steps below, some 2⁻¹⁰⁰; far below half a unit in the last place, 2⁻⁵⁴. */
const DOUBT = 2 ** -95;

/** (high · 10^lowDigits + low) · 10^scale, rounded; NaN if the error interval contains a tie. */
function wideNumber(high: number, low: number, lowDigits: number, scale: number): number {
  const shift = POWERS[lowDigits]!;
  const shifted = high * shift;
  const sum = shifted + low;
  const rest = productError(high, shift, shifted) + (low - (sum - shifted)); // sum + rest is the integer, exactly
  const powerHigh = WIDE_HIGH[Math.abs(scale)]!;
  const powerLow = WIDE_LOW[Math.abs(scale)]!;
  let value: number;
  let correction: number;
  if (scale < 0) {
    value = sum / powerHigh;
    const product = value * powerHigh;
    const remainder = sum - product - productError(value, powerHigh, product) + (rest - value * powerLow);
    correction = remainder / powerHigh;
  } else {
    value = sum * powerHigh;
    correction = productError(sum, powerHigh, value) + (sum * powerLow + rest * powerHigh);
  }
  const rounded = value + correction;
  const residue = correction - (rounded - value);
  const doubt = rounded * DOUBT;
  const least = rounded + (residue - doubt);
  return least === rounded + (residue + doubt) ? least : Number.NaN;
}

const SPLITTER = 2 ** 27 + 1;

/** a · b − product, exactly, for product = a · b rounded (Dekker); the numbers here are far from overflow. */
function productError(a: number, b: number, product: number): number {
  const aScaled = a * SPLITTER;
  const aHigh = aScaled - (aScaled - a);
  const aLow = a - aHigh;
  const bScaled = b * SPLITTER;
  const bHigh = bScaled - (bScaled - b);
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

function decimalText(bytes: Uint8Array, begin: number, end: number): string {
  let text = '';
  for (let k = begin; k < end; k++) {
    const byte = bytes[k]!;
    text += (byte | LOWER_CASE) === D ? 'e' : String.fromCharCode(byte);
  }
  return text;
}

const WORDS: ReadonlyMap<string, number> = new Map([
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
  ['nan', Number.NaN],
]);

/** A whole token: a number as above, or `inf`, `infinity`, `nan` with any sign and in any case, as C writes them. */
export function parseNumber(token: string): number | undefined {
  const cursor: Cursor = { at: 0 };
  const value = scanNumber(new TextEncoder().encode(`${token}\n`), cursor);
  if (cursor.at === token.length) return value;
  const magnitude = WORDS.get(token.replace(/^[+-]/, '').toLowerCase());
  return magnitude !== undefined && token.startsWith('-') ? -magnitude : magnitude;
}
