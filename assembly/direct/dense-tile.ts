/**
 * C ← C − A Bᵀ for dense columns, in tiles of four rows and four columns that stay in registers. A, B and C are stored column by column;
 * strides are bytes between two columns. A and B are stored as f64 or f32, C as f64; the arithmetic is that of f64.
 *
 * The rows of a tile that are beyond the last one are read, from what follows in memory, and not stored. A sum over the columns of A is
 * complete before it is subtracted, so the bits do not depend on the tiles.
 */
import { Four, One, Two } from '../counts';
import { madd64 } from '../lanes';
import { word } from '../word';
import { pair, splat } from './stored';

/** Rows of C that are computed for all columns before the next ones: with 64 columns of A they are 32 KB. */
const SLAB: u32 = 64;

/**
 * The part of C ← C − A Bᵀ on and below the diagonal, and all rows below.
 *
 * @param a the first row of A @param b the first row of B @param depth columns of both @param rows of A and C @param cols of C, rows of B
 * @param c column 0, row 0 of C
 * @param places u32: the row of C of each row of A, which is also the column of C of each row of B; 0: the same
 * @param triangular whether the first `cols` rows are a triangle, of which what is above the diagonal may be overwritten
 */
export function subtractProduct<A, B>(
  a: usize,
  aStride: usize,
  b: usize,
  bStride: usize,
  depth: u32,
  rows: u32,
  cols: u32,
  c: usize,
  cStride: usize,
  places: usize,
  triangular: bool,
): void {
  for (let slab: u32 = 0; slab < rows; slab += SLAB) {
    const end = min(slab + SLAB, rows);
    const lastCol = triangular ? min(cols, end) : cols;
    let j: u32 = 0;
    for (; j + 4 <= lastCol; j += 4)
      column<A, B, Four>(a, aStride, b, bStride, depth, triangular ? max(slab, j) : slab, end, j, c, cStride, places);
    if (j + 2 <= lastCol) {
      column<A, B, Two>(a, aStride, b, bStride, depth, triangular ? max(slab, j) : slab, end, j, c, cStride, places);
      j += 2;
    }
    if (j < lastCol) column<A, B, One>(a, aStride, b, bStride, depth, triangular ? max(slab, j) : slab, end, j, c, cStride, places);
  }
}

/** The rows [row, end) of the columns from j on. */
@inline
function column<A, B, J>(
  a: usize,
  aStride: usize,
  b: usize,
  bStride: usize,
  depth: u32,
  row: u32,
  end: u32,
  j: u32,
  c: usize,
  cStride: usize,
  places: usize,
): void {
  for (let i = row; i < end; i += 4)
    tile<A, B, J>(
      a + <usize>i * sizeof<A>(),
      aStride,
      b + <usize>j * sizeof<B>(),
      bStride,
      depth,
      i,
      min<u32>(4, end - i),
      j,
      c,
      cStride,
      places,
    );
}

