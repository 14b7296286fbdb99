/**
 * Components: y ← α A x + β y over the slices of rows [begin, end). Layout: `src/formats/components/components.ts`.
 *
 * A component of a slice is a list of pieces of rows, all of one width, 32, 16, 8, 4, 2 or 1 entries. A sum of fixed length
 * is straight-line code, without a loop or a flag. Neither it nor the loop over pieces has a branch that depends on the
 * lengths of rows. Rows are summed piece by piece in y; a slice's part of y stays in L1 meanwhile.
 */
import { Coded, gather32, gather32pair, gather64, Ones, term32, term64, valueAt, valueShift, values32pair } from './lanes';
import { Operands } from './operands';
import { scale } from './scale';

@unmanaged
export class ComponentsHeader {
  rows!: u32;
  cols!: u32;
  nnz!: u32;
  sliceRows!: u32;
  /** The first entry of every slice. */
  entryPtr!: usize;
  /** The first piece of every component of every slice. */
  piecePtr!: usize;
  /** The row of every piece, as u16 from the first one of its slice. */
  rowIdx!: usize;
  colIdx!: usize;
  /** 0 if all values are 1 and none is stored. */
  values!: usize;
  /** If values are codes: the value of each code, in the type of the sums; else 0. */
  table!: usize;
}

/** Widths 32, 16, 8, 4, 2, 1. */
export const COMPONENTS: u32 = 6;

export function components_spmv_f64(header: ComponentsHeader, operands: Operands, begin: u32, end: u32): void {
  slices<f64, f64>(header, operands.x, operands.y, begin, end, operands.alpha, operands.beta);
}

export function components_spmv_mixed(header: ComponentsHeader, operands: Operands, begin: u32, end: u32): void {
  slices<f32, f64>(header, operands.x, operands.y, begin, end, operands.alpha, operands.beta);
}

export function components_spmv_f32(header: ComponentsHeader, operands: Operands, begin: u32, end: u32): void {
  slices<f32, f32>(header, operands.x, operands.y, begin, end, <f32>operands.alpha, <f32>operands.beta);
}

export function components_table_spmv_f64(header: ComponentsHeader, operands: Operands, begin: u32, end: u32): void {
  slices<Coded, f64>(header, operands.x, operands.y, begin, end, operands.alpha, operands.beta);
}

export function components_table_spmv_f32(header: ComponentsHeader, operands: Operands, begin: u32, end: u32): void {
  slices<Coded, f32>(header, operands.x, operands.y, begin, end, <f32>operands.alpha, <f32>operands.beta);
}

export function components_pattern_spmv_f64(header: ComponentsHeader, operands: Operands, begin: u32, end: u32): void {
  slices<Ones, f64>(header, operands.x, operands.y, begin, end, operands.alpha, operands.beta);
}

export function components_pattern_spmv_f32(header: ComponentsHeader, operands: Operands, begin: u32, end: u32): void {
  slices<Ones, f32>(header, operands.x, operands.y, begin, end, <f32>operands.alpha, <f32>operands.beta);
}

function slices<V, X>(header: ComponentsHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const sliceRows = header.sliceRows;
  const rows = header.rows;
  for (let slice = begin; slice < end; slice++) {
    const row = slice * sliceRows;
    const sliceY = y + ((<usize>row) << alignof<X>());
    scale<X>(sliceY, min(sliceRows, rows - row), beta);
    components<V, X>(header, x, sliceY, slice, alpha);
  }
}

/** Computes the components of one slice, widest first. y points at the slice's first row. */
function components<V, X>(header: ComponentsHeader, x: usize, y: usize, slice: u32, alpha: X): void {
  const table = header.table;
  const entry = <usize>load<u32>(header.entryPtr + ((<usize>slice) << 2));
  let colIdx = header.colIdx + (entry << 2);
  let values = header.values + (entry << valueShift<V>());
  let ptr = header.piecePtr + ((<usize>(slice * COMPONENTS)) << 2);
  let row = header.rowIdx + ((<usize>load<u32>(ptr)) << 1);
  for (let shift: u32 = COMPONENTS; shift-- > 0; ) {
    ptr += 4;
    const end = header.rowIdx + ((<usize>load<u32>(ptr)) << 1);
    switch (shift) {
      case 5:
        pieces<V, X>(x, y, colIdx, values, table, row, end, alpha, 32);
        break;
      case 4:
        pieces<V, X>(x, y, colIdx, values, table, row, end, alpha, 16);
        break;
      case 3:
        pieces<V, X>(x, y, colIdx, values, table, row, end, alpha, 8);
        break;
      case 2:
        pieces<V, X>(x, y, colIdx, values, table, row, end, alpha, 4);
        break;
      case 1:
        pieces<V, X>(x, y, colIdx, values, table, row, end, alpha, 2);
        break;
      default:
        pieces<V, X>(x, y, colIdx, values, table, row, end, alpha, 1);
    }
    const entries = ((end - row) >> 1) << shift;
    colIdx += entries << 2;
    values += entries << valueShift<V>();
    row = end;
  }
}

