/**
 * Better parts of a graph: vertices at the border of parts move to a neighbouring part, that of the greatest gain first, and the best prefix of the
 * moves is kept.
 *
 * Source: Fiduccia & Mattheyses, "A linear-time heuristic for improving network partitions", 1982; Karypis & Kumar, "Multilevel k-way partitioning scheme
 *   for irregular graphs", 1998: more than two parts.
 */
import * as gains from './gain-heap';
import { WeightedGraph } from './weighted-graph';
import { add, at, fill, filled, NONE, put, reserve } from './words';

/** A graph is refined by at most so many passes over the border. Chosen with `npx bench partition`. */
const PASSES = 8;

/**
 * A pass ends when the vertices that it moved without a smaller cut have more edges than this. Chosen with `npx bench partition`. With 6000 and no smaller limit for small
 * graphs, cuts are as small, and nested dissection of the mesh mdual takes 2 × the time (CPU time of one thread, Intel Xeon, Node 20, November 2026).
 */
const EDGES = 2000;
/** A pass of a small graph ends at one in this many of its edges. Chosen as `EDGES`. */
const SHARE_OF_EDGES = 16;
/** A pass of a very small graph ends at this many edges. Chosen as `EDGES`. */
const FEWEST_EDGES = 100;

let graph: WeightedGraph = changetype<WeightedGraph>(0);
/** Each vertex has the number of its part here. */
let partOf: usize = 0;
let parts: i32 = 0;
/** Each part has its weight here. */
let weights: usize = 0;
/** Each part has the weight here that it may have. */
let limits: usize = 0;
/** Each vertex has the weight of its edges to its own part here. */
let inner: usize = 0;
/** Each vertex has the weight of its edges to other parts here. */
let outer: usize = 0;
/** Each vertex has the number of the pass here in which it moved last. */
let movedIn: usize = 0;
let pass: i32 = 0;
/** The vertices that moved in this pass are here, in the order of their moves. */
let movers: usize = 0;
/** Each vertex in `movers` came from the part at the same place here. */
let origins: usize = 0;
/** Each part has the weight of the edges from one vertex to it here; 0 for those that are not in `touched`. */
let toPart: usize = 0;
/** The parts that one vertex has edges to are here. */
let touched: usize = 0;
/** The cut becomes smaller by this if a vertex moves to the part that was found last. */
let gain: i32 = 0;

export function reserveRefinement(vertices: i32, mostParts: i32): void {
  gains.reserveGains(vertices);
  inner = reserve(vertices);
  outer = reserve(vertices);
  movedIn = reserve(vertices);
  movers = reserve(vertices);
  origins = reserve(vertices);
  weights = reserve(mostParts);
  toPart = filled(mostParts, 0);
  touched = reserve(mostParts);
}

/** Improves the parts of a graph. @param given the part of each vertex, which changes @param allowed the weight that each part may have, if that can be */
export function refine(fine: WeightedGraph, number: i32, given: usize, allowed: usize): void {
  graph = fine;
  parts = number;
  partOf = given;
  limits = allowed;
  begin();
  balance();
  for (let k = 0; k < PASSES && improve(); k++);
}

/** Returns the weight of the edges between parts after `refine`. */
export function cutWeight(): i32 {
  let cut = 0;
  for (let v = 0; v < graph.vertices; v++) cut += at(outer, v);
  return cut / 2;
}

/** Returns the weight by which parts are too heavy after `refine`. */
export function excess(): i32 {
  let sum = 0;
  for (let p = 0; p < parts; p++) sum += max(0, at(weights, p) - at(limits, p));
  return sum;
}

function begin(): void {
  const vertices = graph.vertices;
  fill(weights, parts, 0);
  pass = 0;
  for (let v = 0; v < vertices; v++) {
    const own = at(partOf, v);
    add(weights, own, at(graph.vertexWeights, v));
    let within = 0;
    let without = 0;
    for (let k = at(graph.ptr, v), end = at(graph.ptr, v + 1); k < end; k++) {
      const weight = at(graph.edgeWeights, k);
      if (at(partOf, at(graph.neighbours, k)) === own) within += weight;
      else without += weight;
    }
    put(inner, v, within);
    put(outer, v, without);
    put(movedIn, v, 0);
  }
}

/** Vertices of parts that are too heavy move to others, also where that makes the cut larger. */
function balance(): void {
  if (excess() === 0) return;
  pass++;
  for (let v = 0; v < graph.vertices; v++) if (isHeavy(at(partOf, v))) gains.set(v, at(outer, v) - at(inner, v));
  while (!gains.isEmpty()) {
    const v = gains.take();
    if (!isHeavy(at(partOf, v))) continue;
    let target = targetOf(v);
    if (target === NONE) target = lightest(v);
    if (target === NONE) continue;
    if (mustWait(v)) continue;
    move(v, target);
    put(movedIn, v, pass);
    for (let k = at(graph.ptr, v), end = at(graph.ptr, v + 1); k < end; k++) {
      const other = at(graph.neighbours, k);
      if (at(movedIn, other) !== pass && isHeavy(at(partOf, other))) gains.set(other, at(outer, other) - at(inner, other));
    }
  }
}

