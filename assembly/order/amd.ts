/**
 * Approximate minimum degree: an order of the vertices in which elimination fills in few entries.
 *
 * Source: Amestoy, Davis & Duff, "An approximate minimum degree ordering algorithm", 1996; names as there.
 * The graph of what is left is kept as a quotient graph: an eliminated pivot becomes an element, whose list Lₑ has the variables that it
 *   connects, and a variable's list has its elements, then its variables. Lists only shrink but that of a new element, so they fit in the
 *   space of the graph and some more.
 *     absorption      the elements of a pivot become part of it; so does an element whose variables all belong to it (aggressive)
 *     supervariables  variables with the same lists are found by a hash and eliminated together
 *     mass elimination  a variable that only the pivot's element connects follows the pivot at once
 *     degree          an upper bound: the sum of |Lₑ \ Lₚ|, which one pass over the lists of the pivot's variables counts for all elements
 *   Vertices of very many neighbours come last, beforehand.
 * Cost: O(vertices × edges) in the worst case, near to O(edges) for meshes.
 */
import * as bucket from './buckets';
import * as byDegree from './degree-lists';
import { moveToFront } from './lists';
import * as member from './members';
import { at, filled, NONE, put, reserve } from './words';

/** A vertex comes last if it has more neighbours than this multiple of √vertices, and than `DENSE_LEAST`: as in the authors' code. */
const DENSE: f64 = 10;
const DENSE_LEAST: f64 = 16;

/** Marks restart below this, so that a sum of a mark and a degree stays an i32. */
const LAST_MARK: i32 = 1 << 30;

let n: i32 = 0;
let eliminated: i32 = 0;
/** All lists, their room in words, and where free space begins. */
let lists: usize = 0;
let room: i32 = 0;
let free: i32 = 0;
/** By variable or element: where its list begins, its length, and how many elements it begins with. */
let start: usize = 0;
let length: usize = 0;
let elements: usize = 0;
/** Vertices of a supervariable; negative while it is in the element that is being made; 0: an element, or part of another. */
let size: usize = 0;
/** Of a variable: the bound of its degree; of an element: the vertices of its list. */
let degree: usize = 0;
/** Of an element: a mark plus |Lₑ \ Lₚ|, 0 when it is absorbed. Of a variable: the last mark it got, at least 1. */
let weight: usize = 0;
let mark: i32 = 2;
/** The greatest degree of an element. */
let largest: i32 = 0;
let pivots: usize = 0;
let pivotCount: i32 = 0;

/** Reserves memory for a graph: its n + 1 pointers are then written there, and its neighbours right behind them. */
export function amdReserve(vertices: i32, neighbours: i32): usize {
  n = vertices;
  free = neighbours;
  room = neighbours + neighbours / 5 + vertices + 1;
  // One word more: the graph has a pointer more than vertices.
  start = reserve(n + 1);
  lists = reserve(room);
  length = reserve(n);
  elements = filled(n, 0);
  size = filled(n, 1);
  degree = reserve(n);
  weight = filled(n, 1);
  pivots = reserve(n);
  byDegree.reserveLists(n, degree);
  bucket.reserveBuckets(n);
  member.reserveMembers(n);
  return start;
}

/** Begins with the graph that was written. */
export function amdBegin(): void {
  eliminated = pivotCount = largest = 0;
  mark = 2;
  for (let v = 0; v < n; v++) {
    const neighbours = at(start, v + 1) - at(start, v);
    put(length, v, neighbours);
    put(degree, v, neighbours);
  }
  deferDense();
  for (let v = n - 1; v >= 0; v--) if (at(size, v) > 0) byDegree.insert(v);
}

