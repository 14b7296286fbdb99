/** This loop finds equal chunks of DIA. Its TypeScript, which defines it, is `src/formats/dia/repeat-loops.ts`. */
import { FindRepeatsHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { offsetsBelow } from './dia';

/** Units: chunks. */
export function dia_repeats(header: FindRepeatsHeader, operands: Operands, begin: u32, end: u32): void {
  const height = header.chunkHeight;
  const width = header.width;
  // A slot holds a number that is no chunk of the range until it gets one.
  memory.fill(word(header.slots, begin), 0xff, (end - begin) << 2);
  for (let chunk = begin; chunk < end; chunk++) {
    if (chunk > begin && areSame(header, chunk, chunk - 1)) {
      store<u32>(word(header.owner, chunk), load<u32>(word(header.owner, chunk - 1)));
      continue;
    }
    let low: u32 = 0;
    let high: u32 = 0;
    const chunkRow = chunk * height;
    let k = load<u32>(word(header.rowPtr, chunkRow));
    const rowsEnd = min(chunkRow + height, header.rows);
    for (let i = chunkRow; i < rowsEnd; i++) {
      const rowEnd = load<u32>(word(header.rowPtr, i), 4);
      for (; k < rowEnd; k++) {
        // Products that do not wait for each other, and one step of each hash per entry.
        const place = (load<u32>(word(header.colIdx, k)) - i) * height + (i - chunkRow);
        const first = load<u32>(word(header.values, k * width));
        const last = load<u32>(word(header.values, (k + 1) * width) - 4);
        low = (rotl<u32>(low, 13) ^ (place * 0x9e3779b1 + first * 0x85ebca6b + last * 0xc2b2ae35)) * 0x27d4eb2f;
        high = (rotl<u32>(high, 7) ^ (place * 0x165667b1 + first * 0xcc9e2d51 + last * 0x1b873593)) * 0x2545f491;
      }
    }
    const slot = word(header.slots, begin + ((low ^ (high >>> 15)) % (end - begin)));
    const other = load<u32>(slot);
    if (other < end && areSame(header, chunk, other)) {
      store<u32>(word(header.owner, chunk), other);
      continue;
    }
    store<u32>(slot, chunk);
    store<u32>(word(header.owner, chunk), chunk);
    store<u32>(word(header.hashes, 2 * chunk), low);
    store<u32>(word(header.hashes, 2 * chunk), high, 4);
  }
}

function areSame(header: FindRepeatsHeader, chunk: u32, other: u32): bool {
  const height = header.chunkHeight;
  const row = chunk * height;
  const first = other * height;
  if (row + height > header.rows) return false;
  if (load<u32>(word(header.counts, chunk)) !== load<u32>(word(header.counts, other))) return false;
  if (firstDiagonal(header, row) !== firstDiagonal(header, first)) return false;
  const begin = load<u32>(word(header.rowPtr, row));
  const otherBegin = load<u32>(word(header.rowPtr, first));
  for (let i: u32 = 1; i <= height; i++) {
    const end = load<u32>(word(header.rowPtr, row + i));
    if (end - begin !== load<u32>(word(header.rowPtr, first + i)) - otherBegin) return false;
  }
  const nnz = load<u32>(word(header.rowPtr, row + height)) - begin;
  const width = header.width;
  return (
    areApart(word(header.colIdx, begin), word(header.colIdx, otherBegin), nnz, row - first) &&
    areApart(word(header.values, begin * width), word(header.values, otherBegin * width), nnz * width, 0)
  );
}

/** Says whether all words are larger than the others by the same number. */
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
function firstDiagonal(header: FindRepeatsHeader, row: u32): u32 {
  return offsetsBelow(header.offsets, header.diagonals, 1 - <i32>header.chunkHeight - <i32>row);
}
