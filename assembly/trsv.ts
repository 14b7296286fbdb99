/**
 * Triangular solves: y ← α M⁻¹ x + β y. Rows are cut into blocks without entries between them: a unit is a block, which is solved
 * forward and then backward. Layout: `src/backends/team/triangles.ts`; `factor.ts` computes the factors.
 *
 *     lu          M = (I + L) D (I + U): w ← (I + L)⁻¹ x, then z ← (I + U)⁻¹ D⁻¹ w
 *     cholesky    M = E (I + L) (I + L)ᵀ E: w ← (I + L)⁻¹ E⁻¹ x, then z ← E⁻¹ (I + Lᵀ)⁻¹ w, which subtracts multiples of the rows of L
 *                 from the elements before. There is one triangle, and the second pass finds it in a cache
 *     lower, upper    the two passes of `lu`, over rows: a unit is a row, which needs only rows of earlier stages or of its part
 *
 * Division is multiplication by a stored inverse, before the subtractions and so not on the chain of dependent rows. Elements of x and y
 * are found by `order`; w and z are in the order of the rows. Columns of 16 bits count from the first row of a block.
 *
 * Two blocks are solved in turn, because a chain of dependent rows leaves most of a core idle: ilu0 of the 5- and 7-point Laplacians takes
 * 0.82 to 0.85 of the time, ic0 0.82 to 0.95. Four blocks are a little faster in natural orders, and slower where rows are reordered.
 * Copies of x and y in the order of the rows, made first and last, are 1.2 × as fast for a mesh of 490 k nodes in random order, and 0.85 ×
 * for 90 k. (Intel Xeon at 2 cores, one thread, f64, November 2026.)
 */
import { Branching, put, rowSum } from './lanes';
import { Operands } from './operands';

@unmanaged
export class TrianglesHeader {
  rows!: u32;
  /** Rows of a block; the last one may have fewer. */
  blockRows!: u32;
  /** u32, rows: the element of x and y of each row; 0: the element of its number. */
  order!: usize;
  /** Of the type of x, rows: w, then z. */
  work!: usize;
  /** Of the type of x, rows: the inverse of D or E. */
  inverse!: usize;
  /** u32, rows + 1; columns, ascending in a row; values. Without the diagonal. */
  lowerPtr!: usize;
  lowerIdx!: usize;
  lower!: usize;
  /** The same; 0 in `cholesky`. */
  upperPtr!: usize;
  upperIdx!: usize;
  upper!: usize;
}

/** Tags for the type parameter `Form`. */
type Lu = u8;
type Cholesky = u16;

/** At least so many entries of a long row, those next to the diagonal, are added one by one: they may wait for the row before. */
const NEAR: u32 = 4;

export function cholesky_trsv_f64(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  blocks<f64, u32, f64, Cholesky>(header, operands.x, operands.y, begin, end, operands.alpha, operands.beta);
}

export function cholesky_trsv_mixed(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  blocks<f32, u32, f64, Cholesky>(header, operands.x, operands.y, begin, end, operands.alpha, operands.beta);
}

export function cholesky_trsv_f32(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  blocks<f32, u32, f32, Cholesky>(header, operands.x, operands.y, begin, end, <f32>operands.alpha, <f32>operands.beta);
}

export function cholesky16_trsv_f64(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  blocks<f64, u16, f64, Cholesky>(header, operands.x, operands.y, begin, end, operands.alpha, operands.beta);
}

export function cholesky16_trsv_mixed(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  blocks<f32, u16, f64, Cholesky>(header, operands.x, operands.y, begin, end, operands.alpha, operands.beta);
}

export function cholesky16_trsv_f32(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  blocks<f32, u16, f32, Cholesky>(header, operands.x, operands.y, begin, end, <f32>operands.alpha, <f32>operands.beta);
}

export function lu_trsv_f64(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  blocks<f64, u32, f64, Lu>(header, operands.x, operands.y, begin, end, operands.alpha, operands.beta);
}

