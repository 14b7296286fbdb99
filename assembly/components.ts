/**
 * Components: y ← α A x + β y over the slices of rows [begin, end). Layout: `src/formats/components/components.ts`.
 *
 * A component of a slice is a list of pieces of rows, all of one width, 32, 16, 8, 4, 2 or 1 entries. A sum of fixed length
 * is straight-line code, without a loop or a flag. Neither it nor the loop over pieces has a branch that depends on the
 * lengths of rows. Rows are summed piece by piece in y; a slice's part of y stays in L1 meanwhile.
 */
import { Coded, Ones, valueShift } from './lanes';
import { Operands } from './operands';
import { components } from './pieces';
import { scale } from './scale';
import { word } from './word';

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
    const entry = <usize>load<u32>(word(header.entryPtr, slice));
    const colIdx = header.colIdx + (entry << 2);
    const values = header.values + (entry << valueShift<V>());
    const ptr = word(header.piecePtr, slice * COMPONENTS);
    components<V, u32, X>(COMPONENTS, x, sliceY, colIdx, values, header.table, header.rowIdx, ptr, alpha);
  }
}
