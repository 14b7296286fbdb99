/**
 * Parts of a graph of about equal weight with few edges between them: the graph is coarsened, the coarsest one is cut in halves of halves, each by
 * coarsening, too, and the parts are improved on the way back.
 *
 * Source: Karypis & Kumar, "Multilevel k-way partitioning scheme for irregular graphs", 1998.
 * Differs: the same graph has the same parts on every machine.
 * Cost: nearly O(edges).
 */
import { contract, reserveContraction } from './contraction';
import { cutWeight, excess, refine, reserveRefinement } from './refinement';
import { numbered, subgraph, totalWeight, WeightedGraph, weightedGraph } from './weighted-graph';
import { at, fill, filled, mark, NONE, put, release, reserve } from './words';

/** A bisection coarsens its graph to about so many vertices. Chosen. */
const COARSEST_OF_TWO = 80;
/** A graph is coarsened to at least so many vertices for each part. Chosen, as in METIS. */
const COARSEST_OF_PART = 30;
/** A graph is coarsened to at least vertices / (SHARE · log₂ parts) vertices. Chosen, as in METIS. */
const SHARE = 20;

/** The best of so many bisections is taken. Chosen with `npx bench partition`. */
const TRIALS = 4;
/** The best of the parts that grow from so many vertices is taken. Chosen with `npx bench partition`. */
const STARTS = 4;

/** A coarser graph is used if it has at most this share of the vertices of the finer one. Chosen. */
const LEAST_STEP: f64 = 0.93;
/** A coarse vertex weighs at most this times the mean of the coarsest graph. Chosen, as in METIS. */
const HEAVIEST: f64 = 1.5;
/** A half may be heavier than its share by two vertices, but not by more than one in this many of the weight. Chosen. */
const MOST_EXCESS = 20;

/** Each bisection of a call may make a part heavier than its share by this, relative to it. */
let imbalanceOfHalf: f64 = 0;

/**
 * Finds parts of a graph of about equal weight with few edges between them.
 *
 * @param vertexWeights positive, with a sum below 2³⁰
 * @param edgeWeights of the neighbours: positive, with a sum below 2³⁰
 * @param imbalance a part may be heavier than its share by this, relative to it
 * @param partOf the part of each vertex is written there
 */
export function partitionGraph(
  vertices: i32,
  ptr: usize,
  neighbours: usize,
  vertexWeights: usize,
  edgeWeights: usize,
  parts: i32,
  imbalance: f64,
  partOf: usize,
): void {
  reserveContraction(vertices);
  reserveRefinement(vertices, max(2, parts));
  const graph = weightedGraph(vertices, ptr, neighbours, vertexWeights, edgeWeights);
  const halvings = max(1.0, Math.ceil(Math.log2(<f64>parts)));
  imbalanceOfHalf = imbalance / halvings;
  const limits = filled(parts, limitOf(totalWeight(graph), 1.0 / <f64>parts, imbalance));
  const goal = max(COARSEST_OF_PART * parts, <i32>(<f64>vertices / (SHARE * halvings)));
  improveByLevels(graph, parts, goal, limits, partOf, true);
}

function limitOf(total: i32, share: f64, imbalance: f64): i32 {
  return <i32>Math.ceil(<f64>total * share * (1 + imbalance));
}

/**
 * Coarsens a graph, finds parts of the coarsest one, and improves them on each level on the way back.
 *
 * @param goal the coarsest graph has about so many vertices
 * @param limits the weight that each part may have
 * @param isHalved whether the coarsest graph is cut in halves of halves; otherwise one of two parts is grown
 */
function improveByLevels(graph: WeightedGraph, parts: i32, goal: i32, limits: usize, partOf: usize, isHalved: bool): void {
  const vertices = graph.vertices;
  if (vertices > goal) {
    const begun = mark();
    const heaviest = <i32>((HEAVIEST * <f64>totalWeight(graph)) / <f64>goal) + 1;
    const coarseOf = reserve(vertices);
    const coarse = contract(graph, heaviest, coarseOf);
    if (<f64>coarse.vertices <= LEAST_STEP * <f64>vertices) {
      const coarsePart = reserve(coarse.vertices);
      improveByLevels(coarse, parts, goal, limits, coarsePart, isHalved);
      for (let v = 0; v < vertices; v++) put(partOf, v, at(coarsePart, at(coarseOf, v)));
      release(begun);
      refine(graph, parts, partOf, limits);
      return;
    }
    release(begun);
  }
  if (isHalved) {
    halve(graph, parts, 0, partOf);
    refine(graph, parts, partOf, limits);
  } else {
    grow(graph, limits, partOf);
  }
}

