/** The graph of what elimination has left, of approximate minimum degree: see `amd.ts`, whose source names the parts. */
import { Buckets } from './buckets.js';
import { DegreeLists } from './degree-lists.js';
import type { Graph } from './graph.js';
import { moveToFront } from './lists.js';
import { Members } from './members.js';

const NONE = -1;

/** A vertex comes last if it has more neighbours than this multiple of √vertices, and than `DENSE_LEAST`: as in the authors' code. */
const DENSE = 10;
const DENSE_LEAST = 16;

/** Marks restart below this, so that a sum of a mark and a degree stays an i32. */
const LAST_MARK = 2 ** 30;

export class QuotientGraph {
  eliminated = 0;
  readonly n: number;
  /** All lists, and where free space begins. */
  lists: Int32Array;
  free: number;
  /** By variable or element: where its list begins, its length, and how many elements it begins with. */
  readonly start: Int32Array;
  readonly length: Int32Array;
  readonly elements: Int32Array;
  /** Vertices of a supervariable; negative while it is in the element that is being made; 0: an element, or part of another. */
  readonly size: Int32Array;
  /** Of a variable: the bound of its degree; of an element: the vertices of its list. */
  readonly degree: Int32Array;
  /** Of an element: a mark plus |Lₑ \ Lₚ|, 0 when it is absorbed. Of a variable: the last mark it got, at least 1. */
  readonly weight: Int32Array;
  mark = 2;
  /** The greatest degree of an element. */
  largest = 0;
  readonly byDegree: DegreeLists;
  /** Variables by the hash of their lists. */
  readonly buckets: Buckets;
  /** The vertices of each supervariable. */
  readonly members: Members;
  readonly pivots: Int32Array;
  pivotCount = 0;

  constructor({ vertices: n, edgePtr, neighbours }: Graph) {
    const words = (value: number) => new Int32Array(n).fill(value);
    this.n = n;
    this.free = neighbours.length;
    this.lists = new Int32Array(neighbours.length + Math.floor(neighbours.length / 5) + n + 1);
    this.lists.set(neighbours);
    this.start = Int32Array.from(edgePtr.subarray(0, n));
    this.length = words(0);
    this.elements = words(0);
    this.size = words(1);
    this.degree = words(0);
    this.weight = words(1);
    this.buckets = new Buckets(n);
    this.members = new Members(n);
    this.pivots = new Int32Array(n);
    for (let v = 0; v < n; v++) this.length[v] = this.degree[v] = edgePtr[v + 1]! - edgePtr[v]!;
    this.byDegree = new DegreeLists(this.degree);
    this.#deferDense();
    for (let v = n - 1; v >= 0; v--) if (this.size[v]! > 0) this.byDegree.insert(v);
  }

  /** The vertices pivot by pivot, those of dense rows last. */
  order(): Uint32Array {
    const order = new Uint32Array(this.n);
    let at = 0;
    for (let k = 0; k < this.pivotCount; k++) at = this.members.copy(this.pivots[k]!, order, at);
    for (let v = 0; at < this.n; v++) if (this.start[v] === NONE && this.elements[v] === NONE) order[at++] = v;
    return order;
  }

  /** @returns whether vertices are left */
  eliminate(pivots: number): boolean {
    for (let k = 0; k < pivots && this.eliminated < this.n; k++) {
      const pivot = this.#takeLeast();
      const begin = this.#makeElement(pivot);
      this.#countDifferences(begin);
      this.#updateDegrees(pivot, begin);
      this.#joinVariables(begin);
      this.#close(pivot, begin);
    }
    return this.eliminated < this.n;
  }

