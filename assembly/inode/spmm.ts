/** Block products of rows grouped by equal columns: Y ← α A X + β Y over the groups [begin, end). */
import { InodeHeader } from '../../build/headers';
import { allPasses, blockRow, xStride, yStride } from '../blocks/row';
import { AnySize, rowsOf } from '../blocks/tile';
import { Four, One, Two } from '../counts';
import { Operands } from '../operands';
import { sets } from '../panel';

/** Groups of one row: the rows of CSR. */
@unmanaged
export class SingleRows extends InodeHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    const groupPtr = this.groupPtr;
    for (let group = begin; group < end; group++) {
      const first = load<u32>(this.colPtr + ((<usize>group) << 2));
      const width = load<u32>(this.colPtr + ((<usize>group) << 2), 4) - first;
      blockRow<V, I, X>(
        sizeof<W>(),
        operands.x + offset,
        xStride<X>(operands),
        operands.y + <usize>load<u32>(groupPtr + ((<usize>group) << 2)) * yStride<X>(operands) + offset,
        this.colIdx + ((<usize>first) << 2),
        width,
        this.values + ((<usize>load<u32>(this.valuePtr + ((<usize>group) << 2))) << alignof<V>()),
        0,
        <X>operands.alpha,
        <X>operands.beta,
      );
    }
  }
}

export function inode_spmm<V, X>(header: SingleRows, operands: Operands, begin: u32, end: u32): void {
  const groupPtr = header.groupPtr;
  for (let group = begin; group < end; ) {
    const row = load<u32>(groupPtr + ((<usize>group) << 2));
    const height = load<u32>(groupPtr + ((<usize>group) << 2), 4) - row;
    if (height === 1) {
      const last = endOfSingles(groupPtr, group, end);
      allPasses<SingleRows, V, u32, X>(header, operands, group, last);
      group = last;
      continue;
    }
    const first = load<u32>(header.colPtr + ((<usize>group) << 2));
    const width = load<u32>(header.colPtr + ((<usize>group) << 2), 4) - first;
    const cols = header.colIdx + ((<usize>first) << 2);
    const values = header.values + ((<usize>load<u32>(header.valuePtr + ((<usize>group) << 2))) << alignof<V>());
    const at = operands.y + <usize>row * yStride<X>(operands);
    const sums = sets<X>(height);
    if (sums === 1) rowsOf<V, u32, X, AnySize, One>(operands, height, cols, 1, width, width & 3, height, values, at);
    else if (sums === 2) rowsOf<V, u32, X, AnySize, Two>(operands, height, cols, 1, width, width & 3, height, values, at);
    else rowsOf<V, u32, X, AnySize, Four>(operands, height, cols, 1, width, width & 3, height, values, at);
    group++;
  }
}

/** The end of the groups of one row that begin with `group`. */
function endOfSingles(groupPtr: usize, group: u32, end: u32): u32 {
  const row = load<u32>(groupPtr + ((<usize>group) << 2)) - group;
  do group++;
  while (group < end && load<u32>(groupPtr + ((<usize>group) << 2), 4) - group - 1 === row);
  return group;
}
