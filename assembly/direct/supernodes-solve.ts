/**
 * Solves with supernodal factors (`supernodes.ts`): one vector at a time. `supernodes-solve4.ts` has four of them, with the same bits.
 *
 * L is applied to a supernode's columns four at a time. Pairs of rows share a register.
 */

import { SolvingHeader, SupernodesHeader } from '../../build/headers';
import { madd64 } from '../lanes';
import { Operands } from '../operands';
import { word } from '../word';
import { pair, single } from './stored';
import { columnsOf, element, rowsOf, strideOf, valuesOf } from './supernodes';

/** y ← A⁻¹ x, of vectors, which may be the same. Units: one. */
export function supernodes_solve_f64(header: SolvingHeader, operands: Operands, begin: u32, end: u32): void {
  solve<f64>(header, operands);
}

/** The same with factors that are stored as f32. */
export function supernodes_solve_mixed(header: SolvingHeader, operands: Operands, begin: u32, end: u32): void {
  solve<f32>(header, operands);
}

@inline
function solve<V>(header: SolvingHeader, operands: Operands): void {
  const nodes = changetype<SupernodesHeader>(header.supernodes);
  const columns = load<u32>(word(nodes.columnPtr, nodes.supernodes));
  const work = header.work;
  const order = header.order;
  for (let j: u32 = 0; j < columns; j++) store<f64>(at(work, j), load<f64>(at(operands.x, load<u32>(word(order, j)))));
  for (let s: u32 = 0; s < nodes.supernodes; s++) forwardOne<V>(nodes, work, header.sums, s);
  for (let s = nodes.supernodes; s > 0; s--) backwardOne<V>(nodes, work, header.sums, s - 1);
  for (let j: u32 = 0; j < columns; j++) store<f64>(at(operands.y, load<u32>(word(order, j))), load<f64>(at(work, j)));
}

/** The element of column `col` in row `row`. */
@inline
function factorAt<V>(values: usize, stride: usize, row: u32, col: u32): f64 {
  return <f64>load<V>(values + <usize>col * stride + <usize>row * sizeof<V>());
}

@inline
function at(vector: usize, i: u32): usize {
  return vector + ((<usize>i) << 3);
}

/** work ← L⁻¹ work, for the columns of a supernode; the products with its rows below are subtracted from their elements. */
function forwardOne<V>(nodes: SupernodesHeader, work: usize, sums: usize, s: u32): void {
  const first = load<u32>(word(nodes.columnPtr, s));
  const cols = columnsOf(nodes, s);
  const count = load<u32>(word(nodes.rowCount, s));
  const stride = strideOf<V>(nodes, s);
  const values = valuesOf<V>(nodes, s);
  const isUnit = nodes.pivots !== 0;
  const own = at(work, first);
  if (isUnit) permute(word(nodes.pivots, first), own, sums, cols);
  memory.fill(sums, 0, (<usize>count) << 3);
  let c: u32 = 0;
  for (; c + 4 <= cols; c += 4) {
    const corner = element<V>(values, c) + <usize>c * stride;
    let x0 = load<f64>(at(own, c)) - load<f64>(at(sums, c));
    if (!isUnit) x0 /= factorAt<V>(corner, stride, 0, 0);
    let x1 = load<f64>(at(own, c), 8) - load<f64>(at(sums, c), 8) - factorAt<V>(corner, stride, 1, 0) * x0;
    if (!isUnit) x1 /= factorAt<V>(corner, stride, 1, 1);
    let x2 = load<f64>(at(own, c), 16) - load<f64>(at(sums, c), 16) - factorAt<V>(corner, stride, 2, 0) * x0;
    x2 -= factorAt<V>(corner, stride, 2, 1) * x1;
    if (!isUnit) x2 /= factorAt<V>(corner, stride, 2, 2);
    let x3 = load<f64>(at(own, c), 24) - load<f64>(at(sums, c), 24) - factorAt<V>(corner, stride, 3, 0) * x0;
    x3 -= factorAt<V>(corner, stride, 3, 1) * x1;
    x3 -= factorAt<V>(corner, stride, 3, 2) * x2;
    if (!isUnit) x3 /= factorAt<V>(corner, stride, 3, 3);
    store<f64>(at(own, c), x0);
    store<f64>(at(own, c), x1, 8);
    store<f64>(at(own, c), x2, 16);
    store<f64>(at(own, c), x3, 24);
    addFour<V>(element<V>(corner, 4), stride, at(sums, c + 4), count - c - 4, x0, x1, x2, x3);
  }
  for (; c < cols; c++) {
    const column = element<V>(values, c) + <usize>c * stride;
    let x = load<f64>(at(own, c)) - load<f64>(at(sums, c));
    if (!isUnit) x /= <f64>load<V>(column);
    store<f64>(at(own, c), x);
    addColumn<V>(element<V>(column, 1), at(sums, c + 1), count - c - 1, x);
  }
  const rows = rowsOf(nodes, s);
  for (let i = cols; i < count; i++) {
    const target = at(work, load<u32>(word(rows, i)));
    store<f64>(target, load<f64>(target) - load<f64>(at(sums, i)));
  }
}

