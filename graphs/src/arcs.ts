/** A graph as arrays: its nodes have numbers, in the order in which the library lists them. */

/** The key of a node in its library. graphology and cytoscape have strings only. */
export type NodeKey = string | number;

/** An undirected edge is two arcs, a loop is one. Parallel edges are arcs of their own. */
export interface Arcs {
  readonly nodes: readonly NodeKey[];
  readonly sources: Uint32Array;
  readonly targets: Uint32Array;
  readonly weights: Float64Array;
}

/** Collects the arcs of a graph. */
export class ArcList {
  readonly #nodes: readonly NodeKey[];
  readonly #numbers: Map<NodeKey, number>;
  readonly #sources: Uint32Array;
  readonly #targets: Uint32Array;
  readonly #weights: Float64Array;
  #used = 0;

  /** @param most arcs at most */
  constructor(nodes: readonly NodeKey[], most: number) {
    this.#nodes = nodes;
    this.#numbers = new Map();
    for (let i = 0; i < nodes.length; i++) this.#numbers.set(nodes[i]!, i);
    this.#sources = new Uint32Array(most);
    this.#targets = new Uint32Array(most);
    this.#weights = new Float64Array(most);
  }

  /**
   * Adds an edge. One whose ends are not both among the nodes is left out.
   *
   * @param weight what is no number counts as 1
   */
  add(source: NodeKey, target: NodeKey, weight: unknown, isUndirected: boolean): void {
    const [from, to] = [this.#numbers.get(source), this.#numbers.get(target)];
    if (from === undefined || to === undefined) return;
    const number = typeof weight === 'number' && !Number.isNaN(weight) ? weight : 1;
    this.#put(from, to, number);
    if (isUndirected && from !== to) this.#put(to, from, number);
  }

  #put(from: number, to: number, weight: number): void {
    const at = this.#used++;
    this.#sources[at] = from;
    this.#targets[at] = to;
    this.#weights[at] = weight;
  }

  /** Returns the arcs that were added so far. */
  arcs(): Arcs {
    const end = this.#used;
    return {
      nodes: this.#nodes,
      sources: this.#sources.subarray(0, end),
      targets: this.#targets.subarray(0, end),
      weights: this.#weights.subarray(0, end),
    };
  }
}

/** Returns what each node has, by its key. */
export function byNode<T>({ nodes }: Pick<Arcs, 'nodes'>, scoreOf: (node: number) => T): Record<NodeKey, T> {
  const values: Record<NodeKey, T> = {};
  for (let i = 0; i < nodes.length; i++) values[nodes[i]!] = scoreOf(i);
  return values;
}
