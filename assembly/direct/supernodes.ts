/**
 * Supernodes of a sparse Cholesky or LDLᵀ factorization, left-looking: a supernode gets its entries of A, then minus the products of the
 * earlier ones that reach it, then it is factored as a dense block (`dense-factor.ts`, `dense-indefinite.ts`). Layout:
 * `src/direct/symmetric/layout.ts`; order and threads: `assembly/triangular/ordered.ts`, whose chunks are the tasks here.
 *
 * Source: Ng & Peyton, "Block sparse Cholesky algorithms on advanced uniprocessor computers", 1993.
 * Differs: products are subtracted from their places at once, tile by tile, without a buffer between.
 */
import { FactorizingHeader, OrderedHeader, SupernodesHeader } from '../../build/headers';
import { Operands } from '../operands';
import { finish, leave, take, turnOf } from '../triangular/ordered';
import { word } from '../word';
import { choleskyBlock } from './dense-factor';
import { indefiniteBlock, scaledRows } from './dense-indefinite';
import { subtractProduct } from './dense-tile';
import { demote, promote } from './stored';

export function supernodes_cholesky_f64(header: OrderedHeader, operands: Operands, begin: u32, end: u32): void {
  run<f64>(header, begin, end, false);
}

export function supernodes_cholesky_mixed(header: OrderedHeader, operands: Operands, begin: u32, end: u32): void {
  run<f32>(header, begin, end, false);
}

export function supernodes_indefinite_f64(header: OrderedHeader, operands: Operands, begin: u32, end: u32): void {
  run<f64>(header, begin, end, true);
}

export function supernodes_indefinite_mixed(header: OrderedHeader, operands: Operands, begin: u32, end: u32): void {
  run<f32>(header, begin, end, true);
}

@inline
function run<V>(header: OrderedHeader, begin: u32, end: u32, isIndefinite: bool): void {
  const own = changetype<FactorizingHeader>(load<u32>(word(header.subject, begin)));
  const tasks = own.end;
  const turn = turnOf(header);
  for (let ticket = take(header, tasks, turn); ticket < tasks; ticket = take(header, tasks, turn)) {
    const task = own.tasks + ((<usize>ticket) << 4);
    compute<V>(own, load<u32>(task), load<u32>(task, 4), load<u32>(task, 8), load<u32>(task, 12), isIndefinite);
    finish(header, ticket, 2 * turn + 1);
  }
  leave(header, end - begin);
}

/**
 * A supernode whose first update is in the range is filled with A, one whose last update is in the range is factored. It is computed in f64: in its
 * place, or, stored as f32, in the thread's own panel.
 */
function compute<V>(own: FactorizingHeader, first: u32, last: u32, begin: u32, end: u32, isIndefinite: bool): void {
  const nodes = changetype<SupernodesHeader>(own.supernodes);
  for (let s = first; s < last; s++) {
    const from = load<u32>(word(nodes.updatePtr, s));
    const to = load<u32>(word(nodes.updatePtr, s), 4);
    const place = valuesOf<V>(nodes, s);
    const values = sizeof<V>() === 8 ? place : own.panel;
    const elements = <usize>load<u32>(word(nodes.stride, s)) * <usize>columnsOf(nodes, s);
    if (begin <= from) fill(nodes, own.entries, s, values, elements);
    else if (sizeof<V>() === 4) promote(place, values, elements);
    update<V>(own, nodes, s, values, max(begin, from), min(end, to), isIndefinite);
    if (end >= to) {
      if (isIndefinite) factorIndefinite(own, nodes, s, values);
      else factorDefinite(own, nodes, s, values);
    }
    if (sizeof<V>() === 4) demote(values, place, elements);
  }
}

@inline
export function valuesOf<V>(nodes: SupernodesHeader, s: u32): usize {
  return nodes.values + <usize>load<u32>(word(nodes.valueBegin, s)) * sizeof<V>();
}

/** Bytes between two columns. */
@inline
export function strideOf<V>(nodes: SupernodesHeader, s: u32): usize {
  return <usize>load<u32>(word(nodes.stride, s)) * sizeof<V>();
}

/** The address of row `i` in the column that begins at `column`. */
@inline
export function element<V>(column: usize, i: u32): usize {
  return column + <usize>i * sizeof<V>();
}

