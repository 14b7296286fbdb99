/**
 * P L D Lᵀ Pᵀ of the dense columns of a supernode, in place: L has ones on its diagonal, which are not stored, D blocks of one and two rows.
 *
 * Source: Bunch & Kaufman, "Some stable methods for calculating inertia and solving symmetric linear systems", 1977; static pivots: Schenk &
 *   Gärtner, "On fast factorization pivoting methods for sparse symmetric indefinite systems", 2006.
 * Differs: pivots are searched for in the triangle of the supernode alone. One that is too small there is replaced by a small number, which
 *   iterative refinement makes good.
 */
import { solveRows } from './dense-factor';

/** (1 + √17) / 8: it bounds the growth of the entries. */
const ALPHA: f64 = 0.6403882032022076;

@inline
function entry(values: usize, stride: usize, row: u32, col: u32): usize {
  return values + <usize>col * stride + ((<usize>row) << 3);
}

@inline
function at(values: usize, stride: usize, row: u32, col: u32): f64 {
  return load<f64>(entry(values, stride, row, col));
}

/**
 * The first `cols` rows are a triangle; the rows below are divided by Lᵀ and D. Numbers that are not finite stay such, and are noticed in D.
 *
 * @param pivots u32, cols: the column that came to each place
 * @param diagonal f64, 2 × cols: the diagonal of D, and what is below it
 * @param least the least modulus of a pivot
 * @returns the number of replaced pivots, plus 2¹⁶ times that of pairs; −1 if a pivot is not finite
 */
export function indefiniteBlock(values: usize, stride: usize, cols: u32, rows: u32, pivots: usize, diagonal: usize, least: f64): i32 {
  let replaced: i32 = 0;
  let pairs: i32 = 0;
  for (let j: u32 = 0; j < cols; j++) store<u32>(pivots + ((<usize>j) << 2), j);
  for (let j: u32 = 0; j < cols; ) {
    const width = choosePivot(values, stride, j, cols, rows, pivots, least);
    const d = diagonal + ((<usize>j) << 4);
    if (width === 2) {
      store<f64>(d, at(values, stride, j, j));
      store<f64>(d, at(values, stride, j + 1, j), 8);
      store<f64>(d, at(values, stride, j + 1, j + 1), 16);
      store<f64>(d, 0, 24);
      eliminatePair(values, stride, j, cols, d);
      pairs++;
    } else {
      let pivot = at(values, stride, j, j);
      if (!(abs<f64>(pivot) < Infinity)) return -1;
      if (abs<f64>(pivot) < least) {
        pivot = pivot < 0 ? -least : least;
        replaced++;
      }
      store<f64>(d, pivot);
      store<f64>(d, 0, 8);
      eliminateOne(values, stride, j, cols, pivot);
    }
    j += width;
  }
  solveRows(values, stride, cols, rows, true);
  divideRows(entry(values, stride, cols, 0), stride, rows - cols, cols, diagonal);
  return replaced + (pairs << 16);
}

/** Brings a pivot to column j, or a pair to j and j + 1. @returns 1 or 2 */
function choosePivot(values: usize, stride: usize, j: u32, cols: u32, rows: u32, pivots: usize, least: f64): u32 {
  const own = abs<f64>(at(values, stride, j, j));
  let row = j;
  let largest: f64 = 0;
  for (let i = j + 1; i < cols; i++) {
    const size = abs<f64>(at(values, stride, i, j));
    if (size > largest) {
      largest = size;
      row = i;
    }
  }
  if (largest <= least || own >= ALPHA * largest) return 1;
  let others: f64 = 0;
  for (let m = j; m < row; m++) others = max(others, abs<f64>(at(values, stride, row, m)));
  for (let i = row + 1; i < cols; i++) others = max(others, abs<f64>(at(values, stride, i, row)));
  if (own * others >= ALPHA * largest * largest) return 1;
  const isOne = abs<f64>(at(values, stride, row, row)) >= ALPHA * others;
  exchange(values, stride, isOne ? j : j + 1, row, cols, rows, pivots);
  return isOne ? 1 : 2;
}

/** Exchanges the rows and columns p < q: of the triangle, of what is left of it in L, and the columns of the rows below. */
function exchange(values: usize, stride: usize, p: u32, q: u32, cols: u32, rows: u32, pivots: usize): void {
  if (p === q) return;
  swap(pivots + ((<usize>p) << 2), pivots + ((<usize>q) << 2));
  for (let m: u32 = 0; m < p; m++) swapValues(entry(values, stride, p, m), entry(values, stride, q, m));
  swapValues(entry(values, stride, p, p), entry(values, stride, q, q));
  for (let i = p + 1; i < q; i++) swapValues(entry(values, stride, i, p), entry(values, stride, q, i));
  for (let i = q + 1; i < rows; i++) swapValues(entry(values, stride, i, p), entry(values, stride, i, q));
}

