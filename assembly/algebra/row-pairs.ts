/**
 * Matrices whose rows are merged from rows of A and B, from compressed rows, sorted, to compressed rows. Steps are run by
 * `src/matrices/row-pairs.ts`:
 *
 *     add_count        chunks of 16 rows   chunkPtr[chunk + 1] ← entries of the rows of α A + β B (the caller adds up chunkPtr)
 *     add_fill         chunks of 16 rows   the rows of α A + β B
 *     kronecker_fill   rows                the rows of A ⊗ B, whose places follow from those of A and B
 *
 * Cost of a sum: 8 bytes read per entry of A and of B to count, 24 to fill, 12 written per entry. The merge has no branch on columns.
 */
import { CHUNK_ROWS, PairHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

export function add_count(header: PairHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++)
    store<u32>(word(header.chunkPtr, chunk), countChunk(header, chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, header.rows)), 4);
}

function countChunk(header: PairHeader, row: u32, last: u32): u32 {
  const bOf = header.bRowPtr;
  let a = word(header.aColIdx, load<u32>(word(header.aRowPtr, row)));
  let b = word(header.bColIdx, load<u32>(word(bOf, row)));
  let count: u32 = 0;
  for (; row < last; row++) {
    const endA = word(header.aColIdx, load<u32>(word(header.aRowPtr, row), 4));
    const endB = word(header.bColIdx, load<u32>(word(bOf, row), 4));
    count += <u32>((endA - a + endB - b) >> 2);
    while (a < endA && b < endB) {
      const colA = load<u32>(a);
      const colB = load<u32>(b);
      count -= <u32>(colA === colB);
      a += (<usize>(colA <= colB)) << 2;
      b += (<usize>(colB <= colA)) << 2;
    }
    a = endA;
    b = endB;
  }
  return count;
}

export function add_fill<V>(header: PairHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) addChunk<V>(header, operands, chunk);
}

function addChunk<V>(header: PairHeader, operands: Operands, chunk: u32): void {
  const alpha = operands.alpha;
  const beta = operands.beta;
  const last = min((chunk + 1) * CHUNK_ROWS, header.rows);
  let row = chunk * CHUNK_ROWS;
  const write = load<u32>(word(header.chunkPtr, chunk));
  let col = word(header.colIdx, write);
  let value = header.values + ((<usize>write) << 3);
  const k = load<u32>(word(header.aRowPtr, row));
  const m = load<u32>(word(header.bRowPtr, row));
  let a = word(header.aColIdx, k);
  let b = word(header.bColIdx, m);
  let ofA = header.aValues + ((<usize>k) << alignof<V>());
  let ofB = header.bValues + ((<usize>m) << alignof<V>());
  for (; row < last; row++) {
    const endA = word(header.aColIdx, load<u32>(word(header.aRowPtr, row), 4));
    const endB = word(header.bColIdx, load<u32>(word(header.bRowPtr, row), 4));
    while (a < endA && b < endB) {
      const colA = load<u32>(a);
      const colB = load<u32>(b);
      const left = alpha * <f64>load<V>(ofA);
      const right = beta * <f64>load<V>(ofB);
      store<u32>(col, min(colA, colB));
      store<f64>(value, select(left, select(right, left + right, colB < colA), colA < colB));
      const stepA = <usize>(colA <= colB);
      const stepB = <usize>(colB <= colA);
      a += stepA << 2;
      b += stepB << 2;
      ofA += stepA << alignof<V>();
      ofB += stepB << alignof<V>();
      col += 4;
      value += 8;
    }
    for (; a < endA; a += 4) {
      store<u32>(col, load<u32>(a));
      store<f64>(value, alpha * <f64>load<V>(ofA));
      ofA += sizeof<V>();
      col += 4;
      value += 8;
    }
    for (; b < endB; b += 4) {
      store<u32>(col, load<u32>(b));
      store<f64>(value, beta * <f64>load<V>(ofB));
      ofB += sizeof<V>();
      col += 4;
      value += 8;
    }
    store<u32>(word(header.rowPtr, row), <u32>((col - header.colIdx) >> 2), 4);
  }
}

export function kronecker_fill<V>(header: PairHeader, operands: Operands, begin: u32, end: u32): void {
  for (let row = begin; row < end; row++) kroneckerRow<V>(header, row);
}

/** Row i · bRows + p has the products of the entries of row i of A and row p of B. */
function kroneckerRow<V>(header: PairHeader, row: u32): void {
  const i = row / header.bRows;
  const p = row - i * header.bRows;
  const firstA = load<u32>(word(header.aRowPtr, i));
  const endA = load<u32>(word(header.aRowPtr, i), 4);
  const firstB = load<u32>(word(header.bRowPtr, p));
  const endB = load<u32>(word(header.bRowPtr, p), 4);
  const write = firstA * load<u32>(word(header.bRowPtr, header.bRows)) + (endA - firstA) * firstB;
  let col = word(header.colIdx, write);
  let value = header.values + ((<usize>write) << 3);
  for (let k = firstA; k < endA; k++) {
    const first = load<u32>(word(header.aColIdx, k)) * header.bCols;
    const factor = <f64>load<V>(header.aValues + ((<usize>k) << alignof<V>()));
    for (let m = firstB; m < endB; m++) {
      store<u32>(col, first + load<u32>(word(header.bColIdx, m)));
      store<f64>(value, factor * <f64>load<V>(header.bValues + ((<usize>m) << alignof<V>())));
      col += 4;
      value += 8;
    }
  }
  store<u32>(word(header.rowPtr, row), write + (endA - firstA) * (endB - firstB), 4);
}
