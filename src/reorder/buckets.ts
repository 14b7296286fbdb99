const NONE = -1;

/** Vertices by a hash: singly linked lists, as many as there are vertices. */
export class Buckets {
  /** The vertex behind each one in its bucket; −1: none. */
  readonly next: Int32Array;
  readonly #hash: Int32Array;
  readonly #first: Int32Array;

  constructor(vertices: number) {
    this.next = new Int32Array(vertices).fill(NONE);
    this.#hash = new Int32Array(vertices);
    this.#first = new Int32Array(vertices).fill(NONE);
  }

  /** Puts a vertex first in the bucket of a sum ≥ 0. */
  put(v: number, sum: number): void {
    const hash = sum % this.next.length;
    this.next[v] = this.#first[hash]!;
    this.#first[hash] = v;
    this.#hash[v] = hash;
  }

  /** Empties the bucket that v was put into. Returns its first vertex, from which `next` leads to the others; −1 if it is empty. */
  empty(v: number): number {
    const hash = this.#hash[v]!;
    const first = this.#first[hash]!;
    this.#first[hash] = NONE;
    return first;
  }
}
