/**
 * Slices of one row (`slices.ts`), for matrices whose rows are long: the entries of a row are added in the lanes of vector registers, those
 * next to the diagonal last and one by one (`farOf`). Layout: `src/preconditioners/triangular/slices.ts`.
 */
import { SlicesHeader } from '../../build/headers';
import { Branching, put, rowSum } from '../lanes';
import { Operands } from '../operands';
import { word } from '../word';
import { backwardPieces, forwardPieces, workFrom } from './slices';
import { farOf } from './trsv';

@unmanaged
export class RowSlices extends SlicesHeader {
  forward<V, I, X>(x: usize, begin: u32, end: u32): void {
    for (let row = begin; row < end; row++) {
      const at = (<usize>row) << alignof<X>();
      const value = load<X>(elementOf<X>(this, x, row)) * load<X>(this.before + at);
      const w = workFrom<I, X>(this, word(this.lowerBase, row));
      const k = <usize>load<u32>(word(this.lowerPtr, row));
      const count = load<u32>(word(this.lowerPtr, row), 4) - <u32>k;
      const far = farOf(count);
      const idx = this.lowerIdx + (k << alignof<I>());
      const values = this.lower + (k << alignof<V>());
      store<X>(this.work + at, plusRow<V, I, X>(w, idx, values, value, count, far));
    }
  }

  backward<V, I, X>(y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
    for (let row = end; row-- > begin; ) {
      const at = (<usize>row) << alignof<X>();
      const w = workFrom<I, X>(this, word(this.upperBase, row));
      const k = <usize>load<u32>(word(this.upperPtr, row), 4);
      const count = <u32>k - load<u32>(word(this.upperPtr, row));
      const far = farOf(count);
      const idx = this.upperIdx - (k << alignof<I>());
      const values = this.upper - (k << alignof<V>());
      const value = plusRow<V, I, X>(w, idx, values, load<X>(this.work + at), count, far);
      store<X>(this.work + at, value);
      put<X>(elementOf<X>(this, y, row), value * load<X>(this.after + at), alpha, beta);
    }
  }
}

/** The element of x or y of a row. */
@inline
function elementOf<X>(header: SlicesHeader, vector: usize, row: u32): usize {
  return vector + ((<usize>load<u32>(word(header.order, row))) << alignof<X>());
}

/** value + the row times w; the first `far` entries in lanes. */
@inline
function plusRow<V, I, X>(w: usize, idx: usize, values: usize, value: X, count: u32, far: u32): X {
  if (far > 0) value += rowSum<V, I, X, Branching>(w, idx, values, 0, far);
  for (let k = <usize>far; k < <usize>count; k++)
    value += <X>load<V>(values + (k << alignof<V>())) * load<X>(w + ((<usize>load<I>(idx + (k << alignof<I>()))) << alignof<X>()));
  return value;
}

export function rows_forward<V, I, X>(header: RowSlices, operands: Operands, begin: u32, end: u32): void {
  forwardPieces<RowSlices, V, I, X>(header, operands, begin, end);
}

export function rows_backward<V, I, X>(header: RowSlices, operands: Operands, begin: u32, end: u32): void {
  backwardPieces<RowSlices, V, I, X>(header, operands, begin, end);
}
