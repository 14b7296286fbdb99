/**
 * What the least eigenvectors of a graph's Laplacian tell: where it is cut best, where its vertices lie, and in which clusters.
 *
 * Source: Fiedler 1973; Hall 1970 and Koren 2005, "Drawing graphs by eigenvectors"; Ng, Jordan & Weiss 2002, "On spectral clustering".
 * Cost: that of `eigs`; clusters beside that 20 n k² operations for a turn of k-means.
 */
import { degreesOf, laplacian } from '../../algebra/laplacian.js';
import { boolean, integer, knownKeys } from '../../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import type { Engine } from '../../engine/engine.js';
import type { Vector } from '../../memory/vector.js';
import { connectedParts } from '../../reorder/parts.js';
import { eigs } from '../eigs.js';
import type { EigenSolution, EigsOptions } from '../method.js';
import { checkEngine } from '../operand.js';
import { kMeans } from './k-means.js';

/** Options of `eigs` that hold for the Laplacian of a graph. */
export interface SpectralOptions extends Pick<EigsOptions, 'tolerance' | 'maxIterations' | 'signal' | 'onProgress'> {
  /** Whether the Laplacian is normalized: vertices then count by their degrees. Default: false for `fiedler`, true for `spectralLayout`. */
  readonly normalized?: boolean;
}

/** `spectralClustering` takes these options. */
export interface ClusteringOptions extends Omit<SpectralOptions, 'normalized'> {
  /** The seed of the random means: 0 to 2³² − 1. Default 1. */
  readonly seed?: number;
}

const SEARCH_OPTIONS = { tolerance: true, maxIterations: true, signal: true, onProgress: true } as const;
const OPTIONS: Record<keyof SpectralOptions, true> = { ...SEARCH_OPTIONS, normalized: true };
const CLUSTERING_OPTIONS: Record<keyof ClusteringOptions, true> = { ...SEARCH_OPTIONS, seed: true };

/** How the search for eigenvectors ended. */
export type SpectralSearch = Pick<EigenSolution, 'reason' | 'residualNorms' | 'decision'> & {
  readonly converged: boolean;
};

export interface Fiedler extends SpectralSearch {
  /** The algebraic connectivity: the second eigenvalue of the Laplacian, greater than 0. */
  readonly value: number;
  /** Its vector, of norm 1. The signs of its elements cut the graph in two. The caller disposes it. */
  readonly vector: Vector;
}

export interface SpectralLayout extends SpectralSearch {
  /** Row by row, `dimensions` numbers for each vertex. */
  readonly coordinates: Float64Array;
  readonly dimensions: number;
  /** The eigenvalue of each dimension, ascending. */
  readonly values: Float64Array;
}

export interface SpectralClustering extends SpectralSearch {
  /** The cluster of each vertex: 0 to k − 1, in the order of their first vertices. */
  readonly labels: Uint32Array;
  /** The least k eigenvalues of the normalized Laplacian; a gap after them says that there are k clusters. */
  readonly values: Float64Array;
  /** Connected parts of the graph. */
  readonly parts: number;
}

/**
 * The Fiedler vector of a connected graph, and its algebraic connectivity.
 *
 * @param graph as of `laplacian`, with two vertices or more
 * @throws SparlaneError `structure` for a graph that is not connected, with the number of its parts; as `laplacian` and `eigs`
 *
 * @example
 * const { vector } = fiedler(engine, graph); // vector.data[i] < 0: vertex i is on one side
 */
export function fiedler(engine: Engine, graph: MatrixInput, options: SpectralOptions = {}): Fiedler {
  knownKeys<SpectralOptions>('options', options, OPTIONS);
  const weights = connected(engine, graph);
  const found = lowest(engine, weights, 2, options, options.normalized ?? false);
  using vectors = found.vectors;
  const vector = vectors.like(1);
  vectors.copyColumnTo(Math.min(1, found.values.length - 1), vector);
  return { value: found.values[1] ?? Number.NaN, vector, ...searchOf(found, 2) };
}

