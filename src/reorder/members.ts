const NONE = -1;

/** Disjoint sets of vertices as singly linked lists, each known by its first vertex. At first each vertex is one. */
export class Members {
  readonly #next: Int32Array;
  /** Of a first vertex: the last one of its list. */
  readonly #last: Int32Array;

  constructor(vertices: number) {
    this.#next = new Int32Array(vertices).fill(NONE);
    this.#last = new Int32Array(vertices);
    for (let v = 0; v < vertices; v++) this.#last[v] = v;
  }

  /** Appends the list of v to that of `into`. */
  join(into: number, v: number): void {
    this.#next[this.#last[into]!] = v;
    this.#last[into] = this.#last[v]!;
  }

  /** Copies the list of `first` to `order`, from place `at` on. Returns the place after it. */
  copy(first: number, order: Uint32Array, at: number): number {
    let place = at;
    for (let v = first; v !== NONE; v = this.#next[v]!) order[place++] = v;
    return place;
  }
}
