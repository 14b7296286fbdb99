/**
 * Multilevel bisection: two parts of a graph of about equal weight with few edges between them. The graph is coarsened, the smallest one is cut, and
 * the cut is improved on the way back.
 *
 * Source: Karypis & Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", 1998 (heavy-edge matching, greedy
 *   growing); Fiduccia & Mattheyses, "A linear-time heuristic for improving network partitions", 1982.
 * Differs: nothing is random: starts of the growing are vertices far from each other.
 * Cost: nearly O(edges).
 */
import { atLevels, coarsen, type WeightedGraph, weightedGraph } from './coarsen.js';
import type { Graph } from './graph.js';

/** The part of each vertex: 0 or 1. */
export type Sides = Uint8Array;

/** A part has at most this share more than its half. */
const IMBALANCE = 0.1;

/** Vertices of the coarsest graph, and from how many of them parts are grown. */
const COARSEST = 100;
const STARTS = 4;

/** Passes over the vertices of a level, and moves of one without a better cut. */
const PASSES = 4;
const MOVES = 120;

const NONE = -1;

/** The same graph with weights 1. */
export function withWeights(graph: Graph): WeightedGraph {
  return weightedGraph(graph, {
    vertexWeight: new Uint32Array(graph.vertices).fill(1),
    edgeWeight: new Uint32Array(graph.neighbours.length).fill(1),
    level: new Uint32Array(graph.vertices),
  });
}

export function bisect(graph: WeightedGraph): Sides {
  const half = weightOf(graph) / 2;
  const levels: { readonly fine: WeightedGraph; readonly coarseOf: Uint32Array }[] = [];
  let coarse = graph;
  while (coarse.vertices > COARSEST) {
    const next = coarsen(atLevels(coarse, new Uint32Array(coarse.vertices)), 2);
    if (next.coarse.vertices > 0.9 * coarse.vertices) break;
    levels.push({ fine: coarse, coarseOf: next.coarseOf });
    coarse = next.coarse;
  }
  let sides = cutCoarsest(coarse, half);
  for (const { fine, coarseOf } of levels.reverse()) {
    const ofCoarse = sides;
    sides = new Uint8Array(fine.vertices).map((_, v) => ofCoarse[coarseOf[v]!]!);
    new Refinement(fine, sides, half).run();
  }
  return sides;
}

function weightOf({ vertexWeight }: WeightedGraph): number {
  return vertexWeight.reduce((sum, weight) => sum + weight, 0);
}

/** Weight of the edges between the parts. */
export function cutOf({ vertices, edgePtr, neighbours, edgeWeight }: WeightedGraph, sides: Sides): number {
  let cut = 0;
  for (let v = 0; v < vertices; v++)
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++)
      if (sides[v]! < sides[neighbours[k]!]!) cut += edgeWeight[k]!;
  return cut;
}

/** Grows a part from several vertices; the best one, improved. */
function cutCoarsest(graph: WeightedGraph, half: number): Sides {
  let best: Sides = new Uint8Array(graph.vertices);
  let least = Number.POSITIVE_INFINITY;
  let start = 0;
  for (let trial = 0; trial < STARTS && graph.vertices > 1; trial++) {
    const { sides, last } = grow(graph, start, half);
    new Refinement(graph, sides, half).run();
    const cut = cutOf(graph, sides);
    if (cut < least) [best, least] = [sides, cut];
    // The vertex that was met last is far away.
    start = last === start ? (start + 1) % graph.vertices : last;
  }
  return best;
}

/** Breadth first until half of the weight is met; further components follow. */
function grow(
  { vertices, edgePtr, neighbours, vertexWeight }: WeightedGraph,
  start: number,
  half: number,
): { readonly sides: Sides; readonly last: number } {
  const sides = new Uint8Array(vertices).fill(1);
  const isMet = new Uint8Array(vertices);
  const queue = [start];
  isMet[start] = 1;
  let weight = 0;
  for (let head = 0, next = 0; head < vertices; head++) {
    if (head === queue.length) {
      while (isMet[next] === 1) next++;
      isMet[next] = 1;
      queue.push(next);
    }
    const v = queue[head]!;
    if (weight + vertexWeight[v]! / 2 <= half) {
      sides[v] = 0;
      weight += vertexWeight[v]!;
    }
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) {
      const other = neighbours[k]!;
      if (isMet[other] === 1) continue;
      isMet[other] = 1;
      queue.push(other);
    }
  }
  return { sides, last: queue.at(-1)! };
}

/**
 * Moves vertices between the parts, the one that makes the cut smallest first, and keeps the best prefix of the moves. What is called for each move
 * makes no arrays: before it is optimized, a pattern of an array takes a microsecond.
 */
class Refinement {
  readonly #graph: WeightedGraph;
  readonly #sides: Sides;
  readonly #most: number;
  readonly #weights: [number, number] = [0, 0];
  /** What the cut becomes smaller by if a vertex moves. */
  readonly #gain: Int32Array;
  /** Vertices by gain, for each part: doubly linked lists. `#first` begins with the least gain of part 0. */
  readonly #range: number;
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  /** Whether a vertex is in a list, or has moved: 0, 1, 2. */
  readonly #state: Uint8Array;
  /** No list above these has a vertex. */
  readonly #top: [number, number] = [0, 0];

