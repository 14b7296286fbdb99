/**
 * Column panels: y ← α A x + β y over the slices of rows [begin, end). Layout: `src/formats/panels/panels.ts`.
 *
 * A slice is computed panel by panel. The entries of a slice in a panel are a tile: its elements of x and y fit into a cache, so those of x are
 * read from memory once for the tile, not for each row. A row of a tile is summed as a run, its first multiple of 32 entries, and in pieces
 * of fixed length, as in `assembly/components/components.ts`.
 */
import { COMPONENTS, PanelsHeader } from '../../build/headers';
import { Branching, rowSum, valueShift } from '../lanes';
import { Operands } from '../operands';
import { components } from '../pieces';
import { scale } from '../scale';
import { word } from '../word';

/** A run has a multiple of 2 to this power of entries. */
export const RUN_SHIFT: u32 = COMPONENTS - 1;

export function panels_spmv<V, X>(header: PanelsHeader, operands: Operands, begin: u32, end: u32): void {
  slices<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

function slices<V, X>(header: PanelsHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const sliceRows = header.sliceRows;
  const panels = header.panels;
  const toNext = (<usize>header.panelCols) << alignof<X>();
  for (let slice = begin; slice < end; slice++) {
    const row = slice * sliceRows;
    const sliceY = y + ((<usize>row) << alignof<X>());
    scale<X>(sliceY, min(sliceRows, header.rows - row), beta);
    const first = slice * panels;
    let panelX = x;
    for (let tile = first; tile < first + panels; tile++, panelX += toNext) addTile<V, X>(header, panelX, sliceY, tile, alpha);
  }
}

/** Adds the components of one tile. x points at the panel's first column, y at the slice's first row. */
function addTile<V, X>(header: PanelsHeader, x: usize, y: usize, tile: u32, alpha: X): void {
  const table = header.table;
  const entry = <usize>load<u32>(word(header.entryPtr, tile));
  let colIdx = header.colIdx + (entry << 1);
  let values = header.values + (entry << valueShift<V>());
  const ptr = word(header.piecePtr, tile * COMPONENTS);
  let row = header.rowIdx + ((<usize>load<u32>(ptr)) << 1);
  for (const end = header.rowIdx + ((<usize>load<u32>(ptr, 4)) << 1); row < end; row += 4) {
    const entries = (<u32>load<u16>(row, 2)) << RUN_SHIFT;
    const at = y + ((<usize>load<u16>(row)) << alignof<X>());
    store<X>(at, load<X>(at) + alpha * rowSum<V, u16, X, Branching>(x, colIdx, values, table, entries));
    colIdx += (<usize>entries) << 1;
    values += (<usize>entries) << valueShift<V>();
  }
  components<V, u16, X>(COMPONENTS - 1, x, y, colIdx, values, table, header.rowIdx, ptr + 4, alpha);
}
