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
/** From it on, a mantissa of 1 gives a normal number. */
const LEAST_NORMAL_POWER: i32 = -307;
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

@inline
function placeOf(power: i32): usize {
  return (<usize>(power - LEAST_POWER)) << 4;
}

/** The biased exponent of 2^63 · 10^power, cut: ⌊power · log2(10)⌋ + 63 + 1023. */
@inline
function exponentOf(power: i32): i64 {
  return i64(((217706 * power) >> 16) + 63 + 1023);
}

/**
 * The bits of the double next to mantissa · 10^power, ties to even (Lemire 2021, algorithm 1), for a mantissa that is not 0, and powers from
 * −307 to 308. From 2¹⁰²⁴ on, bits above those of infinity.
 */
@inline
export function normalBits(mantissa: u64, power: i32): u64 {
  const zeros = clz(mantissa);
  const normal = mantissa << zeros;
  const place = placeOf(power);
  const five = load<u64>(place, POWERS_OF_FIVE + 8);
  let high = highProduct(normal, five);
  let low = normal * five;
  // The lower half of 5^q matters only where the bits below the 55 needed ones are all set.
  if ((high & 0x1ff) === 0x1ff) {
    const carried = highProduct(normal, load<u64>(place, POWERS_OF_FIVE));
    low += carried;
    if (carried > low) high++;
  }
  const upper = high >> 63;
  const shift = upper + 9;
  let bits = high >> shift;
  if (low <= 1 && power >= -4 && power <= 23 && (bits & 3) === 1 && bits << shift === high) bits &= ~(<u64>1);
  bits = (bits + (bits & 1)) >> 1;
  // Bit 52 of the bits, or a carry into bit 53, counts in the exponent.
  return bits + ((u64(exponentOf(power)) + upper - zeros - 1) << 52);
}

/** The bits of the double next to mantissa · 10^power, ties to even. */
export function nearestBits(mantissa: u64, power: i32): u64 {
  if (mantissa === 0 || power < LEAST_POWER) return 0;
  if (power > GREATEST_POWER) return INFINITE;
  return power < LEAST_NORMAL_POWER ? smallBits(mantissa, power) : min(normalBits(mantissa, power), INFINITE);
}

/** Of a power below −307, where no number is a tie. */
function smallBits(mantissa: u64, power: i32): u64 {
  const zeros = clz(mantissa);
  const normal = mantissa << zeros;
  const place = placeOf(power);
  const five = load<u64>(place, POWERS_OF_FIVE + 8);
  let high = highProduct(normal, five);
  if ((high & 0x1ff) === 0x1ff) {
    const carried = highProduct(normal, load<u64>(place, POWERS_OF_FIVE));
    if (carried > normal * five + carried) high++;
  }
  const upper = i64(high >> 63);
  const exponent = exponentOf(power) + upper - i64(zeros);
  let bits = high >> u64(upper + 9);
  if (exponent <= -63) return 0;
  if (exponent <= 0) bits >>= u64(1 - exponent);
  bits = (bits + (bits & 1)) >> 1;
  // A carry into bit 52 gives the least normal number, whose bits are these.
  return exponent <= 0 ? bits : bits + (u64(exponent - 1) << 52);
}
