/** @sparlane/tfjs beside dense products of TensorFlow.js, on integers: every order of summation gives the same sums. */
import { sparseMatMul } from '@sparlane/tfjs';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-cpu';
import type { Engine } from 'sparlane';
import { createEngine, gallery, type MatrixOperator } from 'sparlane';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let engine: Engine;
let A: MatrixOperator;
let dense: tf.Tensor2D;
beforeAll(async () => {
  tf.env().set('IS_TEST', true); // without the advice to install tfjs-node
  await tf.setBackend('cpu');
  engine = await createEngine({ threads: 2 });
  const graph = gallery('rmat', { scale: 7 });
  const { rowPtr, colIdx } = graph;
  const values = Float64Array.from(graph.values, (_, k) => ((k * 7) % 9) - 4 || 5);
  // Not square: the columns of A and of its transpose differ in length.
  const cols = graph.cols + 3;
  A = engine.operator({ rows: graph.rows, cols, rowPtr, colIdx, values }, { dtype: 'f32' });
  const full = new Float32Array(graph.rows * cols);
  for (let i = 0; i < graph.rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) full[i * cols + colIdx[k]!] = values[k]!;
  dense = tf.tensor2d(full, [graph.rows, cols]);
});
afterAll(() => engine.dispose());

const integers = (rows: number, columns: number, seed = 1) =>
  tf.tensor2d(
    Float32Array.from({ length: rows * columns }, (_, k) => ((k * (7 + seed)) % 13) - 6),
    [rows, columns],
  );
const numbers = (tensor: tf.Tensor) => [tensor.shape, ...tensor.dataSync()];

describe('sparseMatMul', () => {
  it.each([1, 3, 4, 16])('is the dense product, of %d columns', (columns) => {
    const x = integers(A.cols, columns);
    expect(numbers(sparseMatMul(engine, A, x))).toEqual(numbers(tf.matMul(dense, x)));
  });

  it('takes no columns', () => {
    expect(sparseMatMul(engine, A, tf.zeros([A.cols, 0])).shape).toEqual([A.rows, 0]);
  });

  it('has the gradient Aᵀ dY', () => {
    const x = integers(A.cols, 3);
    const dy = integers(A.rows, 3, 2);
    const gradient = tf.grad((input) => sparseMatMul(engine, A, input as tf.Tensor2D))(x, dy);
    expect(numbers(gradient)).toEqual(numbers(tf.matMul(dense, dy, true)));
  });

  it('composes: the gradient of Aᵀ (A X) is Aᵀ A dY', () => {
    const x = integers(A.cols, 2);
    const gradient = tf.grad((input) =>
      sparseMatMul(engine, A.transposed(), sparseMatMul(engine, A, input as tf.Tensor2D)),
    )(x, integers(A.cols, 2, 3));
    const expected = tf.matMul(dense, tf.matMul(dense, integers(A.cols, 2, 3)), true);
    expect(numbers(gradient)).toEqual(numbers(expected));
  });

  it('has a gradient of its gradient, A V', () => {
    const x = integers(A.cols, 2);
    const v = integers(A.cols, 2, 4);
    const pullBack = (dy: tf.Tensor) => tf.grad((input) => sparseMatMul(engine, A, input as tf.Tensor2D))(x, dy);
    const gradient = tf.grad(pullBack)(integers(A.rows, 2, 5), v);
    expect(numbers(gradient)).toEqual(numbers(tf.matMul(dense, v)));
  });

  it('leaves neither tensors nor blocks behind', () => {
    const x = integers(A.cols, 3);
    const dy = integers(A.rows, 3);
    const step = () =>
      tf
        .grad((input) => sparseMatMul(engine, A, input as tf.Tensor2D))(x, dy)
        .dispose();
    step();
    const before = [tf.memory().numTensors, engine.heap.bytesInUse];
    step();
    expect([tf.memory().numTensors, engine.heap.bytesInUse]).toEqual(before);
  });

  it('refuses other operators and tensors', () => {
    using B = engine.operator(gallery('laplace2d5', { nx: 3, ny: 3 }));
    const x = tf.zeros<tf.Rank.R2>([9, 2]);
    expect(() => sparseMatMul(engine, B, x)).toThrow(
      "A: expected an operator of dtype 'f32', got MatrixOperator (9 × 9",
    );
    expect(() => sparseMatMul(engine, A, x)).toThrow(`x: expected a tensor of shape [${A.cols}, k], got [9, 2]`);
    expect(() => sparseMatMul(engine, A, tf.zeros([A.cols]) as unknown as tf.Tensor2D)).toThrow(`got [${A.cols}]`);
    expect(() => sparseMatMul(engine, A, tf.zeros([A.cols, 2], 'int32'))).toThrow(
      'x: expected a tensor of float32, got int32',
    );
  });
});
