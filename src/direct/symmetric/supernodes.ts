/**
 * Supernodes: consecutive columns of the Cholesky factor that are stored as one dense block, since they have the same rows below, or nearly so.
 *
 * Source: Ng & Peyton 1993 (supernodes); Ashcraft & Grimes, "The influence of relaxed supernode partitions on the multifrontal method", 1989,
 *   with the thresholds of CHOLMOD (Chen, Davis, Hager & Rajamanickam 2008).
 * Differs: supernodes wider than 64 columns are cut, so that threads may share one, and what an update reads stays in a cache. The parts
 *   share one list of rows.
 * Layout of a factor of 4 rows, with entries in column 0 and 1 at row 3, supernodes {0} and {1, 2, 3}:
 *
 *     columnPtr  0 1 4
 *     rowBegin   0 2        rowCount  2 3
 *     rows       0 3, 1 2 3
 */
import { columnCounts, eliminationTree, postorder, ROOT, relabelled } from '../../reorder/elimination.js';
import type { Graph } from '../../reorder/graph.js';
import { inverted } from '../../reorder/permutation.js';

export interface Supernodes {
  /** `order[i]`: the row of A that is eliminated i-th. */
  readonly order: Uint32Array;
  readonly count: number;
  /** count + 1: the first column of each. */
  readonly columnPtr: Uint32Array;
  /** The supernode of each column. */
  readonly nodeOf: Uint32Array;
  /** The supernode of the first row below; ROOT if there is none. */
  readonly parent: Int32Array;
  /** Where the rows of each begin in `rows`, its own columns first; and how many there are. */
  readonly rowBegin: Uint32Array;
  readonly rowCount: Uint32Array;
  /** Ascending in each supernode. */
  readonly rows: Uint32Array;
  /** Entries of the factor, with the zeros that relaxed supernodes store. */
  readonly entries: number;
  /** Multiplications and additions of the factorization. */
  readonly flops: number;
}

/** Most columns of a supernode. */
export const MOST_COLUMNS = 64;

/** A supernode and its parent are joined if together they have at most so many columns, and less than such a share of their entries is zero. */
const RELAXED: readonly (readonly [columns: number, zeros: number])[] = [
  [4, 2],
  [16, 0.8],
  [48, 0.1],
  [Number.POSITIVE_INFINITY, 0.05],
];

/**
 * @param first an order with little fill, of which the result is an equivalent one
 * @param next by row: the row that comes right after it in `first` and stays there, in the same supernode; or −1
 */
export function supernodesOf(graph: Graph, first: Uint32Array, next?: Int32Array): Supernodes {
  const tree = postorderedTree(graph, first, next);
  const joined = join(tree, fundamental(tree));
  return withRows(relabelled(graph, tree.order), tree, joined);
}

/** The elimination tree of an order in which each subtree is in one piece. */
interface Tree {
  readonly order: Uint32Array;
  readonly parent: Int32Array;
  /** Entries of each column of the factor, with the diagonal. */
  readonly counts: Uint32Array;
  /** Whether the column after each one must be in the same supernode. */
  readonly isTied: Uint8Array;
}

function postorderedTree(graph: Graph, first: Uint32Array, next: Int32Array | undefined): Tree {
  const ordered = relabelled(graph, first);
  const parent = eliminationTree(ordered);
  const counts = columnCounts(ordered, parent, postorder(parent));
  // The child with the most rows comes last, next to its parent, where it can be joined with it. A tied one has a parent that nothing else ties.
  const isTied = new Uint8Array(parent.length);
  if (next !== undefined) for (let j = 0; j < parent.length; j++) isTied[j] = next[first[j]!] === ROOT ? 0 : 1;
  const weights = counts.slice();
  for (let j = 0; j < parent.length; j++) if (isTied[j] === 1) weights[j] = parent.length + 1;
  const post = postorder(parent, weights);
  const place = inverted(post);
  const n = post.length;
  const order = new Uint32Array(n);
  const newParent = new Int32Array(n);
  const newCounts = new Uint32Array(n);
  const isTiedThere = new Uint8Array(n);
  for (let k = 0; k < n; k++) {
    const j = post[k]!;
    order[k] = first[j]!;
    newParent[k] = parent[j] === ROOT ? ROOT : place[parent[j]!]!;
    newCounts[k] = counts[j]!;
    isTiedThere[k] = isTied[j]!;
  }
  return { order, parent: newParent, counts: newCounts, isTied: isTiedThere };
}

/** Blocks of consecutive columns: the first column of each; one more at the end. */
type ColumnBlocks = Uint32Array;

/** Columns whose rows are those of the column before without its own, and that are its only parent. */
function fundamental({ parent, counts }: Tree): ColumnBlocks {
  const n = parent.length;
  const children = new Uint32Array(n);
  for (let j = 0; j < n; j++) if (parent[j] !== ROOT) children[parent[j]!]!++;
  const blocks: number[] = [];
  for (let j = 0; j < n; j++) {
    const continues = j > 0 && parent[j - 1] === j && counts[j] === counts[j - 1]! - 1 && children[j] === 1;
    if (!continues) blocks.push(j);
  }
  blocks.push(n);
  return Uint32Array.from(blocks);
}

