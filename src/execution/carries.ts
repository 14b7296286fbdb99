/**
 * Carries: the sums of rows that end in a later part. Every part has a slot, a cache line of its own; its kernel leaves the
 * row it ended in and the row's sum so far (times α) there, and rank 0 adds them to y when all parts are done, in the order
 * of the parts. So rows may be shared without atomic adds, and the bits depend on the number of parts only.
 *
 *     byte 0   row (u32), or NO_ROW where the part ended with its last row complete
 *     byte 8   sum (f64, for every dtype)
 */
import type { FloatArray } from '../core/types.js';

/** Of 2²⁰ entries each (`partition.ts`): more than fit into 4 GiB. */
export const MAX_PARTS = 1024;

const SLOT_BYTES = 64;
/** As `assembly/carry.ts` has it. */
const NO_ROW = 0xffff_ffff;

export const CARRIES_BYTES: number = MAX_PARTS * SLOT_BYTES;

export class Carries {
  readonly #address: number;
  readonly #words: Uint32Array;
  readonly #reals: Float64Array;

  constructor(memory: WebAssembly.Memory, address: number) {
    this.#address = address;
    this.#words = new Uint32Array(memory.buffer, address, CARRIES_BYTES / 4);
    this.#reals = new Float64Array(memory.buffer, address, CARRIES_BYTES / 8);
  }

  /** Address of a part's slot. */
  slotOf(part: number): number {
    return this.#address + SLOT_BYTES * part;
  }

  /** Adds what the parts left to y. Their stores happen before: the product is joined. */
  addTo(y: FloatArray, parts: number): void {
    for (let part = 0; part < parts; part++) {
      const row = this.#words[(SLOT_BYTES / 4) * part]!;
      if (row !== NO_ROW) y[row]! += this.#reals[(SLOT_BYTES / 8) * part + 1]!;
    }
  }
}
