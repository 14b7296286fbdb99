/**
 * Communities of nodes that have many edges within and few between, by the method of Louvain.
 *
 * Source: Blondel, Guillaume, Lambiotte & Lefebvre 2008, "Fast unfolding of communities in large networks"; the resolution: Reichardt & Bornholdt 2006.
 * Differs: nodes are visited in the order of the graph, not in a random one, so the result is always the same. Directions and loops do not count.
 * Cost: some ten passes over the edges, and two sparse products for each level, on the caller's thread.
 */
import { type CsrMatrix, csrMatrix, multiplyMatrices, sumsOf, transposeMatrix } from 'sparlane';
import { byNode } from './arcs.js';
import { type AnyGraph, arcsOf, type WeightOptions, wrong } from './graph.js';
import type { NodeScores } from './measures.js';
import { withoutDirections } from './undirected.js';

/** `communities` takes these options. */
export interface CommunityOptions extends WeightOptions {
  /** Greater numbers make smaller communities. Default 1. */
  readonly resolution?: number;
}

/**
 * The community of each node: 0, 1, … in the order of their first nodes, as `louvain` of graphology returns it.
 *
 * @throws SparlaneError `argument`; `structure` for weights that are negative or not finite
 */
export function communities(graph: AnyGraph, options: CommunityOptions = {}): NodeScores {
  const { resolution = 1 } = options;
  if (!(resolution > 0)) throw wrong('resolution', 'a number greater than 0', resolution);
  const arcs = arcsOf(graph, options);
  let W = withoutDirections(arcs);
  /** The community of each node of the graph. */
  let labels = Uint32Array.from({ length: W.rows }, (_, i) => i);
  for (;;) {
    const moved = moveNodes(W, resolution);
    if (moved === undefined) break;
    labels = labels.map((label) => moved.labels[label]!);
    W = merged(W, moved.labels, moved.count);
  }
  const ordered = renumbered(labels).labels;
  return byNode(arcs, (i) => ordered[i]!);
}

interface Labels {
  readonly labels: Uint32Array;
  readonly count: number;
}

/** A node moves if it gains more than this, relative to the weight of all edges: less may be a rounding error. Chosen. */
const LEAST_GAIN = 1e-12;

/** Moves single nodes to the community of a neighbour that gains most, until none gains. Undefined if none has moved. */
function moveNodes(W: CsrMatrix, resolution: number): Labels | undefined {
  const { rows, rowPtr, colIdx, values } = W;
  const degrees = sumsOf(W, 'rows');
  const total = degrees.reduce((sum, degree) => sum + degree, 0);
  const labels = Uint32Array.from({ length: rows }, (_, i) => i);
  const sums = degrees.slice();
  /** Weights of the edges from a node to the communities around it; and these communities. */
  const weights = new Float64Array(rows);
  const around = new Uint32Array(rows);
  const best = (node: number) => {
    let count = 0;
    for (let k = rowPtr[node]!; k < rowPtr[node + 1]!; k++) {
      if (colIdx[k] === node) continue;
      const label = labels[colIdx[k]!]!;
      if (weights[label] === 0) around[count++] = label;
      weights[label]! += values[k]!;
    }
    const factor = (resolution * degrees[node]!) / total;
    const own = labels[node]!;
    sums[own]! -= degrees[node]!;
    let to = own;
    let most = weights[own]! - factor * sums[own]! + LEAST_GAIN * total;
    for (let at = 0; at < count; at++) {
      const label = around[at]!;
      const gain = weights[label]! - factor * sums[label]!;
      if (label !== own && gain > most) [to, most] = [label, gain];
      weights[label] = 0;
    }
    sums[to]! += degrees[node]!;
    return to;
  };
  let hasMoved = false;
  /** Nodes whose neighbours have moved, each once. */
  const isWaiting = new Uint8Array(rows).fill(1);
  for (let left = rows; left > 0; ) {
    left = 0;
    for (let node = 0; node < rows; node++) {
      if (isWaiting[node] === 0) continue;
      isWaiting[node] = 0;
      const to = best(node);
      if (to === labels[node]) continue;
      labels[node] = to;
      hasMoved = true;
      for (let k = rowPtr[node]!; k < rowPtr[node + 1]!; k++) {
        const neighbour = colIdx[k]!;
        if (labels[neighbour] === to || isWaiting[neighbour] === 1) continue;
        isWaiting[neighbour] = 1;
        left++;
      }
    }
  }
  return hasMoved ? renumbered(labels) : undefined;
}

/** Sᵀ W S, where row i of S selects the community of node i: the communities as nodes, whose loops have twice the weight within. */
function merged(W: CsrMatrix, labels: Uint32Array, count: number): CsrMatrix {
  const rowPtr = Uint32Array.from({ length: W.rows + 1 }, (_, i) => i);
  const S = csrMatrix({ rows: W.rows, cols: count, rowPtr, colIdx: labels });
  return multiplyMatrices(transposeMatrix(S), multiplyMatrices(W, S));
}

/** Numbers the labels 0, 1, … in the order of their first nodes. */
function renumbered(labels: Uint32Array): Labels {
  const places = new Map<number, number>();
  const ordered = labels.map((label) => {
    if (!places.has(label)) places.set(label, places.size);
    return places.get(label)!;
  });
  return { labels: ordered, count: places.size };
}
