/**
 * Block products of complex layouts: Y ← α A X + β Y. A row of A belongs to two rows of X, those of the real and of the imaginary parts: columns are lanes, and nothing
 * is exchanged. Column j has the bits of the single product: its sums are those of S and T (`pairs.ts`), in the same order. Two columns, in f64, are computed
 * at a time, or four.
 */
import { BsrHeader, ComplexHeader, CooHeader, CsrHeader, CsrkHeader, DiaHeader, SellHeader } from '../../build/headers';
import { endOfRow, firstEntryFrom, firstRowFrom, rowOfEntry } from '../coo/rows';
import { rowOf, superRowOf } from '../csrk/csrk';
import { offsetsBelow } from '../dia/dia';
import { madd64 } from '../lanes';
import { Operands } from '../operands';
import { HEIGHT, valuesOf } from './dia';
import { bothLanes, pairAt, pairShift, storePair } from './pairs';
import { elementsFrom, rowAt } from './sell';

/** The bytes from the rows of X of a column of A, one of real and one of imaginary parts, to those of the next column. */
@inline
function toNextIndex<X>(stride: u32): usize {
  return (<usize>stride) << pairShift<X>();
}

/** The bytes of a row of X, in whole registers. */
@inline
function widthOf<X>(operands: Operands): usize {
  return (((<usize>operands.columns) << alignof<X>()) + 15) & ~15;
}

/** y ← α (u · uSign + v · vSign) + β y in two columns. */
@inline
function putColumns<X>(at: usize, u: v128, v: v128, uSign: f64, vSign: f64, alpha: f64, beta: f64): void {
  const sum = f64x2.add(f64x2.mul(u, f64x2.splat(uSign)), f64x2.mul(v, f64x2.splat(vSign)));
  let result = f64x2.mul(f64x2.splat(alpha), sum);
  if (beta !== 0) result = f64x2.add(result, f64x2.mul(f64x2.splat(beta), pairAt<X>(at, 0)));
  storePair<X>(at, result);
}

/**
 * Computes the two rows of Y of a row of `count` runs of `width` entries each. A run's columns are those at `colIdx`, `colStep` bytes apart, or if that is 0 the
 * first one and those after it; its values are `valueStep` bytes apart.
 */
@inline
function blockRow<V, I, X>(
  header: ComplexHeader,
  operands: Operands,
  row: u32,
  x: usize,
  colIdx: usize,
  colStep: usize,
  values: usize,
  valueStep: usize,
  count: u32,
  width: u32,
  alpha: f64,
): void {
  const toNext = toNextIndex<X>(operands.xStride);
  const toImaginary = toNext >> 1;
  const y = operands.y + <usize>row * toNextIndex<X>(operands.yStride);
  const yImaginary = y + (toNextIndex<X>(operands.yStride) >> 1);
  const beta = <f64>(<X>operands.beta);
  const toColumn = colStep === 0 ? toNext : 0;
  const realSign: f64 = header.conjugate ? 1 : -1;
  const bytes = widthOf<X>(operands);
  const two: usize = 2 * sizeof<X>();
  for (let offset: usize = 0; offset < bytes; offset += 2 * two) {
    const isFour = offset + two < bytes;
    let p0 = f64x2.splat(0);
    let q0 = f64x2.splat(0);
    let r0 = f64x2.splat(0);
    let t0 = f64x2.splat(0);
    let p1 = f64x2.splat(0);
    let q1 = f64x2.splat(0);
    let r1 = f64x2.splat(0);
    let t1 = f64x2.splat(0);
    let column = colIdx;
    let value = values;
    for (let run: u32 = 0; run < count; run++) {
      let at = x + offset + <usize>load<I>(column) * toNext;
      for (let k: u32 = 0; k < width; k++) {
        const re = bothLanes<V>(value, 0);
        const im = bothLanes<V>(value, 1);
        const xr = pairAt<X>(at, 0);
        const xi = pairAt<X>(at + toImaginary, 0);
        p0 = madd64(p0, re, xr);
        r0 = madd64(r0, im, xr);
        t0 = madd64(t0, re, xi);
        q0 = madd64(q0, im, xi);
        if (isFour) {
          const xr1 = pairAt<X>(at + two, 0);
          const xi1 = pairAt<X>(at + toImaginary + two, 0);
          p1 = madd64(p1, re, xr1);
          r1 = madd64(r1, im, xr1);
          t1 = madd64(t1, re, xi1);
          q1 = madd64(q1, im, xi1);
        }
        value += valueStep;
        at += toColumn;
      }
      column += colStep === 0 ? sizeof<I>() : colStep;
    }
    putColumns<X>(y + offset, p0, q0, 1, realSign, alpha, beta);
    putColumns<X>(yImaginary + offset, r0, t0, -realSign, 1, alpha, beta);
    if (!isFour) continue;
    putColumns<X>(y + offset + two, p1, q1, 1, realSign, alpha, beta);
    putColumns<X>(yImaginary + offset + two, r1, t1, -realSign, 1, alpha, beta);
  }
}

export function complex_csr_spmm<V, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  rowsOfCsr<V, u32, X>(header, operands, operands.x, begin, end);
}

export function complex_csrk_spmm<V, I, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  const matrix = changetype<CsrkHeader>(header.matrix);
  const last = superRowOf(matrix, end);
  for (let superRow = superRowOf(matrix, begin); superRow < last; superRow++) {
    let x = operands.x;
    if (sizeof<I>() === 2) x += <usize>load<u32>(matrix.superRowBase + ((<usize>superRow) << 2)) * toNextIndex<X>(operands.xStride);
    rowsOfCsr<V, I, X>(header, operands, x, rowOf(matrix.superRowPtr, superRow), rowOf(matrix.superRowPtr, superRow + 1));
  }
}

