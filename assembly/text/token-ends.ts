/**
 * Where the tokens of a text end: the addresses of all bytes up to a space, blanks and newlines among them, found 64 bytes at a time. They
 * are known before any token is read, so that a line need not wait for the one before.
 *
 * Source: Langdale and Lemire, "Parsing gigabytes of JSON per second", The VLDB Journal 28, 2019, section 3.2.
 */

/** Bytes of text of one call. */
export const SEGMENT: usize = 8192;
/** An address for each byte, and for those written in vain. */
export const ENDS: usize = memory.data((8192 + 64) * 4, 16);
/** Bytes of a step. */
const STEP: usize = 64;

@inline
function bitsOf(at: usize, offset: usize): u64 {
  return u64(i8x16.bitmask(i8x16.le_u(v128.load(at + offset), i8x16.splat(0x20))));
}

@inline
function writeFour(place: usize, at: usize, bits: u64): u64 {
  for (let k: usize = 0; k < 4; k++) {
    store<u32>(place + (k << 2), u32(at + usize(ctz(bits))));
    bits &= bits - 1;
  }
  return bits;
}

/** Finds the ends from `begin` to `end`, at most `SEGMENT` bytes, and returns their number. Reads up to 63 bytes behind `end`. */
export function findEnds(begin: usize, end: usize): u32 {
  let place = ENDS;
  for (let at = begin; at < end; at += STEP) {
    let bits = bitsOf(at, 0) | (bitsOf(at, 16) << 16) | (bitsOf(at, 32) << 32) | (bitsOf(at, 48) << 48);
    if (end - at < STEP) bits &= ((<u64>1) << u64(end - at)) - 1;
    const count = usize(popcnt(bits));
    // More are written than there are: how many there are cannot be predicted.
    bits = writeFour(place, at, bits);
    bits = writeFour(place + 16, at, bits);
    if (count > 8) {
      bits = writeFour(place + 32, at, bits);
      for (let four: usize = 12; four < count; four += 4) bits = writeFour(place + (four << 2), at, bits);
    }
    place += count << 2;
  }
  return u32((place - ENDS) >> 2);
}

/** The address of the end that has this number. */
@inline
export function tokenEnd(k: u32): usize {
  return usize(load<u32>(ENDS + ((<usize>k) << 2)));
}
