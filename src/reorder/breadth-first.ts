/**
 * Breadth-first searches of the graph of a matrix in a memory of the module of orders (`assembly/order/breadth-first.ts`). A search of 5-point 300² takes 0.3 to 1.5 ms there in a
 * new process; `appendNeighbours`, which pages use that do not load the module, takes 5 to 13 ms (Intel Xeon, Node 20, November 2026).
 */
import type { CsrMatrix } from '../core/csr.js';
import { OrderMemory } from './order-memory.js';

/** Vertices that searches leave out have this mark, which is greater than those of all searches. */
const NEVER = 0xffff_ffff;

/** A graph in the memory of the module of orders is given by the addresses of its arrays. */
interface PlacedGraph {
  readonly edgePtr: number;
  readonly neighbours: number;
  /** The length of `neighbours`: each edge is stored at both ends. */
  readonly ends: number;
}

/** Searches of one graph. Its lists are views of the memory and must not be used after `dispose`. */
export class BreadthFirstSearch implements Disposable {
  readonly vertices: number;
  /** The mark of the latest search that found each vertex; 0 if none has, `NEVER` if searches leave it out. */
  readonly seenBy: Uint32Array;
  /** The list begins with the vertices that the latest search has found, level by level. The numbers after the last of these vertices are undefined. */
  readonly queue: Uint32Array;
  readonly #memory: OrderMemory;
  readonly #graph: PlacedGraph;
  readonly #widths: Uint32Array;

  /** Searches the pattern of A + Aᵀ without its diagonal, for a square A. @param isSymmetric whether the pattern of A is known to be symmetric @throws SparlaneError `heap` */
  constructor(matrix: CsrMatrix, isSymmetric: boolean) {
    const memory = OrderMemory.take();
    try {
      const { rows } = matrix;
      const graph = isSymmetric ? withoutDiagonal(memory, matrix) : symmetrized(memory, matrix);
      const addresses = Array.from({ length: 3 }, () => memory.reserve(rows));
      const lists = addresses.map((address) => new Uint32Array(memory.run.memory.buffer, address, rows));
      [this.seenBy, this.queue, this.#widths] = lists as [Uint32Array, Uint32Array, Uint32Array];
      this.seenBy.fill(0);
      [this.vertices, this.#graph, this.#memory] = [rows, graph, memory];
    } catch (error) {
      memory[Symbol.dispose]();
      throw error;
    }
  }

  /** Twice the number of edges. */
  get ends(): number {
    return this.#graph.ends;
  }

  /** Leaves the vertices that have more than `most` neighbours out of all searches. @returns the greatest number of neighbours of a vertex */
  leaveOutHubs(most: number): number {
    return this.#memory.run.markHubs(this.vertices, this.#graph.edgePtr, most, this.seenBy.byteOffset, NEVER);
  }

  /**
   * Searches from a vertex.
   *
   * @param mark greater than the marks that earlier searches left on the vertices to be found
   * @param enough the search ends as soon as its levels have so many vertices; by default where no vertex is left
   * @returns the number of vertices of each level, a view that the next search overwrites
   */
  levelsFrom(first: number, mark: number, enough: number = this.vertices): Uint32Array {
    const { edgePtr, neighbours } = this.#graph;
    const [queue, seenBy, widths] = [this.queue.byteOffset, this.seenBy.byteOffset, this.#widths.byteOffset];
    const { run } = this.#memory;
    const levels = run.searchLevels(edgePtr, neighbours, first, queue, seenBy, mark, enough, widths);
    return this.#widths.subarray(0, levels);
  }

  [Symbol.dispose](): void {
    this.#memory[Symbol.dispose]();
  }
}

function withoutDiagonal(memory: OrderMemory, { rows, rowPtr, colIdx }: CsrMatrix): PlacedGraph {
  const [edgePtr, neighbours] = [memory.place(rowPtr), memory.place(colIdx)];
  return { edgePtr, neighbours, ends: memory.run.removeDiagonal(rows, edgePtr, neighbours) };
}

function symmetrized(memory: OrderMemory, { rows, nnz, rowPtr, colIdx }: CsrMatrix): PlacedGraph {
  const [ptr, idx] = [memory.place(rowPtr), memory.place(colIdx)];
  const [edgePtr, neighbours] = [memory.reserve(rows + 1), memory.reserve(2 * nnz)];
  return { edgePtr, neighbours, ends: memory.run.symmetrize(rows, ptr, idx, edgePtr, neighbours) };
}
