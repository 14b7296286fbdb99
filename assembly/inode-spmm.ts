/** Block products of rows grouped by equal columns: Y ← α A X + β Y over the groups [begin, end), row by row. */
import { allPasses, blockRow, xStride, yStride } from './block-row';
import { ROW_SUM, rowSumBody } from './branches';
import { InodeHeader } from './inode';
import { Operands } from './operands';
import { sets } from './panel';

@unmanaged
class InodeBlocks extends InodeHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    const x = operands.x + offset;
    const stride = xStride<X>(operands);
    const toNext = yStride<X>(operands);
    const alpha = <X>operands.alpha;
    const beta = <X>operands.beta;
    const zero = v128.splat<X>(0);
    const groupPtr = this.groupPtr;
    for (let group = begin; group < end; group++) {
      const row = load<u32>(groupPtr + ((<usize>group) << 2));
      const height = load<u32>(groupPtr + ((<usize>group) << 2), 4) - row;
      const first = load<u32>(this.colPtr + ((<usize>group) << 2));
      const width = load<u32>(this.colPtr + ((<usize>group) << 2), 4) - first;
      const cols = this.colIdx + ((<usize>first) << 2);
      const values = this.values + ((<usize>load<u32>(this.valuePtr + ((<usize>group) << 2))) << alignof<V>());
      const tree = height === 1 ? ROW_SUM : sets<X>(height) >> 1;
      const body = height === 1 ? rowSumBody<X>(width) : width & ~3;
      let at = operands.y + <usize>row * toNext + offset;
      for (let lane: u32 = 0; lane < height; lane++) {
        const own = values + ((<usize>lane) << alignof<V>());
        const valueStep = (<usize>height) << alignof<V>();
        blockRow<V, I, X, W>(tree, x, stride, at, cols, 4, 1, width, body, own, 0, valueStep, zero, alpha, beta);
        at += toNext;
      }
    }
  }
}

export function inode_spmm_f64(header: InodeBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<InodeBlocks, f64, u32, f64>(header, operands, begin, end);
}

export function inode_spmm_mixed(header: InodeBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<InodeBlocks, f32, u32, f64>(header, operands, begin, end);
}

export function inode_spmm_f32(header: InodeBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<InodeBlocks, f32, u32, f32>(header, operands, begin, end);
}
