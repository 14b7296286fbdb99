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

/** Vertices of the coarsest graph: for two parts; for each of more parts, at least; and a share of all, over log₂ of the parts. */
const COARSEST_OF_TWO = 80;
const COARSEST_OF_PART = 30;
const SHARE = 20;

/** Bisections of which the best is taken, and vertices that a part of the coarsest graph is grown from. Chosen with `npx bench partition`. */
const TRIALS = 4;
const STARTS = 4;

/** A graph with more than this share of the vertices of the finer one is not worth a level. Chosen. */
const LEAST_STEP: f64 = 0.93;
/** The largest weight of a coarse vertex over the mean of the coarsest graph, as in METIS. */
const HEAVIEST: f64 = 1.5;

/** Of the call: a part may be heavier than its share by this, relative to it. */
let tolerance: f64 = 0;

/**
 * @param vertexWeights positive, with a sum below 2³⁰
 * @param partOf the part of each vertex is written there
 */
export function partitionGraph(
  vertices: i32,
  ptr: usize,
  neighbours: usize,
  vertexWeights: usize,
  parts: i32,
  imbalance: f64,
  partOf: usize,
): void {
  tolerance = imbalance;
  reserveContraction(vertices);
  reserveRefinement(vertices, max(2, parts));
  const graph = weightedGraph(vertices, ptr, neighbours, vertexWeights, filled(at(ptr, vertices), 1));
  const halvings = Math.ceil(Math.log2(<f64>parts));
  const limits = filled(parts, limitOf(totalWeight(graph), 1.0 / <f64>parts, tolerance));
  const goal = max(COARSEST_OF_PART * parts, <i32>(<f64>vertices / (SHARE * max(1.0, halvings))));
  improveByLevels(graph, parts, goal, limits, partOf, true);
}

function limitOf(total: i32, share: f64, imbalance: f64): i32 {
  return <i32>Math.ceil(<f64>total * share * (1 + imbalance));
}

/** @param goal vertices of the coarsest graph @param limits what each part may weigh @param isHalved whether the coarsest one is cut in halves of halves; else a part is grown */
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
    halve(graph, parts, 0, tolerance / max(1.0, Math.ceil(Math.log2(<f64>parts))), partOf);
    refine(graph, parts, partOf, limits);
  } else {
    grow(graph, limits, partOf);
  }
}

/** Halves of halves, which are parts `first` … `first + parts − 1`. */
function halve(graph: WeightedGraph, parts: i32, first: i32, imbalance: f64, partOf: usize): void {
  const vertices = graph.vertices;
  if (parts === 1 || vertices === 0) {
    fill(partOf, vertices, first);
    return;
  }
  const begun = mark();
  const left = parts >> 1;
  const total = totalWeight(graph);
  const limits = reserve(2);
  // Of few vertices two in excess of the share are allowed; the refinement of all parts will move them.
  const some = min(total / 20, (2 * total) / vertices);
  put(limits, 0, limitOf(total, <f64>left / <f64>parts, imbalance) + some);
  put(limits, 1, limitOf(total, <f64>(parts - left) / <f64>parts, imbalance) + some);
  const sides = reserve(vertices);
  bisect(graph, limits, sides);
  const places = reserve(vertices);
  for (let side = 0; side < 2; side++) {
    const own = mark();
    const count = numbered(vertices, sides, side, places);
    const half = subgraph(graph, sides, side, count, places);
    const partOfHalf = reserve(count);
    halve(half, side === 0 ? left : parts - left, side === 0 ? first : first + left, imbalance, partOfHalf);
    for (let v = 0; v < vertices; v++) if (at(sides, v) === side) put(partOf, v, at(partOfHalf, at(places, v)));
    release(own);
  }
  release(begun);
}

/** The best of several bisections, which begin with other pairs. */
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

/** Copies the sides that were refined last if they are better: nearer to their limits first, then with a smaller cut. @returns the rating of the better ones */
function keepBetter(vertices: i32, least: i64, tried: usize, sides: usize): i64 {
  const rating = ((<i64>excess()) << 32) + cutWeight();
  if (rating >= least) return least;
  memory.copy(sides, tried, (<usize>vertices) << 2);
  return rating;
}

/** Part 0 is grown from several vertices, breadth first, until it has its share of the weight; the best one, refined. Further components follow. */
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
    // The vertex that was met last is far away.
    start = k % 2 === 0 ? at(queue, vertices - 1) : <i32>((<i64>vertices * (k + 1)) / (STARTS + 1));
    refine(graph, 2, tried, limits);
    least = keepBetter(vertices, least, tried, sides);
  }
  release(begun);
}

/** @param queue all vertices are written there, as they are met */
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