export function lu_trsv_mixed(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  blocks<f32, u32, f64, Lu>(header, operands.x, operands.y, begin, end, operands.alpha, operands.beta);
}

export function lu_trsv_f32(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  blocks<f32, u32, f32, Lu>(header, operands.x, operands.y, begin, end, <f32>operands.alpha, <f32>operands.beta);
}

export function lu16_trsv_f64(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  blocks<f64, u16, f64, Lu>(header, operands.x, operands.y, begin, end, operands.alpha, operands.beta);
}

export function lu16_trsv_mixed(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  blocks<f32, u16, f64, Lu>(header, operands.x, operands.y, begin, end, operands.alpha, operands.beta);
}

export function lu16_trsv_f32(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  blocks<f32, u16, f32, Lu>(header, operands.x, operands.y, begin, end, <f32>operands.alpha, <f32>operands.beta);
}

export function lower_trsv_f64(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let row = begin; row < end; row++) forward<f64, u32, f64, Lu>(header, operands.x, header.work, row);
}

export function lower_trsv_mixed(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let row = begin; row < end; row++) forward<f32, u32, f64, Lu>(header, operands.x, header.work, row);
}

export function lower_trsv_f32(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let row = begin; row < end; row++) forward<f32, u32, f32, Lu>(header, operands.x, header.work, row);
}

export function upper_trsv_f64(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  const alpha = operands.alpha;
  const beta = operands.beta;
  for (let row = end; row > begin; row--) backward<f64, u32, f64, Lu>(header, operands.y, header.work, row - 1, alpha, beta);
}

export function upper_trsv_mixed(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  const alpha = operands.alpha;
  const beta = operands.beta;
  for (let row = end; row > begin; row--) backward<f32, u32, f64, Lu>(header, operands.y, header.work, row - 1, alpha, beta);
}

export function upper_trsv_f32(header: TrianglesHeader, operands: Operands, begin: u32, end: u32): void {
  const alpha = <f32>operands.alpha;
  const beta = <f32>operands.beta;
  for (let row = end; row > begin; row--) backward<f32, u32, f32, Lu>(header, operands.y, header.work, row - 1, alpha, beta);
}

/** Solves the blocks [begin, end), two of full length in turn. */
function blocks<V, I, X, Form>(header: TrianglesHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const rows = header.rows;
  const blockRows = header.blockRows;
  let block = begin;
  for (; block + 2 <= end && (block + 2) * blockRows <= rows; block += 2) {
    const first = block * blockRows;
    const w = workFrom<I, X>(header, first);
    const w2 = workFrom<I, X>(header, first + blockRows);
    for (let row = first; row < first + blockRows; row++) {
      forward<V, I, X, Form>(header, x, w, row);
      forward<V, I, X, Form>(header, x, w2, row + blockRows);
    }
    for (let row = first + blockRows; row > first; row--) {
      backward<V, I, X, Form>(header, y, w, row - 1, alpha, beta);
      backward<V, I, X, Form>(header, y, w2, row - 1 + blockRows, alpha, beta);
    }
  }
  for (; block < end; block++) {
    const first = block * blockRows;
    const last = min(first + blockRows, rows);
    const w = workFrom<I, X>(header, first);
    for (let row = first; row < last; row++) forward<V, I, X, Form>(header, x, w, row);
    for (let row = last; row > first; row--) backward<V, I, X, Form>(header, y, w, row - 1, alpha, beta);
  }
}

/** The element of w from which columns count. */
@inline
function workFrom<I, X>(header: TrianglesHeader, first: u32): usize {
  return header.work + (sizeof<I>() === 2 ? (<usize>first) << alignof<X>() : 0);
}

@inline
function word(array: usize, index: u32): usize {
  return array + ((<usize>index) << 2);
}

