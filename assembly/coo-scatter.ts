/**
 * Transposed product of COO by scattering, over the cache lines [begin, end) of entries, in any order. Layout:
 * `src/formats/coo.ts`; parts: `scatter.ts`.
 */
import { CooHeader, LINE_SHIFT } from './coo';
import { Coded, Ones, valueAt, valueShift } from './lanes';
import { Operands } from './operands';
import { addTo, ScatterHeader, sumsOf, unitOf } from './scatter';

export function coo_spmv_t_f64(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  partsOfLines<f64, f64>(header, operands.x, operands.y, begin, end, operands.alpha);
}

export function coo_spmv_t_mixed(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  partsOfLines<f32, f64>(header, operands.x, operands.y, begin, end, operands.alpha);
}

export function coo_spmv_t_f32(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  partsOfLines<f32, f32>(header, operands.x, operands.y, begin, end, <f32>operands.alpha);
}

export function coo_table_spmv_t_f64(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  partsOfLines<Coded, f64>(header, operands.x, operands.y, begin, end, operands.alpha);
}

export function coo_table_spmv_t_f32(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  partsOfLines<Coded, f32>(header, operands.x, operands.y, begin, end, <f32>operands.alpha);
}

export function coo_pattern_spmv_t_f64(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  partsOfLines<Ones, f64>(header, operands.x, operands.y, begin, end, operands.alpha);
}

export function coo_pattern_spmv_t_f32(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  partsOfLines<Ones, f32>(header, operands.x, operands.y, begin, end, <f32>operands.alpha);
}

function partsOfLines<V, X>(header: ScatterHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X): void {
  const matrix = changetype<CooHeader>(header.matrix);
  if (header.windows === 0) {
    scatterLines<V, X>(matrix, x, y, begin, end, alpha);
    return;
  }
  for (let part = begin; part < end; part++)
    scatterLines<V, X>(matrix, x, sumsOf<X>(header, part), unitOf(header, part), unitOf(header, part + 1), 1);
}

function scatterLines<V, X>(header: CooHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X): void {
  const first = (<usize>begin) << LINE_SHIFT;
  const last = <usize>min(end << LINE_SHIFT, header.nnz);
  const table = header.table;
  const colIdx = header.colIdx;
  const rowIdx = header.rowIdx;
  let values = header.values + (first << valueShift<V>());
  for (let k = first; k < last; k++) {
    const row = <usize>load<u32>(rowIdx + (k << 2));
    const factor = alpha * load<X>(x + (row << alignof<X>()));
    addTo<X>(y, load<u32>(colIdx + (k << 2)), valueAt<V, X>(values, table) * factor);
    values += 1 << valueShift<V>();
  }
}
