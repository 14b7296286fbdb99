/**
 * Transposed product of COO by scattering, over the cache lines [begin, end) of entries, in any order. Layout:
 * `src/formats/coo/coo.ts`; parts: `assembly/scatter.ts`.
 */
import { CooHeader, ScatterHeader } from '../../build/headers';
import { valueAt, valueShift } from '../lanes';
import { Operands } from '../operands';
import { addTo, sumsOf, unitOf } from '../scatter';
import { LINE_SHIFT } from './coo';

export function coo_spmv_t<V, X>(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  partsOfLines<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha);
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