/** Joins blocks with their parents, the block after them, where few zeros are stored for it. */
function join({ parent, counts, isTied }: Tree, blocks: ColumnBlocks): Pick<Supernodes, 'columnPtr' | 'rowCount'> {
  const count = blocks.length - 1;
  // The last block joined so far is on top; a block is compared with the one that begins after it.
  const begins: number[] = [];
  const rowCounts: number[] = [];
  const zeros: number[] = [];
  for (let s = count - 1; s >= 0; s--) {
    const begin = blocks[s]!;
    let end = blocks[s + 1]!;
    let rowCount = counts[begin]!;
    let stored = 0;
    const up = parent[end - 1]!;
    if (begins.length > 0 && up !== ROOT && up < blockEnd(begins, blocks[count]!)) {
      const columns = end - begin;
      const rowsOfNext = rowCounts.at(-1)!;
      const nextColumns = blockEnd(begins, blocks[count]!) - end;
      const added = columns * (rowsOfNext + columns - rowCount);
      const all = columns + nextColumns;
      const total = zeros.at(-1)! + added;
      const entries = (all * (all + 1)) / 2 + all * (rowsOfNext - nextColumns);
      if (
        added === 0 ||
        isTied[end - 1] === 1 ||
        RELAXED.some(([most, share]) => all <= most && total < share * entries)
      ) {
        end += nextColumns;
        rowCount = columns + rowsOfNext;
        stored = total;
        begins.pop();
        rowCounts.pop();
        zeros.pop();
      }
    }
    begins.push(begin);
    rowCounts.push(rowCount);
    zeros.push(stored);
  }
  begins.reverse().push(blocks[count]!);
  return { columnPtr: Uint32Array.from(begins), rowCount: Uint32Array.from(rowCounts.reverse()) };
}

function blockEnd(begins: readonly number[], n: number): number {
  return begins.length > 1 ? begins.at(-2)! : n;
}

/** The rows of each supernode, in the order of columns; those wider than MOST_COLUMNS in parts. */
function withRows(
  { vertices, edgePtr, neighbours }: Graph,
  { order, parent, isTied }: Tree,
  { columnPtr, rowCount }: Pick<Supernodes, 'columnPtr' | 'rowCount'>,
): Supernodes {
  const count = rowCount.length;
  const nodeOf = new Uint32Array(vertices);
  for (let s = 0; s < count; s++) nodeOf.fill(s, columnPtr[s], columnPtr[s + 1]);
  const up = new Int32Array(count);
  const rowBegin = new Uint32Array(count);
  let total = 0;
  for (let s = 0; s < count; s++) {
    const parentColumn = parent[columnPtr[s + 1]! - 1]!;
    up[s] = parentColumn === ROOT ? ROOT : nodeOf[parentColumn]!;
    rowBegin[s] = total;
    total += rowCount[s]!;
  }
  const rows = new Uint32Array(total);
  const next = rowBegin.slice();
  /** 1 + the last row that each supernode got, or does not get. */
  const met = new Uint32Array(count);
  for (let i = 0; i < vertices; i++) {
    const own = nodeOf[i]!;
    rows[next[own]!++] = i;
    met[own] = i + 1;
    // Row i of the factor: the paths in the tree from its entries of A to i.
    for (let k = edgePtr[i]!, end = edgePtr[i + 1]!; k < end; k++) {
      const j = neighbours[k]!;
      if (j > i) continue;
      for (let s = nodeOf[j]!; met[s] !== i + 1; s = up[s]!) {
        met[s] = i + 1;
        rows[next[s]!++] = i;
      }
    }
  }
  return cut({ order, columnPtr, rowBegin, rowCount, rows }, isTied);
}

/** Cuts wide supernodes in parts of about equal width, not between tied columns. */
function cut(
  {
    order,
    columnPtr,
    rowBegin,
    rowCount,
    rows,
  }: Pick<Supernodes, 'order' | 'columnPtr' | 'rowBegin' | 'rowCount' | 'rows'>,
  isTied: Uint8Array,
): Supernodes {
  const columns = [0];
  const begins: number[] = [];
  const counts: number[] = [];
  let entries = 0;
  let flops = 0;
  for (let s = 0; s < rowCount.length; s++) {
    const width = columnPtr[s + 1]! - columnPtr[s]!;
    // A tied column may come in addition.
    const parts = width <= MOST_COLUMNS ? 1 : Math.ceil(width / (MOST_COLUMNS - 1));
    for (let part = 0, from = 0, to = 0; part < parts; part++, from = to) {
      to = Math.floor((width * (part + 1)) / parts);
      if (to < width && isTied[columnPtr[s]! + to - 1] === 1) to++;
      columns.push(columnPtr[s]! + to);
      begins.push(rowBegin[s]! + from);
      counts.push(rowCount[s]! - from);
    }
    for (let c = 0, length = rowCount[s]!; c < width; c++, length--) {
      entries += length;
      flops += length * length;
    }
  }
  const cutPtr = Uint32Array.from(columns);
  const count = begins.length;
  const nodeOf = new Uint32Array(order.length);
  for (let s = 0; s < count; s++) nodeOf.fill(s, cutPtr[s], cutPtr[s + 1]);
  const parent = new Int32Array(count).fill(ROOT);
  for (let s = 0; s < count; s++) {
    const own = cutPtr[s + 1]! - cutPtr[s]!;
    if (counts[s]! > own) parent[s] = nodeOf[rows[begins[s]! + own]!]!;
  }
  const sizes = { rowBegin: Uint32Array.from(begins), rowCount: Uint32Array.from(counts) };
  return { ...{ order, count, columnPtr: cutPtr, nodeOf, parent, rows }, ...sizes, entries, flops };
}
