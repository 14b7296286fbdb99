/** The loops that find equal chunks of DIA; their TypeScript, which defines them, is `src/formats/dia/repeat-loops.ts`. */
import { ChunksHeader, CompareChunksHeader, FindRepeatsHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { offsetsBelow } from './dia';

/** A place of the table that has no chunk. */
const FREE: u32 = 0xffffffff;

/** Units: chunks. */
export function dia_repeats(header: FindRepeatsHeader, operands: Operands, begin: u32, end: u32): void {
  const height = header.chunkHeight;
  const width = header.width;
  memory.fill(word(header.places, begin), 0xff, (end - begin) << 2);
  for (let chunk = begin; chunk < end; chunk++) {
    let k = load<u32>(word(header.rowPtr, chunk * height));
    if (chunk > begin && areSame(header, chunk, chunk - 1, k, load<u32>(word(header.rowPtr, (chunk - 1) * height)))) {
      store<u32>(word(header.owner, chunk), load<u32>(word(header.owner, chunk - 1)));
      continue;
    }
    const first = k;
    let low: u32 = 0;
    let high: u32 = 0;
    const rowsEnd = min((chunk + 1) * height, header.rows);
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
    const place = word(header.places, begin + ((low ^ (high >>> 15)) % (end - begin)));
    const other = load<u32>(place);
    if (other !== FREE && areSame(header, chunk, other, first, load<u32>(word(header.rowPtr, other * height)))) {
      store<u32>(word(header.owner, chunk), other);
      continue;
    }
    store<u32>(place, chunk);
    store<u32>(word(header.owner, chunk), chunk);
    store<u32>(word(header.hashes, 2 * chunk), low);
    store<u32>(word(header.hashes, 2 * chunk), high, 4);
  }
}

/** Units: chunks. */
export function dia_compare(header: CompareChunksHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) {
    const other = load<u32>(word(header.owner, chunk));
    if (other === chunk) continue;
    const first = load<u32>(word(header.copyPtr, chunk));
    if (!areSame(header, chunk, other, first, load<u32>(word(header.copyPtr, other))))
      store<u32>(word(header.owner, chunk), chunk);
  }
}

function areSame(header: ChunksHeader, chunk: u32, other: u32, begin: u32, otherBegin: u32): bool {
  const height = header.chunkHeight;
  const row = chunk * height;
  const first = other * height;
  if (row + height > header.rows) return false;
  if (load<u32>(word(header.counts, chunk)) !== load<u32>(word(header.counts, other))) return false;
  if (firstDiagonal(header, row) !== firstDiagonal(header, first)) return false;
  const rowBegin = load<u32>(word(header.rowPtr, row));
  const between = rowBegin - load<u32>(word(header.rowPtr, first));
  for (let i: u32 = 1; i <= height; i++) {
    if (load<u32>(word(header.rowPtr, row + i)) - load<u32>(word(header.rowPtr, first + i)) !== between) return false;
  }
  const nnz = load<u32>(word(header.rowPtr, row + height)) - rowBegin;
  const width = header.width;
  return (
    areApart(word(header.colIdx, begin), word(header.colIdx, otherBegin), nnz, row - first) &&
    areApart(word(header.values, begin * width), word(header.values, otherBegin * width), nnz * width, 0)
  );
}

/** Whether all words are larger than others by the same number. */
function areApart(words: usize, others: usize, count: u32, by: u32): bool {
  const each = i32x4.splat(by);
  let differs = i32x4.splat(0);
  let k: u32 = 0;
  for (; k + 4 <= count; k += 4) {
    const between = i32x4.sub(v128.load(word(words, k)), v128.load(word(others, k)));
    differs = v128.or(differs, v128.xor(between, each));
  }
  if (v128.any_true(differs)) return false;
  for (; k < count; k++) if (load<u32>(word(words, k)) - load<u32>(word(others, k)) !== by) return false;
  return true;
}

/** The first diagonal with a column in the last row of the chunk that begins at `row`. */
function firstDiagonal(header: ChunksHeader, row: u32): u32 {
  return offsetsBelow(header.offsets, header.diagonals, 1 - <i32>header.chunkHeight - <i32>row);
}
