/**
 * The ways to multiply a constant sparse matrix by a dense one in TensorFlow.js. The matrix is R P C, with a pattern P of ones and diagonal R and C
 * (`rowFactors`, `colFactors`): Â of a graph network and features scaled by row are such matrices. A way is a function of the matrix and of the
 * columns of the dense factor; it returns X ↦ R P C X, an operation with a gradient.
 */
import { sparseMatMul } from '@sparlane/tfjs';
import * as tf from '@tensorflow/tfjs-core';
import { scaleMatrix, transposeMatrix } from 'sparlane';

const valuesOf = ({ pattern, rowFactors, colFactors }) => scaleMatrix(pattern, { rows: rowFactors, cols: colFactors });

/** The engine multiplies. */
export const bySparlane = (engine) => (matrix, columns) => {
  const A = engine.operator(valuesOf(matrix), { dtype: 'f32', columns });
  return (x) => sparseMatMul(engine, A, x);
};

/** `tf.matMul` of the whole matrix, zeros included. */
export function byDense(matrix) {
  const { rows, cols, rowPtr, colIdx, values } = valuesOf(matrix);
  const full = new Float32Array(rows * cols);
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) full[i * cols + colIdx[k]] = values[k];
  const A = tf.tensor2d(full, [rows, cols]);
  return linear(
    (x) => tf.matMul(A, x),
    (dy) => tf.matMul(A, dy, true),
  );
}

/**
 * `tf.gather` has a row of X for each entry, which is multiplied by the entry's value; `tf.scatterND` adds those of a row. (`tf.unsortedSegmentSum` would
 * add them, too: on the backend `cpu` it passes over all entries for each row, and `wasm` has no kernel for it.)
 */
export function byScatter(matrix) {
  const values = valuesOf(matrix);
  const product = (csr) => {
    const entries = tf.tensor2d(Float32Array.from(csr.values), [csr.nnz, 1]);
    const columns = tf.tensor1d(Int32Array.from(csr.colIdx), 'int32');
    const rows = tf.tensor2d(rowsOfEntries(csr), [csr.nnz, 1], 'int32');
    return (x) => tf.scatterND(rows, tf.mul(tf.gather(x, columns), entries), [csr.rows, x.shape[1]]);
  };
  return linear(product(values), product(transposeMatrix(values)));
}

/** `tf.sparse.sparseSegmentSum`, which adds rows of X by ranges of entries, without values: R and C scale the rows. */
export function bySparseSegmentSum({ pattern, rowFactors, colFactors }) {
  const product = (csr, ofRows, ofColumns) => {
    const [scaleOfRows, scaleOfColumns] = [ofRows, ofColumns].map((factors) =>
      tf.tensor2d(factors, [factors.length, 1]),
    );
    const columns = tf.tensor1d(Int32Array.from(csr.colIdx), 'int32');
    const ids = tf.tensor1d(rowsOfEntries(csr), 'int32');
    return (x) => {
      const sums = tf.sparse.sparseSegmentSum(tf.mul(scaleOfColumns, x), columns, ids);
      // Empty rows at the end are missing in the sums.
      const all =
        sums.shape[0] < csr.rows
          ? tf.pad(sums, [
              [0, csr.rows - sums.shape[0]],
              [0, 0],
            ])
          : sums;
      return tf.mul(scaleOfRows, all);
    };
  };
  return linear(product(pattern, rowFactors, colFactors), product(transposeMatrix(pattern), colFactors, rowFactors));
}

function rowsOfEntries({ rows, nnz, rowPtr }) {
  const ids = new Int32Array(nnz);
  for (let i = 0; i < rows; i++) ids.fill(i, rowPtr[i], rowPtr[i + 1]);
  return ids;
}

/** The operation X ↦ A X with the gradient Aᵀ dY. */
const linear = (multiply, transposed) => tf.customGrad((x) => ({ value: multiply(x), gradFunc: transposed }));
