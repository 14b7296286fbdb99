/** Block products of BSR, for every size of blocks: Y ← α A X + β Y over the panels [begin, end). */
import { BsrHeader } from '../../build/headers';
import { allPasses, blockRow, xStride, yStride } from '../blocks/row';
import { Adjacent, AnySize, rowsOf, Three } from '../blocks/tile';
import { Four, One, Two } from '../counts';
import { Operands } from '../operands';
import { sets } from '../panel';

/** Blocks of 1 × 1: the rows of CSR. */
@unmanaged
export class SingleBlocks extends BsrHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    const toNext = yStride<X>(operands);
    let at = operands.y + <usize>begin * toNext + offset;
    for (let row = begin; row < end; row++, at += toNext) {
      const k = load<u32>(this.blockRowPtr + ((<usize>row) << 2));
      const width = load<u32>(this.blockRowPtr + ((<usize>row) << 2), 4) - k;
      const cols = this.blockColIdx + ((<usize>k) << 2);
      const values = this.values + ((<usize>k) << alignof<V>());
      blockRow<V, I, X>(
        sizeof<W>(),
        operands.x + offset,
        xStride<X>(operands),
        at,
        cols,
        width,
        values,
        0,
        <X>operands.alpha,
        <X>operands.beta,
      );
    }
  }
}

export function bsr_spmm<V, X>(header: SingleBlocks, operands: Operands, begin: u32, end: u32): void {
  const b = header.blockSize;
  if (b === 1) {
    allPasses<SingleBlocks, V, u32, X>(header, operands, begin, end);
    return;
  }
  const toNext = yStride<X>(operands);
  for (let unit = begin; unit < end; unit++) {
    const place = unit / header.panels;
    const panel = unit % header.panels;
    const top = (panel * b) / header.panels;
    const height = ((panel + 1) * b) / header.panels - top;
    const ptr = header.blockRowPtr + ((<usize>place) << 2);
    const first = load<u32>(ptr);
    const blocks = load<u32>(ptr, 4) - first;
    const cols = header.blockColIdx + ((<usize>first) << 2);
    const row = place * b + top;
    const rows = min(height, header.rows > row ? header.rows - row : 0);
    const values = header.values + ((<usize>(b * (first * b + top * blocks))) << alignof<V>());
    const at = operands.y + <usize>row * toNext;
    const sums = sets<X>(height);
    // The last columns of a large block are all added to the first sum.
    const rest: u32 = b > 8 ? b & 3 : 0;
    // Of the four sums of 2 × 2 blocks, two are zero.
    if (b === 2) rowsOf<V, Adjacent, X, Two, Two>(operands, rows, cols, blocks, b, rest, height, values, at);
    else if (b === 3 && sizeof<X>() === 8) rowsOf<V, Adjacent, X, Three, Two>(operands, rows, cols, blocks, b, rest, height, values, at);
    else if (b === 3) rowsOf<V, Adjacent, X, Three, Four>(operands, rows, cols, blocks, b, rest, height, values, at);
    else if (b === 4 && sizeof<X>() === 8) rowsOf<V, Adjacent, X, Four, Two>(operands, rows, cols, blocks, b, rest, height, values, at);
    else if (b === 4) rowsOf<V, Adjacent, X, Four, Four>(operands, rows, cols, blocks, b, rest, height, values, at);
    else if (sums === 1) rowsOf<V, Adjacent, X, AnySize, One>(operands, rows, cols, blocks, b, rest, height, values, at);
    else if (sums === 2) rowsOf<V, Adjacent, X, AnySize, Two>(operands, rows, cols, blocks, b, rest, height, values, at);
    else rowsOf<V, Adjacent, X, AnySize, Four>(operands, rows, cols, blocks, b, rest, height, values, at);
  }
}