@inline
function swap(a: usize, b: usize): void {
  const kept = load<u32>(a);
  store<u32>(a, load<u32>(b));
  store<u32>(b, kept);
}

@inline
function swapValues(a: usize, b: usize): void {
  const kept = load<f64>(a);
  store<f64>(a, load<f64>(b));
  store<f64>(b, kept);
}

/** Column j of L, and the triangle after it minus its product. */
function eliminateOne(values: usize, stride: usize, j: u32, cols: u32, pivot: f64): void {
  const column = entry(values, stride, 0, j);
  for (let m = j + 1; m < cols; m++) {
    const factor = load<f64>(column + ((<usize>m) << 3)) / pivot;
    // Rows from m on are not divided yet.
    subtractColumn(entry(values, stride, m, m), column + ((<usize>m) << 3), cols - m, factor);
    store<f64>(column + ((<usize>m) << 3), factor);
  }
}

/** y ← y − factor x */
@inline
function subtractColumn(y: usize, x: usize, rows: u32, factor: f64): void {
  const factors = f64x2.splat(factor);
  for (; rows > 1; rows -= 2, y += 16, x += 16) v128.store(y, f64x2.sub(v128.load(y), f64x2.mul(factors, v128.load(x))));
  if (rows > 0) store<f64>(y, load<f64>(y) - factor * load<f64>(x));
}

/** Columns j and j + 1 of L, whose entry between them is 0, and the triangle after them minus their product. */
function eliminatePair(values: usize, stride: usize, j: u32, cols: u32, d: usize): void {
  const first = entry(values, stride, 0, j);
  const second = first + stride;
  const off = load<f64>(d, 8);
  // Divided by what is off the diagonal, which is the largest, nothing overflows.
  const d0 = load<f64>(d, 16) / off;
  const d1 = load<f64>(d) / off;
  const scale = 1 / (d0 * d1 - 1) / off;
  for (let m = j + 2; m < cols; m++) {
    const at0 = first + ((<usize>m) << 3);
    const at1 = second + ((<usize>m) << 3);
    const x0 = load<f64>(at0);
    const x1 = load<f64>(at1);
    const l0 = scale * (d0 * x0 - x1);
    const l1 = scale * (d1 * x1 - x0);
    const target = entry(values, stride, m, m);
    subtractColumn(target, at0, cols - m, l0);
    subtractColumn(target, at1, cols - m, l1);
    store<f64>(at0, l0);
    store<f64>(at1, l1);
  }
  store<f64>(first + ((<usize>(j + 1)) << 3), 0);
}

/** Rows of L D, whose columns are divided by D. */
function divideRows(values: usize, stride: usize, rows: u32, cols: u32, diagonal: usize): void {
  for (let j: u32 = 0; j < cols; j++) {
    const d = diagonal + ((<usize>j) << 4);
    const column = values + <usize>j * stride;
    const off = load<f64>(d, 8);
    if (off === 0) {
      const pivot = load<f64>(d);
      for (let i: usize = 0; i < <usize>rows; i++) {
        const own = column + (i << 3);
        store<f64>(own, load<f64>(own) / pivot);
      }
      continue;
    }
    const d0 = load<f64>(d, 16) / off;
    const d1 = load<f64>(d) / off;
    const scale = 1 / (d0 * d1 - 1) / off;
    for (let i: usize = 0; i < <usize>rows; i++) {
      const at0 = column + (i << 3);
      const at1 = at0 + stride;
      const x0 = load<f64>(at0);
      const x1 = load<f64>(at1);
      store<f64>(at0, scale * (d0 * x0 - x1));
      store<f64>(at1, scale * (d1 * x1 - x0));
    }
    j++;
  }
}

/** to ← rows of L times D. @param stride bytes between two columns of `from`, stored as V @param toStride of `to` */
export function scaledRows<V>(from: usize, stride: usize, rows: u32, cols: u32, diagonal: usize, to: usize, toStride: usize): void {
  for (let j: u32 = 0; j < cols; j++) {
    const d = diagonal + ((<usize>j) << 4);
    const own = load<f64>(d);
    const off = load<f64>(d, 8);
    const column = from + <usize>j * stride;
    const target = to + <usize>j * toStride;
    for (let i: usize = 0; i < <usize>rows; i++) {
      const at0 = column + i * sizeof<V>();
      store<f64>(target + (i << 3), off === 0 ? own * <f64>load<V>(at0) : own * <f64>load<V>(at0) + off * <f64>load<V>(at0 + stride));
    }
    if (off === 0) continue;
    const other = load<f64>(d, 16);
    for (let i: usize = 0; i < <usize>rows; i++) {
      const at0 = column + i * sizeof<V>();
      store<f64>(target + toStride + (i << 3), off * <f64>load<V>(at0) + other * <f64>load<V>(at0 + stride));
    }
    j++;
  }
}
