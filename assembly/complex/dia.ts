/**
 * Complex DIA: y ← α A x + β y over the chunks [begin, end) of 8 rows. Layout: `src/formats/dia/dia.ts`. Four rows at a time, whose elements of
 * x follow each other; where a diagonal enters or leaves the matrix among them, it is computed row by row.
 */
import { ComplexHeader, DiaHeader } from '../../build/headers';
import { firstOf, lastOf } from '../dia/dia';
import { Operands } from '../operands';
import { addImaginary, addReal, exchangedSignsOf, pairAt, pairShift, putPair, signsOf } from './pairs';

/** Rows of a chunk, those of f64, and rows that are computed at a time. */
export const HEIGHT: u32 = 8;
const LANES: u32 = 4;

export function complex_dia_spmv<V, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  chunks<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

function chunks<V, X>(header: ComplexHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const matrix = changetype<DiaHeader>(header.matrix);
  for (let chunk = begin; chunk < end; chunk++) {
    const first = firstOf<f64>(matrix, chunk);
    const last = lastOf<f64>(matrix, chunk);
    const values = valuesOf<V>(header, matrix, chunk);
    fourRows<V, X>(header, matrix, x, y, chunk * HEIGHT, first, last, values, alpha, beta);
    fourRows<V, X>(header, matrix, x, y, chunk * HEIGHT + LANES, first, last, values + ((<usize>LANES) << pairShift<V>()), alpha, beta);
  }
}

/** The address of the values of a chunk. */
@inline
export function valuesOf<V>(header: ComplexHeader, matrix: DiaHeader, chunk: u32): usize {
  const start = HEIGHT * load<u32>(matrix.chunkPtr + ((<usize>chunk) << 2));
  return header.values + ((<usize>start) << pairShift<V>());
}

@inline
function fourRows<V, X>(
  header: ComplexHeader,
  matrix: DiaHeader,
  x: usize,
  y: usize,
  row: u32,
  first: u32,
  last: u32,
  values: usize,
  alpha: X,
  beta: X,
): void {
  const cols = <i32>matrix.cols;
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let s2 = f64x2.splat(0);
  let s3 = f64x2.splat(0);
  let t0 = f64x2.splat(0);
  let t1 = f64x2.splat(0);
  let t2 = f64x2.splat(0);
  let t3 = f64x2.splat(0);
  for (let diagonal = first; diagonal < last; diagonal++, values += (<usize>HEIGHT) << pairShift<V>()) {
    const col = <i32>row + load<i32>(matrix.offsets + ((<usize>diagonal) << 2));
    const element = x + ((<usize>col) << pairShift<X>());
    if (col >= 0 && col + 3 < cols) {
      const b0 = pairAt<V>(values);
      s0 = addReal<X>(s0, b0, element);
      t0 = addImaginary<X>(t0, b0, element);
      const b1 = pairAt<V>(values + 2 * sizeof<V>());
      s1 = addReal<X>(s1, b1, element + 2 * sizeof<X>());
      t1 = addImaginary<X>(t1, b1, element + 2 * sizeof<X>());
      const b2 = pairAt<V>(values + 4 * sizeof<V>());
      s2 = addReal<X>(s2, b2, element + 4 * sizeof<X>());
      t2 = addImaginary<X>(t2, b2, element + 4 * sizeof<X>());
      const b3 = pairAt<V>(values + 6 * sizeof<V>());
      s3 = addReal<X>(s3, b3, element + 6 * sizeof<X>());
      t3 = addImaginary<X>(t3, b3, element + 6 * sizeof<X>());
      continue;
    }
    if (col >= 0 && col < cols) {
      const a0 = pairAt<V>(values);
      s0 = addReal<X>(s0, a0, element);
      t0 = addImaginary<X>(t0, a0, element);
    }
    if (col + 1 >= 0 && col + 1 < cols) {
      const a1 = pairAt<V>(values + 2 * sizeof<V>());
      s1 = addReal<X>(s1, a1, element + 2 * sizeof<X>());
      t1 = addImaginary<X>(t1, a1, element + 2 * sizeof<X>());
    }
    if (col + 2 >= 0 && col + 2 < cols) {
      const a2 = pairAt<V>(values + 4 * sizeof<V>());
      s2 = addReal<X>(s2, a2, element + 4 * sizeof<X>());
      t2 = addImaginary<X>(t2, a2, element + 4 * sizeof<X>());
    }
    if (col + 3 >= 0 && col + 3 < cols) {
      const a3 = pairAt<V>(values + 6 * sizeof<V>());
      s3 = addReal<X>(s3, a3, element + 6 * sizeof<X>());
      t3 = addImaginary<X>(t3, a3, element + 6 * sizeof<X>());
    }
  }
  const rows = matrix.rows;
  const at = y + ((<usize>row) << pairShift<X>());
  const signs = signsOf(header);
  const exchanged = exchangedSignsOf(header);
  if (row < rows) putPair<X>(at, s0, t0, signs, exchanged, <f64>alpha, <f64>beta);
  if (row + 1 < rows) putPair<X>(at + 2 * sizeof<X>(), s1, t1, signs, exchanged, <f64>alpha, <f64>beta);
  if (row + 2 < rows) putPair<X>(at + 4 * sizeof<X>(), s2, t2, signs, exchanged, <f64>alpha, <f64>beta);
  if (row + 3 < rows) putPair<X>(at + 6 * sizeof<X>(), s3, t3, signs, exchanged, <f64>alpha, <f64>beta);
}
