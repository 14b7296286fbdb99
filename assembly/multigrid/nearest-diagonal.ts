/**
 * For each row of A, the factor m = a_ii / Σ a_ij² of the nearest diagonal matrix to the inverse, 0 where a_ii is not positive, and Σ |a_ij|. Units:
 * chunks of 16 rows. Squares are of entries by the greatest one, so that they neither overflow nor vanish.
 */
import { CHUNK_ROWS, NearestDiagonalHeader } from '../../build/headers';
import { Operands } from '../operands';
import { wide, word } from '../word';

export function nearest_diagonal(header: NearestDiagonalHeader, operands: Operands, begin: u32, end: u32): void {
  const last = min(end * CHUNK_ROWS, header.rows);
  for (let row = begin * CHUNK_ROWS; row < last; row++) fillRow(header, row);
}

function fillRow(header: NearestDiagonalHeader, row: u32): void {
  const first = load<u32>(word(header.rowPtr, row));
  const end = load<u32>(word(header.rowPtr, row), 4);
  let greatest: f64 = 0;
  let sum: f64 = 0;
  let own: f64 = 0;
  for (let k = first; k < end; k++) {
    const value = load<f64>(wide(header.values, k));
    const size = abs(value);
    greatest = max(greatest, size);
    sum += size;
    if (load<u32>(word(header.colIdx, k)) === row) own = value;
  }
  let squares: f64 = 0;
  for (let k = first; k < end; k++) {
    const share = load<f64>(wide(header.values, k)) / greatest;
    squares += share * share;
  }
  store<f64>(wide(header.factors, row), own > 0 ? own / greatest / squares / greatest : 0);
  store<f64>(wide(header.sums, row), sum);
}
