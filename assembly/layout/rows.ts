/**
 * Loops of conversions over row pointers and columns; their TypeScript, which defines them, is under `src/formats/layout/`. Threads
 * share the machine code of a kernel; a loop in TypeScript is compiled by each thread anew.
 */
import {
  BLOCK_COUNTS,
  BLOCK_ROWS,
  DisorderHeader,
  MeasureRowsHeader,
  PlaceRowsHeader,
  RowEndsHeader,
  SumBlocksHeader,
  WritePointersHeader,
} from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

/** Units: rows. Pointers that are wrong are noticed before anything is read behind the columns. */
export function rows_disorder(header: DisorderHeader, operands: Operands, begin: u32, end: u32): void {
  if (!ascend(header, begin, end)) atomic.store<u32>(header.found, 1);
}

function ascend(header: DisorderHeader, begin: u32, end: u32): bool {
  const cols = <i32>header.cols;
  const nnz = header.nnz;
  let k = load<u32>(word(header.rowPtr, begin));
  for (let i = begin; i < end; i++) {
    const rowEnd = load<u32>(word(header.rowPtr, i), 4);
    if (rowEnd < k || rowEnd > nnz) return false;
    if (rowEnd === k) continue;
    const last = word(header.colIdx, rowEnd) - 4;
    let at = word(header.colIdx, k);
    k = rowEnd;
    if (load<i32>(at) < 0 || load<i32>(last) >= cols) return false;
    let falls = i32x4.splat(0);
    for (; at + 16 <= last; at += 16) falls = v128.or(falls, i32x4.ge_s(v128.load(at), v128.load(at, 4)));
    if (v128.any_true(falls)) return false;
    for (; at < last; at += 4) if (load<i32>(at) >= load<i32>(at, 4)) return false;
  }
  return true;
}

/** Units: rows. */
export function rows_ends(header: RowEndsHeader, operands: Operands, begin: u32, end: u32): void {
  let same: u32 = 0;
  let empty: u32 = 0;
  let last = load<u32>(word(header.rowPtr, begin));
  let tail: u32 = begin === 0 ? 4 : (last - load<u32>(word(header.rowPtr, begin - 1))) & 3;
  for (let at = word(header.rowPtr, begin) + 4, after = word(header.rowPtr, end) + 4; at < after; at += 4) {
    const next = load<u32>(at);
    const before = tail;
    tail = (next - last) & 3;
    if (tail === before) same++;
    if (next === last) empty++;
    last = next;
  }
  atomic.add<u32>(header.counts, same);
  atomic.add<u32>(header.counts, empty, 4);
}

/** Units: blocks. */
export function rows_measure(header: MeasureRowsHeader, operands: Operands, begin: u32, end: u32): void {
  const mean = <f64>header.nnz / <f64>header.rows;
  for (let block = begin; block < end; block++) {
    let most: u32 = 0;
    let sum: f64 = 0;
    const last = min((block + 1) * BLOCK_ROWS, header.rows);
    for (let i = block * BLOCK_ROWS; i < last; i++) {
      const length = load<u32>(word(header.rowPtr, i), 4) - load<u32>(word(header.rowPtr, i));
      most = max(most, length);
      const distance = <f64>length - mean;
      sum += distance * distance;
    }
    store<u32>(word(header.longest, block), most);
    store<f64>(header.squares + ((<usize>block) << 3), sum);
  }
}

/** Units: blocks. */
export function counts_sum(header: SumBlocksHeader, operands: Operands, begin: u32, end: u32): void {
  for (let block = begin; block < end; block++) {
    let sum: u64 = 0;
    const last = word(header.counts, min((block + 1) * BLOCK_COUNTS, header.count));
    for (let at = word(header.counts, block * BLOCK_COUNTS); at < last; at += 4) sum += load<u32>(at);
    store<f64>(header.sums + ((<usize>block) << 3), <f64>sum);
  }
}

/** Units: blocks. */
export function counts_place(header: WritePointersHeader, operands: Operands, begin: u32, end: u32): void {
  const scale = header.scale;
  for (let block = begin; block < end; block++) {
    let sum = scale * <u32>load<f64>(header.before + ((<usize>block) << 3));
    const last = min((block + 1) * BLOCK_COUNTS, header.count);
    for (let i = block * BLOCK_COUNTS; i < last; i++) {
      sum += scale * load<u32>(word(header.counts, i));
      store<u32>(word(header.ptr, i), sum, 4);
    }
  }
}

/** Units: rows. */
export function rows_place(header: PlaceRowsHeader, operands: Operands, begin: u32, end: u32): void {
  let at = word(header.rowIdx, load<u32>(word(header.rowPtr, begin)));
  for (let i = begin; i < end; i++)
    for (const last = word(header.rowIdx, load<u32>(word(header.rowPtr, i), 4)); at < last; at += 4) store<u32>(at, i);
}
