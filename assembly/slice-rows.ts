/**
 * The solve of `slices.ts` in slices of one row, for matrices whose rows are long: the entries of a row are added in the lanes of vector
 * registers.
 */
import { Branching, put, rowSum } from './lanes';
import { Operands } from './operands';
import { SLAB, SlicesHeader, workFrom } from './slices';
import { word } from './word';

/** At least so many entries of a row are added one by one, and last: those next to the diagonal may wait for the row before. */
const NEAR: u32 = 4;

export function rows_forward_f64(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) forward<f64, u32, f64>(header, operands.x, piece);
}

export function rows_forward_mixed(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) forward<f32, u32, f64>(header, operands.x, piece);
}

export function rows_forward_f32(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) forward<f32, u32, f32>(header, operands.x, piece);
}

export function rows16_forward_f64(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) forward<f64, u16, f64>(header, operands.x, piece);
}

export function rows16_forward_mixed(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) forward<f32, u16, f64>(header, operands.x, piece);
}

export function rows16_forward_f32(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) forward<f32, u16, f32>(header, operands.x, piece);
}

export function rows_backward_f64(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = end; piece > begin; piece--) backward<f64, u32, f64>(header, operands, piece - 1);
}

export function rows_backward_mixed(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = end; piece > begin; piece--) backward<f32, u32, f64>(header, operands, piece - 1);
}

export function rows_backward_f32(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = end; piece > begin; piece--) backward<f32, u32, f32>(header, operands, piece - 1);
}

export function rows16_backward_f64(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = end; piece > begin; piece--) backward<f64, u16, f64>(header, operands, piece - 1);
}

export function rows16_backward_mixed(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = end; piece > begin; piece--) backward<f32, u16, f64>(header, operands, piece - 1);
}

export function rows16_backward_f32(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = end; piece > begin; piece--) backward<f32, u16, f32>(header, operands, piece - 1);
}

@inline
function forward<V, I, X>(header: SlicesHeader, x: usize, piece: u32): void {
  const last = load<u32>(word(header.last, piece));
  for (let row = load<u32>(word(header.first, piece)); row < last; row += SLAB) forwardRows<V, I, X>(header, x, row, min(row + SLAB, last));
}

@inline
function backward<V, I, X>(header: SlicesHeader, operands: Operands, piece: u32): void {
  const first = load<u32>(word(header.first, piece));
  for (let end = load<u32>(word(header.last, piece)); end > first; ) {
    const begin = end - min(SLAB, end - first);
    backwardRows<V, I, X>(header, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
    end = begin;
  }
}

/** The element of x or y of a row. */
@inline
function elementOf<X>(header: SlicesHeader, vector: usize, row: u32): usize {
  return vector + ((<usize>load<u32>(word(header.order, row))) << alignof<X>());
}

function forwardRows<V, I, X>(header: SlicesHeader, x: usize, begin: u32, end: u32): void {
  for (let row = begin; row < end; row++) {
    const at = (<usize>row) << alignof<X>();
    const value = load<X>(elementOf<X>(header, x, row)) * load<X>(header.before + at);
    const w = workFrom<I, X>(header, word(header.lowerBase, row));
    const k = <usize>load<u32>(word(header.lowerPtr, row));
    const count = load<u32>(word(header.lowerPtr, row), 4) - <u32>k;
    const far = count >= 2 * NEAR ? (count - NEAR) & ~(NEAR - 1) : 0;
    const idx = header.lowerIdx + (k << alignof<I>());
    const values = header.lower + (k << alignof<V>());
    store<X>(header.work + at, plusRow<V, I, X>(w, idx, values, value, count, far));
  }
}

/** value + the row times w; the first `far` entries in lanes. */
@inline
function plusRow<V, I, X>(w: usize, idx: usize, values: usize, value: X, count: u32, far: u32): X {
  if (far > 0) value += rowSum<V, I, X, Branching>(w, idx, values, 0, far);
  for (let k = <usize>far; k < <usize>count; k++)
    value += <X>load<V>(values + (k << alignof<V>())) * load<X>(w + ((<usize>load<I>(idx + (k << alignof<I>()))) << alignof<X>()));
  return value;
}

function backwardRows<V, I, X>(header: SlicesHeader, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  for (let row = end; row-- > begin; ) {
    const at = (<usize>row) << alignof<X>();
    const w = workFrom<I, X>(header, word(header.upperBase, row));
    const k = <usize>load<u32>(word(header.upperPtr, row));
    const count = load<u32>(word(header.upperPtr, row), 4) - <u32>k;
    const far = count >= 2 * NEAR ? (count - NEAR) & ~(NEAR - 1) : 0;
    const idx = header.upperIdx + (k << alignof<I>());
    const values = header.upper + (k << alignof<V>());
    const value = plusRow<V, I, X>(w, idx, values, load<X>(header.work + at), count, far);
    store<X>(header.work + at, value);
    put<X>(elementOf<X>(header, y, row), value * load<X>(header.after + at), alpha, beta);
  }
}
