/** Breadth-first searches of a graph, in a memory of the module of orders: `assembly/order/breadth-first.ts`. */
import type { CsrMatrix } from '../core/csr.js';
import type { Graph } from './graph.js';
import { OrderMemory } from './order-memory.js';

/** A mark that no search reaches. */
const NEVER = 0xffff_ffff;

/** The addresses of a graph. */
interface GraphInMemory {
  readonly edgePtr: number;
  readonly neighbours: number;
  readonly edges: number;
}

interface SearchOptions {
  /** One of the queues. Default: the first one. */
  readonly queue?: Uint32Array;
  /** The place of the first vertex in the queue. Default: 0. */
  readonly begin?: number;
  /** The search ends before a level that begins with so many vertices found. Default: it ends where no vertex is left. */
  readonly enough?: number;
}

/** Lists are views of the memory, until it is disposed. */
export class BreadthFirstSearch implements Disposable {
  readonly vertices: number;
  /** Twice the number of edges. */
  readonly edges: number;
  /** The greatest mark of a search that found the vertex, or 0: the vertices with a mark as great as its own are not found by a search. */
  readonly seenBy: Uint32Array;
  /** The vertices that searches have found, each behind its first vertex. */
  readonly queues: readonly Uint32Array[];
  readonly #memory: OrderMemory;
  readonly #graph: GraphInMemory;
  readonly #widths: Uint32Array;

  private constructor(memory: OrderMemory, vertices: number, graph: GraphInMemory, queues: number) {
    const addresses = Array.from({ length: queues + 2 }, () => memory.reserve(vertices));
    const lists = addresses.map((address) => new Uint32Array(memory.run.memory.buffer, address, vertices));
    [this.vertices, this.edges] = [vertices, graph.edges];
    [this.#memory, this.#graph] = [memory, graph];
    [this.seenBy, this.#widths, ...this.queues] = lists as [Uint32Array, Uint32Array, ...Uint32Array[]];
    this.seenBy.fill(0);
  }

  static of({ vertices, edgePtr, neighbours }: Graph, queues = 1): BreadthFirstSearch {
    return searchIn((memory) => {
      const graph = { edgePtr: memory.place(edgePtr), neighbours: memory.place(neighbours), edges: neighbours.length };
      return new BreadthFirstSearch(memory, vertices, graph, queues);
    });
  }

  /** Of the pattern of A + Aᵀ without its diagonal, for a square A. @param isSymmetric whether the pattern of A is known to be symmetric */
  static ofMatrix({ rows, nnz, rowPtr, colIdx }: CsrMatrix, isSymmetric: boolean): BreadthFirstSearch {
    return searchIn((memory) => {
      const [ptr, idx] = [memory.place(rowPtr), memory.place(colIdx)];
      if (isSymmetric) {
        const edges = memory.run.removeDiagonal(rows, ptr, idx);
        return new BreadthFirstSearch(memory, rows, { edgePtr: ptr, neighbours: idx, edges }, 1);
      }
      const [edgePtr, neighbours] = [memory.reserve(rows + 1), memory.reserve(2 * nnz)];
      const edges = memory.run.symmetrize(rows, ptr, idx, edgePtr, neighbours);
      return new BreadthFirstSearch(memory, rows, { edgePtr, neighbours, edges }, 1);
    });
  }

  /** No search finds the vertices that have more neighbours than this. @returns the greatest number of neighbours of a vertex */
  leaveOutHubs(most: number): number {
    return this.#memory.run.markHubs(this.vertices, this.#graph.edgePtr, most, this.seenBy.byteOffset, NEVER);
  }

  /**
   * Searches from a vertex, which is written to the queue, and the others behind it.
   *
   * @param mark greater than those of earlier searches
   * @returns the number of vertices of each level, until the next search
   */
  levelsFrom(first: number, mark: number, options: SearchOptions = {}): Uint32Array {
    const { queue = this.queues[0]!, begin = 0, enough = this.vertices } = options;
    const { edgePtr, neighbours } = this.#graph;
    const widths = this.#widths;
    queue[begin] = first;
    const levels = this.#memory.run.searchLevels(
      edgePtr,
      neighbours,
      queue.byteOffset,
      begin,
      this.seenBy.byteOffset,
      mark,
      enough,
      widths.byteOffset,
    );
    return widths.subarray(0, levels);
  }

  [Symbol.dispose](): void {
    this.#memory[Symbol.dispose]();
  }
}

/** Takes a memory, which goes back if there is no room. */
function searchIn(make: (memory: OrderMemory) => BreadthFirstSearch): BreadthFirstSearch {
  const memory = OrderMemory.take();
  try {
    return make(memory);
  } catch (error) {
    memory[Symbol.dispose]();
    throw error;
  }
}
