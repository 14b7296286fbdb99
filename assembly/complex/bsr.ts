/** Complex BSR: y ← α A x + β y over the panels [begin, end). Layout: `src/formats/bsr/bsr.ts`. Up to two rows of a panel at a time. */
import { BsrHeader, ComplexHeader } from '../../build/headers';
import { madd64 } from '../lanes';
import { Operands } from '../operands';
import { exchanged, pairAt, pairShift, putPair, signsOf } from './pairs';

/** So many rows are computed at a time. */
const LANES: u32 = 2;

export function complex_bsr_spmv<V, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  panels<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

function panels<V, X>(header: ComplexHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
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
    const blockColIdx = matrix.blockColIdx + ((<usize>first) << 2);
    const values = header.values + ((<usize>(b * (first * b + top * blocks))) << pairShift<V>());
    const row = blockRow * b + top;
    const rows = min(height, matrix.rows > row ? matrix.rows - row : 0);
    for (let r: u32 = 0; r < rows; r += LANES)
      rowsOf<V, X>(
        header,
        min(rows - r, LANES),
        height,
        b,
        blockColIdx,
        blocks,
        values + ((<usize>r) << pairShift<V>()),
        x,
        y,
        row + r,
        alpha,
        beta,
      );
  }
}

/** Computes `count` rows, one or two, of blocks of b columns of `height` values each. */
@inline
function rowsOf<V, X>(
  header: ComplexHeader,
  count: u32,
  height: u32,
  b: u32,
  blockColIdx: usize,
  blocks: u32,
  values: usize,
  x: usize,
  y: usize,
  row: u32,
  alpha: X,
  beta: X,
): void {
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let t0 = f64x2.splat(0);
  let t1 = f64x2.splat(0);
  for (; blocks > 0; blocks--) {
    let element = x + ((<usize>load<u32>(blockColIdx)) << pairShift<X>());
    for (let c: u32 = 0; c < b; c++) {
      const a0 = pairAt<V>(values, 0);
      const pair = pairAt<X>(element, 0);
      const turned = exchanged(pair);
      s0 = madd64(s0, a0, pair);
      t0 = madd64(t0, a0, turned);
      if (count > 1) {
        const a1 = pairAt<V>(values, 1);
        s1 = madd64(s1, a1, pair);
        t1 = madd64(t1, a1, turned);
      }
      values += (<usize>height) << pairShift<V>();
      element += 2 * sizeof<X>();
    }
    blockColIdx += 4;
  }
  const at = y + ((<usize>row) << pairShift<X>());
  const signs = signsOf(header);
  putPair<X>(at, s0, t0, signs, <f64>alpha, <f64>beta);
  if (count > 1) putPair<X>(at + 2 * sizeof<X>(), s1, t1, signs, <f64>alpha, <f64>beta);
}