  /** Takes vertices of many neighbours out of the graph: marked by start and elements NONE. */
  #deferDense(): void {
    const most = Math.max(DENSE_LEAST, DENSE * Math.sqrt(this.n));
    for (let v = 0; v < this.n; v++) {
      if (this.degree[v]! <= most) continue;
      this.size[v] = 0;
      this.elements[v] = NONE;
      this.start[v] = NONE;
      this.length[v] = 0;
      this.weight[v] = 0;
      this.eliminated++;
    }
  }

  #takeLeast(): number {
    const pivot = this.byDegree.takeLeast();
    this.pivots[this.pivotCount++] = pivot;
    this.eliminated += this.size[pivot]!;
    return pivot;
  }

  /**
   * Lₚ: the variables of the pivot's list and of those of its elements, which it absorbs. Its variables leave the lists of degrees.
   *
   * @returns where Lₚ begins; it ends at `start + length`
   */
  #makeElement(pivot: number): number {
    const elements = this.elements[pivot]!;
    // Without elements the list is filtered in place.
    if (elements > 0 && this.free + this.degree[pivot]! >= this.lists.length)
      this.free = moveToFront(this.lists, this.start, this.length, this.free);
    const { lists, start, length, size } = this;
    let from = start[pivot]!;
    const begin = elements === 0 ? from : this.free;
    let end = begin;
    let degree = 0;
    size[pivot] = -size[pivot]!;
    for (let k = 0; k <= elements; k++) {
      const isLast = k === elements;
      const element = isLast ? pivot : lists[from++]!;
      let at = isLast ? from : start[element]!;
      for (const last = at + (isLast ? length[pivot]! - elements : length[element]!); at < last; at++) {
        const v = lists[at]!;
        const own = size[v]!;
        if (own <= 0) continue;
        degree += own;
        size[v] = -own;
        lists[end++] = v;
        this.byDegree.remove(v);
      }
      if (!isLast) this.#absorb(element);
    }
    if (elements > 0) this.free = end;
    this.degree[pivot] = degree;
    start[pivot] = begin;
    length[pivot] = end - begin;
    this.elements[pivot] = NONE;
    return begin;
  }

  #absorb(element: number): void {
    this.start[element] = 0;
    this.length[element] = 0;
    this.weight[element] = 0;
  }

  /** weight[e] ← mark + |Lₑ \ Lₚ| for all elements e of variables of Lₚ. */
  #countDifferences(begin: number): void {
    this.mark = this.#nextMark(this.mark + 1);
    const { lists, start, elements, size, weight, degree } = this;
    const mark = this.mark;
    const pivot = this.pivots[this.pivotCount - 1]!;
    for (let k = begin, end = begin + this.length[pivot]!; k < end; k++) {
      const v = lists[k]!;
      const own = -size[v]!;
      for (let at = start[v]!, last = at + elements[v]!; at < last; at++) {
        const e = lists[at]!;
        const known = weight[e]!;
        if (known >= mark) weight[e] = known - own;
        else if (known !== 0) weight[e] = degree[e]! + mark - own;
      }
    }
  }

  /** New lists and degrees of the variables of Lₚ; those that nothing else connects follow the pivot; the others are hashed by their lists. */
  #updateDegrees(pivot: number, begin: number): void {
    const { lists, start, length, elements, size, weight, degree } = this;
    const mark = this.mark;
    for (let k = begin, end = begin + length[pivot]!; k < end; k++) {
      const v = lists[k]!;
      const first = start[v]!;
      const middle = first + elements[v]!;
      let write = first;
      let hash = 0;
      let sum = 0;
      for (let at = first; at < middle; at++) {
        const e = lists[at]!;
        const known = weight[e]!;
        if (known === 0) continue;
        if (known > mark) {
          sum += known - mark;
          lists[write++] = e;
          hash += e;
        } else this.#absorb(e);
      }
      const kept = write - first + 1;
      const variables = write;
      for (let at = middle, last = first + length[v]!; at < last; at++) {
        const w = lists[at]!;
        const other = size[w]!;
        if (other <= 0) continue;
        sum += other;
        lists[write++] = w;
        hash += w;
      }
      elements[v] = kept;
      if (sum === 0) {
        this.#follow(pivot, v);
        continue;
      }
      if (sum < degree[v]!) degree[v] = sum;
      // The pivot's element comes first: the entries there move behind their own kind.
      lists[write] = lists[variables]!;
      lists[variables] = lists[first]!;
      lists[first] = pivot;
      length[v] = write - first + 1;
      this.buckets.put(v, hash);
    }
  }

  /** Eliminates v together with the pivot. */
  #follow(pivot: number, v: number): void {
    const own = -this.size[v]!;
    this.degree[pivot]! -= own;
    this.size[pivot]! -= own;
    this.eliminated += own;
    this.#join(pivot, v);
  }

  /** v becomes a part of `into`. */
  #join(into: number, v: number): void {
    this.size[v] = 0;
    this.elements[v] = NONE;
    this.start[v] = 0;
    this.length[v] = 0;
    this.members.join(into, v);
  }

  /** Joins the variables of Lₚ that have the same lists. */
  #joinVariables(begin: number): void {
    const pivot = this.pivots[this.pivotCount - 1]!;
    // Above all weights of this step.
    this.mark = this.#nextMark(this.mark + this.degree[pivot]! + this.largest);
    for (let k = begin, end = begin + this.length[pivot]!; k < end; k++) {
      const v = this.lists[k]!;
      if (this.size[v]! >= 0) continue;
      const { next } = this.buckets;
      for (let i = this.buckets.empty(v); i !== NONE && next[i] !== NONE; i = next[i]!) this.#joinEqual(i);
    }
  }

  /** Joins the later variables of a bucket whose lists are those of i. */
  #joinEqual(i: number): void {
    const { lists, start, length, elements, weight } = this;
    const { next } = this.buckets;
    const mark = ++this.mark;
    const own = length[i]!;
    // The first entry of all lists is the pivot.
    for (let at = start[i]! + 1, end = start[i]! + own; at < end; at++) weight[lists[at]!] = mark;
    for (let before = i, j = next[i]!; j !== NONE; j = next[j]!) {
      let isEqual = length[j] === own && elements[j] === elements[i];
      for (let at = start[j]! + 1, end = at + own - 1; isEqual && at < end; at++) isEqual = weight[lists[at]!] === mark;
      if (!isEqual) {
        before = j;
        continue;
      }
      this.size[i]! += this.size[j]!;
      this.#join(i, j);
      next[before] = next[j]!;
    }
  }

  /** Lₚ keeps its principal variables, which return to the lists of degrees. */
  #close(pivot: number, begin: number): void {
    const { lists, size, degree } = this;
    const ofPivot = degree[pivot]!;
    const left = this.n - this.eliminated;
    let write = begin;
    for (let k = begin, end = begin + this.length[pivot]!; k < end; k++) {
      const v = lists[k]!;
      const own = -size[v]!;
      if (own <= 0) continue;
      size[v] = own;
      const bound = Math.min(degree[v]! + ofPivot - own, left - own);
      degree[v] = bound;
      this.byDegree.insert(v);
      lists[write++] = v;
    }
    size[pivot] = 0;
    if (ofPivot > this.largest) this.largest = ofPivot;
    // The list is the last one, or it is in the place of the pivot's own.
    if (this.free === begin + this.length[pivot]!) this.free = write;
    this.length[pivot] = write - begin;
    if (write === begin) this.#absorb(pivot);
  }

  /** A mark above all weights; if it is too large, all weights begin again. */
  #nextMark(mark: number): number {
    if (mark < LAST_MARK) return mark;
    for (let v = 0; v < this.n; v++) if (this.weight[v] !== 0) this.weight[v] = 1;
    return 2;
  }
}
