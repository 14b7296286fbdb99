/** Rows of a chunk, in steps that count entries and then write them: `src/matrices/row-by-row.ts`. */
export const CHUNK: u32 = 16;
