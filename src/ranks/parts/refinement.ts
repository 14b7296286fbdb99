/**
 * Better parts of a graph that is distributed over ranks: in each round all ranks move vertices at the border of parts at the same time, also some that make the cut
 * larger, and the best parts of all rounds are kept.
 *
 * Source: Gilbert, Madduri, Boman & Rajamanickam, "Jet: multilevel graph partitioning on graphics processing units", 2024: a vertex moves if that makes the cut no larger after the
 *   moves of those neighbours that gain more.
 * Differs: parts are never too heavy: of the room that a part has, each rank gets a share by what it wants to move there.
 * Cost: the first round looks at all edges, others at those of the border; four exchanges a round, of what has changed.
 */
import type { Communicator } from '../communicator.js';
import type { RankGraph } from './rank-graph.js';

/** Refinement ends after so many rounds without a cut that is smaller by enough. Chosen. */
const PATIENCE = 8;
/** A cut is smaller by enough if it is below this share of the one before. Chosen. */
const ENOUGH = 0.999;
/** A vertex may move if it loses less than this share of the weight of its edges to its own part. Chosen; 0.25 and 0.75 in the source. */
const LOSS = 0.5;

/** Parts have numbers below this. */
const PARTS = 2 ** 16;
/** Gains are above −BIAS. */
const BIAS = 2 ** 35;
/** A vertex that stays has this wish; that of others is (gain + BIAS) PARTS + target: greater gains come first. */
const STAYS = -1;

/** Returns the target of a wish. The remainder of a division takes longer. */
function targetOf(wish: number): number {
  // V8 takes places that are no small integers for names, which takes 10 times as long.
  return (wish - Math.floor(wish / PARTS) * PARTS) | 0;
}

/** Improves parts, which are as many as ranks. Together. @param part that of the vertex at each place, which changes @param limit the weight that a part may have */
export function refineParts(comm: Communicator, graph: RankGraph, part: Uint16Array, limit: number): void {
  const best = part.slice();
  const border = new Border(comm.size, graph, part);
  let least = Number.POSITIVE_INFINITY;
  let sent: readonly number[] = [];
  for (let failed = 0; failed < PATIENCE; failed++) {
    const wishing = border.propose();
    const sums = comm.allreduce(border.sums.slice());
    const cut = sums[comm.size]!;
    if (cut < least) {
      if (cut < ENOUGH * least) failed = 0;
      least = cut;
      best.set(part);
    }
    const kept = admit(comm, graph, { wish: border.wish, wishing, weights: sums, limit });
    graph.spreadSome(border.wish, [...sent, ...wishing]);
    sent = kept;
    const moved = border.move(kept);
    border.mark(moved, graph.spreadSome(part, moved));
  }
  part.set(best);
}

/** A rank knows its vertices at the border of parts, and moves them. */
class Border {
  /** The vertex at each place has this wish; those that are not at the border have STAYS. */
  readonly wish: Float64Array;
  /** The own vertices of each part have this weight together; the last sum is that of their edges to other parts. */
  readonly sums: Float64Array;
  readonly #graph: RankGraph;
  readonly #part: Uint16Array;
  readonly #isLocked: Uint8Array;
  /** The edges of each own vertex to other parts have this weight. */
  readonly #outer: Float64Array;
  /** These own vertices are at the border, or something has changed at them. */
  #active: number[] | Uint32Array;
  readonly #isActive: Uint8Array;
  /** The own neighbours of each ghost are a range of `#ghostUsers`. */
  readonly #ghostPtr: Uint32Array;
  readonly #ghostUsers: Uint32Array;

