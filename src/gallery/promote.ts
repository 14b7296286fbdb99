/**
 * Block promotion: every entry a of a matrix becomes the dense block a·B. The result is the Kronecker product A ⊗ B,
 * the structure of a discretisation with `blockSize` unknowns per node.
 *
 * B has `blockSize` on its diagonal and 1 elsewhere: an integer, symmetric positive definite matrix (1 × 1: the number
 * 1): A ⊗ B keeps the integers, symmetry, definiteness and regularity of A.
 */
import { integer } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';

const MAX_INDEX = 0xffff_ffff;

type Indices = Pick<CsrMatrix, 'rows' | 'rowPtr' | 'colIdx'>;

/**
 * A ⊗ B as above; the blocks of a `pattern` are all ones. O(nnz · blockSize²).
 *
 * @throws SparlaneError as `csrMatrix`; `argument` if rows, columns or entries of the result exceed 2³² − 1.
 */
export function promoteBlocks(input: MatrixInput, blockSize: number): CsrMatrix {
  const matrix = csrMatrix(input);
  const b = integer('blockSize', blockSize, 1);
  const rows = matrix.rows * b;
  const cols = matrix.cols * b;
  const nnz = matrix.nnz * b * b;
  if (Math.max(rows, cols, nnz) > MAX_INDEX) {
    const got = `${rows} × ${cols} with ${nnz} entries`;
    throw mismatch('argument', 'blockSize', `a result of at most ${MAX_INDEX} rows, columns and entries`, got, {
      rows,
      cols,
      nnz,
    });
  }
  const values = blockValues(matrix, b);
  if (matrix.field === 'pattern') values.fill(1);
  return { ...matrix, rows, cols, nnz, ...promoteIndices(matrix, b), values };
}

export function promoteIndices({ rows, rowPtr, colIdx }: Indices, b: number): Pick<CsrMatrix, 'rowPtr' | 'colIdx'> {
  const newPtr = new Uint32Array(rows * b + 1);
  const newIdx = new Uint32Array(colIdx.length * b * b);
  let write = 0;
  for (let i = 0; i < rows; i++) {
    const begin = rowPtr[i]!;
    const end = rowPtr[i + 1]!;
    const first = write;
    for (let k = begin; k < end; k++) {
      const column = colIdx[k]! * b;
      for (let q = 0; q < b; q++) newIdx[write++] = column + q;
    }
    const length = write - first;
    newPtr[i * b + 1] = write;
    for (let p = 1; p < b; p++) {
      newIdx.copyWithin(write, first, first + length);
      write += length;
      newPtr[i * b + p + 1] = write;
    }
  }
  return { rowPtr: newPtr, colIdx: newIdx };
}

/** The values of `source`, each as a block, row by row; in the same precision. */
export function blockValues(source: Omit<Indices, 'colIdx'> & { values: FloatArray }, b: number): FloatArray {
  const { rows, rowPtr, values } = source;
  const length = values.length * b * b;
  const promoted = values instanceof Float64Array ? new Float64Array(length) : new Float32Array(length);
  let write = 0;
  for (let i = 0; i < rows; i++) {
    for (let p = 0; p < b; p++) {
      for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
        for (let q = 0; q < b; q++) promoted[write++] = p === q ? values[k]! * b : values[k]!;
      }
    }
  }
  return promoted;
}
