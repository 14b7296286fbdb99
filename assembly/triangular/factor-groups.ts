/**
 * Rows of an incomplete Cholesky factor that have the same columns before them, such as the unknowns of a node: up to four at once, a lane
 * each. So an entry of the rows before is read once for all of them. As `choleskyRow` in `factor.ts`.
 *
 * `dense` has four lanes for each column. First the columns before the group, K kᵢ = aᵢ; then the block of the group on the diagonal,
 * from which the products of its rows are subtracted: it is factored as a dense one.
 */
import { FACTORED, FactorHeader, ROWS_AT_ONCE, TrianglesHeader } from '../../build/headers';
import { word } from '../word';
import { diagonalOf, entriesBefore, leastPivot, shiftOf } from './factor';

/** The number of consecutive rows from `row` on, up to `end`, with the columns of the first one and those between. */
@inline
export function groupAt(triangles: TrianglesHeader, row: u32, end: u32): u32 {
  const ptr = triangles.lowerPtr;
  const begin = load<u32>(word(ptr, row));
  const count = load<u32>(word(ptr, row), 4) - begin;
  const most = min(ROWS_AT_ONCE, end - row);
  for (let size: u32 = 1; size < most; size++) {
    const own = load<u32>(word(ptr, row + size));
    if (load<u32>(word(ptr, row + size), 4) - own !== count + size) return size;
    for (let e: u32 = 0; e < size; e++) if (load<u32>(word(triangles.lowerIdx, own + count + e)) !== row + e) return size;
    for (let e: u32 = 0; e < count; e++)
      if (load<u32>(word(triangles.lowerIdx, own + e)) !== load<u32>(word(triangles.lowerIdx, begin + e))) return size;
  }
  return most;
}

/** An entry of values of f64. */
@inline
function valueAt(values: usize, entry: u32): usize {
  return values + ((<usize>entry) << 3);
}

