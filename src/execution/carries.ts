/**
 * Carries: the partial sums of rows that end in a later part. Every part has a slot, which is a separate cache line.
 * The kernel stores the row in which the part ended, and the row's partial sum (times α), in this slot. After all parts
 * are done, rank 0 adds the carries to y in the order of the parts. So parts may share rows without atomic adds, and
 * the bits of y depend only on the number of parts.
 *
 *     byte 0   row (u32), or NO_ROW if the part ended with a complete row
 *     byte 8   sum (f64, for every dtype)
 */
import type { FloatArray } from '../core/types.js';

/** Of 2²⁰ entries each (`partition.ts`): more than fit into 4 GiB. */
export const MAX_PARTS = 1024;

const SLOT_BYTES = 64;
/** A carry has this row if its part ended with a complete row. Kernels know it. */
export const NO_ROW = 0xffff_ffff;

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

  /** Adds the carries of the parts to y. Their stores happen before this, because the product is joined. */
  addTo(y: FloatArray, parts: number): void {
    for (let part = 0; part < parts; part++) {
      const row = this.#words[(SLOT_BYTES / 4) * part]!;
      if (row !== NO_ROW) y[row]! += this.#reals[(SLOT_BYTES / 8) * part + 1]!;
    }
  }
}
