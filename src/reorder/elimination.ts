/**
 * The elimination tree of a symmetric matrix, its postorder, and the number of entries in each column of the Cholesky factor, without
 * computing the factor.
 *
 * Source: Liu, "The role of elimination trees in sparse factorization", 1990; Gilbert, Ng & Peyton, "An efficient algorithm to compute row
 *   and column counts for sparse Cholesky factorization", 1994.
 * The parent of column j is the row of the first entry below the diagonal of column j of the factor. Vertices are eliminated in the order of
 * their numbers.
 */
import { byAscendingKey } from './counting-sort.js';
import type { Graph } from './graph.js';
import { inverted } from './permutation.js';

/** The parent of a root. */
export const ROOT = -1;

/** The same graph with vertex `order[i]` as vertex i. The neighbours of a vertex may be in any order. */
export function relabelled({ vertices, edgePtr, neighbours }: Graph, order: Uint32Array): Graph {
  const place = inverted(order);
  const newPtr = new Uint32Array(vertices + 1);
  const newNeighbours = new Uint32Array(neighbours.length);
  let write = 0;
  for (let i = 0; i < vertices; i++) {
    const v = order[i]!;
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) newNeighbours[write++] = place[neighbours[k]!]!;
    newPtr[i + 1] = write;
  }
  return { vertices, edgePtr: newPtr, neighbours: newNeighbours };
}

/** The parent of each vertex, greater than the vertex; or ROOT. Nearly O(edges). */
export function eliminationTree({ vertices, edgePtr, neighbours }: Graph): Int32Array {
  const parent = new Int32Array(vertices).fill(ROOT);
  /** A vertex on the path to the root of what is known of the tree. */
  const ancestor = new Int32Array(vertices).fill(ROOT);
  for (let i = 0; i < vertices; i++) {
    for (let k = edgePtr[i]!, end = edgePtr[i + 1]!; k < end; k++) {
      for (let j = neighbours[k]!, next = 0; j !== ROOT && j < i; j = next) {
        next = ancestor[j]!;
        ancestor[j] = i;
        if (next === ROOT) parent[j] = i;
      }
    }
  }
  return parent;
}

/** A postorder of a forest: `order[k]` is the k-th vertex. Children come by ascending weight, the heaviest one next to its parent. */
export function postorder(parent: Int32Array, weight: Uint32Array): Uint32Array {
  const n = parent.length;
  const firstChild = new Int32Array(n).fill(ROOT);
  const sibling = new Int32Array(n).fill(ROOT);
  const order = new Uint32Array(n);
  const byWeight = byAscendingKey(weight);
  // Each vertex is put before its heavier siblings, so the heaviest goes first into the list.
  for (let k = n - 1; k >= 0; k--) {
    const v = byWeight[k]!;
    const p = parent[v]!;
    if (p === ROOT) continue;
    sibling[v] = firstChild[p]!;
    firstChild[p] = v;
  }
  const stack = new Int32Array(n);
  let at = 0;
  for (let root = 0; root < n; root++) {
    if (parent[root] !== ROOT) continue;
    let depth = 0;
    stack[0] = root;
    while (depth >= 0) {
      const v = stack[depth]!;
      const child = firstChild[v]!;
      if (child === ROOT) {
        order[at++] = v;
        depth--;
      } else {
        firstChild[v] = sibling[child]!;
        stack[++depth] = child;
      }
    }
  }
  return order;
}

/** The entries of each column of the factor, with the diagonal. Nearly O(edges). @param post a postorder of the tree */
export function columnCounts(
  { vertices, edgePtr, neighbours }: Graph,
  parent: Int32Array,
  post: Uint32Array,
): Uint32Array {
  const counts = new Int32Array(vertices);
  /** The place in `post` of the first descendant. */
  const first = new Int32Array(vertices).fill(ROOT);
  for (let k = 0; k < vertices; k++) {
    let j = post[k]!;
    counts[j] = first[j] === ROOT ? 1 : 0;
    for (; j !== ROOT && first[j] === ROOT; j = parent[j]!) first[j] = k;
  }
  // Row i of the factor is a subtree with root i. Each of its leaves j adds 1 from j on, which ends where its path meets that of the leaf before.
  const greatestFirst = new Int32Array(vertices).fill(ROOT);
  const leafBefore = new Int32Array(vertices).fill(ROOT);
  const ancestor = new Int32Array(vertices);
  for (let v = 0; v < vertices; v++) ancestor[v] = v;
  for (let k = 0; k < vertices; k++) {
    const j = post[k]!;
    const up = parent[j]!;
    if (up !== ROOT) counts[up]!--;
    for (let e = edgePtr[j]!, end = edgePtr[j + 1]!; e < end; e++) {
      const i = neighbours[e]!;
      if (i <= j || first[j]! <= greatestFirst[i]!) continue;
      greatestFirst[i] = first[j]!;
      counts[j]!++;
      if (leafBefore[i] !== ROOT) counts[commonAncestor(ancestor, leafBefore[i]!)]!--;
      leafBefore[i] = j;
    }
    if (up !== ROOT) ancestor[j] = up;
  }
  for (let k = 0; k < vertices; k++) {
    const j = post[k]!;
    if (parent[j] !== ROOT) counts[parent[j]!]! += counts[j]!;
  }
  return Uint32Array.from(counts);
}

/** The root of what is known of the path from v, which becomes shorter by that. */
function commonAncestor(ancestor: Int32Array, v: number): number {
  let root = v;
  while (ancestor[root] !== root) root = ancestor[root]!;
  for (let at = v; at !== root; ) {
    const next = ancestor[at]!;
    ancestor[at] = root;
    at = next;
  }
  return root;
}