/** The element of x or y of a row. */
@inline
function elementOf<X>(header: TrianglesHeader, vector: usize, row: u32): usize {
  const order = header.order;
  return vector + ((<usize>(order === 0 ? row : load<u32>(word(order, row)))) << alignof<X>());
}

@inline
function forward<V, I, X, Form>(header: TrianglesHeader, x: usize, w: usize, row: u32): void {
  const at = (<usize>row) << alignof<X>();
  let value = load<X>(elementOf<X>(header, x, row));
  if (sizeof<Form>() === sizeof<Cholesky>()) value *= load<X>(header.inverse + at);
  const ptr = word(header.lowerPtr, row);
  const k = load<u32>(ptr);
  const count = load<u32>(ptr, 4) - k;
  let idx = header.lowerIdx + ((<usize>k) << alignof<I>());
  let values = header.lower + ((<usize>k) << alignof<V>());
  const last = idx + ((<usize>count) << alignof<I>());
  if (count >= 2 * NEAR) {
    const far = (count - NEAR) & ~(NEAR - 1);
    value -= rowSum<V, I, X, Branching>(w, idx, values, 0, far);
    idx += (<usize>far) << alignof<I>();
    values += (<usize>far) << alignof<V>();
  }
  for (; idx < last; idx += sizeof<I>(), values += sizeof<V>()) value -= <X>load<V>(values) * load<X>(target<I, X>(w, idx));
  store<X>(header.work + at, value);
}

/** The address of the element of a column. */
@inline
function target<I, X>(w: usize, idx: usize): usize {
  return w + ((<usize>load<I>(idx)) << alignof<X>());
}

@inline
function backward<V, I, X, Form>(header: TrianglesHeader, y: usize, w: usize, row: u32, alpha: X, beta: X): void {
  const at = (<usize>row) << alignof<X>();
  const inverse = load<X>(header.inverse + at);
  let value = load<X>(header.work + at);
  if (sizeof<Form>() === sizeof<Cholesky>()) {
    subtractRow<V, I, X>(header, w, row, value);
    value *= inverse;
  } else {
    value = minusRow<V, I, X>(header, w, row, value * inverse);
    store<X>(header.work + at, value);
  }
  put<X>(elementOf<X>(header, y, row), value, alpha, beta);
}

/** w ← w − factor times the row of L. */
@inline
function subtractRow<V, I, X>(header: TrianglesHeader, w: usize, row: u32, factor: X): void {
  const ptr = word(header.lowerPtr, row);
  const k = load<u32>(ptr);
  let idx = header.lowerIdx + ((<usize>k) << alignof<I>());
  let values = header.lower + ((<usize>k) << alignof<V>());
  const last = header.lowerIdx + ((<usize>load<u32>(ptr, 4)) << alignof<I>());
  for (; idx < last; idx += sizeof<I>(), values += sizeof<V>()) {
    const element = target<I, X>(w, idx);
    store<X>(element, load<X>(element) - <X>load<V>(values) * factor);
  }
}

/** value − the row of U times w. */
@inline
function minusRow<V, I, X>(header: TrianglesHeader, w: usize, row: u32, value: X): X {
  const ptr = word(header.upperPtr, row);
  const k = load<u32>(ptr);
  let count = load<u32>(ptr, 4) - k;
  const idx = header.upperIdx + ((<usize>k) << alignof<I>());
  const values = header.upper + ((<usize>k) << alignof<V>());
  if (count >= 2 * NEAR) {
    const far = (count - NEAR) & ~(NEAR - 1);
    count -= far;
    const offset = <usize>count;
    value -= rowSum<V, I, X, Branching>(w, idx + (offset << alignof<I>()), values + (offset << alignof<V>()), 0, far);
  }
  for (; count > 0; count--) {
    const offset = <usize>(count - 1);
    value -= <X>load<V>(values + (offset << alignof<V>())) * load<X>(target<I, X>(w, idx + (offset << alignof<I>())));
  }
  return value;
}