/**
 * Places vertices so that neighbours are near to each other: by the eigenvectors after the first one.
 *
 * @param graph as of `laplacian`, connected, with more vertices than dimensions
 * @param dimensions from 1 on; default 2
 * @throws SparlaneError `structure` for a graph that is not connected, whose parts would lie on points; as `laplacian` and `eigs`
 */
export function spectralLayout(
  engine: Engine,
  graph: MatrixInput,
  dimensions = 2,
  options: SpectralOptions = {},
): SpectralLayout {
  knownKeys<SpectralOptions>('options', options, OPTIONS);
  const weights = connected(engine, graph);
  integer('dimensions', dimensions, 1, Math.max(1, weights.rows - 1));
  const isNormalized = boolean('normalized', options.normalized ?? true);
  const found = lowest(engine, weights, dimensions + 1, options, isNormalized);
  using vectors = found.vectors;
  const numbers = vectors.toArray();
  const { columns } = vectors;
  // x of L x = λ D x is D^−½ y.
  const scales = degreesOf(weights).map((degree) => (isNormalized ? 1 / Math.sqrt(degree) : 1));
  const coordinates = Float64Array.from({ length: weights.rows * dimensions }, (_, at) => {
    const [vertex, axis] = [Math.floor(at / dimensions), at % dimensions];
    return axis + 1 < columns ? scales[vertex]! * numbers[vertex * columns + axis + 1]! : 0;
  });
  return { coordinates, dimensions, values: found.values.slice(1), ...searchOf(found, dimensions + 1) };
}

/**
 * Clusters of vertices that have many edges within and few between.
 *
 * @param graph as of `laplacian`; it may be in parts
 * @param k from 1 to the number of vertices
 * @throws SparlaneError as `laplacian` and `eigs`
 *
 * @example
 * const { labels } = spectralClustering(engine, friendships, 4);
 */
export function spectralClustering(
  engine: Engine,
  graph: MatrixInput,
  k: number,
  options: ClusteringOptions = {},
): SpectralClustering {
  knownKeys<ClusteringOptions>('options', options, CLUSTERING_OPTIONS);
  checkEngine(engine);
  const weights = csrMatrix(graph);
  const { seed = 1, ...search } = options;
  integer('seed', seed);
  integer('k', k, 1, weights.rows);
  const found = lowest(engine, weights, k, search, true);
  using vectors = found.vectors;
  const points = Float64Array.from(vectors.toArray());
  const { columns } = vectors;
  for (let at = 0; at < points.length; at += columns) {
    const row = points.subarray(at, at + columns);
    const norm = Math.hypot(...row);
    if (norm > 0) for (let j = 0; j < columns; j++) row[j]! /= norm;
  }
  const labels = kMeans(points, columns, k, seed);
  return {
    labels,
    values: found.values,
    parts: connectedParts(laplacian(weights)).sizes.length,
    ...searchOf(found, k),
  };
}

/** The least eigenvalues of the Laplacian. */
function lowest(
  engine: Engine,
  weights: CsrMatrix,
  count: number,
  { normalized: _, ...search }: SpectralOptions,
  isNormalized: boolean,
): EigenSolution {
  return eigs(engine, laplacian(weights, { normalized: boolean('normalized', isNormalized) }), count, search);
}

function searchOf({ converged, reason, residualNorms, decision }: EigenSolution, count: number): SpectralSearch {
  return { converged: converged >= count, reason, residualNorms, decision };
}

/** @throws SparlaneError `structure` for a graph in parts, `shape` for one of a single vertex */
function connected(engine: Engine, graph: MatrixInput): CsrMatrix {
  checkEngine(engine);
  const weights = csrMatrix(graph);
  const parts = connectedParts(laplacian(weights)).sizes.length;
  if (weights.rows < 2) throw mismatch('shape', 'graph', 'two vertices or more', weights.rows);
  if (parts === 1) return weights;
  throw mismatch('structure', 'graph', 'a connected one', `one in ${parts} parts`, { parts });
}
