/**
 * Slices that are groups (`slices.ts`): up to four consecutive rows with the same columns outside of the group, such as the unknowns of a
 * node. A step is one column and four values, so an element of w is read once for all rows. After the steps come three more values for
 * each row: those of the entries within the group, whose rows are solved one after the other.
 *
 * Layout: `src/preconditioners/triangular/groups.ts`. Two sums for each row, as one would wait for itself. The steps of both passes are written out: a
 * function returns one vector, so it could not give back the sums of four rows.
 */
import { SLICE_LANES, SlicesHeader } from '../../build/headers';
import { madd32, madd64, values32, values64 } from '../lanes';
import { Operands } from '../operands';
import { word } from '../word';
import { backwardPieces, forwardPieces, gatherRows32, gatherRows64, putRows32, putRows64, workFrom } from './slices';

/** Steps within a group. */
const INNER: u32 = SLICE_LANES - 1;

@unmanaged
export class GroupSlices extends SlicesHeader {
  forward<V, I, X>(x: usize, begin: u32, end: u32): void {
    for (let group = begin; group < end; group++) {
      const lanes = (<usize>group) << (2 + alignof<X>());
      const order = word(this.order, group << 2);
      const ptr = word(this.lowerPtr, group);
      const step = <usize>load<u32>(ptr);
      const last = this.lowerIdx + ((<usize>load<u32>(ptr, 4)) << alignof<I>());
      const w = workFrom<I, X>(this, word(this.lowerBase, group));
      let idx = this.lowerIdx + (step << alignof<I>());
      let values = this.lower + ((step + <usize>(INNER * group)) << (2 + alignof<V>()));
      const before = this.before + lanes;
      const to = this.work + lanes;
      if (sizeof<X>() === 4) {
        let sums = f32x4.mul(v128.load(before), gatherRows32(x, order));
        let more = f32x4.splat(0);
        for (; idx + sizeof<I>() < last; idx += sizeof<I>() << 1, values += sizeof<V>() << 3) {
          sums = madd32(sums, values32<V>(values, 0, 0), splat32<I>(w, idx));
          more = madd32(more, values32<V>(values, 0, 4), splat32<I>(w, idx + sizeof<I>()));
        }
        if (idx < last) {
          sums = madd32(sums, values32<V>(values, 0, 0), splat32<I>(w, idx));
          values += sizeof<V>() << 2;
        }
        sums = f32x4.add(sums, more);
        sums = madd32(sums, values32<V>(values, 0, 0), v128.shuffle<f32>(sums, sums, 0, 0, 0, 0));
        sums = madd32(sums, values32<V>(values, 0, 4), v128.shuffle<f32>(sums, sums, 1, 1, 1, 1));
        sums = madd32(sums, values32<V>(values, 0, 8), v128.shuffle<f32>(sums, sums, 2, 2, 2, 2));
        v128.store(to, sums);
      } else {
        let sums0 = f64x2.mul(v128.load(before), gatherRows64(x, order));
        let sums1 = f64x2.mul(v128.load(before, 16), gatherRows64(x, order + 8));
        let more0 = f64x2.splat(0);
        let more1 = f64x2.splat(0);
        for (; idx + sizeof<I>() < last; idx += sizeof<I>() << 1, values += sizeof<V>() << 3) {
          const element = splat64<I>(w, idx);
          sums0 = madd64(sums0, values64<V>(values, 0, 0), element);
          sums1 = madd64(sums1, values64<V>(values, 0, 2), element);
          const next = splat64<I>(w, idx + sizeof<I>());
          more0 = madd64(more0, values64<V>(values, 0, 4), next);
          more1 = madd64(more1, values64<V>(values, 0, 6), next);
        }
        if (idx < last) {
          const element = splat64<I>(w, idx);
          sums0 = madd64(sums0, values64<V>(values, 0, 0), element);
          sums1 = madd64(sums1, values64<V>(values, 0, 2), element);
          values += sizeof<V>() << 2;
        }
        sums0 = f64x2.add(sums0, more0);
        sums1 = f64x2.add(sums1, more1);
        let solved = v128.shuffle<f64>(sums0, sums0, 0, 0);
        sums0 = madd64(sums0, values64<V>(values, 0, 0), solved);
        sums1 = madd64(sums1, values64<V>(values, 0, 2), solved);
        solved = v128.shuffle<f64>(sums0, sums0, 1, 1);
        sums1 = madd64(sums1, values64<V>(values, 0, 6), solved);
        solved = v128.shuffle<f64>(sums1, sums1, 0, 0);
        sums1 = madd64(sums1, values64<V>(values, 0, 10), solved);
        v128.store(to, sums0);
        v128.store(to, sums1, 16);
      }
    }
  }