function rowsOfCsr<V, I, X>(header: ComplexHeader, operands: Operands, x: usize, begin: u32, end: u32): void {
  const matrix = changetype<CsrHeader>(header.matrix);
  let ptr = matrix.rowPtr + ((<usize>begin) << 2);
  let k = load<u32>(ptr);
  for (let row = begin; row < end; row++) {
    ptr += 4;
    const next = load<u32>(ptr);
    const colIdx = matrix.colIdx + ((<usize>k) << alignof<I>());
    const values = header.values + ((<usize>k) << pairShift<V>());
    blockRow<V, I, X>(header, operands, row, x, colIdx, sizeof<I>(), values, 2 * sizeof<V>(), next - k, 1, <f64>(<X>operands.alpha));
    k = next;
  }
}

export function complex_coo_spmm<V, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  const matrix = changetype<CooHeader>(header.matrix);
  const last = firstRowFrom(matrix, end);
  let row = firstRowFrom(matrix, begin);
  if (row >= last) return;
  let k = firstEntryFrom(matrix, begin, row);
  const stop = firstEntryFrom(matrix, end, last);
  while (row < last) {
    const at = rowOfEntry(matrix, k);
    if (at > row && matrix.adds) {
      row = min(at, last);
      continue;
    }
    const first = k;
    k = endOfRow(matrix, k, row, last, stop);
    const colIdx = matrix.colIdx + ((<usize>first) << 2);
    const values = header.values + ((<usize>first) << pairShift<V>());
    const alpha = k > first ? <f64>(<X>operands.alpha) : 0;
    blockRow<V, u32, X>(header, operands, row, operands.x, colIdx, 4, values, 2 * sizeof<V>(), k - first, 1, alpha);
    row++;
  }
}

export function complex_sell_spmm<V, I, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  const matrix = changetype<SellHeader>(header.matrix);
  const height = matrix.chunkHeight;
  for (let chunk = begin; chunk < end; chunk++) {
    const first = load<u32>(matrix.chunkPtr + ((<usize>chunk) << 2));
    const width = (load<u32>(matrix.chunkPtr + ((<usize>chunk) << 2), 4) - first) / height;
    const x = operands.x + elementsFrom<I, X>(matrix, chunk) * <usize>operands.xStride;
    const places = min(chunk * height + height, matrix.rows);
    for (let place = chunk * height; place < places; place++) {
      const k = first + (place - chunk * height);
      const colIdx = matrix.colIdx + ((<usize>k) << alignof<I>());
      const values = header.values + ((<usize>k) << pairShift<V>());
      const colStep = (<usize>height) << alignof<I>();
      const valueStep = (<usize>height) << pairShift<V>();
      blockRow<V, I, X>(header, operands, rowAt(matrix, place), x, colIdx, colStep, values, valueStep, width, 1, <f64>(<X>operands.alpha));
    }
  }
}

export function complex_dia_spmm<V, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  const matrix = changetype<DiaHeader>(header.matrix);
  const offsets = matrix.offsets;
  const diagonals = matrix.diagonals;
  for (let chunk = begin; chunk < end; chunk++) {
    // The first diagonal that the chunk stores.
    const stored = offsetsBelow(offsets, diagonals, 1 - <i32>((chunk + 1) * HEIGHT));
    const values = valuesOf<V>(header, matrix, chunk);
    const rows = min((chunk + 1) * HEIGHT, matrix.rows);
    for (let row = chunk * HEIGHT; row < rows; row++) {
      const first = offsetsBelow(offsets, diagonals, -(<i32>row));
      const last = offsetsBelow(offsets, diagonals, <i32>matrix.cols - <i32>row);
      const place = (first - stored) * HEIGHT + (row - chunk * HEIGHT);
      const x = operands.x + <usize>row * toNextIndex<X>(operands.xStride);
      const at = values + ((<usize>place) << pairShift<V>());
      const valueStep = (<usize>HEIGHT) << pairShift<V>();
      blockRow<V, u32, X>(
        header,
        operands,
        row,
        x,
        offsets + ((<usize>first) << 2),
        4,
        at,
        valueStep,
        last - first,
        1,
        <f64>(<X>operands.alpha),
      );
    }
  }
}

export function complex_bsr_spmm<V, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  const matrix = changetype<BsrHeader>(header.matrix);
  const b = matrix.blockSize;
  for (let unit = begin; unit < end; unit++) {
    const blockRowIndex = unit / matrix.panels;
    const panel = unit % matrix.panels;
    const top = (panel * b) / matrix.panels;
    const height = ((panel + 1) * b) / matrix.panels - top;
    const ptr = matrix.blockRowPtr + ((<usize>blockRowIndex) << 2);
    const first = load<u32>(ptr);
    const blocks = load<u32>(ptr, 4) - first;
    const blockColIdx = matrix.blockColIdx + ((<usize>first) << 2);
    const values = header.values + ((<usize>(b * (first * b + top * blocks))) << pairShift<V>());
    const row = blockRowIndex * b + top;
    const rows = min(height, matrix.rows > row ? matrix.rows - row : 0);
    const valueStep = (<usize>height) << pairShift<V>();
    for (let r: u32 = 0; r < rows; r++) {
      const at = values + ((<usize>r) << pairShift<V>());
      blockRow<V, u32, X>(header, operands, row + r, operands.x, blockColIdx, 0, at, valueStep, blocks, b, <f64>(<X>operands.alpha));
    }
  }
}
