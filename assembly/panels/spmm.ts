/**
 * Block products of column panels: Y ← α A X + β Y over the slices of rows [begin, end), tile by tile, so that the rows of X that a tile reads stay in a cache for all
 * rows of the slice.
 */
import { PanelsHeader } from '../../build/headers';
import { blockComponents, scaleRows } from '../blocks/pieces';
import { allPasses, blockRow, xStride, yStride } from '../blocks/row';
import { valueShift } from '../lanes';
import { Operands } from '../operands';
import { word } from '../word';
import { COMPONENTS, RUN_SHIFT } from './panels';

@unmanaged
export class PanelsBlocks extends PanelsHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    const toNext = yStride<X>(operands);
    const toNextPanel = <usize>this.panelCols * xStride<X>(operands);
    for (let slice = begin; slice < end; slice++) {
      const row = slice * this.sliceRows;
      const y = operands.y + <usize>row * toNext + offset;
      scaleRows<X, W>(y, min(this.sliceRows, this.rows - row), toNext, <X>operands.beta);
      const first = slice * this.panels;
      let x = operands.x + offset;
      for (let tile = first; tile < first + this.panels; tile++, x += toNextPanel) this.addTile<V, X, W>(operands, x, y, tile);
    }
  }

  /** Adds the components of one tile. x points at the row of the panel's first column, y at the slice's first row. */
  private addTile<V, X, W>(operands: Operands, x: usize, y: usize, tile: u32): void {
    const stride = xStride<X>(operands);
    const toNext = yStride<X>(operands);
    const alpha = <X>operands.alpha;
    const table = this.table;
    const rowIdx = this.rowIdx;
    const entry = <usize>load<u32>(word(this.entryPtr, tile));
    let colIdx = this.colIdx + (entry << 1);
    let values = this.values + (entry << valueShift<V>());
    const ptr = word(this.piecePtr, tile * COMPONENTS);
    let row = rowIdx + ((<usize>load<u32>(ptr)) << 1);
    for (const end = rowIdx + ((<usize>load<u32>(ptr, 4)) << 1); row < end; row += 4) {
      const entries = (<u32>load<u16>(row, 2)) << RUN_SHIFT;
      const at = y + <usize>load<u16>(row) * toNext;
      blockRow<V, u16, X, W>(x, stride, at, colIdx, entries, values, table, alpha, 1);
      colIdx += (<usize>entries) << 1;
      values += (<usize>entries) << valueShift<V>();
    }
    blockComponents<V, u16, X, W>(COMPONENTS - 1, x, stride, y, toNext, colIdx, values, table, rowIdx, ptr + 4, alpha);
  }
}

export function panels_spmm<V, I, X>(header: PanelsBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<PanelsBlocks, V, I, X>(header, operands, begin, end);
}
