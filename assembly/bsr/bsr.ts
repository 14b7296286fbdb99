/**
 * BSR with blocks of 2 × 2 to 8 × 8: y ← α A x + β y over the block rows [begin, end), one kernel for each size, fully
 * unrolled (the K1 of Abdelfattah et al.). Layout: `src/formats/bsr/bsr.ts`. Larger blocks: `panels.ts`.
 *
 * Like the short rows of `csr`, block rows are computed alternately from two places of the range: for the 5-point Laplacian,
 * from memory, that is 1.4 × as fast with blocks of 2 × 2, 1.3 × with 3 × 3, 1.1 × with 7 × 7; in cache it makes no difference.
 * Where lengths differ from row to row and columns are scattered, one place is 1.4 × as fast: elasticity of 30³ nodes in random order 3.1 ms, from two places 4.3,
 * in the order of the grid 2.4 and 2.1. `places` of the header says which, and the first products of a large matrix try both.
 * The two places keep their addresses in locals and swap roles. Addresses recomputed from blockRowPtr cost 3 ns per block row:
 * 1.5 × as slow with 3 × 3 in cache. (AMD EPYC Zen 4, one thread, f64, November 2026.)
 */
import { BsrHeader } from '../../build/headers';
import { Operands } from '../operands';
import { columns, putPanel } from '../panel';

@inline
export function bsrN_spmv<V, X>(size: u32, header: BsrHeader, operands: Operands, begin: u32, end: u32): void {
  small<V, X>(size, header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

/** Blocks of b × b, b a constant. */
@inline
function small<V, X>(b: u32, header: BsrHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  if (header.partials) {
    y = header.partials;
    alpha = 1;
    beta = 0;
  }
  const bytes = (<usize>(b * b)) << alignof<V>();
  const hasTwo = header.places === 2;
  // The current place, and the other one.
  let unit = begin;
  let unit2 = begin + ((end - begin + 1) >> 1);
  const k = load<u32>(header.blockRowPtr + ((<usize>unit) << 2));
  const k2 = load<u32>(header.blockRowPtr + ((<usize>unit2) << 2));
  let blockColIdx = header.blockColIdx + ((<usize>k) << 2);
  let blockColIdx2 = header.blockColIdx + ((<usize>k2) << 2);
  let values = header.values + <usize>k * bytes;
  let values2 = header.values + <usize>k2 * bytes;
  for (let turns = end - begin; turns > 0; turns--) {
    const next = header.blockColIdx + ((<usize>load<u32>(header.blockRowPtr + ((<usize>unit) << 2), 4)) << 2);
    let s0 = f64x2.splat(0);
    let s1 = f64x2.splat(0);
    let s2 = f64x2.splat(0);
    let s3 = f64x2.splat(0);
    for (; blockColIdx < next; blockColIdx += 4) {
      const xs = x + ((<usize>load<u32>(blockColIdx)) << alignof<X>());
      const x0 = v128.load_splat<X>(xs);
      const x1 = v128.load_splat<X>(xs, sizeof<X>());
      const x2 = b > 2 ? v128.load_splat<X>(xs, 2 * sizeof<X>()) : x0;
      const x3 = b > 3 ? v128.load_splat<X>(xs, 3 * sizeof<X>()) : x0;
      s0 = columns<V, X>(s0, 0, b, b, values, 0, x0, x1, x2, x3);
      s1 = columns<V, X>(s1, 1, b, b, values, 0, x0, x1, x2, x3);
      s2 = columns<V, X>(s2, 2, b, b, values, 0, x0, x1, x2, x3);
      s3 = columns<V, X>(s3, 3, b, b, values, 0, x0, x1, x2, x3);
      if (b > 4) {
        const x4 = v128.load_splat<X>(xs, 4 * sizeof<X>());
        const x5 = b > 5 ? v128.load_splat<X>(xs, 5 * sizeof<X>()) : x4;
        const x6 = b > 6 ? v128.load_splat<X>(xs, 6 * sizeof<X>()) : x4;
        const x7 = b > 7 ? v128.load_splat<X>(xs, 7 * sizeof<X>()) : x4;
        s0 = columns<V, X>(s0, 0, b, b - 4, values, 4 * b, x4, x5, x6, x7);
        s1 = columns<V, X>(s1, 1, b, b - 4, values, 4 * b, x4, x5, x6, x7);
        s2 = columns<V, X>(s2, 2, b, b - 4, values, 4 * b, x4, x5, x6, x7);
        s3 = columns<V, X>(s3, 3, b, b - 4, values, 4 * b, x4, x5, x6, x7);
      }
      values += bytes;
    }
    const row = unit * b;
    putPanel<X>(y + ((<usize>row) << alignof<X>()), b, header.rows - row, s0, s1, s2, s3, alpha, beta);
    const nextUnit = unit + 1;
    if (!hasTwo) {
      unit = nextUnit;
      continue;
    }
    unit = unit2;
    unit2 = nextUnit;
    const nextColumns = blockColIdx;
    blockColIdx = blockColIdx2;
    blockColIdx2 = nextColumns;
    const nextValues = values;
    values = values2;
    values2 = nextValues;
  }
}