function addFour<V>(l: usize, stride: usize, sums: usize, rows: u32, x0: f64, x1: f64, x2: f64, x3: f64): void {
  const v0 = f64x2.splat(x0);
  const v1 = f64x2.splat(x1);
  const v2 = f64x2.splat(x2);
  const v3 = f64x2.splat(x3);
  const stride3 = stride * 3;
  for (; rows > 1; rows -= 2, l += 2 * sizeof<V>(), sums += 16) {
    let sum = madd64(v128.load(sums), pair<V>(l), v0);
    sum = madd64(sum, pair<V>(l + stride), v1);
    sum = madd64(sum, pair<V>(l + stride * 2), v2);
    v128.store(sums, madd64(sum, pair<V>(l + stride3), v3));
  }
  if (rows === 0) return;
  let sum = madd64(v128.load64_zero(sums), single<V>(l), v0);
  sum = madd64(sum, single<V>(l + stride), v1);
  sum = madd64(sum, single<V>(l + stride * 2), v2);
  v128.store64_lane(sums, madd64(sum, single<V>(l + stride3), v3), 0);
}

function addColumn<V>(l: usize, sums: usize, rows: u32, x: f64): void {
  const v = f64x2.splat(x);
  for (; rows > 1; rows -= 2, l += 2 * sizeof<V>(), sums += 16) v128.store(sums, madd64(v128.load(sums), pair<V>(l), v));
  if (rows > 0) v128.store64_lane(sums, madd64(v128.load64_zero(sums), single<V>(l), v), 0);
}

/** The elements of a supernode's columns in the order of its pivots. */
function permute(pivots: usize, own: usize, buffer: usize, cols: u32): void {
  for (let c: u32 = 0; c < cols; c++) store<f64>(at(buffer, c), load<f64>(at(own, load<u32>(word(pivots, c)))));
  memory.copy(own, buffer, (<usize>cols) << 3);
}

/** work ← L⁻ᵀ D⁻¹ work, for the columns of a supernode, whose rows below are known. */
function backwardOne<V>(nodes: SupernodesHeader, work: usize, known: usize, s: u32): void {
  const first = load<u32>(word(nodes.columnPtr, s));
  const cols = columnsOf(nodes, s);
  const count = load<u32>(word(nodes.rowCount, s));
  const stride = strideOf<V>(nodes, s);
  const values = valuesOf<V>(nodes, s);
  const isUnit = nodes.pivots !== 0;
  const own = at(work, first);
  if (isUnit) divideOne(nodes.diagonal + ((<usize>first) << 4), own, cols);
  memory.copy(known, own, (<usize>cols) << 3);
  const rows = rowsOf(nodes, s);
  for (let i = cols; i < count; i++) store<f64>(at(known, i), load<f64>(at(work, load<u32>(word(rows, i)))));
  let c = cols;
  for (; (c & 3) > 0; c--) {
    const column = element<V>(values, c - 1) + <usize>(c - 1) * stride;
    let x = load<f64>(at(known, c - 1)) - dotColumn<V>(element<V>(column, 1), at(known, c), count - c);
    if (!isUnit) x /= <f64>load<V>(column);
    store<f64>(at(known, c - 1), x);
  }
  for (; c > 0; c -= 4) solveFour<V>(element<V>(values, c - 4) + <usize>(c - 4) * stride, stride, at(known, c - 4), count - c, isUnit);
  if (!isUnit) {
    memory.copy(own, known, (<usize>cols) << 3);
    return;
  }
  const pivots = word(nodes.pivots, first);
  for (let i: u32 = 0; i < cols; i++) store<f64>(at(own, load<u32>(word(pivots, i))), load<f64>(at(known, i)));
}

