/**
 * Block products of COO: Y ← α A X + β Y over the rows whose first entries are in the lines [begin, end), and the empty rows before
 * them. A row is never shared by parts, so there are no carries, and a column has the bits of the single product in one part.
 */
import { CooHeader } from '../../build/headers';
import { allPasses, blockRow, xStride, yStride } from '../blocks/row';
import { valueShift } from '../lanes';
import { Operands } from '../operands';
import { endOfRow, firstEntryFrom, firstRowFrom, rowOfEntry } from './rows';

@unmanaged
export class CooBlocks extends CooHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    const stride = xStride<X>(operands);
    const toNext = yStride<X>(operands);
    const alpha = <X>operands.alpha;
    const beta = <X>operands.beta;
    const table = this.table;
    const x = operands.x + offset;
    const last = firstRowFrom(this, end);
    let row = firstRowFrom(this, begin);
    if (row >= last) return;
    let k = firstEntryFrom(this, begin, row);
    const stop = firstEntryFrom(this, end, last);
    while (row < last) {
      const at = rowOfEntry(this, k);
      if (at > row && this.adds) {
        row = min(at, last);
        continue;
      }
      const first = k;
      k = endOfRow(this, k, row, last, stop);
      const width = k - first;
      const cols = this.colIdx + ((<usize>first) << 2);
      const values = this.values + ((<usize>first) << valueShift<V>());
      blockRow<V, I, X>(
        sizeof<W>(),
        x,
        stride,
        operands.y + <usize>row * toNext + offset,
        cols,
        width,
        values,
        table,
        width > 0 ? alpha : 0,
        beta,
      );
      row++;
    }
  }
}

export function coo_spmm<V, I, X>(header: CooBlocks, operands: Operands, begin: u32, end: u32): void {
  allPasses<CooBlocks, V, I, X>(header, operands, begin, end);
}
