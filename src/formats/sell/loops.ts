/** The loop of a conversion to chunks; `stored-chunks.ts` defines the layout. */
import { entriesOfRows, kernelOfCopy, type Loop } from '../layout/loop.js';
import type { StoredValues } from '../layout/values.js';

export const PLACE_CHUNKS_HEADER = {
  rows: 'u32',
  chunkHeight: 'u32',
  /** The value of padding: 0, or its code. */
  zero: 'u32',
  rowPtr: 'usize',
  columns: 'usize',
  entries: 'usize',
  /** Of an element of `rowLength`: 1, 2 or 4. */
  lengthBytes: 'u32',
  rowLength: 'usize',
  rowOf: 'usize',
  chunkBase: 'usize',
  chunkPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
} as const;

type PlaceChunks = {
  readonly rows: number;
  readonly chunkHeight: number;
  /** The value of padding. */
  readonly zero: number;
  /** The matrix, its values perhaps encoded. */
  readonly rowPtr: Uint32Array;
  readonly columns: Uint32Array;
  readonly entries: StoredValues;
  /** Of an element of `rowLength`. */
  readonly lengthBytes: number;
  /** As in the layout; `rowOf` and `chunkBase` are empty if there is none. */
  readonly rowLength: Uint32Array | Uint16Array | Uint8Array;
  readonly rowOf: Uint32Array;
  readonly chunkBase: Uint32Array;
  readonly chunkPtr: Uint32Array;
  readonly colIdx: Uint32Array | Uint16Array;
  readonly values: StoredValues;
};

/** Writes columns and values, lane by lane, each with its padding. Units: chunks. */
export const placeChunks: Loop<PlaceChunks> = {
  header: PLACE_CHUNKS_HEADER,
  kernel: ({ entries, values, colIdx }) =>
    kernelOfCopy(colIdx instanceof Uint16Array ? 'sell16_place' : 'sell_place', entries, values),
  reads: { fields: ['columns', 'entries'], range: entriesOfChunks, writes: ['colIdx', 'values'] },
  run(job, begin, end) {
    const { rows, chunkHeight, zero, rowPtr, columns, entries, rowLength, rowOf, chunkPtr, colIdx, values } = job;
    const isSorted = rowOf.length > 0;
    const hasBases = job.chunkBase.length > 0;
    for (let chunk = begin; chunk < end; chunk++) {
      const chunkBegin = chunkPtr[chunk]! | 0;
      const chunkEnd = chunkPtr[chunk + 1]! | 0;
      const base = hasBases ? job.chunkBase[chunk]! : 0;
      for (let lane = 0; lane < chunkHeight; lane++) {
        let at = chunkBegin + lane;
        // The last chunk may have lanes without a row.
        const place = chunk * chunkHeight + lane;
        let last = 0;
        if (place < rows) {
          const row = isSorted ? rowOf[place]! : place;
          let k = rowPtr[row]! | 0;
          for (const rowEnd = k + rowLength[row]!; k < rowEnd; k++, at += chunkHeight) {
            last = (columns[k]! - base) | 0;
            colIdx[at] = last;
            values[at] = entries[k]!;
          }
        }
        for (; at < chunkEnd; at += chunkHeight) {
          colIdx[at] = last;
          values[at] = zero;
        }
      }
    }
  },
};

/** Rows of a chunk may be anywhere, but most are near if they are sorted at all. */
function entriesOfChunks({ rows, chunkHeight, rowPtr, rowOf }: PlaceChunks, begin: number, end: number) {
  const [first, last] = [chunkHeight * begin, Math.min(chunkHeight * end, rows)];
  if (rowOf.length === 0 || first === last) return entriesOfRows(rowPtr, first, last);
  let [least, most] = [rows, 0];
  for (let place = first; place < last; place++) {
    const row = rowOf[place]!;
    if (row < least) least = row;
    if (row >= most) most = row + 1;
  }
  return entriesOfRows(rowPtr, least, most);
}
