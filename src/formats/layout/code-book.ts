/** Numbers for at most 256 different values, in order of first appearance: a hash table of their bits. */
import type { FloatArray } from '../../core/types.js';

export const MAX_VALUES = 256;
/** Four places per value: a search seldom needs more than one probe. */
const PLACES = 4 * MAX_VALUES;

export class CodeBook {
  /** The words of each value as it is stored: the low and the high half of an f64; an f32 and 0. */
  readonly bits: Uint32Array = new Uint32Array(2 * MAX_VALUES);
  count = 0;
  readonly #places = new Int16Array(PLACES).fill(-1);
  /** The first values and their places, to return to. */
  #kept = 0;
  readonly #keptPlaces = new Int16Array(PLACES).fill(-1);

  /** The code of a value, a new one if need be; −1 if there are too many values. */
  codeOf(low: number, high: number): number {
    const bits = this.bits;
    const places = this.#places;
    let place = (Math.imul(low ^ Math.imul(high, 0x85eb_ca6b), 0x9e37_79b1) >>> 16) % PLACES;
    for (; places[place]! >= 0; place = (place + 1) % PLACES) {
      const code = places[place]!;
      if (bits[2 * code] === low && bits[2 * code + 1] === high) return code;
    }
    const code = this.count;
    if (code === MAX_VALUES) return -1;
    places[place] = code;
    bits[2 * code] = low;
    bits[2 * code + 1] = high;
    return this.count++;
  }

  /** Makes the present values those of `forget`. */
  keep(): void {
    this.#kept = this.count;
    this.#keptPlaces.set(this.#places);
  }

  /** Forgets the values after `keep`. */
  forget(): void {
    if (this.count === this.#kept) return;
    this.count = this.#kept;
    this.#places.set(this.#keptPlaces);
  }

  /**
   * Writes the codes of entries `begin` … `end` − 1; false if there are too many values.
   *
   * @param values of either type, whatever the type of the codes' values
   * @param isRounded whether the codes are those of values rounded to f32; the same for all calls of a book
   */
  encode(values: FloatArray, isRounded: boolean, begin: number, end: number, codes: Uint8Array): boolean {
    const type = isRounded ? Float32Array : Float64Array;
    const given = values.subarray(begin, end);
    const source = given instanceof type ? given : type.from(given);
    const wide = isRounded ? 0 : 1;
    const words = new Uint32Array(source.buffer, source.byteOffset, source.length << wide);
    // Most entries have the value of the entry before.
    let lastLow = 0;
    let lastHigh = 0;
    let last = -1;
    for (let k = begin, word = 0; k < end; k++, word += 1 + wide) {
      const low = words[word]!;
      const high = wide === 1 ? words[word + 1]! : 0;
      if (low !== lastLow || high !== lastHigh || last < 0) {
        last = this.codeOf(low, high);
        if (last < 0) return false;
        lastLow = low;
        lastHigh = high;
      }
      codes[k] = last;
    }
    return true;
  }

  /** The values, exactly. */
  values(isRounded: boolean): FloatArray {
    const { bits, count } = this;
    if (!isRounded) return new Float64Array(bits.buffer, 0, count);
    return new Float32Array(bits.filter((_, word) => word % 2 === 0).buffer, 0, count);
  }
}
