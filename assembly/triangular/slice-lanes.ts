/**
 * Slices of four rows (`slices.ts`), which do not need each other: they are lanes of vector registers, and the chain of rows that wait for
 * each other has one link a slice, not one a row. Layout: `src/preconditioners/triangular/slices.ts`.
 */
import { SlicesHeader } from '../../build/headers';
import { gather32, gather64, madd32, madd64, values32, values64 } from '../lanes';
import { Operands } from '../operands';
import { word } from '../word';
import { backwardPieces, forwardPieces, gatherRows32, gatherRows64, putRows32, putRows64, workFrom } from './slices';

@unmanaged
export class LaneSlices extends SlicesHeader {
  forward<V, I, X>(x: usize, begin: u32, end: u32): void {
    let order = word(this.order, begin << 2);
    let before = this.before + ((<usize>begin) << (2 + alignof<X>()));
    let to = this.work + ((<usize>begin) << (2 + alignof<X>()));
    let ptr = word(this.lowerPtr, begin);
    let base = word(this.lowerBase, begin);
    const step = <usize>load<u32>(ptr);
    let idx = this.lowerIdx + (step << (2 + alignof<I>()));
    let values = this.lower + (step << (2 + alignof<V>()));
    for (let slice = begin; slice < end; slice++) {
      const steps = <usize>load<u32>(ptr, 4) - <usize>load<u32>(ptr);
      const w = workFrom<I, X>(this, base);
      const lastIdx = idx + (steps << (2 + alignof<I>()));
      if (sizeof<X>() === 4) {
        let sums = f32x4.mul(v128.load(before), gatherRows32(x, order));
        for (; idx < lastIdx; idx += sizeof<I>() << 2, values += sizeof<V>() << 2)
          sums = madd32(sums, values32<V>(values, 0, 0), gather32<I>(w, idx, 0));
        v128.store(to, sums);
      } else {
        let sums0 = f64x2.mul(v128.load(before), gatherRows64(x, order));
        let sums1 = f64x2.mul(v128.load(before, 16), gatherRows64(x, order + 8));
        for (; idx < lastIdx; idx += sizeof<I>() << 2, values += sizeof<V>() << 2) {
          sums0 = madd64(sums0, values64<V>(values, 0, 0), gather64<I>(w, idx, 0));
          sums1 = madd64(sums1, values64<V>(values, 0, 2), gather64<I>(w, idx, 2));
        }
        v128.store(to, sums0);
        v128.store(to, sums1, 16);
      }
      order += 16;
      before += sizeof<X>() << 2;
      to += sizeof<X>() << 2;
      ptr += 4;
      base += 4;
    }
  }

  backward<V, I, X>(y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
    const step = <usize>load<u32>(word(this.upperPtr, end));
    let idx = this.upperIdx - (step << (2 + alignof<I>()));
    let values = this.upper - (step << (2 + alignof<V>()));
    for (let slice = end; slice-- > begin; ) {
      const ptr = word(this.upperPtr, slice);
      const steps = <usize>load<u32>(ptr, 4) - <usize>load<u32>(ptr);
      const w = workFrom<I, X>(this, word(this.upperBase, slice));
      const lanes = (<usize>slice) << (2 + alignof<X>());
      const own = this.work + lanes;
      const after = this.after + lanes;
      const order = word(this.order, slice << 2);
      const lastIdx = idx + (steps << (2 + alignof<I>()));
      if (sizeof<X>() === 4) {
        let sums = v128.load(own);
        for (; idx < lastIdx; idx += sizeof<I>() << 2, values += sizeof<V>() << 2)
          sums = madd32(sums, values32<V>(values, 0, 0), gather32<I>(w, idx, 0));
        v128.store(own, sums);
        putRows32(y, order, f32x4.mul(sums, v128.load(after)), <f32>alpha, <f32>beta);
      } else {
        let sums0 = v128.load(own);
        let sums1 = v128.load(own, 16);
        for (; idx < lastIdx; idx += sizeof<I>() << 2, values += sizeof<V>() << 2) {
          sums0 = madd64(sums0, values64<V>(values, 0, 0), gather64<I>(w, idx, 0));
          sums1 = madd64(sums1, values64<V>(values, 0, 2), gather64<I>(w, idx, 2));
        }
        v128.store(own, sums0);
        v128.store(own, sums1, 16);
        const results0 = f64x2.mul(sums0, v128.load(after));
        const results1 = f64x2.mul(sums1, v128.load(after, 16));
        putRows64(y, order, results0, results1, <f64>alpha, <f64>beta);
      }
    }
  }
}

export function slices_forward<V, I, X>(header: LaneSlices, operands: Operands, begin: u32, end: u32): void {
  forwardPieces<LaneSlices, V, I, X>(header, operands, begin, end);
}

export function slices_backward<V, I, X>(header: LaneSlices, operands: Operands, begin: u32, end: u32): void {
  backwardPieces<LaneSlices, V, I, X>(header, operands, begin, end);
}
