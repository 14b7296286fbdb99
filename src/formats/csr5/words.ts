/** The words that describe a tile of CSR5. */

/** Bit of tilePtr: empty rows lie between the rows that end in the tile. */
export const EMPTY_ROWS = 0x8000_0000;

/**
 * A word of tileDesc, one for each lane:
 *
 *     bits  0 … 15   bitFlag: bit r where a row ends at step r
 *          16 … 24   yOffset: rows that end in the tile before this lane; at most 31 · 16
 *          25 … 31   segOffset: lanes right behind this one in which no row ends
 */
export const FLAGS = 0xffff;
export const Y_OFFSET = 16;
export const Y_OFFSETS = 0x1ff;
export const SEG_OFFSET = 25;

/** Number of set bits among the low 16. */
export function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555);
  const fours = (pairs & 0x3333) + ((pairs >>> 2) & 0x3333);
  const eights = (fours + (fours >>> 4)) & 0x0f0f;
  return (eights + (eights >>> 8)) & 0x1f;
}
