const NONE = -1;

/** Vertices by degree: doubly linked lists, from which one of least degree is taken. */
export class DegreeLists {
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #degree: Int32Array;
  /** No list below this degree has a vertex. */
  #least = 0;

  /** @param degree of each vertex, which does not change while the vertex is in a list */
  constructor(degree: Int32Array) {
    this.#first = new Int32Array(degree.length).fill(NONE);
    this.#next = new Int32Array(degree.length);
    this.#previous = new Int32Array(degree.length);
    this.#degree = degree;
  }

  /** Puts a vertex first in the list of its degree. */
  insert(v: number): void {
    const degree = this.#degree[v]!;
    const after = this.#first[degree]!;
    this.#next[v] = after;
    this.#previous[v] = NONE;
    if (after !== NONE) this.#previous[after] = v;
    this.#first[degree] = v;
    if (degree < this.#least) this.#least = degree;
  }

  remove(v: number): void {
    const before = this.#previous[v]!;
    const after = this.#next[v]!;
    if (after !== NONE) this.#previous[after] = before;
    if (before !== NONE) this.#next[before] = after;
    else this.#first[this.#degree[v]!] = after;
  }

  /** Takes a vertex of least degree; there must be one. */
  takeLeast(): number {
    while (this.#first[this.#least] === NONE) this.#least++;
    const v = this.#first[this.#least]!;
    this.remove(v);
    return v;
  }
}
