/**
 * C = Pᵀ A P by rows of C, without A P: row i of C is (row i of Pᵀ) A, whose entries then multiply rows of P. Steps over chunks of 16 rows of C, run
 * by `src/preconditioners/amg/galerkin.ts`:
 *
 *     compute   the rows of C, each wherever there is room, and their places
 *     place     the rows of C in order
 *     refill    the values of C, whose pattern is known
 *
 * Differs from two products (`../algebra/spgemm.ts`): A P is as large as A, and is never in memory; and each row is computed once, not counted first.
 * Both unions of a row are one (`../algebra/union.ts`): C has columns from 0 on, A those from `shift` on. Columns are listed when they come, and C's
 *   become bits only when the row is complete: bits of one word that follow each other would wait for each other.
 * Cost: per product, of Pᵀ A and of (Pᵀ A) P, 3 loads and 2 stores, a store less to refill; 12.2 bytes per column of A and of C for each thread. A refill takes
 *   1 ns per product for elasticity, 2 for 5 points, and 4.5 for 7 points 60³ and more, whose rows of A and P come from the last cache: 32³ takes 3.
 * Tried: a load from each row of A and of P before the products of a row takes a seventh off the refill of 7 points 60³, and adds a seventh to that of 5 and of 27 points. Places of
 *   products in C, kept for refills, would take as much memory as A (AMD EPYC, November 2026).
 *
 * Sums are in an order that depends on nothing but the matrices, and is the same in `compute` and `refill`.
 */
import { CHUNK_ROWS, GalerkinHeader } from '../../build/headers';
import { drain, enter, leaveRoom, sumsOf, takeRoom, touchedOf } from '../algebra/union';
import { Operands } from '../operands';
import { wide, word } from '../word';

/** The bits of −0: a sum that nothing was added to. */
const NEW: u64 = 0x8000000000000000;

export function galerkin_compute(header: GalerkinHeader, operands: Operands, begin: u32, end: u32): void {
  const room = takeRoom(header);
  for (let chunk = begin; chunk < end; chunk++) {
    const last = min((chunk + 1) * CHUNK_ROWS, header.rows);
    let count: u32 = 0;
    for (let row = chunk * CHUNK_ROWS; row < last; row++) {
      const touched = multiplyByA(header, room, row);
      count += giveBack(header, room, row, multiplyByP(header, room, touched));
    }
    store<u32>(word(header.chunkPtr, chunk), count, 4);
  }
  leaveRoom(header, room);
}

/** The columns of C that a row of it has, in any order, and those of A: lists of u32, one for each column and one more. */
@inline
function columnsOfC(header: GalerkinHeader, bits: usize): usize {
  return bits + header.lists;
}

@inline
function columnsOfA(header: GalerkinHeader, bits: usize): usize {
  return word(columnsOfC(header, bits), header.shift);
}

@inline
function sumsOfA(header: GalerkinHeader, bits: usize): usize {
  return wide(sumsOf(bits, header.cols), header.shift);
}

/** Makes the sums of a row of Pᵀ A. Returns the end of its columns. */
function multiplyByA(header: GalerkinHeader, bits: usize, row: u32): usize {
  const sums = sumsOfA(header, bits);
  let columns = columnsOfA(header, bits);
  const rValues = header.rValues;
  const rColIdx = header.rColIdx;
  const aRowPtr = header.aRowPtr;
  const aColIdx = header.aColIdx;
  const aValues = header.aValues;
  const rowEnd = load<u32>(word(header.rRowPtr, row), 4);
  for (let k = load<u32>(word(header.rRowPtr, row)); k < rowEnd; k++)
    columns = addRow(load<f64>(wide(rValues, k)), load<u32>(word(rColIdx, k)), aRowPtr, aColIdx, aValues, sums, columns);
  return columns;
}

/** Multiplies a row of Pᵀ A by P, and cleans its part of the room. Returns the end of the columns of C. */
function multiplyByP(header: GalerkinHeader, bits: usize, end: usize): usize {
  const sums = sumsOf(bits, header.cols);
  const before = sumsOfA(header, bits);
  const pRowPtr = header.pRowPtr;
  const pColIdx = header.pColIdx;
  const pValues = header.pValues;
  let columns = columnsOfC(header, bits);
  for (let at = columnsOfA(header, bits); at < end; at += 4) {
    const row = load<u32>(at);
    columns = addRow(takeSum(before, row), row, pRowPtr, pColIdx, pValues, sums, columns);
  }
  return columns;
}

/** The sum of a column, which begins again. */
@inline
function takeSum(sums: usize, col: u32): f64 {
  const at = wide(sums, col);
  const sum = load<f64>(at);
  store<f64>(at, -0.0);
  return sum;
}

