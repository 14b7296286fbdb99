/**
 * Block products of CSR and CSR-k: Y ← α A X + β Y over the rows, or the coarsest groups, [begin, end).
 *
 * `csr_spmm_fast` adds the entries of a row in order, so its columns do not have the bits of single products: all sums of eight vectors of columns
 * stay in registers, and each entry is read once for them. From 8 columns on it takes 0.5 to 0.9 of the time (AMD EPYC Zen 4, Node 20 and 24, November
 * 2026). V8 of Node 24 has no sum in memory; that of Node 20 has one of eight, since it unrolls the loop of `laneTile` twice and joins two halves.
 */
import { CsrHeader, CsrkHeader, FAST_FROM_F32, FAST_FROM_F64 } from '../../build/headers';
import { laneTile } from '../blocks/lane-tile';
import { allPasses, blockRow, xStride, yStride } from '../blocks/row';
import { One } from '../counts';
import { rowOf, superRowOf } from '../csrk/csrk';
import { valueShift } from '../lanes';
import { Operands } from '../operands';

/** The order in which the entries of a row are added, as a type parameter: that of single products, or that of the row. */
type AsSingle = u8;
type InOrder = u16;

@unmanaged
export class CsrBlocks extends CsrHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    rowsOf<V, I, X, W, AsSingle>(this, operands, operands.x + offset, offset, begin, end);
  }
}

@unmanaged
export class CsrFastBlocks extends CsrHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    rowsOf<V, I, X, W, InOrder>(this, operands, operands.x + offset, offset, begin, end);
  }
}

@unmanaged
export class CsrkBlocks extends CsrkHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    const superRowPtr = this.superRowPtr;
    const last = superRowOf(this, end);
    for (let superRow = superRowOf(this, begin); superRow < last; superRow++) {
      let x = operands.x + offset;
      if (sizeof<I>() === 2) x += <usize>load<u32>(this.superRowBase + ((<usize>superRow) << 2)) * xStride<X>(operands);
      rowsOf<V, I, X, W, AsSingle>(this, operands, x, offset, rowOf(superRowPtr, superRow), rowOf(superRowPtr, superRow + 1));
    }
  }
}

/**
 * Computes the rows [begin, end). `offset`: of the pass, in a row of Y. So few vectors as `branchesAtOnce` has in registers are too few sums to add in
 * order: they would wait for each other (4 columns of f64, R-MAT, 27-point and QCD on Node 24: 1.17, 1.04 and 0.93 × as fast).
 */
function rowsOf<V, I, X, W, O>(header: CsrHeader, operands: Operands, x: usize, offset: usize, begin: u32, end: u32): void {
  const stride = xStride<X>(operands);
  const toNext = yStride<X>(operands);
  const alpha = <X>operands.alpha;
  const beta = <X>operands.beta;
  const table = header.table;
  let at = operands.y + <usize>begin * toNext + offset;
  let ptr = header.rowPtr + ((<usize>begin) << 2);
  let k = load<u32>(ptr);
  for (let row = begin; row < end; row++) {
    ptr += 4;
    const next = load<u32>(ptr);
    const cols = header.colIdx + ((<usize>k) << alignof<I>());
    const values = header.values + ((<usize>k) << valueShift<V>());
    const width = next - k;
    if (sizeof<O>() === sizeof<InOrder>() && sizeof<W>() >= (sizeof<X>() === 8 ? FAST_FROM_F64 : FAST_FROM_F32)) {
      const step: usize = 1 << valueShift<V>();
      laneTile<V, I, X, One, W>(x, stride, at, at, at, at, cols, sizeof<I>(), values, step, table, width, alpha, beta);
    } else {
      blockRow<V, I, X>(sizeof<W>(), x, stride, at, cols, width, values, table, alpha, beta);
    }
    at += toNext;
    k = next;
  }
}

export function csr_spmm<V, I, X>(header: CsrBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<CsrBlocks, V, I, X>(header, operands, begin, end);
}

export function csr_spmm_fast<V, I, X>(header: CsrFastBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<CsrFastBlocks, V, I, X>(header, operands, begin, end);
}

export function csrk_spmm<V, I, X>(header: CsrkBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<CsrkBlocks, V, I, X>(header, operands, begin, end);
}