@inline
function isHeavy(part: i32): bool {
  return at(weights, part) > at(limits, part);
}

/** Returns the lightest part that has room for a vertex, or NONE. Sets `gain` to what a move there makes the cut smaller by. */
function lightest(v: i32): i32 {
  let best = NONE;
  for (let p = 0; p < parts; p++)
    if (at(weights, p) + at(graph.vertexWeights, v) <= at(limits, p) && (best === NONE || at(weights, p) < at(weights, best))) best = p;
  gain = -at(inner, v);
  return best;
}

/** Puts a vertex back into the heap if its gain is less than its key and than that of another vertex. @returns whether it did */
@inline
function mustWait(v: i32): bool {
  if (gain >= gains.gainOf(v) || gains.isEmpty() || gain >= gains.greatest()) return false;
  gains.set(v, gain);
  return true;
}

/** Moves vertices, and keeps the best prefix of the moves. @returns whether there is one */
function improve(): bool {
  pass++;
  const vertices = graph.vertices;
  for (let v = 0; v < vertices; v++) if (at(outer, v) > 0) gains.set(v, at(outer, v) - at(inner, v));
  let count = 0;
  let kept = 0;
  let sum = 0;
  let best = 0;
  let edges = 0;
  const most = min(EDGES, max(FEWEST_EDGES, at(graph.ptr, vertices) / SHARE_OF_EDGES));
  while (!gains.isEmpty() && edges <= most) {
    const v = gains.take();
    const target = targetOf(v);
    // A vertex without room elsewhere is left out of this pass: to find room for one of many neighbours takes long.
    if (target === NONE) put(movedIn, v, pass);
    if (target === NONE || mustWait(v)) continue;
    put(movers, count, v);
    put(origins, count++, at(partOf, v));
    sum += gain;
    edges += at(graph.ptr, v + 1) - at(graph.ptr, v);
    const from = at(partOf, v);
    move(v, target);
    put(movedIn, v, pass);
    for (let k = at(graph.ptr, v), end = at(graph.ptr, v + 1); k < end; k++) {
      const other = at(graph.neighbours, k);
      if (at(movedIn, other) !== pass) rate(other, from, target, at(graph.edgeWeights, k));
    }
    if (sum > best) {
      best = sum;
      kept = count;
      edges = 0;
    }
  }
  gains.clear();
  while (count > kept) {
    count--;
    move(at(movers, count), at(origins, count));
  }
  return best > 0;
}

/** Updates the key of a vertex, which is a bound of its gain, after a neighbour moved. @param weight of the edge to the neighbour */
@inline
function rate(v: i32, from: i32, target: i32, weight: i32): void {
  if (at(outer, v) === 0) {
    gains.remove(v);
    return;
  }
  const own = at(partOf, v);
  const bound = at(outer, v) - at(inner, v);
  const more = own === from ? 2 * weight : own === target ? -weight : weight;
  gains.set(v, gains.has(v) ? min(bound, gains.gainOf(v) + more) : bound);
}

/** Returns the part with room for a vertex that the vertex has most edges to, the lightest one of equal ones, or NONE; and sets `gain`. */
function targetOf(v: i32): i32 {
  const own = at(partOf, v);
  const weight = at(graph.vertexWeights, v);
  if (parts === 2) {
    gain = at(outer, v) - at(inner, v);
    return at(weights, 1 - own) + weight <= at(limits, 1 - own) ? 1 - own : NONE;
  }
  let count = 0;
  for (let k = at(graph.ptr, v), end = at(graph.ptr, v + 1); k < end; k++) {
    const part = at(partOf, at(graph.neighbours, k));
    if (part === own) continue;
    if (at(toPart, part) === 0) put(touched, count++, part);
    add(toPart, part, at(graph.edgeWeights, k));
  }
  let best = NONE;
  let reached = 0;
  for (let i = 0; i < count; i++) {
    const part = at(touched, i);
    const edges = at(toPart, part);
    put(toPart, part, 0);
    if (edges < reached || at(weights, part) + weight > at(limits, part)) continue;
    if (edges === reached && at(weights, part) >= at(weights, best)) continue;
    best = part;
    reached = edges;
  }
  gain = reached - at(inner, v);
  return best;
}

function move(v: i32, target: i32): void {
  const from = at(partOf, v);
  let within = 0;
  for (let k = at(graph.ptr, v), end = at(graph.ptr, v + 1); k < end; k++) {
    const other = at(graph.neighbours, k);
    const part = at(partOf, other);
    const weight = at(graph.edgeWeights, k);
    if (part === from) {
      add(inner, other, -weight);
      add(outer, other, weight);
    } else if (part === target) {
      within += weight;
      add(inner, other, weight);
      add(outer, other, -weight);
    }
  }
  put(outer, v, at(outer, v) + at(inner, v) - within);
  put(inner, v, within);
  add(weights, from, -at(graph.vertexWeights, v));
  add(weights, target, at(graph.vertexWeights, v));
  put(partOf, v, target);
}
