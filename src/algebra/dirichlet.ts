/** Dirichlet conditions: unknowns whose values are given. */
import { asFloats, asIndices, checkRange, type IndexArray, type NumberArray } from '../core/arrays.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { newMatrix } from './new-matrix.js';

/** A x = b with given values of some unknowns. */
export interface ConstrainedSystem {
  readonly matrix: CsrMatrix;
  readonly b: Float64Array;
}

/**
 * Gives unknowns of A x = b their values by symmetric elimination: b ← b − A g, then rows and columns of these unknowns become 0 except for
 * the diagonal, and bᵢ ← aᵢᵢ gᵢ. A symmetric (positive definite) matrix stays so, and with the diagonal also its scale. The
 * pattern stays: the entries are explicit zeros, so that `update(matrix.values)` of a preconditioner takes the values of the next step.
 *
 * @param matrix square, with a diagonal entry for each of the unknowns; 1 takes the place of one that is 0
 * @param b length `rows`; not changed
 * @param unknowns of one that is named twice, the last value counts
 * @param values one for each of the unknowns, or one for all. Default 0
 * @throws SparlaneError `shape` for wrong lengths or a matrix that is not square; `structure` for an unknown out of range, or without a diagonal
 *   entry; `argument`; and as `csrMatrix`
 */
export function applyDirichlet(
  matrix: MatrixInput,
  b: NumberArray,
  unknowns: IndexArray,
  values: NumberArray | number = 0,
): ConstrainedSystem {
  const { rows, cols, rowPtr, colIdx, values: given, symmetry } = csrMatrix(matrix);
  if (rows !== cols) throw mismatch('shape', 'matrix', 'a square matrix', `${rows} × ${cols}`, { rows, cols });
  const right = Float64Array.from(asFloats('b', b));
  if (right.length !== rows) throw mismatch('shape', 'b', `length ${rows}`, right.length, { rows });
  const fixed = asIndices('unknowns', unknowns);
  checkRange('unknowns', 'row', fixed, rows);
  const isFixed = new Uint8Array(rows);
  const g = fixedValues(fixed, values, rows, isFixed);
  const entries = Float64Array.from(given);
  for (let i = 0; i < rows; i++) {
    let diagonal: number | undefined;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      const j = colIdx[k]!;
      if (isFixed[i] === 1 && j === i) diagonal = entries[k]! ||= 1;
      else if (isFixed[i] === 1) entries[k] = 0;
      else if (isFixed[j] === 1) {
        right[i]! -= entries[k]! * g[j]!;
        entries[k] = 0;
      }
    }
    if (isFixed[i] === 0) continue;
    if (diagonal === undefined) throw mismatch('structure', `row ${i}`, 'an entry on the diagonal', 'none', { row: i });
    right[i] = diagonal * g[i]!;
  }
  return { matrix: newMatrix({ rows, cols, rowPtr, colIdx, values: entries, symmetry }), b: right };
}

/** g: the given values, 0 elsewhere. Marks the unknowns that have one. */
function fixedValues(
  fixed: Uint32Array,
  values: NumberArray | number,
  rows: number,
  isFixed: Uint8Array,
): Float64Array {
  const numbers = asFloats('values', typeof values === 'number' ? new Float64Array(fixed.length).fill(values) : values);
  if (numbers.length !== fixed.length)
    throw mismatch('shape', 'values', `length ${fixed.length}, as unknowns`, numbers.length);
  const g = new Float64Array(rows);
  fixed.forEach((unknown, k) => {
    isFixed[unknown] = 1;
    g[unknown] = numbers[k]!;
  });
  return g;
}
