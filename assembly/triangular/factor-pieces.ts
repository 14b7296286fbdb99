/**
 * Incomplete factors of pieces of rows that do not need each other (`factor.ts`). Units: shares; each takes pieces until none is left.
 */
import { FACTORED, FactorHeader, PiecesHeader, TrianglesHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { choleskyRow, luRows } from './factor';
import { choleskyGroup, groupAt } from './factor-groups';

/** Rows of a call: V8 replaces its baseline code only between two calls of a function. */
const SLAB: u32 = 1024;

export function cholesky_factor_f64(header: PiecesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let share = begin; share < end; share++) factor<f64, f64>(header, share, true);
}

export function lu_factor<V, X>(header: PiecesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let share = begin; share < end; share++) factor<V, X>(header, share, false);
}

@inline
function factor<V, X>(header: PiecesHeader, share: u32, isCholesky: bool): void {
  const own = changetype<FactorHeader>(<usize>load<u32>(word(header.factors, share)));
  const shift = <X>load<f64>(own.shift);
  for (let piece = atomic.add<u32>(header.next, 1); piece < header.end; piece = atomic.add<u32>(header.next, 1)) {
    const rows = load<u32>(word(header.piecePtr, piece), 4);
    let status = FACTORED;
    for (let row = load<u32>(word(header.piecePtr, piece)); row < rows && status === FACTORED; row += SLAB) {
      const end = min(row + SLAB, rows);
      status = isCholesky ? choleskyRows(own, row, end, <f64>shift) : luRows<V, X>(own, row, end, shift);
    }
    if (status !== FACTORED) atomic.store<u32>(own.status, status);
  }
}

function choleskyRows(header: FactorHeader, begin: u32, end: u32, shift: f64): u32 {
  const triangles = changetype<TrianglesHeader>(header.triangles);
  let status = FACTORED;
  for (let row = begin; row < end && status === FACTORED; ) {
    const size: u32 = header.lanes > 1 ? groupAt(triangles, row, end) : 1;
    status = size > 1 ? choleskyGroup(header, row, size, shift) : choleskyRow<f64, f64>(header, row, shift);
    row += size;
  }
  return status;
}