/** Eliminates up to `most` pivots. @returns the number of vertices that are eliminated so far */
export function amdEliminate(most: i32): i32 {
  for (let k = 0; k < most && eliminated < n; k++) {
    const pivot = byDegree.takeLeast();
    put(pivots, pivotCount++, pivot);
    eliminated += at(size, pivot);
    const begin = makeElement(pivot);
    countDifferences(pivot, begin);
    updateDegrees(pivot, begin);
    joinVariables(pivot, begin);
    close(pivot, begin);
  }
  return eliminated;
}

/** Writes the vertices pivot by pivot, those of dense rows last. @returns the address of the n vertices */
export function amdOrder(): usize {
  const order = reserve(n);
  let write = 0;
  for (let k = 0; k < pivotCount; k++) write = member.copy(at(pivots, k), order, write);
  for (let v = 0; write < n; v++) if (at(start, v) === NONE && at(elements, v) === NONE) put(order, write++, v);
  return order;
}

/** Takes vertices of many neighbours out of the graph: marked by start and elements NONE. */
function deferDense(): void {
  const most = max(DENSE_LEAST, DENSE * sqrt(<f64>n));
  for (let v = 0; v < n; v++) {
    if (<f64>at(degree, v) <= most) continue;
    put(size, v, 0);
    put(elements, v, NONE);
    absorb(v);
    put(start, v, NONE);
    eliminated++;
  }
}

/**
 * Lₚ: the variables of the pivot's list and of those of its elements, which it absorbs. Its variables leave the lists of degrees.
 *
 * @returns where Lₚ begins; it ends at `start + length`
 */
function makeElement(pivot: i32): i32 {
  const ownElements = at(elements, pivot);
  // Without elements the list is filtered in place.
  if (ownElements > 0 && free + at(degree, pivot) >= room) free = moveToFront(lists, start, length, n, free);
  let from = at(start, pivot);
  const begin = ownElements === 0 ? from : free;
  let end = begin;
  let vertices = 0;
  put(size, pivot, -at(size, pivot));
  for (let k = 0; k <= ownElements; k++) {
    const isLast = k === ownElements;
    const element = isLast ? pivot : at(lists, from++);
    let read = isLast ? from : at(start, element);
    const last = read + (isLast ? at(length, pivot) - ownElements : at(length, element));
    for (; read < last; read++) {
      const v = at(lists, read);
      const own = at(size, v);
      if (own <= 0) continue;
      vertices += own;
      put(size, v, -own);
      put(lists, end++, v);
      byDegree.remove(v);
    }
    if (!isLast) absorb(element);
  }
  if (ownElements > 0) free = end;
  put(degree, pivot, vertices);
  put(start, pivot, begin);
  put(length, pivot, end - begin);
  put(elements, pivot, NONE);
  return begin;
}

function absorb(element: i32): void {
  put(start, element, 0);
  put(length, element, 0);
  put(weight, element, 0);
}

/** weight[e] ← mark + |Lₑ \ Lₚ| for all elements e of variables of Lₚ. */
function countDifferences(pivot: i32, begin: i32): void {
  mark = nextMark(mark + 1);
  for (let k = begin, end = begin + at(length, pivot); k < end; k++) {
    const v = at(lists, k);
    const own = -at(size, v);
    let read = at(start, v);
    for (const last = read + at(elements, v); read < last; read++) {
      const e = at(lists, read);
      const known = at(weight, e);
      if (known >= mark) put(weight, e, known - own);
      else if (known !== 0) put(weight, e, at(degree, e) + mark - own);
    }
  }
}

