/**
 * X ← A⁻¹ X with the factors of `lu-columns.ts`, block by block from the last one: L, then U, whose columns go on above the block.
 * Units: one; a call solves for one, or for up to four columns of X at once.
 */
import { LuHeader, LuSolveHeader } from '../../build/headers';
import { Operands } from '../operands';
import { wide, word } from '../word';
import { columnAt, subtract, valuesOf } from './lu-chain';

/** Columns of X that are solved at once. */
const LANES: u32 = 4;

/** `operands.x`: X, `operands.columns` columns of f64, at most 4, one after the other. Each gets the bits that it gets alone. */
export function lu_solve(header: LuSolveHeader, operands: Operands, begin: u32, end: u32): void {
  const factors = changetype<LuHeader>(header.factors);
  const size = factors.size;
  const work = header.work;
  const rowOf = header.rowOf;
  const scaleOf = header.scaleOf;
  const x = operands.x;
  const columns = operands.columns;
  const lanes: u32 = columns === 1 ? 1 : LANES;
  for (let j: u32 = 0; j < lanes; j++) {
    for (let k: u32 = 0; k < size; k++) {
      const from = x + ((<usize>j * size + load<u32>(word(rowOf, k))) << 3);
      store<f64>(wide(work, k * lanes + j), j < columns ? load<f64>(from) * load<f64>(wide(scaleOf, k)) : 0);
    }
  }
  for (let block = header.blocks; block > 0; block--) {
    const from = load<u32>(word(header.blockPtr, block - 1));
    const to = load<u32>(word(header.blockPtr, block));
    if (lanes === 1) solveBlock(factors, work, from, to);
    else solveLanes(factors, work, from, to);
  }
  for (let j: u32 = 0; j < columns; j++)
    for (let k: u32 = 0; k < size; k++)
      store<f64>(x + ((<usize>j * size + load<u32>(word(header.columnOf, k))) << 3), load<f64>(wide(work, k * lanes + j)));
}

function solveBlock(factors: LuHeader, work: usize, begin: u32, end: u32): void {
  if (end - begin > 1)
    for (let k = begin; k < end; k++) {
      const column = columnAt(factors.columns, k);
      subtract(work, column.lower, valuesOf(column.lower, column.lowerCount), column.lowerCount, load<f64>(wide(work, k)));
    }
  for (let k = end; k > begin; k--) {
    const column = columnAt(factors.columns, k - 1);
    const value = load<f64>(wide(work, k - 1)) / load<f64>(wide(factors.pivots, k - 1));
    store<f64>(wide(work, k - 1), value);
    subtract(work, column.upper, valuesOf(column.upper, column.aboveCount), column.aboveCount, value);
  }
}

function solveLanes(factors: LuHeader, work: usize, begin: u32, end: u32): void {
  if (end - begin > 1)
    for (let k = begin; k < end; k++) {
      const column = columnAt(factors.columns, k);
      const at = lanesOf(work, k);
      subtractLanes(work, column.lower, column.lowerCount, v128.load(at), v128.load(at, 16));
    }
  for (let k = end; k > begin; k--) {
    const column = columnAt(factors.columns, k - 1);
    const at = lanesOf(work, k - 1);
    const pivot = v128.load64_splat(wide(factors.pivots, k - 1));
    const low = f64x2.div(v128.load(at), pivot);
    const high = f64x2.div(v128.load(at, 16), pivot);
    v128.store(at, low);
    v128.store(at, high, 16);
    subtractLanes(work, column.upper, column.aboveCount, low, high);
  }
}

@inline
function lanesOf(work: usize, k: u32): usize {
  return work + ((<usize>k) << 5);
}

@inline
function subtractLanes(work: usize, list: usize, count: u32, low: v128, high: v128): void {
  const values = valuesOf(list, count);
  for (let p: u32 = 0; p < count; p++) {
    const to = lanesOf(work, load<u32>(word(list, p)));
    const value = v128.load64_splat(wide(values, p));
    v128.store(to, f64x2.sub(v128.load(to), f64x2.mul(value, low)));
    v128.store(to, f64x2.sub(v128.load(to, 16), f64x2.mul(value, high)), 16);
  }
}
