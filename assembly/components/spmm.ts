/** Block products of components: Y ← α A X + β Y over the slices of rows [begin, end), piece by piece. */
import { COMPONENTS, ComponentsHeader } from '../../build/headers';
import { blockComponents, scaleRows } from '../blocks/pieces';
import { allPasses, xStride, yStride } from '../blocks/row';
import { valueShift } from '../lanes';
import { Operands } from '../operands';
import { word } from '../word';

@unmanaged
export class ComponentsBlocks extends ComponentsHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    const toNext = yStride<X>(operands);
    for (let slice = begin; slice < end; slice++) {
      const row = slice * this.sliceRows;
      const y = operands.y + <usize>row * toNext + offset;
      scaleRows<X>(sizeof<W>(), y, min(this.sliceRows, this.rows - row), toNext, <X>operands.beta);
      const entry = <usize>load<u32>(word(this.entryPtr, slice));
      blockComponents<V, I, X>(
        false,
        sizeof<W>(),
        operands.x + offset,
        xStride<X>(operands),
        y,
        toNext,
        this.colIdx + (entry << 2),
        this.values + (entry << valueShift<V>()),
        this.table,
        this.rowIdx,
        word(this.piecePtr, slice * COMPONENTS),
        <X>operands.alpha,
      );
    }
  }
}

export function components_spmm<V, I, X>(header: ComponentsBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<ComponentsBlocks, V, I, X>(header, operands, begin, end);
}
