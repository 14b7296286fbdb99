/**
 * Parts of the rows of a matrix that is distributed over ranks, one for each rank, of about equal work and with few entries between them. The graph of the matrix is coarsened
 * where it is; only the coarsest graph is gathered, and the parts are improved on the way back.
 *
 * Source: Karypis & Kumar, "A coarse-grain parallel formulation of multilevel k-way graph partitioning", 1997.
 * Memory: some 80 bytes for each entry of this rank's rows of A + Aᵀ, and up to 30 MB on rank 0.
 */
import { concatenated } from '../../core/arrays.js';
import type { CsrMatrix } from '../../core/csr.js';
import { entryChunk } from '../../core/entries.js';
import { IMBALANCE, partsOfGraph } from '../../reorder/graph-parts.js';
import type { Communicator } from '../communicator.js';
import { ROW_WORK } from '../partition.js';
import type { PlacedRows } from '../redistribute.js';
import { gatherBounds } from '../row-range.js';
import { entriesOf, rowsOfEntries } from '../send-entries.js';
import { contract } from './coarsening.js';
import { matchVertices } from './matching.js';
import { type RankGraph, rankGraph } from './rank-graph.js';
import { refineParts } from './refinement.js';

/** A graph with at most so many entries is gathered on rank 0. Chosen. */
const MOST_GATHERED: number = 2 ** 20;
/** A coarser graph is used if it has at most this share of the vertices of the finer one. Chosen. */
const LEAST_STEP = 0.93;
/** A pair weighs at most this times the mean of the vertices. Chosen. */
const HEAVIEST = 12;
/** A pair weighs at most one in this many of its share of a part. Chosen, as in METIS. */
const SHARE_OF_PART = 20;

/**
 * Returns the part of each of this rank's rows of a square matrix. Parts are as many as ranks. Together.
 *
 * @param gathered a graph with at most so many entries is gathered on rank 0
 */
export function partsOfRows(
  comm: Communicator,
  { matrix, firstRow, symmetry }: PlacedRows,
  gathered: number = MOST_GATHERED,
): Uint16Array {
  const { cols, rowPtr, rows } = matrix;
  const bounds = gatherBounds(comm, rows);
  const entries = entriesOf({ ...matrix, field: 'pattern' }, (row) => firstRow + row);
  // Each entry of a symmetric matrix has its mirror image.
  const mirrored = symmetry === 'general' ? 'symmetric' : 'general';
  const pattern = rowsOfEntries(comm, { cols, field: 'pattern', symmetry: mirrored }, bounds, entries);
  const work = Float64Array.from({ length: rows }, (_, i) => rowPtr[i + 1]! - rowPtr[i]! + ROW_WORK);
  const graph = rankGraph(comm, pattern, bounds, work);
  const total = comm.allreduce(work.reduce((sum, weight) => sum + weight, 0));
  const limit = Math.ceil((total / comm.size) * (1 + IMBALANCE));
  return partsOfLevel(comm, graph, { total, limit, gathered }).subarray(0, rows);
}

interface Wish {
  /** All vertices have this weight together. */
  readonly total: number;
  /** A part may have this weight. */
  readonly limit: number;
  /** A graph with at most so many entries is gathered. */
  readonly gathered: number;
}

/** Returns the part of the vertex at each place of a graph. */
function partsOfLevel(comm: Communicator, graph: RankGraph, wish: Wish): Uint16Array {
  const { total, limit, gathered } = wish;
  const all = graph.bounds.at(-1)!;
  if (comm.allreduce(graph.neighbours.length) > gathered) {
    const heaviest = total / (SHARE_OF_PART * comm.size);
    const partner = matchVertices(comm, graph, Math.min(heaviest, (HEAVIEST * total) / all));
    const { coarse, project } = contract(comm, graph, partner);
    if (coarse.bounds.at(-1)! <= LEAST_STEP * all) {
      const part = project(partsOfLevel(comm, coarse, wish));
      refineParts(comm, graph, part, limit);
      return part;
    }
  }
  return partsOfGathered(comm, graph);
}

/** Rank 0 gathers a graph, and finds the parts. */
function partsOfGathered(comm: Communicator, graph: RankGraph): Uint16Array {
  const { size } = comm;
  const { vertices, bounds, vertexWeights } = graph;
  const whole = gatherGraph(comm, graph);
  const weights = concatenated(Float64Array, comm.gather(vertexWeights.slice(0, vertices)));
  const found = comm.together(() => {
    if (comm.rank > 0) return undefined;
    const { rows, rowPtr, colIdx, values } = whole;
    const gathered = { vertices: rows, edgePtr: rowPtr, neighbours: colIdx };
    return Float64Array.from(partsOfGraph(gathered, weights, size, { edgeWeights: values }));
  });
  const part = new Uint16Array(vertexWeights.length);
  part.set(comm.scatter(found && Array.from({ length: size }, (_, r) => found.slice(bounds[r], bounds[r + 1]))));
  graph.spread(part);
  return part;
}

/** Returns the edges of the whole graph on rank 0, and those of no vertices on the others. */
function gatherGraph(comm: Communicator, graph: RankGraph): CsrMatrix {
  const { vertices, numbers, bounds, edgePtr, neighbours, edgeWeights } = graph;
  const cols = bounds.at(-1)!;
  const entries = entryChunk('real', neighbours.length);
  for (let v = 0; v < vertices; v++) entries.rowIdx.fill(numbers[v]!, edgePtr[v], edgePtr[v + 1]);
  for (let k = 0; k < neighbours.length; k++) entries.colIdx[k] = numbers[neighbours[k]!]!;
  entries.values!.set(edgeWeights);
  entries.used = neighbours.length;
  const onFirst = bounds.map((_, rank) => (rank === 0 ? 0 : cols));
  return rowsOfEntries(comm, { cols, field: 'real', symmetry: 'general' }, onFirst, entries);
}
