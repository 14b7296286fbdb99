/**
 * Transposed product of CSR and CSR-k by scattering, over the rows [begin, end); with 16-bit columns over the coarsest groups.
 * Layouts: `src/formats/csr/csr.ts`, `src/formats/csrk/csrk.ts`; parts: `assembly/scatter.ts`.
 */
import { CsrHeader, CsrkHeader, ScatterHeader } from '../../build/headers';
import { valueAt, valueShift } from '../lanes';
import { Operands } from '../operands';
import { sumsOf, unitOf } from '../scatter';

export function csr_spmv_t<V, X>(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  partsOfRows<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha);
}

export function csrk_spmv_t<V, X>(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  partsOfGroups<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha);
}

function partsOfRows<V, X>(header: ScatterHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X): void {
  const matrix = changetype<CsrHeader>(header.matrix);
  if (header.windows === 0) {
    scatterRows<V, X>(matrix, x, y, begin, end, alpha);
    return;
  }
  for (let part = begin; part < end; part++)
    scatterRows<V, X>(matrix, x, sumsOf<X>(header, part), unitOf(header, part), unitOf(header, part + 1), 1);
}

function partsOfGroups<V, X>(header: ScatterHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X): void {
  const matrix = changetype<CsrkHeader>(header.matrix);
  if (header.windows === 0) {
    scatterGroups<V, X>(matrix, x, y, begin, end, alpha);
    return;
  }
  for (let part = begin; part < end; part++)
    scatterGroups<V, X>(matrix, x, sumsOf<X>(header, part), unitOf(header, part), unitOf(header, part + 1), 1);
}

function scatterRows<V, X>(header: CsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X): void {
  rows<V, u32, X>(header, x, y, begin, end, alpha);
}

function scatterGroups<V, X>(header: CsrkHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X): void {
  const superRowPtr = header.superRowPtr;
  const last = superRowOf(header, end);
  for (let superRow = superRowOf(header, begin); superRow < last; superRow++) {
    const base = load<u32>(header.superRowBase + ((<usize>superRow) << 2));
    const ptr = superRowPtr + ((<usize>superRow) << 2);
    rows<V, u16, X>(header, x, y + ((<usize>base) << alignof<X>()), load<u32>(ptr), load<u32>(ptr, 4), alpha);
  }
}

/** The first super-row of a unit. */
function superRowOf(header: CsrkHeader, unit: u32): u32 {
  if (header.superSuperRowPtr === 0) return unit;
  return load<u32>(header.superSuperRowPtr + ((<usize>unit) << 2));
}

/** Rows whose columns are stored as `I`; if that is u16, `y` points at the element of their base. */
@inline
function rows<V, I, X>(header: CsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X): void {
  let ptr = header.rowPtr + ((<usize>begin) << 2);
  let k = load<u32>(ptr);
  let colIdx = header.colIdx + ((<usize>k) << alignof<I>());
  let values = header.values + ((<usize>k) << valueShift<V>());
  const table = header.table;
  const last = x + ((<usize>end) << alignof<X>());
  for (let at = x + ((<usize>begin) << alignof<X>()); at < last; at += sizeof<X>()) {
    ptr += 4;
    const next = load<u32>(ptr);
    const factor = alpha * load<X>(at);
    let left = next - k;
    for (; left > 3; left -= 4) {
      four<V, I, X>(y, colIdx, values, table, factor);
      colIdx += 4 << alignof<I>();
      values += 4 << valueShift<V>();
    }
    for (; left > 0; left--) {
      const sum = target<I, X>(y, colIdx, 0);
      store<X>(sum, load<X>(sum) + valueAt<V, X>(values, table) * factor);
      colIdx += sizeof<I>();
      values += 1 << valueShift<V>();
    }
    k = next;
  }
}

/** The address of the sum of a column. */
@inline
function target<I, X>(y: usize, colIdx: usize, offset: usize): usize {
  return y + ((<usize>load<I>(colIdx + (offset << alignof<I>()))) << alignof<X>());
}

/** Four entries of a row: their columns differ, so all sums are loaded before the first is stored. */
@inline
function four<V, I, X>(y: usize, colIdx: usize, values: usize, table: usize, factor: X): void {
  const at0 = target<I, X>(y, colIdx, 0);
  const at1 = target<I, X>(y, colIdx, 1);
  const at2 = target<I, X>(y, colIdx, 2);
  const at3 = target<I, X>(y, colIdx, 3);
  const sum0 = load<X>(at0) + valueAt<V, X>(values, table) * factor;
  const sum1 = load<X>(at1) + valueAt<V, X>(values + (1 << valueShift<V>()), table) * factor;
  const sum2 = load<X>(at2) + valueAt<V, X>(values + (2 << valueShift<V>()), table) * factor;
  const sum3 = load<X>(at3) + valueAt<V, X>(values + (3 << valueShift<V>()), table) * factor;
  store<X>(at0, sum0);
  store<X>(at1, sum1);
  store<X>(at2, sum2);
  store<X>(at3, sum3);
}
