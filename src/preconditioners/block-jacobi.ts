/**
 * Block Jacobi: M is the block diagonal of A, in blocks of `size` rows; its inverse is stored.
 *
 * Source: Saad 2003, §12.2.
 * For: several unknowns per node, such as displacements. Each block is inverted with partial pivoting.
 * Cost: a product with `size` entries per row.
 */
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import { findBlockSize } from '../formats/bsr/block-size.js';
import { compose } from './composed.js';
import type { PreconditionerKind } from './preconditioner.js';

export const BLOCK_JACOBI: PreconditionerKind = {
  name: 'block-jacobi',
  summary: 'the diagonal in dense blocks',
  source: 'Saad 2003, §12.2',
  suits: 'several unknowns per node; any device',
  parameters: {
    size: { kind: 'integer', default: 0, min: 0, max: 64, doc: 'rows of a block; 0: the best size for bsr' },
  },
  matrices: 'square',
  isSymmetric: true,
  knowsPlaces: ({ size }) => (size as number) > 1,
  prepare(engine, preparation, { size: given }) {
    const { matrix } = preparation;
    const size = Math.max(1, Math.min((given as number) || findBlockSize(matrix).blockSize, matrix.rows));
    return compose(engine, preparation, true, (parts) => {
      const inverse = parts.operator(blockDiagonal(matrix.rows, size, invertedBlocks(matrix, size, matrix.values)));
      return {
        compute: (x, y) => inverse.operator.apply(x, y),
        refill: (values) => inverse.refill(invertedBlocks(matrix, size, values)),
        entries: inverse.operator.nnz,
        report: () => ({ blocks: Math.ceil(matrix.rows / size), blockRows: size }),
      };
    });
  },
};

/** A matrix of dense blocks on the diagonal; the last one may be smaller. */
function blockDiagonal(rows: number, size: number, values: Float64Array): CsrMatrix {
  const rowPtr = new Uint32Array(rows + 1);
  const colIdx = new Uint32Array(values.length);
  let at = 0;
  for (let i = 0; i < rows; i++) {
    const first = i - (i % size);
    for (let j = first; j < Math.min(first + size, rows); j++) colIdx[at++] = j;
    rowPtr[i + 1] = at;
  }
  return csrMatrix({ rows, cols: rows, rowPtr, colIdx, values });
}

/** The inverses of the diagonal blocks, one after the other, row by row. @throws SparlaneError `structure` for a singular one */
function invertedBlocks({ rows, rowPtr, colIdx }: CsrMatrix, size: number, values: FloatArray): Float64Array {
  const last = rows % size;
  const inverses = new Float64Array((rows - last) * size + last * last);
  for (let first = 0, at = 0; first < rows; first += size) {
    const n = Math.min(size, rows - first);
    const block = new Float64Array(n * n);
    for (let i = 0; i < n; i++)
      for (let k = rowPtr[first + i]!; k < rowPtr[first + i + 1]!; k++) {
        const j = colIdx[k]! - first;
        if (j >= 0 && j < n) block[i * n + j] = values[k]!;
      }
    if (!invert(block, n, inverses.subarray(at, at + n * n))) {
      const text = `matrix: expected diagonal blocks that can be inverted, got one that cannot in rows ${first} to ${first + n - 1}`;
      throw new SparlaneError('structure', text, { row: first });
    }
    at += n * n;
  }
  return inverses;
}

/** Gauss and Jordan with partial pivoting: inverse ← block⁻¹; block is overwritten. @returns whether it exists */
function invert(block: Float64Array, n: number, inverse: Float64Array): boolean {
  for (let i = 0; i < n; i++) inverse[i * n + i] = 1;
  for (let j = 0; j < n; j++) {
    let pivot = j;
    for (let i = j + 1; i < n; i++) if (Math.abs(block[i * n + j]!) > Math.abs(block[pivot * n + j]!)) pivot = i;
    const factor = 1 / block[pivot * n + j]!;
    if (!Number.isFinite(factor) || factor === 0) return false;
    for (const rows of [block, inverse]) {
      for (let m = 0; m < n; m++) {
        const moved = rows[j * n + m]!;
        rows[j * n + m] = rows[pivot * n + m]! * factor;
        if (pivot !== j) rows[pivot * n + m] = moved;
      }
    }
    for (let i = 0; i < n; i++) {
      const multiple = block[i * n + j]!;
      if (i === j || multiple === 0) continue;
      for (const rows of [block, inverse]) for (let m = 0; m < n; m++) rows[i * n + m]! -= multiple * rows[j * n + m]!;
    }
  }
  return inverse.every(Number.isFinite);
}
