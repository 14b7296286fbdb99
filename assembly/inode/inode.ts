/**
 * Rows grouped by equal columns: y ← α A x + β y over the groups [begin, end). Layout: `src/formats/inode/inode.ts`. A group is a
 * panel of up to eight rows, with one loop for each height; a group of one row is summed as in `csr`.
 *
 * Tried: groups alternately from two places, as block rows in `assembly/bsr/bsr.ts`: with groups of 7 rows, from memory, 1.4 × as fast, but
 * with groups of 3 rows 1.2 × as slow, in cache or not, and with single rows even slower. (AMD EPYC Zen 4, one thread, November
 * 2026.)
 */
import { InodeHeader } from '../../build/headers';
import { BranchFree, put, rowSum } from '../lanes';
import { Operands } from '../operands';
import { columns, putPanel } from '../panel';

export function inode_spmv<V, X>(header: InodeHeader, operands: Operands, begin: u32, end: u32): void {
  groups<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

function groups<V, X>(header: InodeHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const groupPtr = header.groupPtr;
  const colPtr = header.colPtr;
  let row = load<u32>(groupPtr + ((<usize>begin) << 2));
  let first = load<u32>(colPtr + ((<usize>begin) << 2));
  let colIdx = header.colIdx + ((<usize>first) << 2);
  let values = header.values + ((<usize>load<u32>(header.valuePtr + ((<usize>begin) << 2))) << alignof<V>());
  for (let group = begin; group < end; group++) {
    const nextRow = load<u32>(groupPtr + ((<usize>group) << 2), 4);
    const next = load<u32>(colPtr + ((<usize>group) << 2), 4);
    const width = next - first;
    const at = y + ((<usize>row) << alignof<X>());
    switch (nextRow - row) {
      case 1: {
        put<X>(at, rowSum<V, u32, X, BranchFree>(x, colIdx, values, 0, width), alpha, beta);
        break;
      }
      case 2: {
        rowsOf<V, X>(2, width, colIdx, values, x, at, alpha, beta);
        break;
      }
      case 3: {
        rowsOf<V, X>(3, width, colIdx, values, x, at, alpha, beta);
        break;
      }
      case 4: {
        rowsOf<V, X>(4, width, colIdx, values, x, at, alpha, beta);
        break;
      }
      case 5: {
        rowsOf<V, X>(5, width, colIdx, values, x, at, alpha, beta);
        break;
      }
      case 6: {
        rowsOf<V, X>(6, width, colIdx, values, x, at, alpha, beta);
        break;
      }
      case 7: {
        rowsOf<V, X>(7, width, colIdx, values, x, at, alpha, beta);
        break;
      }
      case 8: {
        rowsOf<V, X>(8, width, colIdx, values, x, at, alpha, beta);
        break;
      }
    }
    colIdx += (<usize>width) << 2;
    values += (<usize>(width * (nextRow - row))) << alignof<V>();
    row = nextRow;
    first = next;
  }
}

/** Computes h rows over `width` columns, h a constant. */
@inline
function rowsOf<V, X>(h: u32, width: u32, colIdx: usize, values: usize, x: usize, at: usize, alpha: X, beta: X): void {
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let s2 = f64x2.splat(0);
  let s3 = f64x2.splat(0);
  for (; width > 3; width -= 4) {
    const x0 = v128.load_splat<X>(x + ((<usize>load<u32>(colIdx)) << alignof<X>()));
    const x1 = v128.load_splat<X>(x + ((<usize>load<u32>(colIdx, 4)) << alignof<X>()));
    const x2 = v128.load_splat<X>(x + ((<usize>load<u32>(colIdx, 8)) << alignof<X>()));
    const x3 = v128.load_splat<X>(x + ((<usize>load<u32>(colIdx, 12)) << alignof<X>()));
    s0 = columns<V, X>(s0, 0, h, 4, values, 0, x0, x1, x2, x3);
    s1 = columns<V, X>(s1, 1, h, 4, values, 0, x0, x1, x2, x3);
    s2 = columns<V, X>(s2, 2, h, 4, values, 0, x0, x1, x2, x3);
    s3 = columns<V, X>(s3, 3, h, 4, values, 0, x0, x1, x2, x3);
    colIdx += 16;
    values += (4 * h) << alignof<V>();
  }
  for (; width > 0; width--) {
    const x0 = v128.load_splat<X>(x + ((<usize>load<u32>(colIdx)) << alignof<X>()));
    s0 = columns<V, X>(s0, 0, h, 1, values, 0, x0, x0, x0, x0);
    s1 = columns<V, X>(s1, 1, h, 1, values, 0, x0, x0, x0, x0);
    s2 = columns<V, X>(s2, 2, h, 1, values, 0, x0, x0, x0, x0);
    s3 = columns<V, X>(s3, 3, h, 1, values, 0, x0, x0, x0, x0);
    colIdx += 4;
    values += h << alignof<V>();
  }
  putPanel<X>(at, h, h, s0, s1, s2, s3, alpha, beta);
}
