/**
 * BSR with blocks of more than 8 × 8, or 1 × 1: y ← α A x + β y over the panels [begin, end). A panel is 4 to 8 rows of a
 * block row (`src/formats/bsr/bsr.ts`): a large block is split, possibly between threads. This one kernel covers K2 and K3 of
 * Abdelfattah et al. The file also has the reduction that ends the product of a balanced matrix.
 */
import { BsrHeader, ReductionHeader } from '../../build/headers';
import { BranchFree, put, rowSum } from '../lanes';
import { Operands } from '../operands';
import { columns, putPanel } from '../panel';

export function bsr_spmv<V, X>(header: BsrHeader, operands: Operands, begin: u32, end: u32): void {
  panels<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

function panels<V, X>(header: BsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  if (header.partials) {
    y = header.partials;
    alpha = 1;
    beta = 0;
  }
  const rows = header.rows;
  const b = header.blockSize;
  for (let unit = begin; unit < end; unit++) {
    const blockRow = unit / header.panels;
    const panel = unit % header.panels;
    const top = (panel * b) / header.panels;
    const height = ((panel + 1) * b) / header.panels - top;
    const ptr = header.blockRowPtr + ((<usize>blockRow) << 2);
    const first = load<u32>(ptr);
    const next = load<u32>(ptr, 4);
    const blockColIdx = header.blockColIdx + ((<usize>first) << 2);
    const values = header.values + ((<usize>(b * (first * b + top * (next - first)))) << alignof<V>());
    const row = blockRow * b + top;
    const left = rows > row ? rows - row : 0;
    const at = y + ((<usize>row) << alignof<X>());
    if (b === 1) {
      put<X>(at, rowSum<V, u32, X, BranchFree>(x, blockColIdx, values, 0, next - first), alpha, beta);
      continue;
    }
    switch (height) {
      case 4: {
        rowsOf<V, X>(4, b, blockColIdx, next - first, values, x, at, left, alpha, beta);
        break;
      }
      case 5: {
        rowsOf<V, X>(5, b, blockColIdx, next - first, values, x, at, left, alpha, beta);
        break;
      }
      case 6: {
        rowsOf<V, X>(6, b, blockColIdx, next - first, values, x, at, left, alpha, beta);
        break;
      }
      case 7: {
        rowsOf<V, X>(7, b, blockColIdx, next - first, values, x, at, left, alpha, beta);
        break;
      }
      case 8: {
        rowsOf<V, X>(8, b, blockColIdx, next - first, values, x, at, left, alpha, beta);
        break;
      }
    }
  }
}

/** h rows of `blocks` blocks of b columns each, h a constant. */
@inline
function rowsOf<V, X>(h: u32, b: u32, blockColIdx: usize, blocks: u32, values: usize, x: usize, at: usize, left: u32, alpha: X, beta: X): void {
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let s2 = f64x2.splat(0);
  let s3 = f64x2.splat(0);
  for (; blocks > 0; blocks--) {
    let xs = x + ((<usize>load<u32>(blockColIdx)) << alignof<X>());
    let width = b;
    for (; width > 3; width -= 4) {
      const x0 = v128.load_splat<X>(xs);
      const x1 = v128.load_splat<X>(xs, sizeof<X>());
      const x2 = v128.load_splat<X>(xs, 2 * sizeof<X>());
      const x3 = v128.load_splat<X>(xs, 3 * sizeof<X>());
      s0 = columns<V, X>(s0, 0, h, 4, values, 0, x0, x1, x2, x3);
      s1 = columns<V, X>(s1, 1, h, 4, values, 0, x0, x1, x2, x3);
      s2 = columns<V, X>(s2, 2, h, 4, values, 0, x0, x1, x2, x3);
      s3 = columns<V, X>(s3, 3, h, 4, values, 0, x0, x1, x2, x3);
      xs += 4 * sizeof<X>();
      values += (4 * h) << alignof<V>();
    }
    for (; width > 0; width--) {
      const x0 = v128.load_splat<X>(xs);
      s0 = columns<V, X>(s0, 0, h, 1, values, 0, x0, x0, x0, x0);
      s1 = columns<V, X>(s1, 1, h, 1, values, 0, x0, x0, x0, x0);
      s2 = columns<V, X>(s2, 2, h, 1, values, 0, x0, x0, x0, x0);
      s3 = columns<V, X>(s3, 3, h, 1, values, 0, x0, x0, x0, x0);
      xs += sizeof<X>();
      values += h << alignof<V>();
    }
    blockColIdx += 4;
  }
  putPanel<X>(at, h, left, s0, s1, s2, s3, alpha, beta);
}

export function bsr_reduce<X>(header: ReductionHeader, operands: Operands, begin: u32, end: u32): void {
  reduce<X>(header, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

/** Reduces the block rows [begin, end): adds the sums of their segments, in order. */
function reduce<X>(header: ReductionHeader, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const b = header.blockSize;
  const stride = (<usize>b) << alignof<X>();
  let ptr = header.segPtr + ((<usize>begin) << 2);
  for (let blockRow = begin; blockRow < end; blockRow++) {
    let at = header.partials + <usize>load<u32>(ptr) * stride;
    ptr += 4;
    const next = header.partials + <usize>load<u32>(ptr) * stride;
    const last = min(header.rows, (blockRow + 1) * b);
    for (let row = blockRow * b; row < last; row++) {
      let sum: X = 0;
      for (let partial = at; partial < next; partial += stride) sum += load<X>(partial);
      put<X>(y + ((<usize>row) << alignof<X>()), sum, alpha, beta);
      at += sizeof<X>();
    }
  }
}
