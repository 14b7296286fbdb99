/**
 * Aggregates of the rows of a graph: a row that belongs to none begins one with all its neighbours, and neighbours of these that belong to none
 * join it until another one claims them. Rows without neighbours are in none. One unit, on the caller's thread: the result depends on the graph.
 *
 * Source: Vaněk, Mandel & Brezina 1996, "Algebraic multigrid by smoothed aggregation", algorithm 5.1; in one pass, as AMGCL (Demidov 2019).
 */
import { AggregateHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

/** A row that belongs to no aggregate yet, and one that never will. */
const NOT_YET: u32 = 0xffffffff;
export const NEVER: u32 = 0xfffffffe;

export function aggregate_rows(header: AggregateHeader, operands: Operands, begin: u32, end: u32): void {
  const rows = header.rows;
  const ptr = header.ptr;
  const owner = header.owner;
  for (let row: u32 = 0; row < rows; row++) {
    const length = load<u32>(word(ptr, row), 4) - load<u32>(word(ptr, row));
    store<u32>(word(owner, row), length > 1 ? NOT_YET : NEVER);
  }
  let count: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    if (load<u32>(word(owner, row)) === NOT_YET) claim(header, row, count++);
  }
  placeMembers(header, count);
}

@inline
function claim(header: AggregateHeader, row: u32, aggregate: u32): void {
  const ptr = header.ptr;
  const idx = header.idx;
  const owner = header.owner;
  const end = word(idx, load<u32>(word(ptr, row), 4));
  const begin = word(idx, load<u32>(word(ptr, row)));
  for (let at = begin; at < end; at += 4) {
    const neighbour = word(owner, load<u32>(at));
    if (load<u32>(neighbour) !== NEVER) store<u32>(neighbour, aggregate);
  }
  store<u32>(word(owner, row), aggregate);
  for (let at = begin; at < end; at += 4) {
    const near = load<u32>(at);
    const last = word(idx, load<u32>(word(ptr, near), 4));
    for (let next = word(idx, load<u32>(word(ptr, near))); next < last; next += 4) {
      const far = word(owner, load<u32>(next));
      if (load<u32>(far) === NOT_YET) store<u32>(far, aggregate);
    }
  }
}

/** Numbers the aggregates that have rows, in the order of their beginnings, and lists the rows of each. */
function placeMembers(header: AggregateHeader, count: u32): void {
  const rows = header.rows;
  const owner = header.owner;
  const memberPtr = header.memberPtr;
  const members = header.members;
  memory.fill(memberPtr, 0, (<usize>count + 2) << 2);
  for (let row: u32 = 0; row < rows; row++) {
    const aggregate = load<u32>(word(owner, row));
    if (aggregate === NEVER) continue;
    const at = word(memberPtr, aggregate);
    store<u32>(at, load<u32>(at, 8) + 1, 8);
  }
  // memberPtr[a + 2] is the size of a. It becomes the new number of a in `members`, and sizes move together.
  let kept: u32 = 0;
  for (let a: u32 = 0; a < count; a++) {
    const size = load<u32>(word(memberPtr, a), 8);
    store<u32>(word(members, a), kept);
    if (size === 0) continue;
    store<u32>(word(memberPtr, kept), load<u32>(word(memberPtr, kept), 4) + size, 8);
    kept++;
  }
  for (let row: u32 = 0; row < rows; row++) {
    const aggregate = load<u32>(word(owner, row));
    if (aggregate !== NEVER) store<u32>(word(owner, row), load<u32>(word(members, aggregate)));
  }
  for (let row: u32 = 0; row < rows; row++) {
    const aggregate = load<u32>(word(owner, row));
    if (aggregate === NEVER) continue;
    const at = word(memberPtr, aggregate);
    const place = load<u32>(at, 4);
    store<u32>(word(members, place), row);
    store<u32>(at, place + 1, 4);
  }
  store<u32>(header.count, kept);
}
