/** The dense columns of a supernode, factored in place: L of its triangle, and rows below times L⁻ᵀ. Stored column by column. */
import { subtractProduct } from './dense-tile';

/** Columns that are eliminated together: those of a tile. */
const WIDTH: u32 = 4;

/** Rows below that are computed through all columns before the next ones. */
const SLAB: u32 = 64;

/**
 * LLᵀ of the first `cols` rows, and the others times L⁻ᵀ.
 *
 * @param stride bytes between two columns @param rows at least `cols`
 * @returns 0, or 1 + the first column whose pivot is not positive and finite; what follows is then without meaning
 */
export function choleskyBlock(values: usize, stride: usize, cols: u32, rows: u32): u32 {
  let failed: u32 = 0;
  for (let j: u32 = 0; j < cols; j += WIDTH) {
    const width = min(WIDTH, cols - j);
    const own = values + ((<usize>j) << 3);
    const corner = own + <usize>j * stride;
    if (j > 0) subtractProduct<f64, f64>(own, stride, own, stride, j, cols - j, width, corner, stride, 0, true);
    const found = choleskyCorner(corner, stride, width);
    if (found !== 0 && failed === 0) failed = j + found;
    solveColumns(corner, stride, width, corner + ((<usize>width) << 3), cols - j - width, false);
  }
  solveRows(values, stride, cols, rows, false);
  return failed;
}

/** The rows from `cols` on, times L⁻ᵀ. @param isUnit whether the diagonal of L is 1 */
export function solveRows(values: usize, stride: usize, cols: u32, rows: u32, isUnit: bool): void {
  for (let slab = cols; slab < rows; slab += SLAB) {
    const count = min(SLAB, rows - slab);
    const own = values + ((<usize>slab) << 3);
    for (let j: u32 = 0; j < cols; j += WIDTH) {
      const width = min(WIDTH, cols - j);
      const row = values + ((<usize>j) << 3);
      const column = <usize>j * stride;
      if (j > 0) subtractProduct<f64, f64>(own, stride, row, stride, j, count, width, own + column, stride, 0, false);
      solveColumns(row + column, stride, width, own + column, count, isUnit);
    }
  }
}

/** LLᵀ of at most four columns. @returns 0, or 1 + the first one whose pivot is not usable, for which 1 is taken */
function choleskyCorner(corner: usize, stride: usize, width: u32): u32 {
  let failed: u32 = 0;
  for (let j: u32 = 0; j < width; j++) {
    const column = corner + <usize>j * stride;
    const at = column + ((<usize>j) << 3);
    let pivot = load<f64>(at);
    if (!(pivot > 0) || pivot === Infinity) {
      if (failed === 0) failed = j + 1;
      pivot = 1;
    }
    const root = sqrt<f64>(pivot);
    store<f64>(at, root);
    for (let i = j + 1; i < width; i++) {
      const below = column + ((<usize>i) << 3);
      store<f64>(below, load<f64>(below) / root);
    }
    for (let m = j + 1; m < width; m++) {
      const factor = load<f64>(column + ((<usize>m) << 3));
      for (let i = m; i < width; i++) {
        const other = corner + <usize>m * stride + ((<usize>i) << 3);
        store<f64>(other, load<f64>(other) - load<f64>(column + ((<usize>i) << 3)) * factor);
      }
    }
  }
  return failed;
}

/** Rows of at most four columns, times the inverse of the transpose of their triangle. @param at the first row of the first column */
@inline
function solveColumns(corner: usize, stride: usize, width: u32, at: usize, rows: u32, isUnit: bool): void {
  if (width === 4) {
    fourColumns(corner, stride, at, rows, isUnit);
    return;
  }
  for (let j: u32 = 0; j < width; j++) {
    const own = at + <usize>j * stride;
    for (let m: u32 = 0; m < j; m++) {
      const factor = load<f64>(corner + <usize>m * stride + ((<usize>j) << 3));
      subtractColumn(own, at + <usize>m * stride, rows, factor);
    }
    if (!isUnit) scaleColumn(own, rows, 1 / load<f64>(corner + <usize>j * stride + ((<usize>j) << 3)));
  }
}

/** y ← y − factor x */
function subtractColumn(y: usize, x: usize, rows: u32, factor: f64): void {
  const factors = f64x2.splat(factor);
  for (; rows > 1; rows -= 2, y += 16, x += 16) v128.store(y, f64x2.sub(v128.load(y), f64x2.mul(factors, v128.load(x))));
  if (rows > 0) store<f64>(y, load<f64>(y) - factor * load<f64>(x));
}

function scaleColumn(y: usize, rows: u32, factor: f64): void {
  const factors = f64x2.splat(factor);
  for (; rows > 1; rows -= 2, y += 16) v128.store(y, f64x2.mul(factors, v128.load(y)));
  if (rows > 0) store<f64>(y, factor * load<f64>(y));
}

function fourColumns(corner: usize, stride: usize, at: usize, rows: u32, isUnit: bool): void {
  const second = corner + stride;
  const third = second + stride;
  const i0 = isUnit ? 1 : 1 / load<f64>(corner);
  const i1 = isUnit ? 1 : 1 / load<f64>(second, 8);
  const i2 = isUnit ? 1 : 1 / load<f64>(third, 16);
  const i3 = isUnit ? 1 : 1 / load<f64>(third + stride, 24);
  const l10 = load<f64>(corner, 8);
  const l20 = load<f64>(corner, 16);
  const l30 = load<f64>(corner, 24);
  const l21 = load<f64>(second, 16);
  const l31 = load<f64>(second, 24);
  const l32 = load<f64>(third, 24);
  for (; rows > 1; rows -= 2, at += 16) {
    const at1 = at + stride;
    const at2 = at1 + stride;
    const at3 = at2 + stride;
    const x0 = f64x2.mul(v128.load(at), f64x2.splat(i0));
    const x1 = f64x2.mul(minus(v128.load(at1), l10, x0), f64x2.splat(i1));
    const x2 = f64x2.mul(minus(minus(v128.load(at2), l20, x0), l21, x1), f64x2.splat(i2));
    const x3 = f64x2.mul(minus(minus(minus(v128.load(at3), l30, x0), l31, x1), l32, x2), f64x2.splat(i3));
    v128.store(at, x0);
    v128.store(at1, x1);
    v128.store(at2, x2);
    v128.store(at3, x3);
  }
  if (rows === 0) return;
  const at1 = at + stride;
  const at2 = at1 + stride;
  const at3 = at2 + stride;
  const x0 = load<f64>(at) * i0;
  const x1 = (load<f64>(at1) - l10 * x0) * i1;
  const x2 = (load<f64>(at2) - l20 * x0 - l21 * x1) * i2;
  store<f64>(at3, (load<f64>(at3) - l30 * x0 - l31 * x1 - l32 * x2) * i3);
  store<f64>(at, x0);
  store<f64>(at1, x1);
  store<f64>(at2, x2);
}

@inline
function minus(y: v128, factor: f64, x: v128): v128 {
  return f64x2.sub(y, f64x2.mul(f64x2.splat(factor), x));
}
