/** The loops that find equal chunks of DIA; their TypeScript, which defines them, is `src/formats/dia/repeat-loops.ts`. */
import { CompareChunksHeader, HashChunksHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { offsetsBelow } from './dia';

/** Units: chunks. */
export function dia_hash(header: HashChunksHeader, operands: Operands, begin: u32, end: u32): void {
  const height = header.chunkHeight;
  const width = header.width;
  for (let chunk = begin; chunk < end; chunk++) {
    let low: u32 = 0;
    let high: u32 = 0;
    const rowsEnd = min((chunk + 1) * height, header.rows);
    let k = load<u32>(word(header.rowPtr, chunk * height));
    for (let i = chunk * height; i < rowsEnd; i++) {
      const rowEnd = load<u32>(word(header.rowPtr, i), 4);
      for (; k < rowEnd; k++) {
        // Products that do not wait for each other, and one step of each hash per entry.
        const offset = load<u32>(word(header.colIdx, k)) - i;
        const first = load<u32>(word(header.values, k * width));
        const last = load<u32>(word(header.values, (k + 1) * width) - 4);
        low = (rotl<u32>(low, 13) ^ (offset * 0x9e3779b1 + first * 0x85ebca6b + last * 0xc2b2ae35)) * 0x27d4eb2f;
        high = (rotl<u32>(high, 7) ^ (offset * 0x165667b1 + first * 0xcc9e2d51 + last * 0x1b873593)) * 0x2545f491;
      }
    }
    store<u32>(word(header.hashes, 2 * chunk), low);
    store<u32>(word(header.hashes, 2 * chunk), high, 4);
  }
}

/** Units: chunks. */
export function dia_compare(header: CompareChunksHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) {
    const other = load<u32>(word(header.owner, chunk));
    if (other !== chunk && !areSame(header, chunk, other)) store<u32>(word(header.owner, chunk), chunk);
  }
}

function areSame(header: CompareChunksHeader, chunk: u32, other: u32): bool {
  const height = header.chunkHeight;
  const row = chunk * height;
  const first = other * height;
  if (row + height > header.rows) return false;
  if (load<u32>(word(header.counts, chunk)) !== load<u32>(word(header.counts, other))) return false;
  if (firstDiagonal(header, row) !== firstDiagonal(header, first)) return false;
  const begin = load<u32>(word(header.rowPtr, row));
  const toOther = load<u32>(word(header.rowPtr, first)) - begin;
  for (let i: u32 = 1; i <= height; i++) {
    if (load<u32>(word(header.rowPtr, row + i)) + toOther !== load<u32>(word(header.rowPtr, first + i))) return false;
  }
  const end = load<u32>(word(header.rowPtr, row + height));
  for (let k = begin; k < end; k++) {
    if (load<u32>(word(header.colIdx, k)) - load<u32>(word(header.colIdx, k + toOther)) !== row - first) return false;
  }
  const width = header.width;
  for (let at = begin * width; at < end * width; at++) {
    if (load<u32>(word(header.values, at)) !== load<u32>(word(header.values, at + toOther * width))) return false;
  }
  return true;
}

/** The first diagonal with a column in the last row of the chunk that begins at `row`. */
function firstDiagonal(header: CompareChunksHeader, row: u32): u32 {
  return offsetsBelow(header.offsets, header.diagonals, 1 - <i32>header.chunkHeight - <i32>row);
}