/** The rows [row, row + size) of f64. Returns the status. */
export function choleskyGroup(header: FactorHeader, row: u32, size: u32, shift: f64): u32 {
  const triangles = changetype<TrianglesHeader>(header.triangles);
  const ptr = triangles.lowerPtr;
  const inverse = triangles.inverse;
  const dense = header.dense;
  const begin = load<u32>(word(ptr, row));
  const count = load<u32>(word(ptr, row), 4) - begin;
  const idx = word(triangles.lowerIdx, begin);
  // Lanes without a row repeat the last one.
  const last = size - 1;
  const rows0 = valueAt(triangles.lower, begin);
  const rows1 = valueAt(triangles.lower, load<u32>(word(ptr, row + min(1, last))));
  const rows2 = valueAt(triangles.lower, load<u32>(word(ptr, row + min(2, last))));
  const rows3 = valueAt(triangles.lower, load<u32>(word(ptr, row + last)));
  const first: u32 = count > 0 ? load<u32>(idx) : 0;
  // Products of rows: 0 0 and 1 1, 0 1, 0 2 and 1 2, 0 3 and 1 3, 2 2 and 3 3, 2 3.
  let squares = f64x2.splat(0);
  let pair = f64x2.splat(0);
  let withThird = f64x2.splat(0);
  let withFourth = f64x2.splat(0);
  let highSquares = f64x2.splat(0);
  let highPair = f64x2.splat(0);
  for (let e: u32 = 0; e < count; e++) {
    const col = load<u32>(word(idx, e));
    const k2 = load<u32>(word(ptr, col));
    const count2 = load<u32>(word(ptr, col), 4) - k2;
    const skipped = entriesBefore(word(triangles.lowerIdx, k2), count2, first);
    let at = word(triangles.lowerIdx, k2 + skipped);
    const end = word(triangles.lowerIdx, k2 + count2);
    let values = valueAt(triangles.lower, k2 + skipped);
    let low = f64x2.splat(0);
    let high = f64x2.splat(0);
    let moreLow = f64x2.splat(0);
    let moreHigh = f64x2.splat(0);
    for (; at + 4 < end; at += 8, values += 16) {
      const before = v128.load64_splat(values);
      const lanes = dense + ((<usize>load<u32>(at)) << 5);
      low = f64x2.add(low, f64x2.mul(before, v128.load(lanes)));
      high = f64x2.add(high, f64x2.mul(before, v128.load(lanes, 16)));
      const next = v128.load64_splat(values, 8);
      const others = dense + ((<usize>load<u32>(at, 4)) << 5);
      moreLow = f64x2.add(moreLow, f64x2.mul(next, v128.load(others)));
      moreHigh = f64x2.add(moreHigh, f64x2.mul(next, v128.load(others, 16)));
    }
    if (at < end) {
      const before = v128.load64_splat(values);
      const lanes = dense + ((<usize>load<u32>(at)) << 5);
      low = f64x2.add(low, f64x2.mul(before, v128.load(lanes)));
      high = f64x2.add(high, f64x2.mul(before, v128.load(lanes, 16)));
    }
    const scale = v128.load64_splat(valueAt(inverse, col));
    const a = v128.load64_lane(valueAt(rows1, e), v128.load64_zero(valueAt(rows0, e)), 1);
    const b = v128.load64_lane(valueAt(rows3, e), v128.load64_zero(valueAt(rows2, e)), 1);
    const to = dense + ((<usize>col) << 5);
    low = f64x2.sub(f64x2.mul(a, scale), f64x2.add(low, moreLow));
    high = f64x2.sub(f64x2.mul(b, scale), f64x2.add(high, moreHigh));
    v128.store(to, low);
    v128.store(to, high, 16);
    squares = f64x2.add(squares, f64x2.mul(low, low));
    pair = f64x2.add(pair, f64x2.mul(low, v128.shuffle<f64>(low, low, 1, 0)));
    withThird = f64x2.add(withThird, f64x2.mul(low, v128.shuffle<f64>(high, high, 0, 0)));
    withFourth = f64x2.add(withFourth, f64x2.mul(low, v128.shuffle<f64>(high, high, 1, 1)));
    highSquares = f64x2.add(highSquares, f64x2.mul(high, high));
    highPair = f64x2.add(highPair, f64x2.mul(high, v128.shuffle<f64>(high, high, 1, 0)));
  }
  // Those of a row with the rows up to it, in the lanes of its column, which has no entries yet.
  const products = dense + ((<usize>row) << 5);
  store<f64>(products, f64x2.extract_lane(squares, 0));
  store<f64>(products, f64x2.extract_lane(pair, 0), 32);
  store<f64>(products, f64x2.extract_lane(squares, 1), 40);
  if (size > 2) {
    v128.store(products, withThird, 64);
    store<f64>(products, f64x2.extract_lane(highSquares, 0), 80);
  }
  if (size > 3) {
    v128.store(products, withFourth, 96);
    v128.store(products, v128.shuffle<f64>(highPair, highSquares, 0, 3), 112);
  }
  const status = factorBlock(header, row, size, count, shift);
  memory.fill(products, 0, (<usize>size) << 5);
  if (status === FACTORED) {
    for (let lane: u32 = 0; lane < size; lane++) {
      const own = valueAt(triangles.lower, load<u32>(word(ptr, row + lane)));
      const scale = load<f64>(valueAt(inverse, row + lane));
      for (let e: u32 = 0; e < count; e++)
        store<f64>(valueAt(own, e), scale * load<f64>(dense + ((<usize>load<u32>(word(idx, e))) << 5) + ((<usize>lane) << 3)));
    }
  }
  for (let e: u32 = 0; e < count; e++) memory.fill(dense + ((<usize>load<u32>(word(idx, e))) << 5), 0, 32);
  return status;
}

/** The block of a group: its entries before the diagonal, and the inverses of its pivots. */
function factorBlock(header: FactorHeader, row: u32, size: u32, count: u32, shift: f64): u32 {
  const triangles = changetype<TrianglesHeader>(header.triangles);
  const inverse = triangles.inverse;
  for (let lane: u32 = 0; lane < size; lane++) {
    const i = row + lane;
    const own = valueAt(triangles.lower, load<u32>(word(triangles.lowerPtr, i)) + count);
    let pivot = diagonalOf<f64>(header, i) + shiftOf<f64>(header, i, shift);
    for (let before: u32 = 0; before <= lane; before++) {
      const sum = load<f64>(header.dense + ((<usize>i) << 5) + ((<usize>before) << 3));
      if (before === lane) {
        pivot -= sum;
        break;
      }
      // Entries of the row before are divided by its pivot already, those of this one are not yet.
      const scale = load<f64>(valueAt(inverse, row + before));
      const ofBefore = valueAt(triangles.lower, load<u32>(word(triangles.lowerPtr, row + before)) + count);
      let value = (load<f64>(valueAt(own, before)) - sum) * scale;
      for (let e: u32 = 0; e < before; e++) value -= load<f64>(valueAt(own, e)) * load<f64>(valueAt(ofBefore, e));
      store<f64>(valueAt(own, before), value);
      pivot -= value * value;
    }
    if (!(pivot > leastPivot<f64>(header, i)) || pivot === Infinity) return i + 1;
    const inverseOf = 1 / sqrt<f64>(pivot);
    store<f64>(valueAt(inverse, i), inverseOf);
    for (let e: u32 = 0; e < lane; e++) store<f64>(valueAt(own, e), load<f64>(valueAt(own, e)) * inverseOf);
  }
  return FACTORED;
}
