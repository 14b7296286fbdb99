/**
 * Strong couplings of a matrix. Nodes are blocks of `block` consecutive rows. Steps over chunks of 16 rows, or nodes,
 * run by `src/preconditioners/amg/strength.ts`:
 *
 *     condense_count    nodes    chunkPtr[chunk + 1] ← entries of the rows of nodes (the caller adds up chunkPtr)
 *     condense_fill     nodes    an entry for each block of A: the root of the sum of its squares
 *     strength_count    nodes    chunkPtr[chunk + 1] ← entries with a_ij² > α |a_ii a_jj|, and those of the diagonal
 *     strength_fill     nodes    their columns
 *
 * Cost: 12 bytes per entry of A in each step, and 8 for the diagonal of its column in those of strength.
 */
import { CHUNK_ROWS, CondenseHeader, StrengthHeader } from '../../build/headers';
import { Operands } from '../operands';
import { wide, word } from '../word';

export function condense_count(header: CondenseHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) {
    const last = min((chunk + 1) * CHUNK_ROWS, header.rows);
    let count: u32 = 0;
    for (let node = chunk * CHUNK_ROWS; node < last; node++) {
      placeCursors(header, node);
      for (let next = nextNode(header, node, 0); next !== NONE; next = nextNode(header, node, next + 1)) count++;
    }
    store<u32>(word(header.chunkPtr, chunk), count, 4);
  }
}

export function condense_fill(header: CondenseHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) {
    const last = min((chunk + 1) * CHUNK_ROWS, header.rows);
    let write = load<u32>(word(header.chunkPtr, chunk));
    for (let node = chunk * CHUNK_ROWS; node < last; node++) {
      placeCursors(header, node);
      for (let next = nextNode(header, node, 0); next !== NONE; next = nextNode(header, node, next + 1)) {
        store<u32>(word(header.colIdx, write), next);
        store<f64>(wide(header.values, write), sizeOfBlock(header, node, next));
        write++;
      }
      store<u32>(word(header.rowPtr, node), write, 4);
    }
  }
}

@inline
function placeCursors(header: CondenseHeader, node: u32): void {
  const last = (node + 1) * header.block;
  for (let row = node * header.block; row < last; row++) store<u32>(word(header.cursors, row), load<u32>(word(header.aRowPtr, row)));
}

/** No node. */
const NONE: u32 = 0xffffffff;

/** The first node from `from` on with which a row of this one is coupled; NONE if there is none. Cursors move to it. */
function nextNode(header: CondenseHeader, node: u32, from: u32): u32 {
  const first = from * header.block;
  const last = (node + 1) * header.block;
  let nearest: u32 = NONE;
  for (let row = node * header.block; row < last; row++) {
    let k = load<u32>(word(header.cursors, row));
    const end = load<u32>(word(header.aRowPtr, row), 4);
    while (k < end && load<u32>(word(header.aColIdx, k)) < first) k++;
    store<u32>(word(header.cursors, row), k);
    if (k < end) nearest = min(nearest, load<u32>(word(header.aColIdx, k)));
  }
  return nearest === NONE ? NONE : nearest / header.block;
}

/** Cursors are at the block. */
@inline
function sizeOfBlock(header: CondenseHeader, node: u32, next: u32): f64 {
  const behind = (next + 1) * header.block;
  const last = (node + 1) * header.block;
  let squares: f64 = 0;
  for (let row = node * header.block; row < last; row++) {
    const end = load<u32>(word(header.aRowPtr, row), 4);
    for (let k = load<u32>(word(header.cursors, row)); k < end && load<u32>(word(header.aColIdx, k)) < behind; k++) {
      const value = load<f64>(wide(header.aValues, k));
      squares += value * value;
    }
  }
  return sqrt(squares);
}

export function strength_count(header: StrengthHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) {
    const last = min((chunk + 1) * CHUNK_ROWS, header.rows);
    let count: u32 = 0;
    for (let row = chunk * CHUNK_ROWS; row < last; row++) count += countRow(header, row, leastOf(header, operands, row));
    store<u32>(word(header.chunkPtr, chunk), count, 4);
  }
}

/** θ² |a_ii| */
@inline
function leastOf(header: StrengthHeader, operands: Operands, row: u32): f64 {
  return operands.alpha * abs(load<f64>(wide(header.diagonal, row)));
}

@inline
function isStrong(header: StrengthHeader, row: u32, k: u32, least: f64): bool {
  const col = load<u32>(word(header.colIdx, k));
  const value = load<f64>(wide(header.values, k));
  return col === row || value * value > least * abs(load<f64>(wide(header.diagonal, col)));
}

@inline
function countRow(header: StrengthHeader, row: u32, least: f64): u32 {
  const end = load<u32>(word(header.rowPtr, row), 4);
  let count: u32 = 0;
  for (let k = load<u32>(word(header.rowPtr, row)); k < end; k++) count += <u32>isStrong(header, row, k, least);
  return count;
}

export function strength_fill(header: StrengthHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) {
    const last = min((chunk + 1) * CHUNK_ROWS, header.rows);
    let write = load<u32>(word(header.chunkPtr, chunk));
    for (let row = chunk * CHUNK_ROWS; row < last; row++) {
      write = fillRow(header, row, leastOf(header, operands, row), write);
      store<u32>(word(header.strongPtr, row), write, 4);
    }
  }
}

@inline
function fillRow(header: StrengthHeader, row: u32, least: f64, write: u32): u32 {
  const end = load<u32>(word(header.rowPtr, row), 4);
  for (let k = load<u32>(word(header.rowPtr, row)); k < end; k++) {
    if (!isStrong(header, row, k, least)) continue;
    store<u32>(word(header.strongIdx, write), load<u32>(word(header.colIdx, k)));
    write++;
  }
  return write;
}