/** New lists and degrees of the variables of Lₚ; those that nothing else connects follow the pivot; the others are hashed by their lists. */
function updateDegrees(pivot: i32, begin: i32): void {
  for (let k = begin, end = begin + at(length, pivot); k < end; k++) {
    const v = at(lists, k);
    const first = at(start, v);
    const middle = first + at(elements, v);
    let write = first;
    let hash: u32 = 0;
    let sum = 0;
    for (let read = first; read < middle; read++) {
      const e = at(lists, read);
      const known = at(weight, e);
      if (known === 0) continue;
      if (known > mark) {
        sum += known - mark;
        put(lists, write++, e);
        hash += e;
      } else absorb(e);
    }
    const kept = write - first + 1;
    const variables = write;
    for (let read = middle, last = first + at(length, v); read < last; read++) {
      const w = at(lists, read);
      const other = at(size, w);
      if (other <= 0) continue;
      sum += other;
      put(lists, write++, w);
      hash += w;
    }
    put(elements, v, kept);
    if (sum === 0) {
      follow(pivot, v);
      continue;
    }
    if (sum < at(degree, v)) put(degree, v, sum);
    // The pivot's element comes first: the entries there move behind their own kind.
    put(lists, write, at(lists, variables));
    put(lists, variables, at(lists, first));
    put(lists, first, pivot);
    put(length, v, write - first + 1);
    bucket.add(v, hash);
  }
}

/** Eliminates v together with the pivot: nothing else connects it. */
function follow(pivot: i32, v: i32): void {
  const own = -at(size, v);
  put(degree, pivot, at(degree, pivot) - own);
  put(size, pivot, at(size, pivot) - own);
  eliminated += own;
  join(pivot, v);
}

/** v becomes a part of `into`. */
function join(into: i32, v: i32): void {
  put(size, v, 0);
  put(elements, v, NONE);
  put(start, v, 0);
  put(length, v, 0);
  member.join(into, v);
}

/** Joins the variables of Lₚ that have the same lists. */
function joinVariables(pivot: i32, begin: i32): void {
  // Above all weights of this step.
  mark = nextMark(mark + at(degree, pivot) + largest);
  for (let k = begin, end = begin + at(length, pivot); k < end; k++) {
    const v = at(lists, k);
    if (at(size, v) >= 0) continue;
    for (let i = bucket.empty(v); i !== NONE && bucket.after(i) !== NONE; i = bucket.after(i)) joinEqual(i);
  }
}

/** Joins the later variables of a bucket whose lists are those of i. */
function joinEqual(i: i32): void {
  mark++;
  const own = at(length, i);
  // The first entry of all lists is the pivot.
  for (let read = at(start, i) + 1, end = read - 1 + own; read < end; read++) put(weight, at(lists, read), mark);
  for (let before = i, j = bucket.after(i); j !== NONE; j = bucket.after(j)) {
    let isEqual = at(length, j) === own && at(elements, j) === at(elements, i);
    for (let read = at(start, j) + 1, end = read - 1 + own; isEqual && read < end; read++) isEqual = at(weight, at(lists, read)) === mark;
    if (!isEqual) {
      before = j;
      continue;
    }
    put(size, i, at(size, i) + at(size, j));
    join(i, j);
    bucket.removeAfter(before);
  }
}

/** Lₚ keeps its principal variables, which return to the lists of degrees. */
function close(pivot: i32, begin: i32): void {
  const ofPivot = at(degree, pivot);
  const left = n - eliminated;
  let write = begin;
  for (let k = begin, end = begin + at(length, pivot); k < end; k++) {
    const v = at(lists, k);
    const own = -at(size, v);
    if (own <= 0) continue;
    put(size, v, own);
    put(degree, v, min(at(degree, v) + ofPivot - own, left - own));
    byDegree.insert(v);
    put(lists, write++, v);
  }
  put(size, pivot, 0);
  if (ofPivot > largest) largest = ofPivot;
  // The list is the last one, or it is in the place of the pivot's own.
  if (free === begin + at(length, pivot)) free = write;
  put(length, pivot, write - begin);
  if (write === begin) absorb(pivot);
}

/** A mark above all weights; if it is too large, all weights begin again. */
function nextMark(next: i32): i32 {
  if (next < LAST_MARK) return next;
  for (let v = 0; v < n; v++) if (at(weight, v) !== 0) put(weight, v, 1);
  return 2;
}