  constructor(parts: number, graph: RankGraph, part: Uint16Array) {
    const { vertices, numbers, vertexWeights } = graph;
    [this.#graph, this.#part] = [graph, part];
    this.wish = new Float64Array(numbers.length).fill(STAYS);
    this.sums = new Float64Array(parts + 1);
    for (let v = 0; v < vertices; v++) this.sums[part[v]!]! += vertexWeights[v]!;
    this.#isLocked = new Uint8Array(vertices);
    this.#outer = new Float64Array(vertices);
    this.#active = Uint32Array.from({ length: vertices }, (_, v) => v);
    this.#isActive = new Uint8Array(vertices);
    const { ptr, users } = usersOfGhosts(graph);
    [this.#ghostPtr, this.#ghostUsers] = [ptr, users];
  }

  /** Writes the wish of each own vertex: the part that it has most edges to. Returns the vertices that do not stay. */
  propose(): number[] {
    const { edgePtr, neighbours, edgeWeights } = this.#graph;
    const [part, wish, outer, active] = [this.#part, this.wish, this.#outer, this.#active];
    const parts = this.sums.length - 1;
    const toPart = new Float64Array(parts);
    const touched = new Uint32Array(parts);
    const wishing: number[] = [];
    const border: number[] = [];
    let more = 0;
    for (let i = 0; i < active.length; i++) {
      const v = active[i]!;
      const own = part[v]!;
      let inner = 0;
      let count = 0;
      for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) {
        const other = part[neighbours[k]!]!;
        if (other === own) {
          inner += edgeWeights[k]!;
        } else {
          if (toPart[other] === 0) touched[count++] = other;
          toPart[other]! += edgeWeights[k]!;
        }
      }
      let target = own;
      let most = 0;
      more -= outer[v]!;
      outer[v] = 0;
      for (let t = 0; t < count; t++) {
        const other = touched[t]!;
        const weight = toPart[other]!;
        toPart[other] = 0;
        outer[v]! += weight;
        if (weight <= most) continue;
        target = other;
        most = weight;
      }
      more += outer[v]!;
      wish[v] = STAYS;
      this.#isActive[v] = count > 0 ? 1 : 0;
      if (count === 0) continue;
      border.push(v);
      const gain = most - inner;
      if (this.#isLocked[v] === 1 || (gain < 0 && -gain >= Math.floor(LOSS * inner))) continue;
      wish[v] = (gain + BIAS) * PARTS + target;
      wishing.push(v);
    }
    this.#active = border;
    this.sums[parts]! += more;
    return wishing;
  }

  /** Moves those of the given vertices that do not make the cut larger after the moves of neighbours that gain more. Returns the moved ones. */
  move(wishing: readonly number[]): number[] {
    const { numbers, edgePtr, neighbours, edgeWeights, vertexWeights } = this.#graph;
    const [part, wish] = [this.#part, this.wish];
    const moved = wishing.filter((v) => {
      const wanted = wish[v]!;
      const own = part[v]!;
      const target = targetOf(wanted);
      let gain = 0;
      for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) {
        const other = neighbours[k]!;
        const theirs = wish[other]!;
        const isBefore = theirs > wanted || (theirs === wanted && numbers[other]! < numbers[v]!);
        const there = isBefore ? targetOf(theirs) : part[other]!;
        if (there === target) gain += edgeWeights[k]!;
        else if (there === own) gain -= edgeWeights[k]!;
      }
      return gain >= 0;
    });
    this.#isLocked.fill(0);
    for (const v of moved) {
      this.sums[part[v]!]! -= vertexWeights[v]!;
      part[v] = targetOf(wish[v]!);
      this.sums[part[v]!]! += vertexWeights[v]!;
      this.#isLocked[v] = 1;
    }
    return moved;
  }

  /** The own neighbours of vertices that have moved are looked at again. @param ghosts places */
  mark(moved: readonly number[], ghosts: readonly number[]): void {
    const { vertices, edgePtr, neighbours } = this.#graph;
    for (const v of moved)
      for (let k = edgePtr[v]!; k < edgePtr[v + 1]!; k++) if (neighbours[k]! < vertices) this.#activate(neighbours[k]!);
    for (const place of ghosts)
      for (let k = this.#ghostPtr[place - vertices]!; k < this.#ghostPtr[place - vertices + 1]!; k++)
        this.#activate(this.#ghostUsers[k]!);
  }

  #activate(v: number): void {
    if (this.#isActive[v] === 1) return;
    this.#isActive[v] = 1;
    (this.#active as number[]).push(v);
  }
}

/** Returns the own vertices that have an edge to each ghost. */
function usersOfGhosts({ vertices, numbers, edgePtr, neighbours }: RankGraph) {
  const ptr = new Uint32Array(numbers.length - vertices + 1);
  for (let k = 0; k < neighbours.length; k++) if (neighbours[k]! >= vertices) ptr[neighbours[k]! - vertices + 1]!++;
  for (let g = 1; g < ptr.length; g++) ptr[g]! += ptr[g - 1]!;
  const users = new Uint32Array(ptr[ptr.length - 1]!);
  const next = ptr.slice();
  for (let v = 0; v < vertices; v++)
    for (let k = edgePtr[v]!; k < edgePtr[v + 1]!; k++)
      if (neighbours[k]! >= vertices) users[next[neighbours[k]! - vertices]!++] = v;
  return { ptr, users };
}

interface Wishes {
  readonly wish: Float64Array;
  /** These own vertices do not stay. */
  readonly wishing: readonly number[];
  /** Each part has this weight. */
  readonly weights: Float64Array;
  readonly limit: number;
}

/** Takes back the wishes for which parts have no room, those of least gain first. Returns the vertices that keep theirs. Together. */
function admit(comm: Communicator, graph: RankGraph, { wish, wishing, weights, limit }: Wishes): readonly number[] {
  const { vertexWeights } = graph;
  const own = new Float64Array(comm.size);
  for (const v of wishing) own[targetOf(wish[v]!)]! += vertexWeights[v]!;
  const all = comm.allreduce(own.slice());
  const room = own.map((weight, target) => weight * Math.min(1, Math.max(0, limit - weights[target]!) / all[target]!));
  const isFull = own.map((weight, target) => (weight > room[target]! ? 1 : 0));
  const rivals = wishing.filter((v) => isFull[targetOf(wish[v]!)] === 1);
  rivals.sort((one, other) => wish[other]! - wish[one]! || one - other);
  for (const v of rivals) {
    const target = targetOf(wish[v]!);
    if (vertexWeights[v]! <= room[target]!) room[target]! -= vertexWeights[v]!;
    else wish[v] = STAYS;
  }
  return wishing.filter((v) => wish[v] !== STAYS);
}
