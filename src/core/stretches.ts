/** Samples the rows of a matrix for facts that are needed only roughly. */

/** A stretch has this many consecutive rows, so that it has rows of all unknowns of a node. Chosen. */
const STRETCH = 60;

/** All stretches together have about this many rows, or all rows of a matrix that has fewer. Chosen. */
const SAMPLES = 10_000;

/**
 * Returns stretches of consecutive rows [begin, end), evenly distributed; all rows of a small matrix. Parts of a matrix have together the rows of the whole one.
 *
 * @param rows of the part
 * @param all rows of the whole matrix
 * @param firstRow the place of the part's first row in it
 */
export function stretches(rows: number, all: number = rows, firstRow = 0): readonly (readonly [number, number])[] {
  const every = STRETCH * Math.ceil(all / SAMPLES);
  const found: (readonly [number, number])[] = [];
  for (let begin = -(firstRow % every); begin < rows; begin += every) {
    const end = Math.min(begin + STRETCH, rows);
    if (end > 0) found.push([Math.max(begin, 0), end]);
  }
  return found;
}
