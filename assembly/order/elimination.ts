/**
 * The elimination tree of a symmetric matrix, its postorder, and the number of entries in each column of the Cholesky factor, without
 * computing the factor.
 *
 * Source: Liu, "The role of elimination trees in sparse factorization", 1990; Gilbert, Ng & Peyton, "An efficient algorithm to compute row
 *   and column counts for sparse Cholesky factorization", 1994.
 * The parent of column j is the row of the first entry below the diagonal of column j of the factor. Vertices are eliminated in the order of
 * their numbers. Arrays are 32-bit integers; NONE is the parent of a root.
 */
import { at, fill, filled, NONE, put, reserve } from './words';

/** The same graph with vertex `order[i]` as vertex i, to `newPtr` and `newNeighbours`. The neighbours of a vertex may be in any order. */
export function relabel(n: i32, edgePtr: usize, neighbours: usize, order: usize, newPtr: usize, newNeighbours: usize): void {
  const place = reserve(n);
  for (let i = 0; i < n; i++) put(place, at(order, i), i);
  let write = 0;
  put(newPtr, 0, 0);
  for (let i = 0; i < n; i++) {
    const v = at(order, i);
    for (let k = at(edgePtr, v), end = at(edgePtr, v + 1); k < end; k++) put(newNeighbours, write++, at(place, at(neighbours, k)));
    put(newPtr, i + 1, write);
  }
}

/** The parent of each vertex, greater than the vertex; or NONE. Nearly O(edges). */
export function eliminationTree(n: i32, edgePtr: usize, neighbours: usize, parent: usize): void {
  /** A vertex on the path to the root of what is known of the tree. */
  const ancestor = filled(n, NONE);
  fill(parent, n, NONE);
  for (let i = 0; i < n; i++) {
    for (let k = at(edgePtr, i), end = at(edgePtr, i + 1); k < end; k++) {
      for (let j = at(neighbours, k), next = 0; j !== NONE && j < i; j = next) {
        next = at(ancestor, j);
        put(ancestor, j, i);
        if (next === NONE) put(parent, j, i);
      }
    }
  }
}

/**
 * A postorder of a forest: `order[k]` is the k-th vertex. Children come by ascending weight, the heaviest one next to its parent; of equal
 * ones that of the lower number first.
 *
 * @param weights 0: all are equal
 */
export function postorder(n: i32, parent: usize, weights: usize, order: usize): void {
  const firstChild = filled(n, NONE);
  const sibling = reserve(n);
  const byWeight = reserve(n);
  const stack = reserve(n);
  sortByWeight(n, weights, byWeight);
  // Each vertex is put before its heavier siblings, so the heaviest goes first into the list.
  for (let k = n - 1; k >= 0; k--) {
    const v = at(byWeight, k);
    const p = at(parent, v);
    if (p === NONE) continue;
    put(sibling, v, at(firstChild, p));
    put(firstChild, p, v);
  }
  let write = 0;
  for (let root = 0; root < n; root++) {
    if (at(parent, root) !== NONE) continue;
    let depth = 0;
    put(stack, 0, root);
    while (depth >= 0) {
      const v = at(stack, depth);
      const child = at(firstChild, v);
      if (child === NONE) {
        put(order, write++, v);
        depth--;
      } else {
        put(firstChild, v, at(sibling, child));
        put(stack, ++depth, child);
      }
    }
  }
}

/** Vertices by ascending weight, those of equal weight by their numbers: a counting sort. */
function sortByWeight(n: i32, weights: usize, sorted: usize): void {
  if (weights === 0) {
    for (let v = 0; v < n; v++) put(sorted, v, v);
    return;
  }
  let most = 0;
  for (let v = 0; v < n; v++) most = max(most, at(weights, v));
  const begins = filled(most + 2, 0);
  for (let v = 0; v < n; v++) put(begins, at(weights, v) + 1, at(begins, at(weights, v) + 1) + 1);
  for (let w = 1; w <= most; w++) put(begins, w, at(begins, w) + at(begins, w - 1));
  for (let v = 0; v < n; v++) {
    const place = at(begins, at(weights, v));
    put(begins, at(weights, v), place + 1);
    put(sorted, place, v);
  }
}

/** The entries of each column of the factor, with the diagonal. Nearly O(edges). @param post a postorder of the tree */
export function columnCounts(n: i32, edgePtr: usize, neighbours: usize, parent: usize, post: usize, counts: usize): void {
  /** The place in `post` of the first descendant. */
  const first = filled(n, NONE);
  // Row i of the factor is a subtree with root i. Each of its leaves j adds 1 from j on, which ends where its path meets that of the leaf before.
  const greatestFirst = filled(n, NONE);
  const leafBefore = filled(n, NONE);
  const ancestor = reserve(n);
  for (let v = 0; v < n; v++) put(ancestor, v, v);
  for (let k = 0; k < n; k++) {
    let j = at(post, k);
    put(counts, j, at(first, j) === NONE ? 1 : 0);
    for (; j !== NONE && at(first, j) === NONE; j = at(parent, j)) put(first, j, k);
  }
  for (let k = 0; k < n; k++) {
    const j = at(post, k);
    const up = at(parent, j);
    if (up !== NONE) put(counts, up, at(counts, up) - 1);
    for (let e = at(edgePtr, j), end = at(edgePtr, j + 1); e < end; e++) {
      const i = at(neighbours, e);
      if (i <= j || at(first, j) <= at(greatestFirst, i)) continue;
      put(greatestFirst, i, at(first, j));
      put(counts, j, at(counts, j) + 1);
      const before = at(leafBefore, i);
      if (before !== NONE) {
        const meeting = commonAncestor(ancestor, before);
        put(counts, meeting, at(counts, meeting) - 1);
      }
      put(leafBefore, i, j);
    }
    if (up !== NONE) put(ancestor, j, up);
  }
  for (let k = 0; k < n; k++) {
    const j = at(post, k);
    const up = at(parent, j);
    if (up !== NONE) put(counts, up, at(counts, up) + at(counts, j));
  }
}

/** The root of what is known of the path from v, which becomes shorter by that. */
function commonAncestor(ancestor: usize, v: i32): i32 {
  let root = v;
  while (at(ancestor, root) !== root) root = at(ancestor, root);
  for (let read = v; read !== root; ) {
    const next = at(ancestor, read);
    put(ancestor, read, root);
    read = next;
  }
  return root;
}
