/**
 * A decimal mantissa of up to 64 bits and a power of ten → the bits of the nearest double.
 *
 * Source: Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51(8), 2021, with the proof of Mushtak and
 *   Lemire, "Fast number parsing without fallback", 2023.
 */

/** 128 bits of 5^q, low word first, for q from −342 to 308: written by the caller. */
export const POWERS_OF_FIVE: usize = memory.data(651 * 16, 16);
const LEAST_POWER: i32 = -342;
const GREATEST_POWER: i32 = 308;
const INFINITE: u64 = 0x7ff << 52;

/** The upper 64 bits of a · b. */
@inline
function highProduct(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff;
  const aHigh = a >> 32;
  const bLow = b & 0xffffffff;
  const bHigh = b >> 32;
  const middle = aHigh * bLow + ((aLow * bLow) >> 32);
  const other = aLow * bHigh + (middle & 0xffffffff);
  return aHigh * bHigh + (middle >> 32) + (other >> 32);
}

/** The bits of the double next to mantissa · 10^power, ties to even (Lemire 2021, algorithm 1). */
export function nearestBits(mantissa: u64, power: i32): u64 {
  if (mantissa === 0 || power < LEAST_POWER) return 0;
  if (power > GREATEST_POWER) return INFINITE;
  const zeros = i32(clz(mantissa));
  const normal = mantissa << zeros;
  const entry = POWERS_OF_FIVE + ((<usize>(power - LEAST_POWER)) << 4);
  const five = load<u64>(entry, 8);
  let high = highProduct(normal, five);
  let low = normal * five;
  // The lower half of 5^q matters only where the bits below the 55 needed ones are all set.
  if ((high & 0x1ff) === 0x1ff) {
    const carried = highProduct(normal, load<u64>(entry));
    low += carried;
    if (carried > low) high++;
  }
  const upper = i32(high >> 63);
  const shift = u64(upper + 9);
  let bits = high >> shift;
  // ⌊q · log2(10)⌋ + 63, then the bias of exponents.
  let exponent = ((217706 * power) >> 16) + 63 + upper - zeros + 1023;
  if (exponent <= 0) {
    if (exponent <= -63) return 0;
    bits >>= u64(1 - exponent);
    bits += bits & 1;
    // A carry into bit 52 gives the least normal number, whose bits are these.
    return bits >> 1;
  }
  const isTie = low <= 1 && power >= -4 && power <= 23 && (bits & 3) === 1 && bits << shift === high;
  if (isTie) bits &= ~(<u64>1);
  bits += bits & 1;
  bits >>= 1;
  if (bits >= 1 << 53) {
    bits = 1 << 52;
    exponent++;
  }
  if (exponent >= 0x7ff) return INFINITE;
  return (bits & ~((<u64>1) << 52)) | (u64(exponent) << 52);
}
