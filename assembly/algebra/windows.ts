/**
 * The columns that parts of the rows of a matrix reach: a window for each part, in whole chunks of 1024 columns. What a part computes by
 * column is as long as its window; in a band all windows together are little more than the columns.
 *
 *     reach      parts    the window of a part ← the columns of its entries
 */
import { COLUMN_CHUNK, WindowHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

@unmanaged
export class Window {
  /** Columns first … end − 1, whole chunks but for the last one. */
  first!: u32;
  end!: u32;
  /** The address of the counter of column 0, if there was one, modulo 2³². Counters are in whole vector registers. */
  places!: usize;
}

/**
 * Rows of a call; more are halved. V8 replaces its baseline code only between two calls of a function, and the compiler puts a function that
 * has one caller into it, unless the function calls itself.
 */
export const SLICE: u32 = 4096;

@inline
export function windowAt(windows: usize, part: u32): Window {
  return changetype<Window>(windows + <usize>part * offsetof<Window>());
}

@inline
export function windowOf(header: WindowHeader, part: u32): Window {
  return windowAt(header.windows, part);
}

/** The address after the last counter of u32 of columns up to `end`. */
@inline
export function endOf(places: usize, end: u32): usize {
  return places + (((<usize>end + 3) & ~3) << 2);
}

export function windows_reach(header: WindowHeader, operands: Operands, begin: u32, end: u32): void {
  for (let part = begin; part < end; part++) {
    const window = windowOf(header, part);
    const first = load<u32>(word(header.rowPtr, load<u32>(word(header.partPtr, part))));
    const last = load<u32>(word(header.rowPtr, load<u32>(word(header.partPtr, part), 4)));
    window.first = u32.MAX_VALUE;
    window.end = 0;
    reach(word(header.colIdx, first), word(header.colIdx, last), window);
    window.first = min(window.first, window.end) & ~(COLUMN_CHUNK - 1);
    window.end = min((window.end + COLUMN_CHUNK - 1) & ~(COLUMN_CHUNK - 1), header.cols);
  }
}

/** Extends a window by the columns at `at` … `end`, in slices as rows. */
function reach(at: usize, end: usize, window: Window): void {
  if (end - at > SLICE << 4) {
    const middle = at + (((end - at) >> 3) << 2);
    reach(at, middle, window);
    reach(middle, end, window);
    return;
  }
  let least = i32x4.splat(-1);
  let most = i32x4.splat(0);
  for (; at + 16 <= end; at += 16) {
    least = v128.min<u32>(least, v128.load(at));
    most = v128.max<u32>(most, v128.load(at));
  }
  for (; at < end; at += 4) {
    least = v128.min<u32>(least, v128.load32_splat(at));
    most = v128.max<u32>(most, v128.load32_splat(at));
  }
  least = v128.min<u32>(least, v128.shuffle<u32>(least, least, 2, 3, 0, 1));
  most = v128.max<u32>(most, v128.shuffle<u32>(most, most, 2, 3, 0, 1));
  least = v128.min<u32>(least, v128.shuffle<u32>(least, least, 1, 0, 3, 2));
  most = v128.max<u32>(most, v128.shuffle<u32>(most, most, 1, 0, 3, 2));
  window.first = min(window.first, <u32>i32x4.extract_lane(least, 0));
  // Without columns it stays 0: no column is 2³² − 1.
  window.end = max(window.end, <u32>i32x4.extract_lane(most, 0) + <u32>(<u32>i32x4.extract_lane(least, 0) !== u32.MAX_VALUE));
}
