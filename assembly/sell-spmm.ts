/** Block products of SELL: Y ← α A X + β Y over the chunks [begin, end), row by row. */
import { allPasses, blockRow, xStride, yStride } from './block-row';
import { IN_ORDER } from './branches';
import { Coded, valueShift } from './lanes';
import { Operands } from './operands';
import { SellHeader } from './sell';

@unmanaged
class SellBlocks extends SellHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    const stride = xStride<X>(operands);
    const alpha = <X>operands.alpha;
    const beta = <X>operands.beta;
    const table = this.table;
    const height = this.chunkHeight;
    const zero = v128.splat<X>(0);
    for (let chunk = begin; chunk < end; chunk++) {
      const k = load<u32>(this.chunkPtr + ((<usize>chunk) << 2));
      const width = (load<u32>(this.chunkPtr + ((<usize>chunk) << 2), 4) - k) / height;
      let x = operands.x + offset;
      if (sizeof<I>() === 2) x += <usize>load<u32>(this.chunkBase + ((<usize>chunk) << 2)) * stride;
      const lanes = min(height, this.rows - chunk * height);
      for (let lane: u32 = 0; lane < lanes; lane++) {
        const place = chunk * height + lane;
        const row = this.rowOf === 0 ? place : load<u32>(this.rowOf + ((<usize>place) << 2));
        const at = operands.y + <usize>row * yStride<X>(operands) + offset;
        const cols = this.colIdx + ((<usize>(k + lane)) << alignof<I>());
        const values = this.values + ((<usize>(k + lane)) << valueShift<V>());
        const valueStep = (<usize>height) << valueShift<V>();
        blockRow<V, I, X, W>(
          IN_ORDER,
          x,
          stride,
          at,
          cols,
          (<usize>height) << alignof<I>(),
          1,
          width,
          width,
          values,
          table,
          valueStep,
          zero,
          alpha,
          beta,
        );
      }
    }
  }
}

export function sell_spmm_f64(header: SellBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<SellBlocks, f64, u32, f64>(header, operands, begin, end);
}

export function sell_spmm_mixed(header: SellBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<SellBlocks, f32, u32, f64>(header, operands, begin, end);
}

export function sell_spmm_f32(header: SellBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<SellBlocks, f32, u32, f32>(header, operands, begin, end);
}

export function sell_table_spmm_f64(header: SellBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<SellBlocks, Coded, u32, f64>(header, operands, begin, end);
}

export function sell_table_spmm_f32(header: SellBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<SellBlocks, Coded, u32, f32>(header, operands, begin, end);
}

export function sell16_spmm_f64(header: SellBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<SellBlocks, f64, u16, f64>(header, operands, begin, end);
}

export function sell16_spmm_mixed(header: SellBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<SellBlocks, f32, u16, f64>(header, operands, begin, end);
}

export function sell16_spmm_f32(header: SellBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<SellBlocks, f32, u16, f32>(header, operands, begin, end);
}

export function sell16_table_spmm_f64(header: SellBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<SellBlocks, Coded, u16, f64>(header, operands, begin, end);
}

export function sell16_table_spmm_f32(header: SellBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<SellBlocks, Coded, u16, f32>(header, operands, begin, end);
}
