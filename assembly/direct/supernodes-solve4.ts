/**
 * Solves with supernodal factors for four vectors that are next to each other, so that the factors are read once for them. Each has the bits
 * of `supernodes-solve.ts`: its sums have the same terms in the same order, those of even and of odd rows apart.
 */
import { SolvingHeader, SupernodesHeader } from '../../build/headers';
import { madd64 } from '../lanes';
import { Operands } from '../operands';
import { word } from '../word';
import { splat } from './stored';
import { columnsOf, element, rowsOf, strideOf, valuesOf } from './supernodes';

/** Y ← A⁻¹ X, of four columns each, `xStride` and `yStride` elements apart; X and Y may be the same. Units: one. */
export function supernodes_solve4_f64(header: SolvingHeader, operands: Operands, begin: u32, end: u32): void {
  solve<f64>(header, operands);
}

/** The same with factors that are stored as f32. */
export function supernodes_solve4_mixed(header: SolvingHeader, operands: Operands, begin: u32, end: u32): void {
  solve<f32>(header, operands);
}

@inline
function solve<V>(header: SolvingHeader, operands: Operands): void {
  const nodes = changetype<SupernodesHeader>(header.supernodes);
  const columns = load<u32>(word(nodes.columnPtr, nodes.supernodes));
  const work = header.work;
  const order = header.order;
  const xStride = (<usize>operands.xStride) << 3;
  for (let j: u32 = 0; j < columns; j++) {
    const from = operands.x + ((<usize>load<u32>(word(order, j))) << 3);
    for (let c: usize = 0; c < 4; c++) store<f64>(at(work, j) + (c << 3), load<f64>(from + c * xStride));
  }
  for (let s: u32 = 0; s < nodes.supernodes; s++) forwardFour<V>(nodes, work, header.sums, s);
  for (let s = nodes.supernodes; s > 0; s--) backwardFour<V>(nodes, work, header.sums, s - 1);
  const yStride = (<usize>operands.yStride) << 3;
  for (let j: u32 = 0; j < columns; j++) {
    const to = operands.y + ((<usize>load<u32>(word(order, j))) << 3);
    for (let c: usize = 0; c < 4; c++) store<f64>(to + c * yStride, load<f64>(at(work, j) + (c << 3)));
  }
}

/** The four elements of a row. */
@inline
function at(block: usize, row: u32): usize {
  return block + ((<usize>row) << 5);
}

@inline
function copyRow(to: usize, from: usize): void {
  v128.store(to, v128.load(from));
  v128.store(to, v128.load(from, 16), 16);
}

/** Row `to` ← row `to` − factor × row `x`, rounded twice. */
@inline
function subtract<V>(to: usize, factor: usize, x: usize): void {
  const f = splat<V>(factor);
  v128.store(to, f64x2.sub(v128.load(to), f64x2.mul(f, v128.load(x))));
  v128.store(to, f64x2.sub(v128.load(to, 16), f64x2.mul(f, v128.load(x, 16))), 16);
}

@inline
function minus(to: usize, from: usize): void {
  v128.store(to, f64x2.sub(v128.load(to), v128.load(from)));
  v128.store(to, f64x2.sub(v128.load(to, 16), v128.load(from, 16)), 16);
}

@inline
function divide<V>(to: usize, divisor: usize): void {
  const d = splat<V>(divisor);
  v128.store(to, f64x2.div(v128.load(to), d));
  v128.store(to, f64x2.div(v128.load(to, 16), d), 16);
}

function forwardFour<V>(nodes: SupernodesHeader, work: usize, sums: usize, s: u32): void {
  const first = load<u32>(word(nodes.columnPtr, s));
  const cols = columnsOf(nodes, s);
  const count = load<u32>(word(nodes.rowCount, s));
  const stride = strideOf<V>(nodes, s);
  const values = valuesOf<V>(nodes, s);
  const isUnit = nodes.pivots !== 0;
  const own = at(work, first);
  if (isUnit) permute(word(nodes.pivots, first), own, sums, cols);
  memory.fill(sums, 0, (<usize>count) << 5);
  for (let c: u32 = 0; c < cols; ) {
    const width: u32 = c + 4 <= cols ? 4 : 1;
    const corner = element<V>(values, c) + <usize>c * stride;
    for (let m: u32 = 0; m < width; m++) {
      const x = at(own, c + m);
      minus(x, at(sums, c + m));
      for (let p: u32 = 0; p < m; p++) subtract<V>(x, element<V>(corner + <usize>p * stride, m), at(own, c + p));
      if (!isUnit) divide<V>(x, element<V>(corner + <usize>m * stride, m));
    }
    for (let i = c + width; i < count; i++) {
      const l = element<V>(corner, i - c);
      const sum = at(sums, i);
      let low = v128.load(sum);
      let high = v128.load(sum, 16);
      for (let m: u32 = 0; m < width; m++) {
        const factor = splat<V>(l + <usize>m * stride);
        const x = at(own, c + m);
        low = madd64(low, factor, v128.load(x));
        high = madd64(high, factor, v128.load(x, 16));
      }
      v128.store(sum, low);
      v128.store(sum, high, 16);
    }
    c += width;
  }
  const rows = rowsOf(nodes, s);
  for (let i = cols; i < count; i++) minus(at(work, load<u32>(word(rows, i))), at(sums, i));
}

