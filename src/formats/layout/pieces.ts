/** Rows cut into pieces, sums of fixed length: 32, 16, 8, 4, 2 and 1 entries. */

/** A slice, or a tile, has so many components: pieces of 32, 16, 8, 4, 2 and 1 entries. Those of 32 may follow each other as runs. Kernels know it. */
export const COMPONENTS = 6;

/** The widest piece has so many entries. */
export const WIDEST: number = 2 ** (COMPONENTS - 1);

/** Pieces of so many entries: one for each full 32, and one for each bit of the remainder. */
export function piecesOf(length: number): number {
  let pieces = Math.floor(length / WIDEST);
  for (let rest = length % WIDEST; rest > 0; rest &= rest - 1) pieces++;
  return pieces;
}