@inline
export function columnsOf(nodes: SupernodesHeader, s: u32): u32 {
  return load<u32>(word(nodes.columnPtr, s), 4) - load<u32>(word(nodes.columnPtr, s));
}

/** The rows of a supernode, its columns first. */
@inline
export function rowsOf(nodes: SupernodesHeader, s: u32): usize {
  return word(nodes.rows, load<u32>(word(nodes.rowBegin, s)));
}

/** The values ← those of A. */
function fill(nodes: SupernodesHeader, entries: usize, s: u32, values: usize, elements: usize): void {
  memory.fill(values, 0, elements << 3);
  const first = load<u32>(word(nodes.valueBegin, s));
  for (let e = load<u32>(word(nodes.entryPtr, s)), end = load<u32>(word(nodes.entryPtr, s), 4); e < end; e++) {
    const value = load<f64>(entries + ((<usize>load<u32>(word(nodes.entryFrom, e))) << 3));
    store<f64>(values + ((<usize>(load<u32>(word(nodes.entryAt, e)) - first)) << 3), value);
  }
}

/** Subtracts the products of earlier supernodes from the columns at `target`. */
function update<V>(own: FactorizingHeader, nodes: SupernodesHeader, s: u32, target: usize, begin: u32, end: u32, isIndefinite: bool): void {
  if (begin >= end) return;
  const places = own.places;
  const relative = own.relative;
  const stride = strideOf<f64>(nodes, s);
  const rows = rowsOf(nodes, s);
  for (let i: u32 = 0, count = load<u32>(word(nodes.rowCount, s)); i < count; i++) store<u32>(word(places, load<u32>(word(rows, i))), i);
  for (let u = begin; u < end; u++) {
    const at = nodes.updates + <usize>u * 12;
    const d = load<u32>(at);
    const row = load<u32>(at, 4);
    const cols = load<u32>(at, 8);
    const count = load<u32>(word(nodes.rowCount, d)) - row;
    const reached = word(rowsOf(nodes, d), row);
    for (let i: u32 = 0; i < count; i++) store<u32>(word(relative, i), load<u32>(word(places, load<u32>(word(reached, i)))));
    const ofD = strideOf<V>(nodes, d);
    const depth = columnsOf(nodes, d);
    const a = element<V>(valuesOf<V>(nodes, d), row);
    if (isIndefinite) {
      const ofB = ((<usize>cols + 3) & ~3) << 3;
      scaledRows<V>(a, ofD, cols, depth, nodes.diagonal + ((<usize>load<u32>(word(nodes.columnPtr, d))) << 4), own.scaled, ofB);
      subtractProduct<V, f64>(a, ofD, own.scaled, ofB, depth, count, cols, target, stride, relative, true);
    } else subtractProduct<V, V>(a, ofD, a, ofD, depth, count, cols, target, stride, relative, true);
  }
}

function factorDefinite(own: FactorizingHeader, nodes: SupernodesHeader, s: u32, values: usize): void {
  const failed = choleskyBlock(values, strideOf<f64>(nodes, s), columnsOf(nodes, s), load<u32>(word(nodes.rowCount, s)));
  if (failed !== 0) lower(own.status, load<u32>(word(nodes.columnPtr, s)) + failed - 1);
}

/** Stores a column in `status` if it is less than the one there, whatever other threads do. */
function lower(at: usize, column: u32): void {
  for (let known = atomic.load<u32>(at); column < known; ) {
    const found = atomic.cmpxchg<u32>(at, known, column);
    if (found === known) return;
    known = found;
  }
}

function factorIndefinite(own: FactorizingHeader, nodes: SupernodesHeader, s: u32, values: usize): void {
  const first = load<u32>(word(nodes.columnPtr, s));
  const found = indefiniteBlock(
    values,
    strideOf<f64>(nodes, s),
    columnsOf(nodes, s),
    load<u32>(word(nodes.rowCount, s)),
    word(nodes.pivots, first),
    nodes.diagonal + ((<usize>first) << 4),
    load<f64>(own.least),
  );
  // The number of perturbed pivots in the lower half, of pairs in the upper one; all ones: a number is not finite.
  if (found === -1) lower(own.status, first);
  else {
    atomic.add<u32>(own.status, <u32>found & 0xffff, 4);
    atomic.add<u32>(own.status, <u32>found >>> 16, 8);
  }
}
