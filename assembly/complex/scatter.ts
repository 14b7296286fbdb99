/**
 * Transposed products of complex layouts by scattering, over units of the layout or over parts (`assembly/scatter.ts`): y ← y + α Aᴴ x, the transpose of
 * the real equivalent; of the conjugate of a matrix y ← y + α Aᵀ x.
 */
import { BsrHeader, ComplexHeader, CooHeader, CsrHeader, CsrkHeader, ScatterHeader, SellHeader } from '../../build/headers';
import { LINE_SHIFT } from '../coo/coo';
import { rowOfEntry } from '../coo/rows';
import { rowOf, superRowOf } from '../csrk/csrk';
import { madd64 } from '../lanes';
import { Operands } from '../operands';
import { sumsOf, unitOf } from '../scatter';
import { pairAt, pairShift, storePair } from './pairs';
import { elementsFrom, rowAt } from './sell';

/** Adds ā x to the pair of a column, or a x: with x = (xr, xi) and x' = (xi, −xr) it is ar x + ai x', of the conjugate ar x − ai x'. */
@inline
function addTo<V, X>(at: usize, values: usize, x: v128, turned: v128): void {
  const a = pairAt<V>(values, 0);
  const sum = madd64(pairAt<X>(at, 0), i64x2.shuffle(a, a, 0, 0), x);
  storePair<X>(at, madd64(sum, i64x2.shuffle(a, a, 1, 1), turned));
}

/** Returns α times the element of x of a row. */
@inline
function scaled<X>(x: usize, row: u32, alpha: f64): v128 {
  return f64x2.mul(f64x2.splat(alpha), pairAt<X>(x + ((<usize>row) << pairShift<X>()), 0));
}

/** Returns x' = (xi, −xr) for x = (xr, xi), or for the conjugate of a matrix (−xi, xr). */
@inline
function turnedOf(header: ComplexHeader, x: v128): v128 {
  return f64x2.mul(i64x2.shuffle(x, x, 1, 0), f64x2(header.conjugate ? -1 : 1, header.conjugate ? 1 : -1));
}

export function complex_csr_spmv_t<V, X>(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  const complex = changetype<ComplexHeader>(header.matrix);
  if (header.windows === 0) {
    scatterRows<V, u32, X>(complex, operands.x, operands.y, begin, end, <f64>(<X>operands.alpha));
    return;
  }
  for (let part = begin; part < end; part++)
    scatterRows<V, u32, X>(complex, operands.x, sumsOf<X>(header, part), unitOf(header, part), unitOf(header, part + 1), 1);
}

function scatterRows<V, I, X>(header: ComplexHeader, x: usize, y: usize, begin: u32, end: u32, alpha: f64): void {
  const matrix = changetype<CsrHeader>(header.matrix);
  let ptr = matrix.rowPtr + ((<usize>begin) << 2);
  let k = load<u32>(ptr);
  let values = header.values + ((<usize>k) << pairShift<V>());
  let colIdx = matrix.colIdx + ((<usize>k) << alignof<I>());
  for (let row = begin; row < end; row++) {
    ptr += 4;
    const next = load<u32>(ptr);
    const factor = scaled<X>(x, row, alpha);
    const turned = turnedOf(header, factor);
    for (; k < next; k++) {
      addTo<V, X>(y + ((<usize>load<I>(colIdx)) << pairShift<X>()), values, factor, turned);
      values += 2 * sizeof<V>();
      colIdx += sizeof<I>();
    }
  }
}

export function complex_csrk_spmv_t<V, I, X>(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  const complex = changetype<ComplexHeader>(header.matrix);
  if (header.windows === 0) {
    scatterGroups<V, I, X>(complex, operands.x, operands.y, begin, end, <f64>(<X>operands.alpha));
    return;
  }
  for (let part = begin; part < end; part++)
    scatterGroups<V, I, X>(complex, operands.x, sumsOf<X>(header, part), unitOf(header, part), unitOf(header, part + 1), 1);
}

function scatterGroups<V, I, X>(header: ComplexHeader, x: usize, y: usize, begin: u32, end: u32, alpha: f64): void {
  const matrix = changetype<CsrkHeader>(header.matrix);
  const last = superRowOf(matrix, end);
  for (let superRow = superRowOf(matrix, begin); superRow < last; superRow++) {
    let target = y;
    if (sizeof<I>() === 2) target += (<usize>load<u32>(matrix.superRowBase + ((<usize>superRow) << 2))) << pairShift<X>();
    scatterRows<V, I, X>(header, x, target, rowOf(matrix.superRowPtr, superRow), rowOf(matrix.superRowPtr, superRow + 1), alpha);
  }
}