function permute(pivots: usize, own: usize, buffer: usize, cols: u32): void {
  for (let c: u32 = 0; c < cols; c++) copyRow(at(buffer, c), at(own, load<u32>(word(pivots, c))));
  memory.copy(own, buffer, (<usize>cols) << 5);
}

function backwardFour<V>(nodes: SupernodesHeader, work: usize, known: usize, s: u32): void {
  const first = load<u32>(word(nodes.columnPtr, s));
  const cols = columnsOf(nodes, s);
  const count = load<u32>(word(nodes.rowCount, s));
  const stride = strideOf<V>(nodes, s);
  const values = valuesOf<V>(nodes, s);
  const isUnit = nodes.pivots !== 0;
  const own = at(work, first);
  if (isUnit) divideFour(nodes.diagonal + ((<usize>first) << 4), own, cols);
  memory.copy(known, own, (<usize>cols) << 5);
  const rows = rowsOf(nodes, s);
  for (let i = cols; i < count; i++) copyRow(at(known, i), at(work, load<u32>(word(rows, i))));
  for (let c = cols; c > 0; ) {
    const width: u32 = (c & 3) > 0 ? 1 : 4;
    c -= width;
    const corner = element<V>(values, c) + <usize>c * stride;
    for (let m = width; m > 0; m--) {
      const column = corner + <usize>(m - 1) * stride;
      const x = at(known, c + m - 1);
      minusDot<V>(x, element<V>(column, width), at(known, c + width), count - c - width);
      // In the order of `supernodes-solve.ts`.
      for (let p = m; p < width; p++) subtract<V>(x, element<V>(column, p), at(known, c + p));
      if (!isUnit) divide<V>(x, element<V>(column, m - 1));
    }
  }
  if (!isUnit) {
    memory.copy(own, known, (<usize>cols) << 5);
    return;
  }
  const pivots = word(nodes.pivots, first);
  for (let i: u32 = 0; i < cols; i++) copyRow(at(own, load<u32>(word(pivots, i))), at(known, i));
}

/** A row of x minus the product of a column of L with the rows after it. */
@inline
function minusDot<V>(x: usize, l: usize, from: usize, rows: u32): void {
  let even0 = f64x2.splat(0);
  let even1 = even0;
  let odd0 = even0;
  let odd1 = even0;
  for (; rows > 1; rows -= 2, l += 2 * sizeof<V>(), from += 64) {
    const even = splat<V>(l);
    even0 = madd64(even0, even, v128.load(from));
    even1 = madd64(even1, even, v128.load(from, 16));
    const odd = splat<V>(l + sizeof<V>());
    odd0 = madd64(odd0, odd, v128.load(from, 32));
    odd1 = madd64(odd1, odd, v128.load(from, 48));
  }
  if (rows > 0) {
    const even = splat<V>(l);
    even0 = madd64(even0, even, v128.load(from));
    even1 = madd64(even1, even, v128.load(from, 16));
  }
  v128.store(x, f64x2.sub(v128.load(x), f64x2.add(even0, odd0)));
  v128.store(x, f64x2.sub(v128.load(x, 16), f64x2.add(even1, odd1)), 16);
}

function divideFour(diagonal: usize, own: usize, cols: u32): void {
  for (let j: u32 = 0; j < cols; j++) {
    const d = diagonal + ((<usize>j) << 4);
    const off = load<f64>(d, 8);
    if (off === 0) {
      divide<f64>(at(own, j), d);
      continue;
    }
    const d0 = f64x2.splat(load<f64>(d, 16) / off);
    const d1 = f64x2.splat(load<f64>(d) / off);
    const scale = f64x2.splat(1 / ((load<f64>(d, 16) / off) * (load<f64>(d) / off) - 1) / off);
    for (let half: usize = 0; half < 32; half += 16) {
      const x0 = v128.load(at(own, j) + half);
      const x1 = v128.load(at(own, j + 1) + half);
      v128.store(at(own, j) + half, f64x2.mul(scale, f64x2.sub(f64x2.mul(d0, x0), x1)));
      v128.store(at(own, j + 1) + half, f64x2.mul(scale, f64x2.sub(f64x2.mul(d1, x1), x0)));
    }
    j++;
  }
}
