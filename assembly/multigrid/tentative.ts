/**
 * The tentative prolongation: for each aggregate, orthogonal columns Q with Q R = the near-null space on its unknowns; R is that of the coarse level.
 * The units of `tentative_fill` are aggregates. Modified Gram–Schmidt, twice. A column that depends on those before it on an aggregate is 0 there.
 *
 * Source: Vaněk, Mandel & Brezina 1996, algorithm 4.1.
 * Differs: columns have the norm of the first mode on the aggregate, not 1. Constants so stay constants on each level, which weak couplings that
 *   are added to the diagonal (`strength.ts`) rely on.
 */
import { TentativeHeader } from '../../build/headers';
import { Operands } from '../operands';
import { wide, word } from '../word';
import { NEVER } from './aggregate';

/** A column depends on those before it if less than this share of its norm is left. Chosen: half of the digits. */
const DEPENDENT: f64 = 1e-8;

/** Writes the row pointers of the tentative prolongation, for the rows of all nodes. It has one unit. */
export function tentative_rows(header: TentativeHeader, operands: Operands, begin: u32, end: u32): void {
  let entries: u32 = 0;
  let at = header.rowPtr;
  store<u32>(at, 0);
  for (let node: u32 = 0; node < header.nodes; node++) {
    const length = load<u32>(word(header.owner, node)) === NEVER ? 0 : header.modes;
    for (let u: u32 = 0; u < header.block; u++) {
      at += 4;
      entries += length;
      store<u32>(at, entries);
    }
  }
}

export function tentative_fill(header: TentativeHeader, operands: Operands, begin: u32, end: u32): void {
  for (let aggregate = begin; aggregate < end; aggregate++) {
    placeRows(header, aggregate);
    const modes = header.modes;
    for (let column: u32 = 0; column < modes; column++) orthogonalize(header, aggregate, column);
    resize(header, aggregate);
  }
}

/** The address of the numbers of unknown u of the member at a place. */
@inline
function rowOf(header: TentativeHeader, place: u32, u: u32): usize {
  const row = load<u32>(word(header.members, place)) * header.block + u;
  return wide(header.values, load<u32>(word(header.rowPtr, row)));
}

/** Copies the near-null space, and writes the columns. */
function placeRows(header: TentativeHeader, aggregate: u32): void {
  const modes = header.modes;
  const block = header.block;
  const end = load<u32>(word(header.memberPtr, aggregate), 4);
  for (let place = load<u32>(word(header.memberPtr, aggregate)); place < end; place++) {
    const first = load<u32>(word(header.members, place)) * block;
    for (let row = first; row < first + block; row++) {
      const write = load<u32>(word(header.rowPtr, row));
      for (let column: u32 = 0; column < modes; column++) {
        store<u32>(word(header.colIdx, write + column), aggregate * modes + column);
        store<f64>(wide(header.values, write + column), load<f64>(wide(header.near, row * modes + column)));
      }
    }
  }
}

function orthogonalize(header: TentativeHeader, aggregate: u32, column: u32): void {
  const modes = header.modes;
  const coarse = aggregate * modes;
  const whole = sqrt(dot(header, aggregate, column, column));
  for (let pass: u32 = 0; pass < 2; pass++) {
    for (let before: u32 = 0; before < column; before++) {
      const share = dot(header, aggregate, before, column);
      subtract(header, aggregate, before, column, share);
      const at = wide(header.coarseNear, (coarse + before) * modes + column);
      store<f64>(at, (pass === 0 ? 0 : load<f64>(at)) + share);
    }
  }
  const left = sqrt(dot(header, aggregate, column, column));
  const isDependent = !(left > DEPENDENT * whole);
  scale(header, aggregate, column, isDependent ? 0 : 1 / left);
  for (let below = column + 1; below < modes; below++) store<f64>(wide(header.coarseNear, (coarse + below) * modes + column), 0);
  store<f64>(wide(header.coarseNear, (coarse + column) * modes + column), isDependent ? 0 : left);
}

/** Scales the columns of an aggregate: they get the norm of the first mode there, so that a mode of ones stays one. */
function resize(header: TentativeHeader, aggregate: u32): void {
  const modes = header.modes;
  const first = wide(header.coarseNear, aggregate * modes * modes);
  const norm = load<f64>(first);
  if (norm === 0) return;
  for (let column: u32 = 0; column < modes; column++) scale(header, aggregate, column, norm);
  for (let k: u32 = 0; k < modes * modes; k++) store<f64>(wide(first, k), load<f64>(wide(first, k)) / norm);
}

function dot(header: TentativeHeader, aggregate: u32, one: u32, other: u32): f64 {
  const end = load<u32>(word(header.memberPtr, aggregate), 4);
  let sum: f64 = 0;
  for (let place = load<u32>(word(header.memberPtr, aggregate)); place < end; place++) {
    for (let u: u32 = 0; u < header.block; u++) {
      const row = rowOf(header, place, u);
      sum += load<f64>(wide(row, one)) * load<f64>(wide(row, other));
    }
  }
  return sum;
}

function subtract(header: TentativeHeader, aggregate: u32, one: u32, from: u32, share: f64): void {
  const end = load<u32>(word(header.memberPtr, aggregate), 4);
  for (let place = load<u32>(word(header.memberPtr, aggregate)); place < end; place++) {
    for (let u: u32 = 0; u < header.block; u++) {
      const row = rowOf(header, place, u);
      store<f64>(wide(row, from), load<f64>(wide(row, from)) - share * load<f64>(wide(row, one)));
    }
  }
}

function scale(header: TentativeHeader, aggregate: u32, column: u32, factor: f64): void {
  const end = load<u32>(word(header.memberPtr, aggregate), 4);
  for (let place = load<u32>(word(header.memberPtr, aggregate)); place < end; place++) {
    for (let u: u32 = 0; u < header.block; u++) {
      const at = wide(rowOf(header, place, u), column);
      store<f64>(at, factor * load<f64>(at));
    }
  }
}
