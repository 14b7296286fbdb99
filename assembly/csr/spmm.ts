/** Block products of CSR and CSR-k: Y ← α A X + β Y over the rows, or the coarsest groups, [begin, end). */
import { CsrHeader, CsrkHeader } from '../../build/headers';
import { allPasses, blockRow, xStride, yStride } from '../blocks/row';
import { rowOf, superRowOf } from '../csrk/csrk';
import { valueShift } from '../lanes';
import { Operands } from '../operands';

@unmanaged
export class CsrBlocks extends CsrHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    rowsOf<V, I, X, W>(this, operands, operands.x + offset, offset, begin, end);
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
      rowsOf<V, I, X, W>(this, operands, x, offset, rowOf(superRowPtr, superRow), rowOf(superRowPtr, superRow + 1));
    }
  }
}

/** Computes the rows [begin, end). `offset`: of the pass, in a row of Y. */
function rowsOf<V, I, X, W>(header: CsrHeader, operands: Operands, x: usize, offset: usize, begin: u32, end: u32): void {
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
    blockRow<V, I, X, W>(x, stride, at, cols, width, values, table, alpha, beta);
    at += toNext;
    k = next;
  }
}

export function csr_spmm<V, I, X>(header: CsrBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<CsrBlocks, V, I, X>(header, operands, begin, end);
}

export function csrk_spmm<V, I, X>(header: CsrkBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<CsrkBlocks, V, I, X>(header, operands, begin, end);
}
