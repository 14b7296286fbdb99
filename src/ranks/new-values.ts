/** Takes other values for the rows of a rank, whose own part and ghosts' part are stored apart. */
import { asFloats, type NumberArray } from '../core/arrays.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { lowerBound } from '../core/search.js';

interface Parts {
  readonly own: CsrMatrix;
  /** It has one row for each of `boundaryRows`. */
  readonly ghost: CsrMatrix;
  readonly boundaryRows: Uint32Array;
  /** Ghosts have these columns of the whole matrix, which ascend. */
  readonly ghosts: Uint32Array;
  /** Own columns begin here in the whole matrix. */
  readonly firstCol: number;
}

/**
 * The same parts with other values.
 *
 * @param given one for each entry of the rank's rows, columns ascending
 * @throws SparlaneError `shape` for another number of them
 */
export function withNewValues(parts: Parts, given: NumberArray): Pick<Parts, 'own' | 'ghost'> {
  const { own, ghost, boundaryRows, ghosts, firstCol } = parts;
  const values = asFloats('values', given);
  const nnz = own.nnz + ghost.nnz;
  if (values.length !== nnz) throw mismatch('shape', 'values', `one for each of ${nnz} entries of this rank`, given);
  const [ownValues, ghostValues] = [new Float64Array(own.nnz), new Float64Array(ghost.nnz)];
  /** Columns of the ghosts from here on are behind the own columns. */
  const behind = lowerBound(ghosts, firstCol);
  let at = 0;
  let boundary = 0;
  for (let i = 0; i < own.rows; i++) {
    const isBoundary = boundaryRows[boundary] === i;
    let ghostAt = isBoundary ? ghost.rowPtr[boundary]! : 0;
    const ghostEnd = isBoundary ? ghost.rowPtr[boundary + 1]! : 0;
    if (isBoundary) boundary++;
    while (ghostAt < ghostEnd && ghost.colIdx[ghostAt]! < behind) ghostValues[ghostAt++] = values[at++]!;
    for (let k = own.rowPtr[i]!; k < own.rowPtr[i + 1]!; k++) ownValues[k] = values[at++]!;
    while (ghostAt < ghostEnd) ghostValues[ghostAt++] = values[at++]!;
  }
  return { own: withValues(own, ownValues), ghost: withValues(ghost, ghostValues) };
}

function withValues(matrix: CsrMatrix, values: Float64Array): CsrMatrix {
  return { ...matrix, values, field: 'real' };
}