/** Adds a row, times a factor, to sums, two entries in each step. Those that are −0 are new: their columns are added to the list, whose end is returned. */
@inline
function addRow(factor: f64, row: u32, rowPtr: usize, colIdx: usize, values: usize, sums: usize, columns: usize): usize {
  const first = load<u32>(word(rowPtr, row));
  const end = word(colIdx, load<u32>(word(rowPtr, row), 4));
  let value = wide(values, first);
  let at = word(colIdx, first);
  for (; at + 4 < end; at += 8) {
    columns = addEntry(factor, at, value, sums, columns);
    columns = addEntry(factor, at + 4, value + 8, sums, columns);
    value += 16;
  }
  return at < end ? addEntry(factor, at, value, sums, columns) : columns;
}

@inline
function addEntry(factor: f64, at: usize, value: usize, sums: usize, columns: usize): usize {
  const col = load<u32>(at);
  const sum = wide(sums, col);
  const before = load<f64>(sum);
  store<u32>(columns, col);
  // Never −0.
  store<f64>(sum, before + factor * load<f64>(value) + 0.0);
  return columns + ((<usize>(reinterpret<u64>(before) === NEW)) << 2);
}

/** Writes a row of C where nothing is, and keeps where that is. Returns its length. */
function giveBack(header: GalerkinHeader, bits: usize, row: u32, end: usize): u32 {
  let touched = touchedOf(bits, header.cols);
  const columns = columnsOfC(header, bits);
  for (let at = columns; at < end; at += 4) touched = enter(bits, load<u32>(at), touched);
  const count = <u32>((end - columns) >> 2);
  const free = atomic.add<u32>(header.used, count);
  // Where all is full, a row is lost. The caller finds that out from the counts, and begins again with enough.
  const write = <u64>free + count <= header.capacity ? free : 0;
  drain(header, bits, touched, header.someColIdx, header.someValues, write);
  store<u32>(word(header.places, row), write);
  store<u32>(word(header.counts, row), count);
  return count;
}

export function galerkin_place(header: GalerkinHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) {
    const last = min((chunk + 1) * CHUNK_ROWS, header.rows);
    let write = load<u32>(word(header.chunkPtr, chunk));
    for (let row = chunk * CHUNK_ROWS; row < last; row++) {
      const from = load<u32>(word(header.places, row));
      const count: usize = load<u32>(word(header.counts, row));
      memory.copy(word(header.colIdx, write), word(header.someColIdx, from), count << 2);
      memory.copy(wide(header.values, write), wide(header.someValues, from), count << 3);
      write += <u32>count;
      store<u32>(word(header.rowPtr, row), write, 4);
    }
  }
}

export function galerkin_refill(header: GalerkinHeader, operands: Operands, begin: u32, end: u32): void {
  const room = takeRoom(header);
  const last = min(end * CHUNK_ROWS, header.rows);
  for (let row = begin * CHUNK_ROWS; row < last; row++) {
    const touched = multiplyByA(header, room, row);
    refillRow(header, room, row, touched);
  }
  leaveRoom(header, room);
}

/** As `multiplyByP` and `giveBack`, where the columns of the row are known. */
function refillRow(header: GalerkinHeader, bits: usize, row: u32, end: usize): void {
  const sums = sumsOf(bits, header.cols);
  const before = sumsOfA(header, bits);
  const pRowPtr = header.pRowPtr;
  const pColIdx = header.pColIdx;
  const pValues = header.pValues;
  for (let at = columnsOfA(header, bits); at < end; at += 4) {
    const other = load<u32>(at);
    addToKnown(takeSum(before, other), other, pRowPtr, pColIdx, pValues, sums);
  }
  const first = load<u32>(word(header.rowPtr, row));
  const count = load<u32>(word(header.rowPtr, row), 4) - first;
  for (let k: u32 = 0; k < count; k++)
    store<f64>(wide(header.values, first + k), takeSum(sums, load<u32>(word(header.colIdx, first + k))) + 0.0);
}

@inline
function addToKnown(factor: f64, row: u32, rowPtr: usize, colIdx: usize, values: usize, sums: usize): void {
  const first = load<u32>(word(rowPtr, row));
  const end = word(colIdx, load<u32>(word(rowPtr, row), 4));
  let value = wide(values, first);
  for (let at = word(colIdx, first); at < end; at += 4) {
    const sum = wide(sums, load<u32>(at));
    store<f64>(sum, load<f64>(sum) + factor * load<f64>(value));
    value += 8;
  }
}
