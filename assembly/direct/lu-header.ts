/** What the kernels of sparse LU share. Layout: `src/direct/lu/layout.ts`. */

export const DONE: u32 = 0;
/** The chunk is too small for the next column. */
export const ROOM: u32 = 1;
/** No row is a pivot of the next column. */
export const NO_PIVOT: u32 = 2;

/** A row of this place or more is no pivot yet. */
export const OPEN: u32 = 0x80000000;
