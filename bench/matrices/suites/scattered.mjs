/**
 * Columns for rows of given lengths, for stand-ins whose pattern is not symmetric, or only partly. The entries that a
 * row already has (the symmetric part, the diagonal) are completed by runs of adjacent columns. A run begins either at
 * most `width` from the diagonal or, with probability `far`, anywhere; in the latter case some columns are more popular
 * than others. With probability `similarity` a run begins at the same place as in the previous row, relative to the
 * diagonal or, if far, at the same column.
 */
import { sortColumns } from '../../../dist/core/canonical.js';
import { below, roundRandomly, stratified, unit } from '../../../dist/gallery/draw.js';

const GOLDEN = 0.618_033_988_749_894_8;
/** Columns count as equally popular if the most popular one has at most this multiple of the mean. */
const EVEN = 30;
/** The runs of a row longer than this share of the columns begin in as many strata, one in each; */
const LONG = 1 / 16;
/** so do those of a row that would fill more than this share of the band. */
const CROWDED = 1 / 4;

/**
 * @param part a symmetric pattern to be completed; undefined if there is none
 * @param shape `diagonal`, `width` (columns), `far`, `run`, `similarity` as in `mirrored.mjs`; `colMax`: approximate
 *   number of entries of the most popular column
 */
export function scatteredPattern(lengths, cols, part, shape, random) {
  const rows = lengths.length;
  const rowPtr = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) rowPtr[i + 1] = rowPtr[i] + lengths[i];
  const colIdx = new Uint32Array(rowPtr[rows]);
  const seenBy = new Uint32Array(cols);
  const crowd = (2 * CROWDED * shape.width) / Math.max(1 - shape.far, 1e-9);
  const startOf = startsOf(rows, cols, rowPtr[rows], shape, random);
  for (let i = 0; i < rows; i++) {
    const target = colIdx.subarray(rowPtr[i], rowPtr[i + 1]);
    let filled = 0;
    const take = (column) => {
      let at = column;
      while (seenBy[at] === i + 1) at = at + 1 < cols ? at + 1 : 0;
      seenBy[at] = i + 1;
      target[filled++] = at;
      return at;
    };
    if (part !== undefined) {
      for (let k = part.rowPtr[i]; k < part.rowPtr[i + 1] && filled < target.length; k++) take(part.colIdx[k]);
    }
    if (shape.diagonal && filled < target.length && seenBy[i] !== i + 1) take(i);
    const isLong = target.length > Math.min(cols * LONG, crowd);
    const strata = isLong ? startsInStrata(target.length - filled, cols, shape.run, random) : undefined;
    for (let s = 0; filled < target.length; s++) {
      const until = Math.min(target.length, filled + Math.max(1, roundRandomly(random, shape.run)));
      let at = strata === undefined ? startOf(s, i) : strata[s % strata.length];
      for (; filled < until; at = at + 1 < cols ? at + 1 : 0) at = take(at);
    }
  }
  sortColumns(rowPtr, colIdx);
  return { rows, cols, rowPtr, colIdx };
}

/** Runs of a long row: as many as its entries need at that mean length. */
function startsInStrata(count, cols, run, random) {
  const starts = new Uint32Array(Math.max(1, Math.round(count / Math.max(1, run))));
  stratified(random, starts.length, 0, cols, starts, 0);
  return starts;
}

/** Begins of runs: run s of row i is near the diagonal, evenly over the band for any number of runs, or far away. */
function startsOf(rows, cols, nnz, { width, far, similarity, colMax }, random) {
  const popular = popularity(cols, nnz * Math.max(far, 1e-9), colMax, random);
  const columns = [];
  const offsets = [];
  return (s, row) => {
    if (s >= columns.length || unit(random) >= similarity) {
      columns[s] = unit(random) < far ? popular() : -1;
      offsets[s] = Math.round(width * (2 * ((s * GOLDEN + 0.5 * unit(random)) % 1) - 1));
    }
    if (columns[s] >= 0) return columns[s];
    const diagonal = Math.floor((row * cols) / rows);
    return Math.min(cols - 1, Math.max(0, diagonal + offsets[s]));
  };
}

/**
 * Draws columns: evenly, or by Zipf's law, with the exponent that gives the most popular one `colMax` of `draws`; ranks
 * are scattered over the matrix by a multiplication modulo cols.
 */
function popularity(cols, draws, colMax, random) {
  if (!(colMax > (EVEN * draws) / cols)) return () => below(random, cols);
  const exponent = Math.min(0.98, 1 + Math.log(colMax / draws) / Math.log(cols));
  const factor = coprime(cols);
  return () => (Math.floor(cols * unit(random) ** (1 / (1 - exponent))) * factor) % cols;
}

/** About a golden section of n, and coprime to it, so that its multiples reach every column; n · n < 2⁵³. */
function coprime(n) {
  let factor = Math.max(1, Math.floor(n * GOLDEN));
  while (divisor(factor, n) !== 1) factor++;
  return factor;
}

function divisor(a, b) {
  return b === 0 ? a : divisor(b, a % b);
}
