/**
 * Truncation of a row: the largest entries stay, scaled so that the sum of the row stays as it is.
 *
 * Source: De Sterck, Falgout, Nolting & Yang 2008, section 5 ("P_max").
 * Differs: entries below a share of the largest one stay, too. Without those below 0.2, grids, jumps and a mesh of 198,000 points take as many
 *   iterations or one more, and the levels have 0 to 9 % fewer entries.
 */
import { wide, word } from '../word';

/** What is left is scaled by at most this, since entries of both signs may have a sum near 0. Chosen. */
const MOST_SCALE: f64 = 10;

/** @param cols in ascending order, as they stay @returns the number of entries that are left */
export function truncate(cols: usize, values: usize, count: u32, most: u32): u32 {
  if (count <= most) return count;
  const before = sumOf(values, count);
  select(cols, values, count, most);
  const scale = before / sumOf(values, most);
  if (scale > 0 && scale <= MOST_SCALE) {
    for (let place: u32 = 0; place < most; place++) store<f64>(wide(values, place), scale * load<f64>(wide(values, place)));
  }
  return most;
}

function sumOf(values: usize, count: u32): f64 {
  let sum: f64 = 0;
  for (let place: u32 = 0; place < count; place++) sum += load<f64>(wide(values, place));
  return sum;
}

/** Moves the largest entries to the front, and sorts these by column. */
function select(cols: usize, values: usize, count: u32, most: u32): void {
  for (let front: u32 = 0; front < most; front++) {
    let best = front;
    let size = abs(load<f64>(wide(values, front)));
    for (let place = front + 1; place < count; place++) {
      const other = abs(load<f64>(wide(values, place)));
      if (!(other > size)) continue;
      best = place;
      size = other;
    }
    swap(cols, values, front, best);
  }
  for (let next: u32 = 1; next < most; next++) {
    for (let hole = next; hole > 0 && load<u32>(word(cols, hole - 1)) > load<u32>(word(cols, hole)); hole--) {
      swap(cols, values, hole - 1, hole);
    }
  }
}

@inline
function swap(cols: usize, values: usize, one: u32, other: u32): void {
  const col = load<u32>(word(cols, one));
  const value = load<f64>(wide(values, one));
  store<u32>(word(cols, one), load<u32>(word(cols, other)));
  store<f64>(wide(values, one), load<f64>(wide(values, other)));
  store<u32>(word(cols, other), col);
  store<f64>(wide(values, other), value);
}