/** Computes the pieces of one component: `row` … `end` is its part of rowIdx. */
@inline
function pieces<V, X>(x: usize, y: usize, colIdx: usize, values: usize, table: usize, row: usize, end: usize, alpha: X, width: u32): void {
  for (; row < end; row += 2) {
    const at = y + ((<usize>load<u16>(row)) << alignof<X>());
    store<X>(at, load<X>(at) + alpha * pieceSum<V, X>(x, colIdx, values, table, width));
    colIdx += (<usize>width) << 2;
    values += (<usize>width) << valueShift<V>();
  }
}

/** Σ values[k] · x[colIdx[k]] over one piece; `width` is a constant, and the code for other widths is removed. */
@inline
function pieceSum<V, X>(x: usize, colIdx: usize, values: usize, table: usize, width: u32): X {
  if (width === 1) return valueAt<V, X>(values, table) * load<X>(x + ((<usize>load<u32>(colIdx)) << alignof<X>()));
  if (sizeof<X>() === 4) return <X>pieceSum32<V>(x, colIdx, values, table, width);
  return <X>pieceSum64<V>(x, colIdx, values, table, width);
}

/** sum0 adds entries 0 1 mod 4, sum1 entries 2 3 mod 4. */
@inline
function pieceSum64<V>(x: usize, colIdx: usize, values: usize, table: usize, width: u32): f64 {
  let sum0 = term64<V>(f64x2.splat(0), gather64<u32>(x, colIdx, 0), values, table, 0);
  if (width > 2) {
    let sum1 = term64<V>(f64x2.splat(0), gather64<u32>(x, colIdx, 2), values, table, 2);
    if (width > 4) {
      sum0 = term64<V>(sum0, gather64<u32>(x, colIdx, 4), values, table, 4);
      sum1 = term64<V>(sum1, gather64<u32>(x, colIdx, 6), values, table, 6);
    }
    if (width > 8) {
      sum0 = term64<V>(sum0, gather64<u32>(x, colIdx, 8), values, table, 8);
      sum1 = term64<V>(sum1, gather64<u32>(x, colIdx, 10), values, table, 10);
      sum0 = term64<V>(sum0, gather64<u32>(x, colIdx, 12), values, table, 12);
      sum1 = term64<V>(sum1, gather64<u32>(x, colIdx, 14), values, table, 14);
    }
    if (width > 16) {
      sum0 = term64<V>(sum0, gather64<u32>(x, colIdx, 16), values, table, 16);
      sum1 = term64<V>(sum1, gather64<u32>(x, colIdx, 18), values, table, 18);
      sum0 = term64<V>(sum0, gather64<u32>(x, colIdx, 20), values, table, 20);
      sum1 = term64<V>(sum1, gather64<u32>(x, colIdx, 22), values, table, 22);
      sum0 = term64<V>(sum0, gather64<u32>(x, colIdx, 24), values, table, 24);
      sum1 = term64<V>(sum1, gather64<u32>(x, colIdx, 26), values, table, 26);
      sum0 = term64<V>(sum0, gather64<u32>(x, colIdx, 28), values, table, 28);
      sum1 = term64<V>(sum1, gather64<u32>(x, colIdx, 30), values, table, 30);
    }
    sum0 = f64x2.add(sum0, sum1);
  }
  return f64x2.extract_lane(sum0, 0) + f64x2.extract_lane(sum0, 1);
}

/** sum0 adds entries 0 … 3 mod 8, sum1 entries 4 … 7 mod 8. */
@inline
function pieceSum32<V>(x: usize, colIdx: usize, values: usize, table: usize, width: u32): f32 {
  if (width === 2) {
    const pair = gather32pair<u32>(x, colIdx);
    const terms = isBoolean<V>() ? pair : f32x4.mul(values32pair<V>(values, table), pair);
    return f32x4.extract_lane(terms, 0) + f32x4.extract_lane(terms, 1);
  }
  let sum0 = term32<V>(f32x4.splat(0), gather32<u32>(x, colIdx, 0), values, table, 0);
  if (width > 4) {
    let sum1 = term32<V>(f32x4.splat(0), gather32<u32>(x, colIdx, 4), values, table, 4);
    if (width > 8) {
      sum0 = term32<V>(sum0, gather32<u32>(x, colIdx, 8), values, table, 8);
      sum1 = term32<V>(sum1, gather32<u32>(x, colIdx, 12), values, table, 12);
    }
    if (width > 16) {
      sum0 = term32<V>(sum0, gather32<u32>(x, colIdx, 16), values, table, 16);
      sum1 = term32<V>(sum1, gather32<u32>(x, colIdx, 20), values, table, 20);
      sum0 = term32<V>(sum0, gather32<u32>(x, colIdx, 24), values, table, 24);
      sum1 = term32<V>(sum1, gather32<u32>(x, colIdx, 28), values, table, 28);
    }
    sum0 = f32x4.add(sum0, sum1);
  }
  const low = f32x4.extract_lane(sum0, 0) + f32x4.extract_lane(sum0, 1);
  const high = f32x4.extract_lane(sum0, 2) + f32x4.extract_lane(sum0, 3);
  return low + high;
}