export function complex_coo_spmv_t<V, X>(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  const complex = changetype<ComplexHeader>(header.matrix);
  if (header.windows === 0) {
    scatterLines<V, X>(complex, operands.x, operands.y, begin, end, <f64>(<X>operands.alpha));
    return;
  }
  for (let part = begin; part < end; part++)
    scatterLines<V, X>(complex, operands.x, sumsOf<X>(header, part), unitOf(header, part), unitOf(header, part + 1), 1);
}

function scatterLines<V, X>(header: ComplexHeader, x: usize, y: usize, begin: u32, end: u32, alpha: f64): void {
  const matrix = changetype<CooHeader>(header.matrix);
  const last = min(end << LINE_SHIFT, matrix.nnz);
  for (let k = begin << LINE_SHIFT; k < last; k++) {
    const factor = scaled<X>(x, rowOfEntry(matrix, k), alpha);
    const column = load<u32>(matrix.colIdx + ((<usize>k) << 2));
    addTo<V, X>(y + ((<usize>column) << pairShift<X>()), header.values + ((<usize>k) << pairShift<V>()), factor, turnedOf(header, factor));
  }
}

export function complex_sell_spmv_t<V, I, X>(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  const complex = changetype<ComplexHeader>(header.matrix);
  if (header.windows === 0) {
    scatterChunks<V, I, X>(complex, operands.x, operands.y, begin, end, <f64>(<X>operands.alpha));
    return;
  }
  for (let part = begin; part < end; part++)
    scatterChunks<V, I, X>(complex, operands.x, sumsOf<X>(header, part), unitOf(header, part), unitOf(header, part + 1), 1);
}

function scatterChunks<V, I, X>(header: ComplexHeader, x: usize, y: usize, begin: u32, end: u32, alpha: f64): void {
  const matrix = changetype<SellHeader>(header.matrix);
  const height = matrix.chunkHeight;
  for (let chunk = begin; chunk < end; chunk++) {
    const first = load<u32>(matrix.chunkPtr + ((<usize>chunk) << 2));
    const last = load<u32>(matrix.chunkPtr + ((<usize>chunk) << 2), 4);
    const target = y + elementsFrom<I, X>(matrix, chunk);
    const places = min(chunk * height + height, matrix.rows);
    for (let place = chunk * height; place < places; place++) {
      const factor = scaled<X>(x, rowAt(matrix, place), alpha);
      const turned = turnedOf(header, factor);
      for (let k = first + (place - chunk * height); k < last; k += height) {
        const column = <usize>load<I>(matrix.colIdx + ((<usize>k) << alignof<I>()));
        addTo<V, X>(target + (column << pairShift<X>()), header.values + ((<usize>k) << pairShift<V>()), factor, turned);
      }
    }
  }
}

export function complex_bsr_spmv_t<V, X>(header: ScatterHeader, operands: Operands, begin: u32, end: u32): void {
  const complex = changetype<ComplexHeader>(header.matrix);
  if (header.windows === 0) {
    scatterPanels<V, X>(complex, operands.x, operands.y, begin, end, <f64>(<X>operands.alpha));
    return;
  }
  for (let part = begin; part < end; part++)
    scatterPanels<V, X>(complex, operands.x, sumsOf<X>(header, part), unitOf(header, part), unitOf(header, part + 1), 1);
}

function scatterPanels<V, X>(header: ComplexHeader, x: usize, y: usize, begin: u32, end: u32, alpha: f64): void {
  const matrix = changetype<BsrHeader>(header.matrix);
  const b = matrix.blockSize;
  for (let unit = begin; unit < end; unit++) {
    const blockRow = unit / matrix.panels;
    const panel = unit % matrix.panels;
    const top = (panel * b) / matrix.panels;
    const height = ((panel + 1) * b) / matrix.panels - top;
    const ptr = matrix.blockRowPtr + ((<usize>blockRow) << 2);
    const first = load<u32>(ptr);
    const blocks = load<u32>(ptr, 4) - first;
    const panelValues = header.values + ((<usize>(b * (first * b + top * blocks))) << pairShift<V>());
    const row = blockRow * b + top;
    const rows = min(height, matrix.rows > row ? matrix.rows - row : 0);
    for (let r: u32 = 0; r < rows; r++) {
      const factor = scaled<X>(x, row + r, alpha);
      const turned = turnedOf(header, factor);
      let values = panelValues + ((<usize>r) << pairShift<V>());
      for (let block: u32 = 0; block < blocks; block++) {
        let target = y + ((<usize>load<u32>(matrix.blockColIdx + ((<usize>(first + block)) << 2))) << pairShift<X>());
        for (let c: u32 = 0; c < b; c++) {
          addTo<V, X>(target, values, factor, turned);
          target += 2 * sizeof<X>();
          values += (<usize>height) << pairShift<V>();
        }
      }
    }
  }
}