function tile<A, B, J>(
  a: usize,
  aStride: usize,
  b: usize,
  bStride: usize,
  depth: u32,
  i: u32,
  rows: u32,
  j: u32,
  c: usize,
  cStride: usize,
  places: usize,
): void {
  let low0 = f64x2.splat(0);
  let high0 = low0;
  let low1 = low0;
  let high1 = low0;
  let low2 = low0;
  let high2 = low0;
  let low3 = low0;
  let high3 = low0;
  for (; depth > 0; depth--) {
    const low = pair<A>(a);
    const high = pair<A>(a + 2 * sizeof<A>());
    const b0 = splat<B>(b);
    low0 = madd64(low0, low, b0);
    high0 = madd64(high0, high, b0);
    if (sizeof<J>() > 1) {
      const b1 = splat<B>(b + sizeof<B>());
      low1 = madd64(low1, low, b1);
      high1 = madd64(high1, high, b1);
    }
    if (sizeof<J>() > 2) {
      const b2 = splat<B>(b + 2 * sizeof<B>());
      low2 = madd64(low2, low, b2);
      high2 = madd64(high2, high, b2);
      const b3 = splat<B>(b + 3 * sizeof<B>());
      low3 = madd64(low3, low, b3);
      high3 = madd64(high3, high, b3);
    }
    a += aStride;
    b += bStride;
  }
  if (places === 0) {
    let at = c + ((<usize>i) << 3) + <usize>j * cStride;
    subtractRows(at, rows, low0, high0);
    if (sizeof<J>() > 1) subtractRows(at + cStride, rows, low1, high1);
    if (sizeof<J>() > 2) {
      at += 2 * cStride;
      subtractRows(at, rows, low2, high2);
      subtractRows(at + cStride, rows, low3, high3);
    }
    return;
  }
  const rowPlaces = word(places, i);
  const colPlaces = word(places, j);
  const first = load<u32>(rowPlaces);
  if (rows < 4 || load<u32>(rowPlaces, 12) === first + 3) {
    // Places ascend, so these are next to each other; of fewer rows that is looked at one by one.
    const near: u32 = rows === 4 ? 4 : adjacent(rowPlaces, rows);
    if (near === rows) {
      const at = c + ((<usize>first) << 3);
      subtractRows(at + <usize>load<u32>(colPlaces) * cStride, rows, low0, high0);
      if (sizeof<J>() > 1) subtractRows(at + <usize>load<u32>(colPlaces, 4) * cStride, rows, low1, high1);
      if (sizeof<J>() > 2) {
        subtractRows(at + <usize>load<u32>(colPlaces, 8) * cStride, rows, low2, high2);
        subtractRows(at + <usize>load<u32>(colPlaces, 12) * cStride, rows, low3, high3);
      }
      return;
    }
  }
  scatterRows(c + <usize>load<u32>(colPlaces) * cStride, rowPlaces, rows, low0, high0);
  if (sizeof<J>() > 1) scatterRows(c + <usize>load<u32>(colPlaces, 4) * cStride, rowPlaces, rows, low1, high1);
  if (sizeof<J>() > 2) {
    scatterRows(c + <usize>load<u32>(colPlaces, 8) * cStride, rowPlaces, rows, low2, high2);
    scatterRows(c + <usize>load<u32>(colPlaces, 12) * cStride, rowPlaces, rows, low3, high3);
  }
}

/** `rows` if so many places are next to each other, otherwise 0. */
@inline
function adjacent(places: usize, rows: u32): u32 {
  return load<u32>(word(places, rows - 1)) === load<u32>(places) + rows - 1 ? rows : 0;
}

/** The first rows of a column of a tile, next to each other. */
@inline
function subtractRows(at: usize, rows: u32, low: v128, high: v128): void {
  if (rows === 4) {
    v128.store(at, f64x2.sub(v128.load(at), low));
    v128.store(at, f64x2.sub(v128.load(at, 16), high), 16);
    return;
  }
  store<f64>(at, load<f64>(at) - f64x2.extract_lane(low, 0));
  if (rows > 1) store<f64>(at, load<f64>(at, 8) - f64x2.extract_lane(low, 1), 8);
  if (rows > 2) store<f64>(at, load<f64>(at, 16) - f64x2.extract_lane(high, 0), 16);
}

/** The same for rows anywhere in the column. */
@inline
function scatterRows(column: usize, places: usize, rows: u32, low: v128, high: v128): void {
  subtractAt(column, load<u32>(places), f64x2.extract_lane(low, 0));
  if (rows > 1) subtractAt(column, load<u32>(places, 4), f64x2.extract_lane(low, 1));
  if (rows > 2) subtractAt(column, load<u32>(places, 8), f64x2.extract_lane(high, 0));
  if (rows > 3) subtractAt(column, load<u32>(places, 12), f64x2.extract_lane(high, 1));
}

@inline
function subtractAt(column: usize, row: u32, value: f64): void {
  const at = column + ((<usize>row) << 3);
  store<f64>(at, load<f64>(at) - value);
}
