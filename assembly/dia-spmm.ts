/** Block products of DIA: Y ← α A X + β Y over the chunks [begin, end), row by row. */
import { allPasses, blockRow, xStride, yStride } from './block-row';
import { IN_ORDER } from './branches';
import { DiaHeader, heightShift, offsetsBelow } from './dia';
import { Operands } from './operands';

@unmanaged
class DiaBlocks extends DiaHeader {
  /** A chunk stores the diagonals that pass through it; a row uses those of them that are inside the matrix. */
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    const stride = xStride<X>(operands);
    const toNext = yStride<X>(operands);
    const alpha = <X>operands.alpha;
    const beta = <X>operands.beta;
    const zero = v128.splat<X>(0);
    const height: u32 = 1 << (<u32>heightShift<X>());
    const valueStep = (<usize>height) << alignof<V>();
    for (let chunk = begin; chunk < end; chunk++) {
      const isInside = chunk >= this.insideBegin && chunk < this.insideEnd;
      const data = this.data + <usize>load<u32>(this.chunkPtr + ((<usize>chunk) << 2)) * valueStep;
      const firstRow = chunk * height;
      const stored = isInside ? 0 : offsetsBelow(this, 1 - <i32>height - <i32>firstRow);
      const last = min(this.rows, firstRow + height);
      for (let row = firstRow; row < last; row++) {
        const first = isInside ? 0 : offsetsBelow(this, -(<i32>row));
        const width = (isInside ? this.diagonals : offsetsBelow(this, <i32>this.cols - <i32>row)) - first;
        // An offset times the stride wraps around: the offset may be negative.
        const x = operands.x + offset + <usize>row * stride;
        const at = operands.y + offset + <usize>row * toNext;
        const offsets = this.offsets + ((<usize>first) << 2);
        const values = data + <usize>(first - stored) * valueStep + ((<usize>(row - firstRow)) << alignof<V>());
        blockRow<V, I, X, W>(IN_ORDER, x, stride, at, offsets, 4, 1, width, width, values, 0, valueStep, zero, alpha, beta);
      }
    }
  }
}

export function dia_spmm_f64(header: DiaBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<DiaBlocks, f64, u32, f64>(header, operands, begin, end);
}

export function dia_spmm_mixed(header: DiaBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<DiaBlocks, f32, u32, f64>(header, operands, begin, end);
}

export function dia_spmm_f32(header: DiaBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<DiaBlocks, f32, u32, f32>(header, operands, begin, end);
}
