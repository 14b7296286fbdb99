/** The Laplacian of a graph: D − W, where D has the sums of the weights W at each vertex. */
import { boolean, knownKeys } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import { likenessOfTranspose } from '../core/symmetry.js';
import { newMatrix } from './new-matrix.js';

/** `laplacian` takes these options. */
export interface LaplacianOptions {
  /** D^−½ (D − W) D^−½, whose eigenvalues are from 0 to 2. Default false. */
  readonly normalized?: boolean;
}

/**
 * The Laplacian of an undirected graph; with `normalized` the symmetric normalized one. Loops do not count. A vertex without edges has a row of zeros.
 *
 * Source: Chung, Spectral Graph Theory, 1997.
 *
 * @param graph square and symmetric; entry (i, j) is the weight of the edge between i and j, at least 0
 * @throws SparlaneError `structure` for weights that are negative or not finite, or a graph that is not symmetric; `shape`; and as `csrMatrix`
 */
export function laplacian(graph: MatrixInput, options: LaplacianOptions = {}): CsrMatrix {
  const weights = csrMatrix(graph);
  knownKeys<LaplacianOptions>('options', options, { normalized: true });
  const isNormalized = boolean('normalized', options.normalized ?? false);
  checkWeights(weights);
  const { rows } = weights;
  const degrees = degreesOf(weights);
  const roots = degrees.map((degree) => (degree > 0 ? 1 / Math.sqrt(degree) : 0));
  const rowPtr = new Uint32Array(rows + 1);
  const colIdx = new Uint32Array(weights.nnz + rows);
  const values = new Float64Array(weights.nnz + rows);
  let at = 0;
  const add = (column: number, value: number) => {
    colIdx[at] = column;
    values[at++] = value;
  };
  for (let i = 0; i < rows; i++) {
    const diagonal = isNormalized ? (degrees[i]! > 0 ? 1 : 0) : degrees[i]!;
    let isAdded = false;
    for (let k = weights.rowPtr[i]!, end = weights.rowPtr[i + 1]!; k < end; k++) {
      const [j, weight] = [weights.colIdx[k]!, weights.values[k]!];
      if (j === i || weight === 0) continue;
      if (j > i && !isAdded) add(i, diagonal);
      isAdded ||= j > i;
      add(j, isNormalized ? -weight * (roots[i]! * roots[j]!) : -weight);
    }
    if (!isAdded) add(i, diagonal);
    rowPtr[i + 1] = at;
  }
  return newMatrix({
    ...{ rows, cols: rows, rowPtr, colIdx: colIdx.slice(0, at), values: values.slice(0, at) },
    symmetry: likenessOfTranspose(weights) === 'exact' ? 'symmetric' : 'general',
  });
}

/** The sum of the weights at each vertex, without loops. */
export function degreesOf({ rows, rowPtr, colIdx, values }: CsrMatrix): Float64Array {
  const degrees = new Float64Array(rows);
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) if (colIdx[k] !== i) degrees[i]! += values[k]!;
  return degrees;
}

function checkWeights(weights: CsrMatrix): void {
  const { rows, cols, values } = weights;
  if (rows !== cols) throw mismatch('shape', 'graph', 'as many rows as columns', `${rows} × ${cols}`);
  const wrong = values.findIndex((weight) => !(weight >= 0 && weight < Number.POSITIVE_INFINITY));
  if (wrong >= 0) {
    const text = `graph: expected finite weights of at least 0, got ${values[wrong]} as entry ${wrong}`;
    throw new SparlaneError('structure', text, { entry: wrong });
  }
  if (weights.symmetry !== 'symmetric' && likenessOfTranspose(weights) === 'none')
    throw mismatch('structure', 'graph', 'an undirected one, whose matrix is symmetric', 'one that is not');
}
