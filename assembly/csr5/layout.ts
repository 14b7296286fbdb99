/** The loops that cut entries into the tiles of CSR5; their TypeScript, which defines them, is `src/formats/csr5/tile-loops.ts`. */
import { CountEndsHeader, EMPTY_ROWS, FLAGS, MarkEndsHeader, SEG_OFFSET, TransposeTilesHeader, Y_OFFSET } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

/** Units: tiles, then the tail. */
export function csr5_mark(header: MarkEndsHeader, operands: Operands, begin: u32, end: u32): void {
  const rows = header.rows;
  const sigma = header.sigma;
  const size = header.omega * sigma;
  const tail = header.nnz / size;
  let row = rowOf(header.rowPtr, rows, begin * size);
  for (let tile = begin; tile < end; tile++) {
    const first = tile * size;
    const last = min(first + size, header.nnz);
    // Rows that end before the tile, and empty ones.
    while (row < rows && load<u32>(word(header.rowPtr, row), 4) <= first) row++;
    const words = word(header.tileDesc, header.omega * tile);
    memory.fill(words, 0, (<usize>header.omega) << 2);
    let start = row;
    let expected = row; // the row that ends next, if no row of the tile is empty
    for (; row < rows; row++) {
      const rowEnd = load<u32>(word(header.rowPtr, row), 4);
      if (rowEnd > last) break;
      if (rowEnd === load<u32>(word(header.rowPtr, row))) continue;
      if (row !== expected) start |= EMPTY_ROWS;
      expected = row + 1;
      const place = rowEnd - 1 - first;
      const lane = tile === tail ? place >>> 4 : place / sigma;
      const bit = tile === tail ? place & 15 : place % sigma;
      store<u32>(word(words, lane), load<u32>(word(words, lane)) | (1 << bit));
    }
    store<u32>(word(header.tilePtr, tile), start);
  }
}

/** The row of entry k; `rows` behind the last entry. */
function rowOf(rowPtr: usize, rows: u32, k: u32): u32 {
  let low: u32 = 0;
  for (let high = rows; low < high; ) {
    const middle = low + ((high - low) >>> 1);
    if (load<u32>(word(rowPtr, middle), 4) <= k) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Units: tiles, then the tail. */
export function csr5_count(header: CountEndsHeader, operands: Operands, begin: u32, end: u32): void {
  const bytes = (<usize>header.omega) << 2;
  for (let tile = begin; tile < end; tile++) {
    const first = word(header.tileDesc, header.omega * tile);
    let ended: u32 = 0;
    for (let at = first; at < first + bytes; at += 4) {
      const flags = load<u32>(at);
      store<u32>(at, flags | (ended << Y_OFFSET));
      ended += popcnt<u32>(flags);
    }
    let open: u32 = 0;
    for (let at = first + bytes; at > first; at -= 4) {
      const lane = load<u32>(at - 4);
      store<u32>(at - 4, lane | (open << SEG_OFFSET));
      open = (lane & FLAGS) === 0 ? open + 1 : 0;
    }
  }
}

/** Values of type S are stored as V. Units: full tiles. */
export function csr5_transpose<S, V>(header: TransposeTilesHeader, operands: Operands, begin: u32, end: u32): void {
  const omega = header.omega;
  const sigma = header.sigma;
  const size = omega * sigma;
  for (let tile = begin * size; tile < end * size; tile += size) {
    let to = tile;
    for (let step: u32 = 0; step < sigma; step++) {
      for (let from = tile + step; from < tile + size; from += sigma, to++) {
        store<u32>(word(header.colIdx, to), load<u32>(word(header.columns, from)));
        const value = load<S>(header.reals + ((<usize>from) << alignof<S>()));
        store<V>(header.values + ((<usize>to) << alignof<V>()), <V>value);
      }
    }
  }
}