@inline
function laneSum(sums: v128): f64 {
  return f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
}

function dotColumn<V>(l: usize, x: usize, rows: u32): f64 {
  let sums = f64x2.splat(0);
  for (; rows > 1; rows -= 2, l += 2 * sizeof<V>(), x += 16) sums = madd64(sums, pair<V>(l), v128.load(x));
  if (rows > 0) sums = madd64(sums, single<V>(l), v128.load64_zero(x));
  return laneSum(sums);
}

/** Four elements of x, from the `rows` elements after them. */
function solveFour<V>(corner: usize, stride: usize, x: usize, rows: u32, isUnit: bool): void {
  let sums0 = f64x2.splat(0);
  let sums1 = sums0;
  let sums2 = sums0;
  let sums3 = sums0;
  let l = element<V>(corner, 4);
  let from = x + 32;
  const stride3 = stride * 3;
  for (; rows > 1; rows -= 2, l += 2 * sizeof<V>(), from += 16) {
    const v = v128.load(from);
    sums0 = madd64(sums0, pair<V>(l), v);
    sums1 = madd64(sums1, pair<V>(l + stride), v);
    sums2 = madd64(sums2, pair<V>(l + stride * 2), v);
    sums3 = madd64(sums3, pair<V>(l + stride3), v);
  }
  if (rows > 0) {
    const v = v128.load64_zero(from);
    sums0 = madd64(sums0, single<V>(l), v);
    sums1 = madd64(sums1, single<V>(l + stride), v);
    sums2 = madd64(sums2, single<V>(l + stride * 2), v);
    sums3 = madd64(sums3, single<V>(l + stride3), v);
  }
  let x3 = load<f64>(x, 24) - laneSum(sums3);
  if (!isUnit) x3 /= factorAt<V>(corner, stride, 3, 3);
  let x2 = load<f64>(x, 16) - laneSum(sums2) - factorAt<V>(corner, stride, 3, 2) * x3;
  if (!isUnit) x2 /= factorAt<V>(corner, stride, 2, 2);
  let x1 = load<f64>(x, 8) - laneSum(sums1) - factorAt<V>(corner, stride, 2, 1) * x2;
  x1 -= factorAt<V>(corner, stride, 3, 1) * x3;
  if (!isUnit) x1 /= factorAt<V>(corner, stride, 1, 1);
  let x0 = load<f64>(x) - laneSum(sums0) - factorAt<V>(corner, stride, 1, 0) * x1;
  x0 -= factorAt<V>(corner, stride, 2, 0) * x2;
  x0 -= factorAt<V>(corner, stride, 3, 0) * x3;
  if (!isUnit) x0 /= factorAt<V>(corner, stride, 0, 0);
  store<f64>(x, x0);
  store<f64>(x, x1, 8);
  store<f64>(x, x2, 16);
  store<f64>(x, x3, 24);
}

function divideOne(diagonal: usize, own: usize, cols: u32): void {
  for (let j: u32 = 0; j < cols; j++) {
    const d = diagonal + ((<usize>j) << 4);
    const off = load<f64>(d, 8);
    const x0 = load<f64>(at(own, j));
    if (off === 0) {
      store<f64>(at(own, j), x0 / load<f64>(d));
      continue;
    }
    const d0 = load<f64>(d, 16) / off;
    const d1 = load<f64>(d) / off;
    const scale = 1 / (d0 * d1 - 1) / off;
    const x1 = load<f64>(at(own, j), 8);
    store<f64>(at(own, j), scale * (d0 * x0 - x1));
    store<f64>(at(own, j), scale * (d1 * x1 - x0), 8);
    j++;
  }
}
