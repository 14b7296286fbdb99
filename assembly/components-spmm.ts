/** Block products of components: Y ← α A X + β Y over the slices of rows [begin, end), piece by piece. */
import { allPasses, blockRow, xStride, yStride } from './block-row';
import { ROW_SUM, rowSumBody } from './branches';
import { COMPONENTS, ComponentsHeader } from './components';
import { Coded, Ones, valueShift } from './lanes';
import { Operands } from './operands';

@unmanaged
class ComponentsBlocks extends ComponentsHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    for (let slice = begin; slice < end; slice++) {
      const row = slice * this.sliceRows;
      const rows = min(this.sliceRows, this.rows - row);
      const y = operands.y + <usize>row * yStride<X>(operands) + offset;
      scaleRows<X, W>(y, rows, yStride<X>(operands), <X>operands.beta);
      this.pieces<V, I, X, W>(operands, operands.x + offset, y, slice);
    }
  }

  /** Adds the components of one slice, widest first, to its rows, which begin at y. */
  private pieces<V, I, X, W>(operands: Operands, x: usize, y: usize, slice: u32): void {
    const stride = xStride<X>(operands);
    const toNext = yStride<X>(operands);
    const alpha = <X>operands.alpha;
    const table = this.table;
    const entry = <usize>load<u32>(this.entryPtr + ((<usize>slice) << 2));
    let cols = this.colIdx + (entry << 2);
    let values = this.values + (entry << valueShift<V>());
    let ptr = this.piecePtr + ((<usize>(slice * COMPONENTS)) << 2);
    let row = this.rowIdx + ((<usize>load<u32>(ptr)) << 1);
    for (let shift: u32 = COMPONENTS; shift-- > 0; ) {
      ptr += 4;
      const width: u32 = 1 << shift;
      // The sum of the narrowest pieces begins with their product, not with 0.
      const zero = v128.splat<X>(width * sizeof<X>() <= 8 ? -0.0 : 0);
      for (const end = this.rowIdx + ((<usize>load<u32>(ptr)) << 1); row < end; row += 2) {
        const at = y + <usize>load<u16>(row) * toNext;
        blockRow<V, I, X, W>(
          ROW_SUM,
          x,
          stride,
          at,
          cols,
          4,
          1,
          width,
          rowSumBody<X>(width),
          values,
          table,
          1 << valueShift<V>(),
          zero,
          alpha,
          1,
        );
        cols += (<usize>width) << 2;
        values += (<usize>width) << valueShift<V>();
      }
    }
  }
}

/** y ← β y in the columns of a pass; β = 0 overwrites, NaN included. */
function scaleRows<X, W>(y: usize, rows: u32, toNext: usize, beta: X): void {
  if (beta === <X>1) return;
  const bytes = sizeof<W>() << 4;
  for (; rows > 0; rows--, y += toNext) {
    if (beta === <X>0) memory.fill(y, 0, bytes);
    else for (let at = y; at < y + bytes; at += 16) v128.store(at, v128.mul<X>(v128.splat<X>(beta), v128.load(at)));
  }
}

export function components_spmm_f64(header: ComponentsBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<ComponentsBlocks, f64, u32, f64>(header, operands, begin, end);
}

export function components_spmm_mixed(header: ComponentsBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<ComponentsBlocks, f32, u32, f64>(header, operands, begin, end);
}

export function components_spmm_f32(header: ComponentsBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<ComponentsBlocks, f32, u32, f32>(header, operands, begin, end);
}

export function components_table_spmm_f64(header: ComponentsBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<ComponentsBlocks, Coded, u32, f64>(header, operands, begin, end);
}

export function components_table_spmm_f32(header: ComponentsBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<ComponentsBlocks, Coded, u32, f32>(header, operands, begin, end);
}

export function components_pattern_spmm_f64(header: ComponentsBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<ComponentsBlocks, Ones, u32, f64>(header, operands, begin, end);
}

export function components_pattern_spmm_f32(header: ComponentsBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<ComponentsBlocks, Ones, u32, f32>(header, operands, begin, end);
}
