/** Block products of BSR, for every size of blocks: Y ← α A X + β Y over the panels [begin, end), row by row. */
import { Adjacent, allPasses, blockRow, xStride, yStride } from './block-row';
import { ROW_SUM, rowSumBody } from './branches';
import { BsrHeader } from './bsr';
import { Operands } from './operands';
import { sets } from './panel';

@unmanaged
class BsrBlocks extends BsrHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    const x = operands.x + offset;
    const stride = xStride<X>(operands);
    const toNext = yStride<X>(operands);
    const alpha = <X>operands.alpha;
    const beta = <X>operands.beta;
    const zero = v128.splat<X>(0);
    const b = this.blockSize;
    for (let unit = begin; unit < end; unit++) {
      const place = unit / this.panels;
      const panel = unit % this.panels;
      const top = (panel * b) / this.panels;
      const height = ((panel + 1) * b) / this.panels - top;
      const ptr = this.blockRowPtr + ((<usize>place) << 2);
      const first = load<u32>(ptr);
      const blocks = load<u32>(ptr, 4) - first;
      const cols = this.blockColIdx + ((<usize>first) << 2);
      const values = this.values + ((<usize>(b * (first * b + top * blocks))) << alignof<V>());
      const row = place * b + top;
      const rows = min(height, this.rows > row ? this.rows - row : 0);
      let at = operands.y + <usize>row * toNext + offset;
      for (let lane: u32 = 0; lane < rows; lane++) {
        const own = values + ((<usize>lane) << alignof<V>());
        const valueStep = (<usize>height) << alignof<V>();
        if (b === 1) {
          blockRow<V, I, X, W>(ROW_SUM, x, stride, at, cols, 4, 1, blocks, rowSumBody<X>(blocks), own, 0, valueStep, zero, alpha, beta);
        } else {
          const body = b > 8 ? b & ~3 : b;
          blockRow<V, Adjacent, X, W>(sets<X>(height) >> 1, x, stride, at, cols, 0, blocks, b, body, own, 0, valueStep, zero, alpha, beta);
        }
        at += toNext;
      }
    }
  }
}

export function bsr_spmm_f64(header: BsrBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<BsrBlocks, f64, u32, f64>(header, operands, begin, end);
}

export function bsr_spmm_mixed(header: BsrBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<BsrBlocks, f32, u32, f64>(header, operands, begin, end);
}

export function bsr_spmm_f32(header: BsrBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<BsrBlocks, f32, u32, f32>(header, operands, begin, end);
}