  constructor(graph: WeightedGraph, sides: Sides, half: number) {
    const { vertices, edgePtr, edgeWeight, vertexWeight } = graph;
    this.#graph = graph;
    this.#sides = sides;
    let [range, heaviest] = [0, 0];
    for (let v = 0; v < vertices; v++) {
      let sum = 0;
      for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) sum += edgeWeight[k]!;
      range = Math.max(range, sum);
      heaviest = Math.max(heaviest, vertexWeight[v]!);
      this.#weights[sides[v]!]! += vertexWeight[v]!;
    }
    this.#most = Math.max(half * (1 + IMBALANCE), half + heaviest / 2);
    this.#gain = new Int32Array(vertices);
    this.#range = range;
    this.#first = new Int32Array(2 * (2 * range + 1));
    this.#next = new Int32Array(vertices);
    this.#previous = new Int32Array(vertices);
    this.#state = new Uint8Array(vertices);
  }

  run(): void {
    for (let pass = 0; pass < PASSES && this.#pass(); pass++);
  }

  /** @returns whether the cut, or the balance, has become better */
  #pass(): boolean {
    this.#fill();
    const moved: number[] = [];
    let [sum, best, kept] = [0, 0, 0];
    let balance = this.#heavier();
    for (;;) {
      const v = this.#choose();
      if (v === NONE) break;
      sum += this.#gain[v]!;
      this.#move(v);
      moved.push(v);
      const heavier = this.#heavier();
      const isBetter =
        balance > this.#most
          ? heavier < balance
          : heavier <= this.#most && (sum > best || (sum === best && heavier < balance));
      if (isBetter) {
        best = sum;
        kept = moved.length;
        balance = heavier;
      } else if (moved.length - kept > MOVES) break;
    }
    for (let k = moved.length - 1; k >= kept; k--) this.#turn(moved[k]!);
    return kept > 0;
  }

  /** Returns the weight of the heavier part. */
  #heavier(): number {
    return Math.max(this.#weights[0], this.#weights[1]);
  }

  /** All vertices of the border, in lists. */
  #fill(): void {
    const { vertices, edgePtr, neighbours, edgeWeight } = this.#graph;
    const sides = this.#sides;
    this.#first.fill(NONE);
    this.#state.fill(0);
    this.#top.fill(-this.#range);
    for (let v = 0; v < vertices; v++) {
      let gain = 0;
      let isBorder = false;
      for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) {
        const isCut = sides[neighbours[k]!] !== sides[v];
        gain += isCut ? edgeWeight[k]! : -edgeWeight[k]!;
        isBorder ||= isCut;
      }
      this.#gain[v] = gain;
      if (isBorder) this.#insert(v);
    }
  }

  #listOf(side: number, gain: number): number {
    return side * (2 * this.#range + 1) + gain + this.#range;
  }

  #insert(v: number): void {
    const side = this.#sides[v]! as 0 | 1;
    const gain = this.#gain[v]!;
    const list = this.#listOf(side, gain);
    const after = this.#first[list]!;
    this.#next[v] = after;
    this.#previous[v] = NONE;
    if (after !== NONE) this.#previous[after] = v;
    this.#first[list] = v;
    this.#state[v] = 1;
    if (gain > this.#top[side]) this.#top[side] = gain;
  }

  #remove(v: number): void {
    const before = this.#previous[v]!;
    const after = this.#next[v]!;
    if (after !== NONE) this.#previous[after] = before;
    if (before !== NONE) this.#next[before] = after;
    else this.#first[this.#listOf(this.#sides[v]!, this.#gain[v]!)] = after;
    this.#state[v] = 0;
  }

  /** The vertex of largest gain that may move: from the heavier part if that is too heavy. */
  #choose(): number {
    const head0 = this.#head(0);
    const head1 = this.#head(1);
    const weight0 = this.#weights[0];
    const weight1 = this.#weights[1];
    const may0 = this.#mayMove(head0, weight0, weight1);
    const may1 = this.#mayMove(head1, weight1, weight0);
    if (weight0 > this.#most && may0) return head0;
    if (weight1 > this.#most && may1) return head1;
    if (!may0) return may1 ? head1 : NONE;
    if (!may1) return head0;
    const more = this.#gain[head0]! - this.#gain[head1]!;
    return more > 0 || (more === 0 && weight0 >= weight1) ? head0 : head1;
  }

  /** Returns whether v may move. @param from the weight of the part that has v @param to the weight of the other part */
  #mayMove(v: number, from: number, to: number): boolean {
    return v !== NONE && (to + this.#graph.vertexWeight[v]! <= this.#most || from > this.#most);
  }

  #head(side: 0 | 1): number {
    while (this.#top[side] >= -this.#range) {
      const v = this.#first[this.#listOf(side, this.#top[side])]!;
      if (v !== NONE) return v;
      this.#top[side]--;
    }
    this.#top[side] = -this.#range;
    return NONE;
  }

  #move(v: number): void {
    const { edgePtr, neighbours, edgeWeight } = this.#graph;
    this.#remove(v);
    this.#turn(v);
    this.#state[v] = 2;
    const side = this.#sides[v]!;
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) {
      const other = neighbours[k]!;
      if (this.#state[other] === 2) continue;
      if (this.#state[other] === 1) this.#remove(other);
      this.#gain[other]! += (this.#sides[other] === side ? -2 : 2) * edgeWeight[k]!;
      this.#insert(other);
    }
  }

  #turn(v: number): void {
    const weight = this.#graph.vertexWeight[v]!;
    const side = this.#sides[v]! as 0 | 1;
    this.#weights[side] -= weight;
    this.#weights[side === 0 ? 1 : 0] += weight;
    this.#sides[v] = 1 - side;
  }
}
