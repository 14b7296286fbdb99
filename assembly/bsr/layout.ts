/** The loops of a conversion to BSR; their TypeScript, which defines them, is `src/formats/bsr/loops.ts`. */
import { CountBlocksHeader, PANEL_ROWS, PlaceBlocksHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

/** No column is as great. */
const NO_COLUMN: u32 = 0xffff_ffff;

/** Units: block rows. */
export function bsr_count(header: CountBlocksHeader, operands: Operands, begin: u32, end: u32): void {
  const b = header.blockSize;
  for (let i = begin; i < end; i++) {
    const row = i * b;
    const after = min(row + b, header.rows);
    const rowPtr = word(header.rowPtr, row);
    const cursors = word(header.cursors, row);
    const bytes = (<usize>(after - row)) << 2;
    let least = NO_COLUMN;
    for (let r: usize = 0; r < bytes; r += 4) {
      const k = load<u32>(rowPtr + r);
      store<u32>(cursors + r, k);
      if (k < load<u32>(rowPtr + r, 4)) least = min(least, load<u32>(word(header.colIdx, k)));
    }
    let count: u32 = 0;
    while (least !== NO_COLUMN) {
      const limit = least - (least % b) + b;
      least = NO_COLUMN;
      for (let r: usize = 0; r < bytes; r += 4) {
        const rowEnd = load<u32>(rowPtr + r, 4);
        let k = load<u32>(cursors + r);
        // Columns ascend: if the b-th entry from here has the block's last column, the b entries are all its columns.
        if (k + b <= rowEnd && load<u32>(word(header.colIdx, k + b) - 4) === limit - 1) k += b;
        else while (k < rowEnd && load<u32>(word(header.colIdx, k)) < limit) k++;
        store<u32>(cursors + r, k);
        if (k < rowEnd) least = min(least, load<u32>(word(header.colIdx, k)));
      }
      count++;
    }
    store<u32>(word(header.counts, i), count);
  }
}

/** Values of type S are stored as V. Units: block rows. */
export function bsr_place<S, V>(header: PlaceBlocksHeader, operands: Operands, begin: u32, end: u32): void {
  const b = header.blockSize;
  for (let i = begin; i < end; i++) {
    const row = i * b;
    const after = min(row + b, header.rows);
    for (let r = row; r < after; r++) store<u32>(word(header.cursors, r), load<u32>(word(header.rowPtr, r)));
    const isCut = header.segPtr !== 0;
    const last = isCut ? load<u32>(word(header.segPtr, i), 4) : i + 1;
    for (let s = isCut ? load<u32>(word(header.segPtr, i)) : i; s < last; s++) {
      if (header.isFull !== 0) placeFull<S, V>(header, row, s);
      else placeSegment<S, V>(header, row, after, s);
    }
  }
}

/** The panels of a block row, as in `assembly/panels/panels.ts`. */
@inline
function panelTop(b: u32, panels: u32, panel: u32): u32 {
  return (panel * b) / panels;
}

/** Columns need no check: a row has all columns of its blocks, in their order. */
function placeFull<S, V>(header: PlaceBlocksHeader, row: u32, segment: u32): void {
  const b = header.blockSize;
  const first = load<u32>(word(header.blockRowPtr, segment));
  const count = load<u32>(word(header.blockRowPtr, segment), 4) - first;
  let column = word(header.colIdx, load<u32>(word(header.cursors, row)));
  for (let n = first; n < first + count; n++, column += (<usize>b) << 2) store<u32>(word(header.blockColIdx, n), load<u32>(column));
  const panels = (b + PANEL_ROWS - 1) / PANEL_ROWS;
  for (let panel: u32 = 0; panel < panels; panel++) {
    const top = panelTop(b, panels, panel);
    const bottom = panelTop(b, panels, panel + 1);
    const step = (<usize>(bottom - top)) << alignof<V>();
    const panelAt = header.blocks + ((<usize>(b * (b * first + top * count))) << alignof<V>());
    for (let r = top; r < bottom; r++) {
      const cursor = word(header.cursors, row + r);
      const k = load<u32>(cursor);
      let to = panelAt + ((<usize>(r - top)) << alignof<V>());
      let from = header.values + ((<usize>k) << alignof<S>());
      for (const last = from + ((<usize>(b * count)) << alignof<S>()); from < last; from += sizeof<S>(), to += step)
        store<V>(to, <V>load<S>(from));
      store<u32>(cursor, k + b * count);
    }
  }
}

function placeSegment<S, V>(header: PlaceBlocksHeader, row: u32, after: u32, segment: u32): void {
  const b = header.blockSize;
  const first = load<u32>(word(header.blockRowPtr, segment));
  const count = load<u32>(word(header.blockRowPtr, segment), 4) - first;
  const panels = (b + PANEL_ROWS - 1) / PANEL_ROWS;
  for (let n: u32 = 0; n < count; n++) {
    const least = leastColumn(header, row, after);
    const firstColumn = min(least - (least % b) + b, header.cols) - b;
    store<u32>(word(header.blockColIdx, first + n), firstColumn);
    for (let panel: u32 = 0; panel < panels; panel++) {
      const top = panelTop(b, panels, panel);
      const height = panelTop(b, panels, panel + 1) - top;
      for (let r: u32 = 0; r < height; r++)
        placeRow<S, V>(header, row + top + r, after, firstColumn, b * (b * first + top * count + height * n) + r, height);
    }
  }
}

/** Writes a row of a block, from place `to` on, each `step` places. */
function placeRow<S, V>(header: PlaceBlocksHeader, row: u32, after: u32, firstColumn: u32, to: u32, step: u32): void {
  const isInside = row < after;
  const cursor = word(header.cursors, row);
  const rowEnd = isInside ? load<u32>(word(header.rowPtr, row), 4) : 0;
  let k = isInside ? load<u32>(cursor) : 0;
  for (let c = firstColumn, end = firstColumn + header.blockSize; c < end; c++, to += step) {
    const at = header.blocks + ((<usize>to) << alignof<V>());
    if (k >= rowEnd || load<u32>(word(header.colIdx, k)) !== c) {
      store<V>(at, 0);
      continue;
    }
    const value = <V>load<S>(header.values + ((<usize>k) << alignof<S>()));
    k++;
    store<V>(at, value);
    if (value !== 0) continue;
    const zero = atomic.add<u32>(header.zeroCount, 1);
    if (zero < header.zeroRoom) store<u32>(word(header.zeros, zero), to);
  }
  if (isInside) store<u32>(cursor, k);
}

/** The least column of the next entries of some rows. */
function leastColumn(header: PlaceBlocksHeader, row: u32, after: u32): u32 {
  let least = NO_COLUMN;
  for (let r = row; r < after; r++) {
    const k = load<u32>(word(header.cursors, r));
    if (k < load<u32>(word(header.rowPtr, r), 4)) least = min(least, load<u32>(word(header.colIdx, k)));
  }
  return least;
}
