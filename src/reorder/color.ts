/**
 * Greedy colouring: neighbours have different colours. Vertices are visited in their order, and each takes the first colour that no
 * neighbour has.
 *
 * Source: Welsh & Powell 1967. In breadth-first order a mesh takes few colours: a grid of 5 points takes 2.
 * Cost: O(vertices + edges).
 */
import type { Graph } from './graph.js';

export interface Coloring {
  readonly colors: number;
  /** The colour of each vertex, from 0 on. */
  readonly colorOf: Uint32Array;
}

export function colorGreedily({ vertices, edgePtr, neighbours }: Graph): Coloring {
  const colorOf = new Uint32Array(vertices);
  /** 1 + the last vertex that has a neighbour of each colour. */
  const taken = new Uint32Array(vertices + 1);
  let colors = 0;
  for (let v = 0; v < vertices; v++) {
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++)
      if (neighbours[k]! < v) taken[colorOf[neighbours[k]!]!] = v + 1;
    let color = 0;
    while (taken[color] === v + 1) color++;
    colorOf[v] = color;
    colors = Math.max(colors, color + 1);
  }
  return { colors, colorOf };
}
