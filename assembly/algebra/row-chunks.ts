/** Rows of a chunk, in steps that count entries and then write them: `src/backends/team/row-by-row.ts`. */
export const CHUNK: u32 = 16;