/** Cuts a graph in halves of halves, which become the parts `first` … `first + parts − 1`. */
function halve(graph: WeightedGraph, parts: i32, first: i32, partOf: usize): void {
  const vertices = graph.vertices;
  if (parts === 1 || vertices === 0) {
    fill(partOf, vertices, first);
    return;
  }
  const begun = mark();
  const left = parts >> 1;
  const total = totalWeight(graph);
  const limits = reserve(2);
  // The refinement of all parts moves what is too much here.
  const some = min(total / MOST_EXCESS, (2 * total) / vertices);
  put(limits, 0, limitOf(total, <f64>left / <f64>parts, imbalanceOfHalf) + some);
  put(limits, 1, limitOf(total, <f64>(parts - left) / <f64>parts, imbalanceOfHalf) + some);
  const sides = reserve(vertices);
  bisect(graph, limits, sides);
  const places = reserve(vertices);
  for (let side = 0; side < 2; side++) {
    const own = mark();
    const count = numbered(vertices, sides, side, places);
    const half = subgraph(graph, sides, side, count, places);
    const partOfHalf = reserve(count);
    halve(half, side === 0 ? left : parts - left, side === 0 ? first : first + left, partOfHalf);
    for (let v = 0; v < vertices; v++) if (at(sides, v) === side) put(partOf, v, at(partOfHalf, at(places, v)));
    release(own);
  }
  release(begun);
}

/** Cuts a graph in two by the best of several bisections, which join other pairs of vertices. */
function bisect(graph: WeightedGraph, limits: usize, sides: usize): void {
  const begun = mark();
  const tried = reserve(graph.vertices);
  let least = i64.MAX_VALUE;
  for (let k = 0; k < TRIALS; k++) {
    improveByLevels(graph, 2, COARSEST_OF_TWO, limits, tried, false);
    least = keepBetter(graph.vertices, least, tried, sides);
  }
  release(begun);
}

/** Copies the sides that were refined last if they are better: less above their limits, or as much with a smaller cut. @returns the rating of the better ones */
function keepBetter(vertices: i32, least: i64, tried: usize, sides: usize): i64 {
  const rating = ((<i64>excess()) << 32) + cutWeight();
  if (rating >= least) return least;
  memory.copy(sides, tried, (<usize>vertices) << 2);
  return rating;
}

/** Grows part 0 from several vertices, breadth first, until it has its share of the weight, refines each, and keeps the best. Further components follow. */
function grow(graph: WeightedGraph, limits: usize, sides: usize): void {
  const vertices = graph.vertices;
  const begun = mark();
  const tried = reserve(vertices);
  const queue = reserve(vertices);
  const share = (<f64>totalWeight(graph) * <f64>at(limits, 0)) / (<f64>at(limits, 0) + <f64>at(limits, 1));
  let least = i64.MAX_VALUE;
  let start = 0;
  for (let k = 0; k < STARTS; k++) {
    growFrom(graph, start, <i32>share, queue, tried);
    // Next time it begins at the vertex that was met last, which is far away, or at one in the middle.
    start = k % 2 === 0 ? at(queue, vertices - 1) : <i32>((<i64>vertices * (k + 1)) / (STARTS + 1));
    refine(graph, 2, tried, limits);
    least = keepBetter(vertices, least, tried, sides);
  }
  release(begun);
}

/** Grows part 0 from one vertex. @param queue all vertices are written there, as they are met */
function growFrom(graph: WeightedGraph, start: i32, share: i32, queue: usize, sides: usize): void {
  const vertices = graph.vertices;
  fill(sides, vertices, NONE);
  let weight = 0;
  let end = 0;
  let next = 0;
  for (let head = 0; head < vertices; head++) {
    if (head === end) {
      let v = start;
      if (head > 0) {
        while (at(sides, next) !== NONE) next++;
        v = next;
      }
      put(queue, end++, v);
      put(sides, v, 1);
    }
    const v = at(queue, head);
    const own = at(graph.vertexWeights, v);
    if (weight + own / 2 <= share) {
      put(sides, v, 0);
      weight += own;
    }
    for (let k = at(graph.ptr, v), last = at(graph.ptr, v + 1); k < last; k++) {
      const other = at(graph.neighbours, k);
      if (at(sides, other) !== NONE) continue;
      put(sides, other, 1);
      put(queue, end++, other);
    }
  }
}
