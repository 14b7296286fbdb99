/**
 * What a factorization will take, before its order is known: by the width of the graph, in a pass over the entries. An analysis counts exactly, and takes
 * some hundred times as long.
 */
import type { CsrMatrix } from '../core/csr.js';
import { symmetricGraph } from '../reorder/graph.js';

/** Rows with more neighbours than so many times √n, such as a circuit's power supply, are eliminated last and do not separate. */
const HUB = 10;

/**
 * Multiplications and additions over s · max(s², n), with nested dissection or AMD: 21 for 5-point 300², 24 to 27 for plates, frames and plane strain, 15 for
 * bilinear elements, 19 for 7 points with jumps on 40³, 10 for tetrahedra.
 */
const FLOPS = 20;

/**
 * Multiplications and additions of the factors of A. A breadth-first search finds levels, of which one in the middle, of s rows, separates the rest: in
 * two dimensions s² ≈ n, in three s³ᐟ² ≈ n.
 */
export function estimateFlops(matrix: CsrMatrix): number {
  const { vertices, edgePtr, neighbours } = symmetricGraph(matrix);
  const hub = HUB * Math.sqrt(vertices);
  const isHub = (v: number) => edgePtr[v + 1]! - edgePtr[v]! > hub;
  const queue = new Uint32Array(vertices);
  const seen = new Uint8Array(vertices);
  let flops = 0;
  /** Searches from `first`. @returns the last vertex */
  const search = (first: number, mark: number, levels: number[]): number => {
    queue[0] = first;
    seen[first] = mark;
    let [begin, end] = [0, 1];
    while (begin < end) {
      levels.push(end - begin);
      const last = end;
      for (; begin < last; begin++) {
        const v = queue[begin]!;
        for (let k = edgePtr[v]!, stop = edgePtr[v + 1]!; k < stop; k++) {
          const w = neighbours[k]!;
          if (seen[w] === mark || isHub(w)) continue;
          seen[w] = mark;
          queue[end++] = w;
        }
      }
    }
    return queue[end - 1]!;
  };
  for (let v = 0; v < vertices; v++) {
    if (seen[v] !== 0 || isHub(v)) continue;
    const levels: number[] = [];
    search(search(v, 1, []), 2, levels);
    flops += flopsOf(levels);
  }
  return flops;
}

/** Of a component, by the numbers of vertices of its levels. */
function flopsOf(levels: readonly number[]): number {
  const total = levels.reduce((sum, width) => sum + width, 0);
  let [before, least] = [0, Number.POSITIVE_INFINITY];
  for (const width of levels) {
    const after = before + width;
    // Levels that have a third of the vertices on each side, or that reach across.
    if (after > total / 3 && before < (2 * total) / 3) least = Math.min(least, width);
    before = after;
  }
  return FLOPS * least * Math.max(least * least, total);
}