  /** The last row of a group is solved first; the values within it are those of the columns 3, 2, 1. */
  backward<V, I, X>(y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
    for (let group = end; group-- > begin; ) {
      const lanes = (<usize>group) << (2 + alignof<X>());
      const order = word(this.order, group << 2);
      const ptr = word(this.upperPtr, group);
      const step = <usize>load<u32>(ptr, 4);
      const last = this.upperIdx - ((<usize>load<u32>(ptr)) << alignof<I>());
      const w = workFrom<I, X>(this, word(this.upperBase, group));
      let idx = this.upperIdx - (step << alignof<I>());
      let values = this.upper - ((step + <usize>(INNER * (group + 1))) << (2 + alignof<V>()));
      const after = this.after + lanes;
      const own = this.work + lanes;
      if (sizeof<X>() === 4) {
        let sums = v128.load(own);
        let more = f32x4.splat(0);
        for (; idx + sizeof<I>() < last; idx += sizeof<I>() << 1, values += sizeof<V>() << 3) {
          sums = madd32(sums, values32<V>(values, 0, 0), splat32<I>(w, idx));
          more = madd32(more, values32<V>(values, 0, 4), splat32<I>(w, idx + sizeof<I>()));
        }
        if (idx < last) {
          sums = madd32(sums, values32<V>(values, 0, 0), splat32<I>(w, idx));
          values += sizeof<V>() << 2;
        }
        sums = f32x4.add(sums, more);
        sums = madd32(sums, values32<V>(values, 0, 0), v128.shuffle<f32>(sums, sums, 3, 3, 3, 3));
        sums = madd32(sums, values32<V>(values, 0, 4), v128.shuffle<f32>(sums, sums, 2, 2, 2, 2));
        sums = madd32(sums, values32<V>(values, 0, 8), v128.shuffle<f32>(sums, sums, 1, 1, 1, 1));
        v128.store(own, sums);
        putRows32(y, order, f32x4.mul(sums, v128.load(after)), <f32>alpha, <f32>beta);
      } else {
        let sums0 = v128.load(own);
        let sums1 = v128.load(own, 16);
        let more0 = f64x2.splat(0);
        let more1 = f64x2.splat(0);
        for (; idx + sizeof<I>() < last; idx += sizeof<I>() << 1, values += sizeof<V>() << 3) {
          const element = splat64<I>(w, idx);
          sums0 = madd64(sums0, values64<V>(values, 0, 0), element);
          sums1 = madd64(sums1, values64<V>(values, 0, 2), element);
          const next = splat64<I>(w, idx + sizeof<I>());
          more0 = madd64(more0, values64<V>(values, 0, 4), next);
          more1 = madd64(more1, values64<V>(values, 0, 6), next);
        }
        if (idx < last) {
          const element = splat64<I>(w, idx);
          sums0 = madd64(sums0, values64<V>(values, 0, 0), element);
          sums1 = madd64(sums1, values64<V>(values, 0, 2), element);
          values += sizeof<V>() << 2;
        }
        sums0 = f64x2.add(sums0, more0);
        sums1 = f64x2.add(sums1, more1);
        let solved = v128.shuffle<f64>(sums1, sums1, 1, 1);
        sums0 = madd64(sums0, values64<V>(values, 0, 0), solved);
        sums1 = madd64(sums1, values64<V>(values, 0, 2), solved);
        solved = v128.shuffle<f64>(sums1, sums1, 0, 0);
        sums0 = madd64(sums0, values64<V>(values, 0, 4), solved);
        sums1 = madd64(sums1, values64<V>(values, 0, 6), solved);
        solved = v128.shuffle<f64>(sums0, sums0, 1, 1);
        sums0 = madd64(sums0, values64<V>(values, 0, 8), solved);
        sums1 = madd64(sums1, values64<V>(values, 0, 10), solved);
        v128.store(own, sums0);
        v128.store(own, sums1, 16);
        const results0 = f64x2.mul(sums0, v128.load(after));
        const results1 = f64x2.mul(sums1, v128.load(after, 16));
        putRows64(y, order, results0, results1, <f64>alpha, <f64>beta);
      }
    }
  }
}

/** Both elements are the one of a column. */
@inline
function splat64<I>(w: usize, idx: usize): v128 {
  return v128.load64_splat(w + ((<usize>load<I>(idx)) << 3));
}

@inline
function splat32<I>(w: usize, idx: usize): v128 {
  return v128.load32_splat(w + ((<usize>load<I>(idx)) << 2));
}

export function groups_forward<V, I, X>(header: GroupSlices, operands: Operands, begin: u32, end: u32): void {
  forwardPieces<GroupSlices, V, I, X>(header, operands, begin, end);
}

export function groups_backward<V, I, X>(header: GroupSlices, operands: Operands, begin: u32, end: u32): void {
  backwardPieces<GroupSlices, V, I, X>(header, operands, begin, end);
}
