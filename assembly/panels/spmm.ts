/**
 * Block products of column panels: Y ← α A X + β Y over the slices of rows [begin, end), tile by tile, so that the rows of X that a tile reads stay in a cache for all
 * rows of the slice.
 */
import { COMPONENTS, PanelsHeader } from '../../build/headers';
import { blockComponents, scaleRows } from '../blocks/pieces';
import { allPasses, xStride, yStride } from '../blocks/row';
import { valueShift } from '../lanes';
import { Operands } from '../operands';
import { word } from '../word';

@unmanaged
export class PanelsBlocks extends PanelsHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    slices<V, I, X>(this, operands, offset, sizeof<W>(), begin, end);
  }
}

/** Computes slices for some vectors of columns. It is not inlined, so that passes share its code: a page loads 5 kB less. */
function slices<V, I, X>(header: PanelsHeader, operands: Operands, offset: usize, vectors: u32, begin: u32, end: u32): void {
  const stride = xStride<X>(operands);
  const toNext = yStride<X>(operands);
  const toNextPanel = <usize>header.panelCols * stride;
  const panels = header.panels;
  for (let slice = begin; slice < end; slice++) {
    const row = slice * header.sliceRows;
    const y = operands.y + <usize>row * toNext + offset;
    scaleRows<X>(vectors, y, min(header.sliceRows, header.rows - row), toNext, <X>operands.beta);
    const first = slice * panels;
    let x = operands.x + offset;
    for (let tile = first; tile < first + panels; tile++, x += toNextPanel) {
      const entry = <usize>load<u32>(word(header.entryPtr, tile));
      const colIdx = header.colIdx + (entry << alignof<I>());
      const values = header.values + (entry << valueShift<V>());
      const ptr = word(header.piecePtr, tile * COMPONENTS);
      blockComponents<V, I, X>(true, vectors, x, stride, y, toNext, colIdx, values, header.table, header.rowIdx, ptr, <X>operands.alpha);
    }
  }
}

export function panels_spmm<V, X>(header: PanelsBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<PanelsBlocks, V, u16, X>(header, operands, begin, end);
}
