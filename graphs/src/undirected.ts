/** Graphs without directions and loops: what layouts and communities see. */
import { addMatrices, type CsrMatrix, connectedParts, csrMatrix, SparlaneError, transposeMatrix } from 'sparlane';
import type { Arcs } from './arcs.js';

/**
 * A + Aᵀ without its diagonal: an undirected edge counts twice its weight, a directed one once in both directions.
 *
 * @throws SparlaneError `structure` for weights that are negative or not finite
 */
export function withoutDirections({ nodes, sources, targets, weights }: Arcs): CsrMatrix {
  const [rowIdx, colIdx] = [new Uint32Array(weights.length), new Uint32Array(weights.length)];
  const values = new Float64Array(weights.length);
  let used = 0;
  for (let k = 0; k < weights.length; k++) {
    const [source, target, weight] = [sources[k]!, targets[k]!, weights[k]!];
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) throw wrongWeight(weight);
    if (source === target || weight === 0) continue;
    rowIdx[used] = source;
    colIdx[used] = target;
    values[used++] = weight;
  }
  const n = nodes.length;
  const entries = {
    rowIdx: rowIdx.subarray(0, used),
    colIdx: colIdx.subarray(0, used),
    values: values.subarray(0, used),
  };
  const A = csrMatrix({ rows: n, cols: n, ...entries });
  return addMatrices(A, transposeMatrix(A));
}

function wrongWeight(weight: number): SparlaneError {
  return new SparlaneError('structure', `graph: expected finite weights of at least 0, got ${weight}`);
}

/** A connected part of a graph. */
export interface Part {
  /** Ascending. */
  readonly nodes: readonly number[];
  /** Their rows and columns. */
  readonly matrix: CsrMatrix;
}

/** The connected parts of a graph, in the order of their first nodes. */
export function partsOf(W: CsrMatrix): Part[] {
  const { partOf, sizes } = connectedParts(W);
  const nodesOf: number[][] = sizes.map(() => []);
  /** The number of a node in its part. */
  const numbers = partOf.map((part, node) => nodesOf[part]!.push(node) - 1);
  return nodesOf.map((nodes) => ({ nodes, matrix: rowsAndColumns(W, nodes, numbers) }));
}

function rowsAndColumns(W: CsrMatrix, nodes: readonly number[], numbers: Uint32Array): CsrMatrix {
  const rowPtr = [0];
  const colIdx: number[] = [];
  const values: number[] = [];
  for (const node of nodes) {
    for (let k = W.rowPtr[node]!; k < W.rowPtr[node + 1]!; k++) {
      colIdx.push(numbers[W.colIdx[k]!]!);
      values.push(W.values[k]!);
    }
    rowPtr.push(colIdx.length);
  }
  return csrMatrix({ rows: nodes.length, cols: nodes.length, rowPtr, colIdx, values });
}
