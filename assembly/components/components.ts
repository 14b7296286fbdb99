/**
 * Components: y ← α A x + β y over the slices of rows [begin, end). Layout: `src/formats/components/components.ts`.
 *
 * A component of a slice is a list of pieces of rows, all of one width, 32, 16, 8, 4, 2 or 1 entries. A sum of fixed length
 * is straight-line code, without a loop or a flag. Neither it nor the loop over pieces has a branch that depends on the
 * lengths of rows. Rows are summed piece by piece in y; a slice's part of y stays in L1 meanwhile.
 */
import { COMPONENTS, ComponentsHeader } from '../../build/headers';
import { valueShift } from '../lanes';
import { Operands } from '../operands';
import { components } from '../pieces';
import { scale } from '../scale';
import { word } from '../word';

export function components_spmv<V, X>(header: ComponentsHeader, operands: Operands, begin: u32, end: u32): void {
  slices<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

function slices<V, X>(header: ComponentsHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const sliceRows = header.sliceRows;
  const rows = header.rows;
  for (let slice = begin; slice < end; slice++) {
    const row = slice * sliceRows;
    const sliceY = y + ((<usize>row) << alignof<X>());
    scale<X>(sliceY, min(sliceRows, rows - row), beta);
    const entry = <usize>load<u32>(word(header.entryPtr, slice));
    const colIdx = header.colIdx + (entry << 2);
    const values = header.values + (entry << valueShift<V>());
    const ptr = word(header.piecePtr, slice * COMPONENTS);
    components<V, u32, X>(COMPONENTS, x, sliceY, colIdx, values, header.table, header.rowIdx, ptr, alpha);
  }
}
